import AudioModel
import HostInterface

/// One stream of a `SimulatedHost`, as its session controls it; the host has the stream's state.
final class SimulatedStream: HostStream {
    private let key: StreamKey
    private let host: SimulatedHost

    var id: StreamID { key.id }

    init(key: StreamKey, host: SimulatedHost) {
        self.key = key
        self.host = host
    }

    deinit { host.abandonStream(key) }

    func link(to portUIDs: [String]) throws(HostError) { try host.linkStream(key, to: portUIDs) }
    func unlink() { host.unlinkStream(key) }
    func start() { host.startStream(key) }
    func stop() { host.stopStream(key) }
    func close() { host.closeStream(key) }
    var latencyFrames: Int { host.streamLatencyFrames(key) }
    /// The script says how long a cycle is.
    func preferCycle(seconds: Double) {}
    var cycleSeconds: Double { Double(host.quantum) / host.sampleRate }
}
