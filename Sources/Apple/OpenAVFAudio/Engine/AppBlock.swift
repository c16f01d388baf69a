import AudioRuntime
import CAudioTypes
import CRealtime
import EngineCore
import Foundation
import RenderCore

/// Adapters between the app's blocks, which take buffers of Apple's types, and the closures over samples that the runtime
/// calls.
///
/// The runtime calls each closure on one thread at a time, so a block may be handed over to it.
enum AppBlock {
    /// - Parameter format: of the buffers; nil for the format of the tapped bus. A tap is silent in a format that samples
    ///   cannot be written in.
    static func tap(_ format: AVAudioFormat?, _ block: @escaping AVAudioNodeTapBlock) -> TapReceiver {
        nonisolated(unsafe) let block = block
        return { heard, samples, stream in
            let format = format ?? AVAudioFormat(stream)
            guard let buffer = buffer(format, samples, frames: heard.frames) else { return heard.frames }
            block(buffer, AVAudioTime(heard, atRate: stream.sampleRate))
            return Int(buffer.frameLength)
        }
    }

    static func sink(_ block: @escaping AVAudioSinkNodeReceiverBlock) -> SinkBlock {
        nonisolated(unsafe) let block = block
        return SinkBlock { heard, samples, stream in
            guard let buffer = buffer(AVAudioFormat(stream), samples, frames: heard.frames) else { return }
            var stamp = AVAudioTime(heard, atRate: stream.sampleRate).audioTimeStamp
            _ = block(&stamp, buffer.frameLength, buffer.audioBufferList)
        } makeBody: { stream in
            let list = PlaneList(channels: stream.channels.count)
            return { process in
                list.point(to: process.pointee.inputs.pointee, frames: process.pointee.frames)
                var stamp = AudioTimeStamp(process.pointee)
                _ = block(&stamp, process.pointee.frames, UnsafePointer(list.pointer))
            }
        }
    }

    static func speech(
        _ block: @escaping (AVAudioVoiceProcessingSpeechActivityEvent) -> Void
    ) -> SpeechListener {
        nonisolated(unsafe) let block = block
        return { isSpeaking in block(isSpeaking ? .started : .ended) }
    }

    private static func buffer(_ format: AVAudioFormat, _ samples: [Float], frames: Int) -> AVAudioPCMBuffer? {
        guard let coding = SampleCoding(format.streamDescription.pointee),
            let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(frames))
        else { return nil }
        samples.map(Double.init).withUnsafeBufferPointer { buffer.encode($0, at: 0, with: coding) }
        buffer.frameLength = AVAudioFrameCount(frames)
        return buffer
    }

    /// - Parameter format: what the block writes; nil for the format of the node's bus.
    static func source(
        _ format: AVAudioFormat?, _ block: @escaping AVAudioSourceNodeRenderBlock
    ) -> SourceBlock {
        nonisolated(unsafe) let block = block
        return SourceBlock(sampleRate: format?.sampleRate) { made in
            let format = format ?? AVAudioFormat(made)
            var memory: AVAudioPCMBuffer?
            return { output, frames, sampleTime in
                if memory.map({ Int($0.frameCapacity) < frames }) ?? true {
                    memory = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(frames))
                }
                guard let buffer = memory else { return output.update(repeating: 0) }
                buffer.frameLength = AVAudioFrameCount(frames)
                let list = UnsafeMutablePointer(mutating: buffer.audioBufferList)
                UnsafeMutableAudioBufferListPointer(list).silence()
                var isSilent = ObjCBool(false)
                var time = AVAudioTime(sampleTime: sampleTime, atRate: format.sampleRate).audioTimeStamp
                let status = block(&isSilent, &time, AVAudioFrameCount(frames), list)
                // The block may have changed the sizes in the list, which are the buffer's own.
                buffer.frameLength = AVAudioFrameCount(frames)
                guard status == noErr, !isSilent.boolValue else { return output.update(repeating: 0) }
                buffer.read(0..<frames, into: output, as: made.channels)
            }
        } makeBody: { made in
            let list = PlaneList(channels: made.channels.count)
            return { process in
                let frames = process.pointee.frames
                list.point(to: process.pointee.output, frames: frames)
                list.silence()
                var isSilent = ObjCBool(false)
                var stamp = AudioTimeStamp(process.pointee)
                let status = block(&isSilent, &stamp, frames, list.pointer)
                list.takeOver(
                    to: process.pointee.output, frames: frames, isSilent: status != noErr || isSilent.boolValue)
            }
        } canMakeInCycle: { channels in
            format.map { $0.isStandard && $0.channelCount == channels } ?? true
        }
    }

    static func input(_ format: AVAudioFormat, _ block: @escaping AVAudioIONodeInputBlock) -> ManualInput.Block {
        { frames in
            guard let list = block(AVAudioFrameCount(frames)),
                let buffer = AVAudioPCMBuffer(pcmFormat: format, bufferListNoCopy: list), buffer.frameLength > 0
            else { return nil }
            let places = format.places
            let count = min(frames, Int(buffer.frameLength))
            return [Float](unsafeUninitializedCapacity: count * places.count) { samples, initialized in
                initialized = count * places.count
                buffer.read(0..<count, into: UnsafeMutableBufferPointer(rebasing: samples[..<initialized]), as: places)
            }
        }
    }
}

extension AVAudioTime {
    fileprivate convenience init(_ heard: CycleBlock, atRate sampleRate: Double) {
        self.init(hostTime: heard.hostTimeNanoseconds, sampleTime: heard.sampleTime, atRate: sampleRate)
    }
}

extension AudioTimeStamp {
    /// Of a cycle: its sample time and its host time.
    fileprivate init(_ process: oav_process) {
        self.init()
        mSampleTime = Float64(process.sample_time)
        mHostTime = process.host_time_ns
        mRateScalar = 1
        mFlags = [.sampleTimeValid, .hostTimeValid, .rateScalarValid]
    }
}
