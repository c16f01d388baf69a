import AudioFiles
import EngineCore
import Synchronization

/// One file as the item of a player.
///
/// `@unchecked Sendable`: only the thread that feeds the player touches `reader` and `isLastReadWaiting`, one call at a time.
final class SingleFile: PlayedItem, @unchecked Sendable {
    let sampleRate: Double
    private let info: AudioFileInfo
    private let reader: AudioFileReader
    /// The last read gave nothing because the sound has not come yet.
    private var isLastReadWaiting = false
    private let state = Mutex(State())
    private let isStalled: @Sendable () -> Bool

    private struct State {
        /// The frame that the file ends before; nil: its own end.
        var end: Int64?
        /// Read so far, since the last seek.
        var readFrame: Int64 = 0
    }

    /// - Parameter isStalled: whether nothing more comes from the file at this moment, in a simulated machine.
    init(_ reader: sending AudioFileReader, isStalled: @escaping @Sendable () -> Bool) {
        (info, sampleRate) = (reader.info, reader.outputSampleRate)
        self.isStalled = isStalled
        reader.stream?.start()
        self.reader = reader
    }

    // MARK: Any thread

    func file(at frame: Int64) -> (info: AudioFileInfo, origin: Int64) { (info, 0) }

    func nextStart(after frame: Int64) -> Int64? { nil }

    func enter(frame: Int64) {}

    func setEnd(_ end: Int64?, of file: UInt64) -> Bool {
        state.withLock { state in
            let old = state.end
            state.end = end
            guard old != end, let earlier = [old, end].compactMap(\.self).min() else { return false }
            return state.readFrame >= earlier
        }
    }

    // MARK: The thread that feeds

    func isWaiting(_ item: UInt64) -> Bool { isLastReadWaiting }

    func read(
        _ item: UInt64, from frame: Int64, into room: UnsafeMutableBufferPointer<Float>, frames: Int
    ) throws(ItemFailure) -> Int {
        isLastReadWaiting = isStalled()
        let left = state.withLock { $0.end }.map { max(0, $0 - frame) } ?? Int64(frames)
        if isLastReadWaiting || left == 0 { return 0 }
        do throws(AudioFileError) {
            // A loop begins again.
            if reader.position != frame { try reader.seek(toFrame: frame) }
            let count = Int(min(left, Int64(frames))) * info.channels.count
            let got = try reader.read(into: UnsafeMutableBufferPointer(rebasing: room[..<count]))
            if got == 0 { isLastReadWaiting = reader.isWaiting }
            return state.withLock { state in
                // The end may be another since the read began.
                let kept = state.end.map { Int(max(0, min(Int64(got), $0 - frame))) } ?? got
                state.readFrame = frame + Int64(kept)
                return kept
            }
        } catch {
            throw ItemFailure(message: error.message)
        }
    }

    func seek(_ item: UInt64, toFrame frame: Int64) throws(ItemFailure) -> Int64 {
        do throws(AudioFileError) {
            try reader.seek(toFrame: frame)
            // Where the file's length is not known before, the reader may have met its end on the way.
            let reached = reader.position
            state.withLock { $0.readFrame = reached }
            return reached
        } catch {
            throw ItemFailure(message: error.message)
        }
    }
}
