/// A player's queue as a value: the frames to feed next, and the completions that are due.
///
/// Frames are counted at the player's rate from the last flush on: `fedFrames` of them have been fed. The caller asks
/// for a `step`, carries it out, and reports with `advance` how many frames it has fed.
package struct PlayerSchedule: Hashable, Sendable {
    /// The latency from rendering a frame to hearing it, in the same frames as the `now` of `update`.
    package var latencyFrames: Int64 = 0
    /// The number of frames fed since the last flush.
    package private(set) var fedFrames: Int64 = 0

    /// The items that are not fed to their end; the first one is fed.
    private var queue: [Entry] = []
    /// The item that was fed to its end last, with its state at that time.
    private var last: Entry?
    /// The items that are fed to their end and whose completions are not due yet; in order.
    private var fed: [Fed] = []

    private struct Entry: Hashable {
        /// The item; its `loops` are the repeats that are left.
        var item: ScheduledItem
        /// The frame of the item that is fed next.
        var offset: Int64 = 0
        /// The number of whole passes that are fed.
        var passes = 0
        /// The number of counted repeats that have begun.
        var loopsBegun = 0
        /// The length of a whole pass in frames; 0 until one has been fed.
        var passFrames: Int64 = 0
        /// The index of the item's first frame in the fed frames; nil until it is fed.
        var start: Int64?
        var isHeld = false

        var completion: ItemCompletion { ItemCompletion(item: item.id, callback: item.callback) }
        var hasBegun: Bool { start != nil }

        /// Begins another pass; returns false if none is left.
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

        /// The item's frame at a fed frame, and the number of passes that begin after it.
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
        /// The value of `fedFrames` after its last frame.
        var end: Int64
        /// The time at which the last frame was found to be rendered; nil before that.
        var renderedAt: Int64?
    }

    package init() {}

    /// Whether the completions of all items have been returned.
    package var isEmpty: Bool { queue.isEmpty && fed.isEmpty }

    // MARK: Scheduling

    /// Adds an item.
    ///
    /// - Parameter isReading: true between `step` and `advance`: the first item stays, or is flushed.
    /// - Returns: the completions that this makes due, and whether the fed frames must be flushed; frames count from 0
    ///   again then. Call `update` first, so that the rendered frames are known.
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
            // Rendered items are still heard, so their completions wait.
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

    /// The end of a pass of the looping item, counted in fed frames: the first end that is not before `frame` and after
    /// which frames have been fed; nil if there is none.
    package func loopEnd(notBefore frame: Int64) -> Int64? {
        guard let entry = queue.first, entry.item.loops != 0, entry.passes > 0, let start = entry.start else {
            return nil
        }
        let passes = max(1, (frame - start + entry.passFrames - 1) / entry.passFrames)
        return passes < entry.passes || passes == entry.passes && entry.offset > 0
            ? start + passes * entry.passFrames : nil
    }

    /// The frames that were fed after the end of a pass have been taken back.
    ///
    /// - Parameter loopEnd: the end that `loopEnd(notBefore:)` returned.
    package mutating func truncate(toLoopEnd loopEnd: Int64) {
        guard let start = queue[0].start else { return }
        queue[0].passes = Int((loopEnd - start) / queue[0].passFrames)
        queue[0].offset = 0
        fedFrames = loopEnd
    }

    /// Drops all items; all completions are due, and frames count from 0 again.
    package mutating func stop() -> [ItemCompletion] {
        let due = fed.map(\.completion) + queue.map(\.completion)
        (fed, queue, last, fedFrames) = ([], [], nil, 0)
        return due
    }

    // MARK: The current item: the one that is fed, or was fed last

    /// The id of the current item; nil before the first.
    package var currentItem: UInt64? { current?.item.id }

    private var current: Entry? { isFirstCurrent ? queue.first : last }
    private var isFirstCurrent: Bool { queue.first.map { $0.hasBegun || last == nil } ?? false }

    /// Sets the number of repeats of the current item; a negative number repeats until an interruption.
    ///
    /// The number counts from the next end that has not been passed.
    package mutating func setLoops(_ count: Int) {
        change {
            $0.item.loops = count
            $0.loopsBegun = 0
        }
    }

    /// The current item's frame at a fed frame, and the number of passes that begin after it.
    package func place(ofFed frame: Int64) -> (frame: Int64, passesAhead: Int) {
        current?.place(ofFed: frame) ?? (0, 0)
    }

    /// Feeds the current item from another frame on, also after its end, and counts frames from 0 again; for a queue of
    /// one item.
    ///
    /// Repeats that have begun and are not rendered count as not begun.
    ///
    /// - Parameter rendered: the number of rendered frames among `fedFrames`.
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

    /// The next step, at most `limit` frames; nil if nothing is left.
    package func step(limit: Int) -> ScheduleStep? {
        guard let entry = queue.first, limit > 0 else { return nil }
        if let time = entry.item.time, !entry.isHeld, !entry.hasBegun { return .hold(until: time) }
        let count = min(Int64(limit), entry.item.frames.map { $0 - entry.offset } ?? .max)
        return .frames(item: entry.item.id, from: entry.offset, count: Int(count))
    }

    /// The hold of the last `step` has been set.
    package mutating func advanceHold() {
        guard !queue.isEmpty else { return }
        queue[0].isHeld = true
    }

    /// `frames` frames of the last `step` have been fed.
    package mutating func advance(frames: Int) -> [ItemCompletion] {
        guard !queue.isEmpty, frames > 0 else { return [] }
        if queue[0].start == nil { queue[0].start = fedFrames - queue[0].offset }
        fedFrames += Int64(frames)
        queue[0].offset += Int64(frames)
        guard let length = queue[0].item.frames else { return [] }
        precondition(queue[0].offset <= length, "no more is fed than was asked for")
        return queue[0].offset == length ? endPass() : []
    }

    /// Whether only reading finds the end of the first item.
    package var isFirstOfUnknownLength: Bool { queue.first.map { $0.item.frames == nil } ?? false }

    /// The first item has been fed to its end: it repeats or is done.
    package mutating func endPass() -> [ItemCompletion] {
        guard !queue.isEmpty, !queue[0].beginAgain() else { return [] }
        return abandonFirst()
    }

    /// The first item gives no more frames and ends here.
    package mutating func abandonFirst() -> [ItemCompletion] {
        guard !queue.isEmpty else { return [] }
        last = queue.removeFirst()
        return (last.map { finish($0) } ?? []) + flushEmptyItems()
    }

    /// Continues the last item after its end, if no item follows and only reading finds its end.
    ///
    /// Its completion is due at its next end. A completion of the kind `dataConsumed` is due a second time then.
    ///
    /// - Returns: false if there is no such item.
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
    ///   - rendered: the number of rendered frames among `fedFrames`.
    ///   - now: the current time in frames of any clock that runs with the device.
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

    /// Finishes items without frames when they are first in the queue.
    private mutating func flushEmptyItems() -> [ItemCompletion] {
        var due: [ItemCompletion] = []
        while let first = queue.first, first.item.frames == 0 { due += finish(queue.removeFirst()) }
        return due
    }
}

/// The next step of feeding a player.
package enum ScheduleStep: Hashable, Sendable {
    /// The following frames wait until a time of the player; this step feeds nothing.
    case hold(until: Int64)
    /// Frames of an item.
    case frames(item: UInt64, from: Int64, count: Int)
}

/// The effect of a newly scheduled item on the items before it.
package enum ScheduleInterruption: Hashable, Sendable {
    /// It plays after them.
    case none
    /// It drops all of them, also the one that sounds.
    ///
    /// An item with a time waits for it in silence then.
    case atOnce
    /// A looping item ends its pass, and the items behind it are dropped; without a looping item, it plays after them.
    case atLoopEnd
}

/// An item whose callback is due.
package struct ItemCompletion: Hashable, Sendable {
    package var item: UInt64
    package var callback: ScheduledItem.Callback
}
