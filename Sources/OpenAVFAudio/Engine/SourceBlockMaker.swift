import AudioModel
import AudioRuntime
import CAudioTypes
import EngineCore
import Foundation

/// Asks an app's block for frames in the block's format, and brings them to the renderer's.
///
/// `@unchecked Sendable`: one thread at a time uses it, under the lock of the producer.
final class SourceBlockMaker: @unchecked Sendable {
    private let block: SourceBlock
    private let format: AVAudioFormat
    private let channels: [ChannelLabel]
    private let stage: (any FrameConverter)?
    private let isConvertible: Bool
    private var buffer: AVAudioPCMBuffer?
    private var madeFrames: Int64 = 0
    /// Converted and not asked for yet; interleaved.
    private var waiting: [Float] = []

    init(_ block: SourceBlock, _ use: SourceBinding) {
        self.block = block
        channels = use.format.channels
        format = block.format ?? AVAudioFormat(use.format)
        let rateStage = RateStage.ifNeeded(
            from: format.sampleRate, to: use.renderer.sampleRate, channels: use.format.channels.count)
        isConvertible = rateStage != nil || format.sampleRate == use.renderer.sampleRate
        stage = use.makeConverter(from: format.sampleRate, rateStage)
    }

    /// - Returns: the frames made; 0 from formats that can not be converted.
    func make(_ output: UnsafeMutableBufferPointer<Float>, _ frames: Int, from: Int64) -> Int {
        guard isConvertible else { return 0 }
        guard let stage else {
            ask(for: frames, into: output)
            return frames
        }
        while waiting.count < frames * channels.count {
            let missing = frames - waiting.count / channels.count
            let wanted = max(64, Int((Double(missing) / stage.takeRatio()).rounded(.up)))
            let input = [Float](unsafeUninitializedCapacity: wanted * channels.count) { input, count in
                count = wanted * channels.count
                ask(for: wanted, into: UnsafeMutableBufferPointer(rebasing: input[..<count]))
            }
            let converted = input.withUnsafeBufferPointer { stage.convertAll($0, channels: channels.count) }
            guard let converted else { return 0 }
            waiting += converted
        }
        let count = frames * channels.count
        for index in 0..<count { output[index] = waiting[index] }
        waiting.removeFirst(count)
        return frames
    }

    /// Interleaved frames in the node's channels, at the block's rate; silence where the block fails or says so.
    private func ask(for frames: Int, into output: UnsafeMutableBufferPointer<Float>) {
        if buffer.map({ Int($0.frameCapacity) < frames }) ?? true {
            buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: UInt32(frames))
        }
        guard let buffer else { return output.update(repeating: 0) }
        buffer.frameLength = UInt32(frames)
        let list = UnsafeMutablePointer(mutating: buffer.audioBufferList)
        for memory in UnsafeMutableAudioBufferListPointer(list) {
            memory.mData?.initializeMemory(as: UInt8.self, repeating: 0, count: Int(memory.mDataByteSize))
        }
        var isSilent = ObjCBool(false)
        var time = AVAudioTime(sampleTime: madeFrames, atRate: format.sampleRate).audioTimeStamp
        let status = block.block(&isSilent, &time, UInt32(frames), list)
        madeFrames += Int64(frames)
        // The block may have changed the sizes in the list, which are the buffer's own.
        buffer.frameLength = UInt32(frames)
        guard status == noErr, !isSilent.boolValue else { return output.update(repeating: 0) }
        buffer.read(0..<frames, into: output, as: channels)
    }
}
