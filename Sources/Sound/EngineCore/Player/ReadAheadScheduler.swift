import Synchronization

/// Something that is fed ahead of the render thread.
///
/// The thread that feeds; in virtual time and manual rendering, the one that asks for a cycle.
package protocol FrameProducer: AnyObject, Sendable {
    /// Feeds as far as the read-ahead goes, and at least `minimumFrames` if they are available.
    func pump(minimumFrames: Int) -> NextPump
}

/// When something that feeds is to be called again, from the latest to the earliest.
package enum NextPump: Comparable, Sendable {
    /// Not before something has changed.
    case onceChanged
    /// Before its read-ahead has been played.
    case soon
    /// Now, as it has not fed all that it could; what others do meanwhile comes before the rest.
    case atOnce
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
    /// - Returns: the earliest of what they ask for. While it is `atOnce`, frames are missing of the read-ahead.
    @discardableResult
    package func pump(minimumFrames: Int = 0) -> NextPump {
        producers.withLock { $0 }.reduce(.onceChanged) { max($0, $1.pump(minimumFrames: minimumFrames)) }
    }
}
