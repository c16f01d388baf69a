import Synchronization

/// Something that is fed ahead of the render thread.
///
/// The thread that feeds; in virtual time and manual rendering, the one that asks for a cycle.
package protocol FrameProducer: AnyObject, Sendable {
    /// Feeds as far as the read-ahead goes, and at least `minimumFrames` if they are available.
    ///
    /// - Returns: whether it wants to be called again soon; false: only once something has changed.
    func pump(minimumFrames: Int) -> Bool
}

/// All that must be fed ahead of one renderer.
///
/// The thread that feeds is the owner's: it calls `pump` more often than the shortest read-ahead. In virtual time and
/// manual rendering `pump(minimumFrames:)` comes before each cycle, with the cycle's frames.
package final class ReadAheadScheduler: Sendable {
    private let producers = Mutex<[any FrameProducer]>([])

    package init() {}

    package func add(_ producer: any FrameProducer) { producers.withLock { $0.append(producer) } }

    package func remove(_ producer: any FrameProducer) { producers.withLock { $0.removeAll { $0 === producer } } }

    /// Feeds each producer in the order in which they were added; no lock is held meanwhile.
    ///
    /// - Returns: whether any of them wants to be called again soon.
    @discardableResult
    package func pump(minimumFrames: Int = 0) -> Bool {
        var isWanted = false
        for producer in producers.withLock({ $0 }) where producer.pump(minimumFrames: minimumFrames) { isWanted = true }
        return isWanted
    }
}
