import AudioFiles
import EngineCore
import Synchronization

/// The reading half of a file player: keeps a playback's read-ahead full, from the frame it was last sent to.
///
/// A seek only leaves word here; whoever calls `fill` carries it out. A damaged file may keep the reader busy, and the
/// session must not wait for that.
final class FileReadAhead: Sendable {
    static let chunkFrames = 4096

    private let playback: Playback
    private let channels: Int
    private let source: Mutex<Source>
    /// Where to go, at the output rate; nil once the reader has gone there.
    private let target = Mutex<Int64?>(nil)
    /// How often it is to begin again at its end; negative: for ever.
    private let repetitions = Mutex(0)
    /// Frames from the beginning to the end, at the output rate; 0 until it has begun again.
    private let lapFrames = Atomic<Int64>(0)

    /// Guarded by its mutex: the reader thread and a virtual cycle take turns.
    private struct Source: ~Copyable {
        var reader: AudioFileReader
        var scratch: [Float]
        var isAtEnd = false
        var error: AudioFileError?
        /// Of the repetitions since the last seek.
        var framesBefore: Int64 = 0

        /// Reads a chunk; 0 at the end, and on an error, which is kept.
        mutating func read() -> Int {
            do throws(AudioFileError) {
                return try scratch.withUnsafeMutableBufferPointer { buffer throws(AudioFileError) in
                    try reader.read(into: buffer)
                }
            } catch {
                self.error = error
                return 0
            }
        }
    }

    /// What is left to do.
    enum Progress {
        /// More could be written at once.
        case behind
        case full
        /// All has been read; so many frames have not been rendered yet.
        case atEnd(remainingFrames: Int64)
    }

    init(reader: sending AudioFileReader, playback: Playback) {
        self.playback = playback
        channels = max(1, reader.info.channels.count)
        source = Mutex(
            Source(reader: reader, scratch: [Float](repeating: 0, count: Self.chunkFrames * channels)))
    }

    // MARK: Any thread

    /// Where a seek goes that has not been carried out yet.
    var seekTarget: Int64? { target.withLock { $0 } }

    func seek(toFrame frame: Int64) { target.withLock { $0 = frame } }

    /// How often it is to begin again at its end; negative: for ever.
    ///
    /// What has been read ahead is not called back: less than that before the end, a new number comes too late.
    func repeatAtEnd(times: Int) { repetitions.withLock { $0 = times } }

    /// The frame of the file that a frame of the playback is; in a file that begins again, its end is its beginning.
    func fileFrame(of frame: Int64) -> Int64 {
        let lap = lapFrames.load(ordering: .acquiring)
        return lap > 0 ? frame % lap : frame
    }

    /// What ended the reading; waits for a `fill` that is under way.
    var error: AudioFileError? { source.withLock { $0.error } }

    // MARK: The reader thread, or the thread that advances virtual time

    /// Carries out the last seek and reads ahead.
    func fill() -> Progress {
        source.withLock { source in
            seekIfAsked(&source)
            return fill(&source)
        }
    }

    private func seekIfAsked(_ source: inout Source) {
        guard let frame = seekTarget else { return }
        do throws(AudioFileError) {
            try source.reader.seek(toFrame: frame)
            source.isAtEnd = false
            source.error = nil
            source.framesBefore = 0
            // Where the file's length is not known before, the reader may have met its end on the way.
            playback.flush(toFrame: source.reader.position)
        } catch {
            // What was read before the seek plays to its end; then the player fails with this.
            source.error = error
            source.isAtEnd = true
            playback.markEndOfStream()
        }
        target.withLock { if $0 == frame { $0 = nil } }
    }

    private func fill(_ source: inout Source) -> Progress {
        // Bounded, so that events are not kept waiting behind a slow disk; in frames, or short laps would starve.
        var budget = 8 * Self.chunkFrames
        while !source.isAtEnd, playback.writableFrames >= Self.chunkFrames {
            if budget <= 0 { return .behind }
            let frames = source.read()
            budget -= frames
            if frames == 0 {
                if beginAgain(&source) { continue }
                source.isAtEnd = true
                playback.markEndOfStream()
            } else {
                source.scratch.withUnsafeBufferPointer {
                    _ = playback.write(interleaved: UnsafeBufferPointer(rebasing: $0.prefix(frames * channels)))
                }
            }
        }
        guard source.isAtEnd else { return .full }
        let end = source.framesBefore + source.reader.position
        return .atEnd(remainingFrames: max(0, end - playback.positionFrames))
    }

    /// False where it is over: for lack of repetitions, of frames, or by an error.
    private func beginAgain(_ source: inout Source) -> Bool {
        let length = source.reader.position
        guard source.error == nil, length > 0, repetitions.withLock({ $0 }) != 0 else { return false }
        do throws(AudioFileError) {
            try source.reader.seek(toFrame: 0)
        } catch {
            source.error = error
            return false
        }
        repetitions.withLock { if $0 > 0 { $0 -= 1 } }
        source.framesBefore += length
        lapFrames.store(length, ordering: .releasing)
        return true
    }
}
