import AudioFiles
import AudioRuntime
import CAudioTypes
import EngineCore
import Foundation
import Synchronization

/// Manual rendering into buffers of Apple's types.
///
/// The controller renders planar samples; the coding and the layout of the app's format are known only here.
final class ManualRenderer: Sendable {
    private let control: EngineController
    private let setting = Mutex<Setting?>(nil)

    struct Setting: Sendable {
        var mode: AVAudioEngineManualRenderingMode
        var format: AVAudioFormat
    }

    init(_ control: EngineController) { self.control = control }

    /// Nil while the engine plays on a device.
    var current: Setting? { setting.withLock { $0 } }

    func begin(_ mode: AVAudioEngineManualRenderingMode, _ format: AVAudioFormat, maximumFrames: Int) throws {
        do throws(EngineError) {
            try control.beginManualRendering(in: try checked(format), maximumFrames: maximumFrames)
        } catch {
            throw NSError.audio(error)
        }
        setting.withLock { $0 = Setting(mode: mode, format: format) }
    }

    private func checked(_ format: AVAudioFormat) throws(EngineError) -> StreamFormat {
        guard format.isRenderable else { throw .manualRenderingFormat("\(format)") }
        return StreamFormat(format)
    }

    func end() {
        setting.withLock { $0 = nil }
        control.endManualRendering()
    }

    /// - Returns: false where the input's block has too few frames: none are rendered then.
    func renderOffline(_ frames: AVAudioFrameCount, to buffer: AVAudioPCMBuffer) throws -> Bool {
        guard let current, current.mode == .offline else {
            throw NSError.audio(
                AVAudioEngineManualRenderingError.invalidMode.rawValue,
                "renderOffline was called without offline mode: call enableManualRenderingMode(.offline, ...) first.")
        }
        guard buffer.format == current.format, frames <= buffer.frameCapacity else {
            throw NSError.audio(
                kAudio_ParamError,
                "renderOffline was called for \(frames) frames with a buffer for \(buffer.frameCapacity) of \(buffer.format)"
                    + ": give one with room for them, of \(current.format).")
        }
        buffer.frameLength = 0
        let outcome = control.render(Int(frames)) { planes in
            buffer.frameLength = frames
            buffer.write(planes, frames: Int(frames))
        }
        switch outcome {
        case .rendered: return true
        case .insufficientInput: return false
        case .notRunning:
            throw NSError.audio(
                AVAudioEngineManualRenderingError.notRunning.rawValue,
                "renderOffline was called while the engine does not run: start it first.")
        case .tooManyFrames(let allowed):
            throw NSError.audio(
                kAudio_ParamError, "renderOffline was called for \(frames) frames: ask for at most \(allowed).")
        }
    }

    /// - Returns: nil where the input's block has too few frames: none are rendered then.
    func render(_ frames: AVAudioFrameCount, into list: UnsafeMutablePointer<AudioBufferList>) -> OSStatus? {
        guard let format = current?.format else { return AVAudioEngineManualRenderingError.invalidMode.rawValue }
        guard frames > 0 else { return noErr }
        let (size, isTooLarge) = frames.multipliedReportingOverflow(
            by: format.streamDescription.pointee.mBytesPerFrame)
        guard !isTooLarge else { return kAudio_ParamError }
        for index in 0..<UnsafeMutableAudioBufferListPointer(list).count {
            UnsafeMutableAudioBufferListPointer(list)[index].mDataByteSize = size
        }
        guard let buffer = AVAudioPCMBuffer(pcmFormat: format, bufferListNoCopy: list) else { return kAudio_ParamError }
        return switch control.render(Int(frames), { buffer.write($0, frames: Int(frames)) }) {
        case .rendered: noErr
        case .insufficientInput: nil
        case .notRunning: AVAudioEngineManualRenderingError.notRunning.rawValue
        case .tooManyFrames: kAudio_ParamError
        }
    }
}

extension AVAudioFormat {
    /// Linear PCM with channels and a rate, in a coding that samples can be read and written in.
    var isRenderable: Bool {
        channelCount > 0 && sampleRate > 0 && sampleRate <= AudioFileReader.supportedSampleRates.upperBound
            && SampleCoding(streamDescription.pointee) != nil
    }
}
