import AudioModel
import HostInterface

extension MachineState {
    mutating func closeGate(_ key: StreamKey) {
        guard streams[key]?.isGateOpen == true else { return }
        streams[key]?.links = []
        streams[key]?.generation += 1
        note(.streamGated(key.id), of: key.app)
    }

    /// Takes the stream out of every later cycle.
    mutating func fail(_ key: StreamKey, _ error: HostError) {
        closeGate(key)
        streams[key]?.isRunning = false
        streams[key]?.isHeld = false
        streams[key]?.failure = error
        note(.streamFailed(key.id), of: key.app)
    }

    /// Returns what the stream held, to be released after the lock: a deinitialiser of it may call the host.
    mutating func close(_ key: StreamKey) -> StreamState? {
        guard streams[key] != nil else { return nil }
        closeGate(key)
        if let buffers = streams[key]?.buffers { retire(buffers, of: key) }
        streamOrder.removeAll { $0 == key }
        note(.streamClosed(key.id), of: key.app)
        return streams.removeValue(forKey: key)
    }

    func streams(of app: AppID) -> [StreamKey] { streamOrder.filter { $0.app == app } }
}
