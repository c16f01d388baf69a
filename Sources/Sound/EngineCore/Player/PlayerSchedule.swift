/// A player's queue as a value: what comes next, and whose completion is due.
///
/// Frames are counted at the player's rate, from the last time that it was flushed: `fedFrames` of them have been fed.
/// Who feeds asks for a `step`, does it, and says with `advance` how far it got.
package struct PlayerSchedule: Hashable, Sendable {
    /// From rendering a frame to hearing it, in the frames that `update` counts `now` in.
    package var latencyFrames: Int64 = 0
    /// Frames fed since the last flush.
    package private(set) var fedFrames: Int64 = 0

    /// Not fed to their end; the first is the one to feed.
    private var queue: [Entry] = []
    /// The item that was fed to its end last, as it was then.
    private var last: Entry?
    /// Fed to their end, their completions not due yet; in order.
    private var fed: [Fed] = []

    private struct Entry: Hashable {
        /// Its `loops` are those that are left.
        var item: ScheduledItem
        /// The frame of the item that is fed next.
        var offset: Int64 = 0
        /// Whole passes fed.
        var passes = 0
        /// Of the counted loops, how many have begun.
        var loopsBegun = 0
        /// The frames of a whole pass; 0 until one has been fed.
        var passFrames: Int64 = 0
        /// Where the item's first frame is in the frames fed; nil until it is fed.
        var start: Int64?
        var isHeld = false

        var completion: ItemCompletion { ItemCompletion(item: item.id, callback: item.callback) }
        var hasBegun: Bool { start != nil }

        /// Another pass begins; false where none is left.
        mutating func beginAgain() -> Bool {
            passFrames = offset
            guard offset > 0, item.loops != 0 else { return false }
            if item.loops > 0 {
                item.loops -= 1
                loopsBegun += 1
            }
            passes += 1
            offset = 0
            return true
        }

        /// The frame of the item that is one of the frames fed, and how many passes begin after it.
        func place(ofFed frame: Int64) -> (frame: Int64, passesAhead: Int) {
            guard let start else { return (offset, 0) }
            let whole = max(0, frame - start)
            guard passes > 0 else { return (whole, 0) }
            let passesBefore = min(whole / passFrames, Int64(passes))
            return (whole - passesBefore * passFrames, passes - Int(passesBefore))
        }
    }

    private struct Fed: Hashable {
        var completion: ItemCompletion
        /// `fedFrames` after its last frame.
        var end: Int64
        /// When that was found to be rendered.
        var renderedAt: Int64?
    }

    package init() {}

    /// Whether all completions have been handed out.
    package var isEmpty: Bool { queue.isEmpty && fed.isEmpty }

    // MARK: Scheduling

    /// Adds an item.
    ///
    /// - Parameter isReading: `step` was asked and `advance` is still to come: the first item stays, or is flushed.
    /// - Returns: the completions that this makes due, and whether what was fed must be flushed: frames then count from 0
    ///   again. `update` first, so that what has been rendered is known to be.
    package mutating func schedule(
        _ item: ScheduledItem, interrupting interruption: ScheduleInterruption = .none, isReading: Bool = false
    ) -> (due: [ItemCompletion], mustFlush: Bool) {
        precondition(item.frames ?? 0 >= 0, "an item has 0 frames or more, not \(item.frames ?? 0)")
        var due: [ItemCompletion] = []
        var mustFlush = false
        switch interruption {
        case .none:
            break
        case .atOnce:
            mustFlush = fedFrames > 0 || isReading || queue.first?.isHeld == true
            // What was rendered is still to be heard.
            due = fed.filter { $0.renderedAt == nil }.map(\.completion) + queue.map(\.completion)
            fed.removeAll { $0.renderedAt == nil }
            (queue, last, fedFrames) = ([], nil, 0)
        case .atLoopEnd:
            guard let index = queue.firstIndex(where: { $0.item.loops != 0 }) else { break }
            due = queue[(index + 1)...].map(\.completion)
            queue.removeSubrange((index + 1)...)
            queue[index].item.loops = 0
            if queue[index].offset == 0, queue[index].passes > 0, !(isReading && index == 0) {
                due += finish(queue.remove(at: index))
            }
        }
        queue.append(Entry(item: item))
        return (due + flushEmptyItems(), mustFlush)
    }

    /// The end of a pass of the item that is fed and loops, as a number of frames fed: the first such end that is neither
    /// before `frame` nor the end of what was fed; nil where the pass that is fed holds it.
    package func loopEnd(notBefore frame: Int64) -> Int64? {
        guard let entry = queue.first, entry.item.loops != 0, entry.passes > 0, let start = entry.start else {
            return nil
        }
        let passes = max(1, (frame - start + entry.passFrames - 1) / entry.passFrames)
        return passes < entry.passes || passes == entry.passes && entry.offset > 0
            ? start + passes * entry.passFrames : nil
    }

    /// What was fed after that end was taken back.
    ///
    /// - Parameter loopEnd: as returned by `loopEnd(notBefore:)`.
    package mutating func truncate(toLoopEnd loopEnd: Int64) {
        guard let start = queue[0].start else { return }
        queue[0].passes = Int((loopEnd - start) / queue[0].passFrames)
        queue[0].offset = 0
        fedFrames = loopEnd
    }

    /// Drops everything; all completions are due, and frames count from 0 again.
    package mutating func stop() -> [ItemCompletion] {
        let due = fed.map(\.completion) + queue.map(\.completion)
        (fed, queue, last, fedFrames) = ([], [], nil, 0)
        return due
    }

    // MARK: The item that is fed, or was fed last

    /// Nil before the first.
    package var currentItem: UInt64? { current?.item.id }

    private var current: Entry? { isFirstCurrent ? queue.first : last }
    private var isFirstCurrent: Bool { queue.first.map { $0.hasBegun || last == nil } ?? false }

    /// How often it begins again at its end; negative: until something interrupts it.
    ///
    /// Counts from the next end that has not been passed.
    package mutating func setLoops(_ count: Int) {
        change {
            $0.item.loops = count
            $0.loopsBegun = 0
        }
    }

    /// Its frame that is one of the frames fed, and how often it begins again after that one.
    package func place(ofFed frame: Int64) -> (frame: Int64, passesAhead: Int) {
        current?.place(ofFed: frame) ?? (0, 0)
    }

    /// Feeds it from another frame on, also after its end, and counts frames from 0 again; for a queue of this item alone.
    ///
    /// Loops that have begun and are not rendered count as not begun.
    ///
    /// - Parameter rendered: how many of `fedFrames` have been rendered.
    package mutating func seek(toFrame frame: Int64, rendered: Int64) {
        let isFed = queue.isEmpty
        change { entry in
            let loopsAhead = min(entry.loopsBegun, entry.place(ofFed: rendered).passesAhead)
            if entry.item.loops >= 0 { entry.item.loops += loopsAhead }
            entry.loopsBegun = 0
            entry.passes = 0
            entry.offset = frame
            entry.start = -frame
        }
        if isFed, let last { queue = [last] }
        (fed, last, fedFrames) = ([], nil, 0)
    }

    private mutating func change(_ body: (inout Entry) -> Void) {
        guard var entry = current else { return }
        body(&entry)
        if isFirstCurrent { queue[0] = entry } else { last = entry }
    }

    // MARK: Feeding

    /// What to feed next, at most `limit` frames; nil when nothing is left.
    package func step(limit: Int) -> ScheduleStep? {
        guard let entry = queue.first, limit > 0 else { return nil }
        if let time = entry.item.time, !entry.isHeld, !entry.hasBegun { return .hold(until: time) }
        let count = min(Int64(limit), entry.item.frames.map { $0 - entry.offset } ?? .max)
        return .frames(item: entry.item.id, from: entry.offset, count: Int(count))
    }

    /// The hold that `step` asked for is in place.
    package mutating func advanceHold() {
        guard !queue.isEmpty else { return }
        queue[0].isHeld = true
    }

    /// So many of the frames that `step` asked for are fed.
    package mutating func advance(frames: Int) -> [ItemCompletion] {
        guard !queue.isEmpty, frames > 0 else { return [] }
        if queue[0].start == nil { queue[0].start = fedFrames - queue[0].offset }
        fedFrames += Int64(frames)
        queue[0].offset += Int64(frames)
        guard let length = queue[0].item.frames else { return [] }
        precondition(queue[0].offset <= length, "no more is fed than was asked for")
        return queue[0].offset == length ? endPass() : []
    }

    /// Whether reading finds the end of the item that is fed.
    package var isFirstOfUnknownLength: Bool { queue.first.map { $0.item.frames == nil } ?? false }

    /// The first item has been fed to its end: it begins again or is done.
    package mutating func endPass() -> [ItemCompletion] {
        guard !queue.isEmpty, !queue[0].beginAgain() else { return [] }
        return abandonFirst()
    }

    /// The first item gives no more frames: what was fed of it is all.
    package mutating func abandonFirst() -> [ItemCompletion] {
        guard !queue.isEmpty else { return [] }
        last = queue.removeFirst()
        return (last.map { finish($0) } ?? []) + flushEmptyItems()
    }

    /// The item that was fed to its end last goes on where it ended, if nothing follows it and only reading finds its end.
    ///
    /// Its completion is due at its next end; where it is due when the frames are fed, once more.
    ///
    /// - Returns: false where there is no such item.
    @discardableResult
    package mutating func continueLast() -> Bool {
        guard queue.isEmpty, let last, last.item.frames == nil else { return false }
        if fed.last?.completion == last.completion { fed.removeLast() }
        queue = [last]
        self.last = nil
        return true
    }

    // MARK: Rendering

    /// The completions that are due now.
    ///
    /// - Parameters:
    ///   - rendered: how many of `fedFrames` have been rendered.
    ///   - now: frames of any clock that runs with the device.
    package mutating func update(rendered: Int64, now: Int64) -> [ItemCompletion] {
        var due: [ItemCompletion] = []
        for index in fed.indices {
            if fed[index].renderedAt == nil, fed[index].end <= rendered { fed[index].renderedAt = now }
        }
        fed.removeAll { fed in
            guard let renderedAt = fed.renderedAt else { return false }
            let isDue = fed.completion.callback == .dataRendered || now - renderedAt >= latencyFrames
            if isDue { due.append(fed.completion) }
            return isDue
        }
        return due
    }

    private mutating func finish(_ entry: Entry) -> [ItemCompletion] {
        if entry.item.callback == .dataConsumed { return [entry.completion] }
        fed.append(Fed(completion: entry.completion, end: fedFrames))
        return []
    }

    /// Items without frames are done as soon as they are first.
    private mutating func flushEmptyItems() -> [ItemCompletion] {
        var due: [ItemCompletion] = []
        while let first = queue.first, first.item.frames == 0 { due += finish(queue.removeFirst()) }
        return due
    }
}

/// What a player feeds next.
package enum ScheduleStep: Hashable, Sendable {
    /// What follows waits until the player's time; nothing is fed for this.
    case hold(until: Int64)
    /// Frames of an item.
    case frames(item: UInt64, from: Int64, count: Int)
}

/// What a newly scheduled item does to those before it.
package enum ScheduleInterruption: Hashable, Sendable {
    /// Nothing: it comes after them.
    case none
    /// Drops all of them, also what sounds now.
    ///
    /// An item with a time then waits for it in silence.
    case atOnce
    /// Lets a looping item end its pass and drops what waits behind it; where none loops, it comes after them.
    case atLoopEnd
}

/// An item whose callback is due.
package struct ItemCompletion: Hashable, Sendable {
    package var item: UInt64
    package var callback: ScheduledItem.Callback
}
