internal import AudioFiles
internal import AudioRuntime
internal import EngineCore
internal import Synchronization

/// The files of a player as one item: one after the other, without a frame between them.
///
/// Any thread but the one that feeds may hand over the next file and ask for places; it waits for no disk.
///
/// `@unchecked Sendable`: only the thread that feeds the player touches `readers`, one call at a time.
final class FileSequence: PlayedItem, @unchecked Sendable {
    /// One of the files.
    struct Part: Sendable {
        let id: UInt64
        let info: AudioFileInfo
        /// Of a sound that comes while it is played.
        let stream: (any SoundStream)?
        /// Its first frame.
        var start: Int64
        /// The file's frame there.
        let offset: Int64
        /// The file's frame that it ends before; nil: its own end.
        var end: Int64?

        /// Where the file's own beginning is, or would be.
        var origin: Int64 { start - offset }
    }

    private struct State {
        /// Begun, in order; those that have been rendered leave.
        var parts: [Part]
        var next: Next?
        var lastID: UInt64 = 0
        /// Read so far, since the last seek.
        var readFrame: Int64 = 0
    }

    /// Handed over, and not begun.
    ///
    /// `@unchecked Sendable`: the reader is unused until the thread that feeds has taken it.
    private struct Next: @unchecked Sendable {
        var id: UInt64 = 0
        let reader: AudioFileReader
        weak var filter: (any FrameFilter)?
        var end: Int64?
    }

    /// A file that has begun.
    private struct Begun {
        let reader: AudioFileReader
        /// Its owner keeps it, so that no thread that reads releases an app's code.
        private(set) weak var filter: (any FrameFilter)?
        /// Whether the filter changed what was read last; nil: nothing was.
        var isFiltered: Bool?

        init(_ reader: AudioFileReader, _ filter: (any FrameFilter)?) { (self.reader, self.filter) = (reader, filter) }

        var isFilterActive: Bool { filter?.isActive == true }

        func read(into room: UnsafeMutableBufferPointer<Float>) throws(AudioFileError) -> Int {
            let (first, channels) = (reader.position, reader.info.channels.count)
            let got = try reader.read(into: room)
            if got > 0, let filter {
                let isEnd = reader.outputFrameCount.map { reader.position >= $0 } ?? false
                filter.filter(
                    UnsafeMutableBufferPointer(rebasing: room[..<(got * channels)]),
                    at: FramePlace(
                        first: first, frames: got, channels: channels, sampleRate: reader.outputSampleRate,
                        isEnd: isEnd))
            }
            return got
        }
    }

    private var readers: [UInt64: Begun]
    /// The file that was read last.
    private var readFile: UInt64 = 0
    /// The last read gave nothing because the sound has not come yet.
    private var isLastReadWaiting = false
    private let state: Mutex<State>
    private let isStalled: @Sendable () -> Bool
    private let onNextFile: @Sendable (UInt64) -> Void
    let sampleRate: Double

    /// - Parameters:
    ///   - filter: of the file; not retained.
    ///   - isStalled: whether nothing more comes from the files at this moment, in a simulated machine.
    ///   - onNextFile: called on the thread that reads ahead, with the number of a file that follows and is rendered now.
    init(
        _ reader: sending AudioFileReader, filter: (any FrameFilter)?, isStalled: @escaping @Sendable () -> Bool,
        onNextFile: @escaping @Sendable (UInt64) -> Void
    ) {
        self.isStalled = isStalled
        self.onNextFile = onNextFile
        sampleRate = reader.outputSampleRate
        state = Mutex(
            State(parts: [Part(id: 0, info: reader.info, stream: reader.stream, start: 0, offset: 0)]))
        reader.stream?.start()
        readers = [0: Begun(reader, filter)]
    }

    // MARK: Any thread

    /// Whether a file can follow: it has the same channels.
    func canJoin(_ info: AudioFileInfo) -> Bool { state.withLock { $0.parts[0].info.channels == info.channels } }

    /// The file that follows the last one, from the reader's place on; nil: none does.
    ///
    /// - Parameter end: the file's frame that it ends before; nil: its own end.
    /// - Returns: its number, and whether frames of the file that it replaces have been fed.
    func setNext(
        _ reader: sending AudioFileReader?, filter: (any FrameFilter)?, end: Int64?, currentFrame: Int64
    ) -> (id: UInt64, mustFeedAgain: Bool) {
        reader?.stream?.start()
        let next = reader.map { Next(reader: $0, filter: filter, end: end) }
        return state.withLock { state in
            state.lastID += 1
            let begun = state.parts.count { $0.start > currentFrame }
            state.parts.removeLast(begun)
            state.next = next
            state.next?.id = state.lastID
            return (state.lastID, begun > 0)
        }
    }

    func setEnd(_ end: Int64?, of file: UInt64) -> Bool {
        state.withLock { state in
            if state.next?.id == file { state.next?.end = end }
            guard let index = state.parts.firstIndex(where: { $0.id == file }) else { return false }
            let old = state.parts[index].end
            state.parts[index].end = end
            guard old != end, let earlier = [old, end].compactMap(\.self).min() else { return false }
            // Where those begin that follow is found again.
            for later in state.parts.indices.dropFirst(index + 1) { state.parts[later].start = .max }
            return state.readFrame - state.parts[index].origin >= earlier
        }
    }

    func file(at frame: Int64) -> (info: AudioFileInfo, origin: Int64) {
        let part = part(at: frame)
        return (part.info, part.origin)
    }

    /// The file that a frame belongs to.
    func part(at frame: Int64) -> Part {
        state.withLock { state in state.parts.last { $0.start <= frame } ?? state.parts[0] }
    }

    func nextStart(after frame: Int64) -> Int64? { state.withLock { $0.parts.first { $0.start > frame }?.start } }

    func enter(frame: Int64) {
        let entered = state.withLock { state -> [UInt64] in
            guard let current = state.parts.lastIndex(where: { $0.start <= frame }), current > 0 else { return [] }
            let entered = state.parts[1...current].map(\.id)
            state.parts.removeFirst(current)
            return entered
        }
        for file in entered { onNextFile(file) }
    }

    // MARK: The thread that feeds

    func hasMore(_ item: UInt64) -> Bool { state.withLock { $0.next != nil } }

    func isWaiting(_ item: UInt64) -> Bool { isLastReadWaiting }

    var readAheadSeconds: Double? {
        readers[readFile]?.isFilterActive == true ? FilePlayer.shortReadAheadSeconds : nil
    }

    /// A filter begins to change what was read without it; what one does otherwise is heard within its read-ahead.
    func takeChange() -> Bool {
        let changed = readers.filter { $0.value.isFiltered == false && $0.value.isFilterActive }
        for file in changed.keys { readers[file]?.isFiltered = true }
        return !changed.isEmpty
    }

    func read(
        _ item: UInt64, from frame: Int64, into room: UnsafeMutableBufferPointer<Float>, frames: Int
    ) throws(ItemFailure) -> Int {
        var part = part(at: frame)
        isLastReadWaiting = isStalled()
        if isLastReadWaiting { return 0 }
        while true {
            guard let file = readers[part.id] else { return 0 }
            let reader = file.reader
            readFile = part.id
            readers[part.id]?.isFiltered = file.isFilterActive
            let place = frame - part.origin
            let left = part.end.map { max(0, $0 - place) } ?? Int64(frames)
            if left > 0 {
                do throws(AudioFileError) {
                    // A loop begins again, and so does a file that was begun before a seek.
                    if reader.position != place { try reader.seek(toFrame: place) }
                    let count = Int(min(left, Int64(frames))) * reader.info.channels.count
                    let got = try file.read(into: UnsafeMutableBufferPointer(rebasing: room[..<count]))
                    let kept = note(read: got, of: part.id, from: place, at: frame)
                    if kept > 0 { return kept }
                    if got == 0, reader.isWaiting {
                        isLastReadWaiting = true
                        return 0
                    }
                } catch {
                    throw ItemFailure(message: error.message)
                }
            }
            guard let next = begin(after: part, at: frame) else { return 0 }
            part = next
        }
    }

    /// - Returns: how many of the frames are before the file's end, which may be another since the read began.
    private func note(read count: Int, of file: UInt64, from place: Int64, at frame: Int64) -> Int {
        state.withLock { state in
            let end = state.parts.first { $0.id == file }?.end
            let kept = end.map { Int(max(0, min(Int64(count), $0 - place))) } ?? count
            state.readFrame = frame + Int64(kept)
            return kept
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
            state.next = nil
            // Frames below 0 have no place: such a file is played by itself.
            let offset = next.reader.position
            guard offset <= frame else { return (nil, nil) }
            let following = Part(
                id: next.id, info: next.reader.info, stream: next.reader.stream, start: frame, offset: offset,
                end: next.end)
            state.parts.append(following)
            return (following, next)
        }
        if let next { readers[next.id] = Begun(next.reader, next.filter) }
        forgetReaders()
        return following
    }

    private func forgetReaders() {
        let kept = state.withLock { Set($0.parts.map(\.id)) }
        readers = readers.filter { kept.contains($0.key) }
    }

    func seek(_ item: UInt64, toFrame frame: Int64) throws(ItemFailure) -> Int64 {
        let part = part(at: frame)
        guard let reader = readers[part.id]?.reader else { return frame }
        do throws(AudioFileError) {
            try reader.seek(toFrame: frame - part.origin)
            // Where the file's length is not known before, the reader may have met its end on the way.
            let reached = part.origin + reader.position
            state.withLock { $0.readFrame = reached }
            return reached
        } catch {
            throw ItemFailure(message: error.message)
        }
    }
}
