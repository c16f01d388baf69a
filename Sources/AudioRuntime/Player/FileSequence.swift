import AudioFiles
import EngineCore
import Synchronization

/// The files of a player as one item: one after the other, without a frame between them.
///
/// Frames count from the beginning of the first file on. Any thread but the one that feeds may hand over the next file
/// and ask for places; it waits for no disk.
///
/// `@unchecked Sendable`: only the thread that feeds the player touches `readers`, one call at a time.
final class FileSequence: ItemReader, @unchecked Sendable {
    /// One of the files.
    struct Part: Sendable {
        let id: UInt64
        let info: AudioFileInfo
        /// Of a sound from a server.
        let buffer: StreamBuffer?
        /// Its first frame.
        var start: Int64
    }

    private struct State {
        /// Begun, in order; those that have been rendered leave.
        var parts: [Part]
        var next: Next?
        var lastID: UInt64 = 0
    }

    /// Handed over, and not begun.
    ///
    /// `@unchecked Sendable`: the reader is unused until the thread that feeds has taken it.
    private struct Next: @unchecked Sendable {
        var id: UInt64 = 0
        let reader: AudioFileReader
    }

    private var readers: [UInt64: AudioFileReader]
    /// The last read gave nothing because the sound has not come yet.
    private var isLastReadWaiting = false
    private let state: Mutex<State>

    init(_ reader: sending AudioFileReader) {
        state = Mutex(State(parts: [Part(id: 0, info: reader.info, buffer: reader.streamBuffer, start: 0)]))
        reader.streamBuffer?.start()
        readers = [0: reader]
    }

    // MARK: Any thread

    /// Whether a file can follow: it has the same channels.
    func canJoin(_ info: AudioFileInfo) -> Bool { state.withLock { $0.parts[0].info.channels == info.channels } }

    /// The file that follows the last one; nil: none does.
    ///
    /// - Returns: its number, and whether frames of the file that it replaces have been fed.
    func setNext(_ reader: sending AudioFileReader?, currentFrame: Int64) -> (id: UInt64, mustFeedAgain: Bool) {
        reader?.streamBuffer?.start()
        let next = reader.map { Next(reader: $0) }
        return state.withLock { state in
            state.lastID += 1
            let begun = state.parts.count(after: currentFrame)
            state.parts.removeLast(begun)
            state.next = next
            state.next?.id = state.lastID
            return (state.lastID, begun > 0)
        }
    }

    /// The file that a frame belongs to.
    func part(at frame: Int64) -> Part {
        state.withLock { state in state.parts.last { $0.start <= frame } ?? state.parts[0] }
    }

    /// The first frame of the next file, once it is known.
    func nextStart(after frame: Int64) -> Int64? { state.withLock { $0.parts.first { $0.start > frame }?.start } }

    /// Rendering has come to this frame.
    ///
    /// - Returns: the files that it has entered since the last call.
    func enter(frame: Int64) -> [UInt64] {
        state.withLock { state in
            guard let current = state.parts.lastIndex(where: { $0.start <= frame }), current > 0 else { return [] }
            let entered = state.parts[1...current].map(\.id)
            state.parts.removeFirst(current)
            return entered
        }
    }

    // MARK: The thread that feeds

    func hasMore(_ item: UInt64) -> Bool { state.withLock { $0.next != nil } }

    func isWaiting(_ item: UInt64) -> Bool { isLastReadWaiting }

    func read(
        _ item: UInt64, from frame: Int64, into room: UnsafeMutableBufferPointer<Float>, frames: Int
    ) throws(ItemFailure) -> Int {
        var part = part(at: frame)
        isLastReadWaiting = false
        while true {
            guard let reader = readers[part.id] else { return 0 }
            do throws(AudioFileError) {
                // A loop begins again, and so does a file that was begun before a seek.
                if reader.position != frame - part.start { try reader.seek(toFrame: frame - part.start) }
                let got = try reader.read(into: room)
                if got > 0 { return got }
                if reader.isWaiting {
                    isLastReadWaiting = true
                    return 0
                }
            } catch {
                throw ItemFailure(message: error.message)
            }
            guard let next = begin(after: part, at: frame) else { return 0 }
            part = next
        }
    }

    /// The file after this one, which ends here.
    private func begin(after part: Part, at frame: Int64) -> Part? {
        let (following, next) = state.withLock { state -> (Part?, Next?) in
            guard let index = state.parts.firstIndex(where: { $0.id == part.id }) else { return (nil, nil) }
            if index + 1 < state.parts.count {
                state.parts[index + 1].start = frame
                return (state.parts[index + 1], nil)
            }
            guard let next = state.next else { return (nil, nil) }
            let following = Part(
                id: next.id, info: next.reader.info, buffer: next.reader.streamBuffer, start: frame)
            state.parts.append(following)
            state.next = nil
            return (following, next)
        }
        if let next { readers[next.id] = next.reader }
        forgetReaders()
        return following
    }

    private func forgetReaders() {
        let kept = state.withLock { Set($0.parts.map(\.id)) }
        readers = readers.filter { kept.contains($0.key) }
    }

    func seek(_ item: UInt64, toFrame frame: Int64) throws(ItemFailure) -> Int64 {
        let part = part(at: frame)
        guard let reader = readers[part.id] else { return frame }
        do throws(AudioFileError) {
            try reader.seek(toFrame: frame - part.start)
            // Where the file's length is not known before, the reader may have met its end on the way.
            return part.start + reader.position
        } catch {
            throw ItemFailure(message: error.message)
        }
    }
}

extension [FileSequence.Part] {
    /// How many begin after a frame.
    fileprivate func count(after frame: Int64) -> Int { count { $0.start > frame } }
}
