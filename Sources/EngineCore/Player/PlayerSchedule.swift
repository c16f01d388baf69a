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
    /// Fed to their end, their completions not due yet; in order.
    private var fed: [Fed] = []

    private struct Entry: Hashable {
        var item: ScheduledItem
        /// Fed of the current pass.
        var offset: Int64 = 0
        /// Whole passes fed.
        var passes = 0
        var isHeld = false

        var completion: ItemCompletion { ItemCompletion(item: item.id, callback: item.callback) }
        var hasBegun: Bool { offset > 0 || passes > 0 }
    }

    private struct Fed: Hashable {
        var completion: ItemCompletion
        /// `fedFrames` after its last frame.
        var end: Int64
        /// When that was found to be rendered.
        var renderedAt: Int64?
    }

    package init() {}

    /// Whether nothing is left to feed.
    package var isFed: Bool { queue.isEmpty }
    /// Whether all completions have been handed out.
    package var isEmpty: Bool { queue.isEmpty && fed.isEmpty }

    // MARK: Scheduling

    /// Adds an item.
    ///
    /// - Returns: the completions that this makes due, and whether what was fed must be flushed: frames then count from 0
    ///   again. `update` first, so that what has been rendered is known to be.
    package mutating func schedule(
        _ item: ScheduledItem, interrupting interruption: ScheduleInterruption = .none
    ) -> (due: [ItemCompletion], mustFlush: Bool) {
        precondition(item.frames >= 0, "an item has 0 frames or more, not \(item.frames)")
        var due: [ItemCompletion] = []
        var mustFlush = false
        switch interruption {
        case .none:
            break
        case .atOnce:
            mustFlush = fedFrames > 0 || queue.first?.isHeld == true
            // What was rendered is still to be heard.
            due = fed.filter { $0.renderedAt == nil }.map(\.completion) + queue.map(\.completion)
            fed.removeAll { $0.renderedAt == nil }
            queue = []
            fedFrames = 0
        case .atLoopEnd:
            guard let index = queue.firstIndex(where: \.item.loops) else { break }
            due = queue[(index + 1)...].map(\.completion)
            queue.removeSubrange((index + 1)...)
            queue[index].item.loops = false
            if queue[index].offset == 0, queue[index].passes > 0 { due += finish(queue.remove(at: index)) }
        }
        queue.append(Entry(item: item))
        return (due + settle(), mustFlush)
    }

    /// Drops everything; all completions are due, and frames count from 0 again.
    package mutating func stop() -> [ItemCompletion] {
        let due = fed.map(\.completion) + queue.map(\.completion)
        (fed, queue, fedFrames) = ([], [], 0)
        return due
    }

    // MARK: Feeding

    /// What to feed next, at most `limit` frames; nil when nothing is left.
    package func step(limit: Int) -> ScheduleStep? {
        guard let entry = queue.first, limit > 0 else { return nil }
        if let time = entry.item.time, !entry.isHeld, !entry.hasBegun { return .hold(until: time) }
        let count = min(Int64(limit), entry.item.frames - entry.offset)
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
        precondition(Int64(frames) <= queue[0].item.frames - queue[0].offset, "no more is fed than was asked for")
        fedFrames += Int64(frames)
        queue[0].offset += Int64(frames)
        guard queue[0].offset == queue[0].item.frames else { return [] }
        queue[0].offset = 0
        queue[0].passes += 1
        guard !queue[0].item.loops else { return [] }
        return finish(queue.removeFirst()) + settle()
    }

    /// The first item gives no more frames: what was fed of it is all.
    package mutating func abandonFirst() -> [ItemCompletion] {
        guard !queue.isEmpty else { return [] }
        return finish(queue.removeFirst()) + settle()
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
    private mutating func settle() -> [ItemCompletion] {
        var due: [ItemCompletion] = []
        while let first = queue.first, first.item.frames == 0 { due += finish(queue.removeFirst()) }
        return due
    }
}
