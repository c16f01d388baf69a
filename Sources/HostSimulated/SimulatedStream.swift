import AudioModel
import HostInterface

/// The session's hand on one stream of a `SimulatedHost`; the stream's state is the host's.
final class SimulatedStream: HostStream {
    let id: StreamID
    private let host: SimulatedHost

    init(id: StreamID, host: SimulatedHost) {
        self.id = id
        self.host = host
    }

    deinit { host.abandonStream(id) }

    func link(to portUIDs: [String]) throws(HostError) { try host.linkStream(id, to: portUIDs) }
    func unlink() { host.unlinkStream(id) }
    func start() { host.startStream(id) }
    func stop() { host.stopStream(id) }
    func close() { host.closeStream(id) }
    var latencyFrames: Int { host.streamLatencyFrames(id) }
}
