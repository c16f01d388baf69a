import AudioFiles
import AudioModel
import EngineCore

/// The file of a recorder, and how far it has come.
///
/// One thread at a time; writing waits for the disk.
struct RecordingSink: ~Copyable {
    /// nil once the file is closed.
    private var writer: AudioFileWriter?
    /// What others may know without waiting for the disk.
    private let progress: RecordingProgress
    /// In the file.
    private(set) var frames: Int64 = 0
    /// `record` was called: a file without a frame is a failure from then on.
    var isAsked = false
    /// In the file when it is complete; nil for no end.
    var limit: Int64?
    /// Frames that are still to be left out, before the recording begins.
    var skip: Int64 = 0
    /// The captured frame that is expected next.
    private var next: Int64 = 0
    /// How often it was found empty.
    private var looks = 0

    enum Outcome {
        case more
        case complete
        case failed(String)
    }

    init(writer: sending AudioFileWriter, progress: RecordingProgress) {
        self.writer = writer
        self.progress = progress
    }

    /// Writes what the feed has; frames that were lost on the way become silence, so that the rest stays in time.
    mutating func consume(from feed: CaptureFeed) -> Outcome {
        guard let writer else { return .more }
        var failure: String?
        let channels = feed.channels
        feed.drain { block, samples in
            guard failure == nil else { return }
            do throws(AudioFileWriteError) {
                let gap = leaveOut(of: block.sampleTime - next)
                if gap > 0 {
                    progress.noteLost(Int(gap))
                    try pad(with: gap, channels: channels, writer)
                }
                next = block.sampleTime + Int64(block.frames)
                let due = leaveOut(of: Int64(block.frames))
                let count = room(for: due)
                let first = (block.frames - Int(due)) * channels
                let written = UnsafeBufferPointer(rebasing: samples[first..<first + Int(count) * channels])
                try writer.write(written)
                frames += count
                progress.noteWritten(written, channels: channels, frames: frames)
            } catch {
                failure = error.message
            }
        }
        if let failure { return .failed(failure) }
        return limit.map { frames >= $0 } ?? false ? .complete : .more
    }

    /// True for exactly one call with this number, if nothing has come yet.
    mutating func isStillEmpty(atLook number: Int) -> Bool {
        guard frames == 0, skip == 0 else { return false }
        looks += 1
        return looks == number
    }

    /// What is left of `count` frames when those that come too early are left out.
    private mutating func leaveOut(of count: Int64) -> Int64 {
        let early = min(skip, max(0, count))
        skip -= early
        return count - early
    }

    private func room(for count: Int64) -> Int64 { limit.map { max(0, min(count, $0 - frames)) } ?? count }

    private mutating func pad(
        with count: Int64, channels: Int, _ writer: AudioFileWriter
    ) throws(AudioFileWriteError) {
        var left = room(for: count)
        let silence = [Float](repeating: 0, count: 4096 * channels)
        while left > 0 {
            let part = min(left, 4096)
            try writer.write(Array(silence.prefix(Int(part) * channels)))
            frames += part
            left -= part
        }
    }

    /// Completes the file; returns why it is none, in words.
    ///
    /// A file that was to have sound and has none is removed. Idempotent.
    mutating func close() -> String? {
        guard let writer else { return nil }
        self.writer = nil
        if isAsked, frames == 0, limit != 0 {
            return
                "The recording \"\(writer.path.printable)\" ended before any sound came from the input; "
                + "\(writer.discard()). Check that the input is connected and not used by another program, and record again."
        }
        do throws(AudioFileWriteError) {
            try writer.close()
            return nil
        } catch {
            return error.message
        }
    }
}
