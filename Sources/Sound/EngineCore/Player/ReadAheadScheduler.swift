import Synchronization

/// Produces frames ahead of the render thread.
///
/// The feeding thread calls it; in virtual time and manual rendering, the thread that asks for a cycle.
package protocol FrameProducer: AnyObject, Sendable {
    /// Feeds up to the read-ahead, and at least `minimumFrames` if they are available.
    func pump(minimumFrames: Int) -> NextPump
}

/// When a producer must be called again, from the latest to the earliest.
package enum NextPump: Comparable, Sendable {
    /// Not before something changes.
    case onceChanged
    /// Before its read-ahead is played.
    case soon
    /// Now: it has not fed everything it could. Other calls may come in between.
    case atOnce
}

/// The producers that feed ahead of one renderer.
///
/// The owner has the feeding thread: it calls `pump` at shorter intervals than the shortest read-ahead. In virtual time
/// and manual rendering, `pump(minimumFrames:)` is called before each cycle with the cycle's frames.
package final class ReadAheadScheduler: Sendable {
    private let producers = Mutex<[any FrameProducer]>([])

    package init() {}

    package func add(_ producer: any FrameProducer) { producers.withLock { $0.append(producer) } }

    package func remove(_ producer: any FrameProducer) { producers.withLock { $0.removeAll { $0 === producer } } }

    /// Calls each producer, in the order in which they were added, with no lock held.
    ///
    /// - Returns: the earliest of their answers. While it is `atOnce`, the read-ahead is incomplete.
    @discardableResult
    package func pump(minimumFrames: Int = 0) -> NextPump {
        producers.withLock { $0 }.reduce(.onceChanged) { max($0, $1.pump(minimumFrames: minimumFrames)) }
    }
}
