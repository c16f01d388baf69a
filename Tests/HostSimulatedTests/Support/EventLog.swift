import AudioModel
import HostInterface
import HostSimulated

/// A mailbox that is never emptied.
final class EventLog: Sendable {
    private let events = Monitor<[HostEvent]>([])

    func append(_ event: HostEvent) { events.withLock { $0.append(event) } }

    var words: [String] { events.withLock { $0.map(describe) } }
}
