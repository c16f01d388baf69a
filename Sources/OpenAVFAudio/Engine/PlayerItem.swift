import AudioFiles
import AudioModel
import EngineCore
import Foundation

/// A buffer or a segment of a file in a player's queue, with who is to be told of its end.
///
/// `@unchecked Sendable`: constants, but for `reader`, which only the thread that feeds touches, under the player's lock.
/// The app must not change a buffer while it is scheduled, as on Apple's platforms.
final class PlayerItem: @unchecked Sendable {
    typealias Completion = (AVAudioPlayerNodeCompletionCallbackType) -> Void

    private enum Content {
        case buffer(AVAudioPCMBuffer)
        /// The first frame and the count are at the file's rate.
        case segment(URL, rate: Double, first: Int64, count: Int64)
    }

    let options: AVAudioPlayerNodeBufferOptions
    let time: AVAudioTime?
    let callback: AVAudioPlayerNodeCompletionCallbackType
    let completion: Completion?
    private let content: Content
    private var reader: (file: AudioFileReader, next: Int64)?
    private var hasFailed = false

    init(
        _ buffer: AVAudioPCMBuffer, at time: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions,
        callback: AVAudioPlayerNodeCompletionCallbackType, completion: Completion?
    ) {
        content = .buffer(buffer)
        self.options = options
        self.time = time
        self.callback = callback
        self.completion = completion
    }

    /// The file is opened anew, so that the app's own place in it stays where it is.
    init(
        _ file: AVAudioFile, first: Int64, count: Int64, at time: AVAudioTime?,
        callback: AVAudioPlayerNodeCompletionCallbackType, completion: Completion?
    ) {
        content = .segment(file.url, rate: file.processingFormat.sampleRate, first: first, count: count)
        options = []
        self.time = time
        self.callback = callback
        self.completion = completion
    }

    /// The length at a player's rate, in hertz.
    func frames(at rate: Double) -> Int64 {
        switch content {
        case .buffer(let buffer): Int64(buffer.frameLength)
        case .segment(_, let fileRate, _, let count): Int64((Double(count) * rate / fileRate).rounded())
        }
    }

    var interruption: ScheduleInterruption {
        if options.contains(.interrupts) { return .atOnce }
        return options.contains(.interruptsAtLoop) ? .atLoopEnd : .none
    }

    var scheduledCallback: ScheduledItem.Callback {
        switch callback {
        case .dataConsumed: .dataConsumed
        case .dataRendered: .dataRendered
        case .dataPlayedBack: .dataPlayedBack
        }
    }

    // MARK: The thread that feeds

    /// Fills interleaved frames in the player's format, from a frame of the item at the player's rate.
    ///
    /// - Returns: the frames filled; fewer only where the file ends or can not be read.
    func read(from frame: Int64, _ output: UnsafeMutableBufferPointer<Float>, _ frames: Int, as format: StreamFormat)
        -> Int
    {
        switch content {
        case .buffer(let buffer):
            let count = min(frames, max(0, Int(buffer.frameLength) - Int(frame)))
            guard count > 0 else { return 0 }
            buffer.read(Int(frame)..<Int(frame) + count, into: output, as: format.channels)
            return count
        case .segment(let url, _, let first, _):
            return readFile(url, from: frame, first: first, output, frames, as: format)
        }
    }

    private func readFile(
        _ url: URL, from frame: Int64, first: Int64, _ output: UnsafeMutableBufferPointer<Float>, _ frames: Int,
        as format: StreamFormat
    ) -> Int {
        guard !hasFailed else { return 0 }
        do {
            let file: AudioFileReader
            if let reader, reader.next == frame, reader.file.outputSampleRate == format.sampleRate {
                file = reader.file
            } else {
                file = try AudioFileReader(path: url.path, outputSampleRate: format.sampleRate)
                let start = (Double(first) * format.sampleRate / file.info.sampleRate).rounded()
                try file.seek(toFrame: Int64(start) + frame)
            }
            let channels = file.info.channels
            var got = 0
            if channels == format.channels {
                while got < frames {
                    let rest = UnsafeMutableBufferPointer(
                        rebasing: output[(got * channels.count)..<(frames * channels.count)])
                    let read = try file.read(into: rest)
                    if read == 0 { break }
                    got += read
                }
            } else {
                var scratch = [Float](repeating: 0, count: frames * channels.count)
                try scratch.withUnsafeMutableBufferPointer { scratch in
                    while got < frames {
                        let rest = UnsafeMutableBufferPointer(rebasing: scratch[(got * channels.count)...])
                        let read = try file.read(into: rest)
                        if read == 0 { break }
                        got += read
                    }
                }
                scratch.prefix(got * channels.count).mix(from: channels, to: format.channels, into: output)
            }
            reader = (file, frame + Int64(got))
            return got
        } catch {
            // The rest of the item is silent and its completion comes early, as where a file is shorter than it said.
            hasFailed = true
            return 0
        }
    }
}

extension Collection<Float> where Index == Int {
    /// Spreads interleaved frames over other channels.
    func mix(
        from inputs: [ChannelLabel], to outputs: [ChannelLabel], into output: UnsafeMutableBufferPointer<Float>
    ) {
        let matrix = MixMatrix.compile(from: inputs, to: outputs)
        for frame in 0..<(count / inputs.count) {
            for row in outputs.indices {
                var sum: Float = 0
                for column in inputs.indices {
                    sum += matrix[row * inputs.count + column] * self[startIndex + frame * inputs.count + column]
                }
                output[frame * outputs.count + row] = sum
            }
        }
    }
}
