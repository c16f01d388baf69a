internal import AudioModel
internal import CPipeWireShims

/// Carries out what a `PipeWireServerState` requests.
///
/// Rule: used with the loop locked; the loop outlives its last callback.
package final class PipeWireServerCalls: @unchecked Sendable {
    package let host: OpaquePointer
    private let receiver: PipeWireReceiver
    private var rankingReader: WirePlumberRankingReader?

    init(_ host: OpaquePointer, _ receiver: PipeWireReceiver) {
        self.host = host
        self.receiver = receiver
    }

    func begin(_ rankingReader: WirePlumberRankingReader, _ receive: @escaping @Sendable (PipeWireMessage) -> Void) {
        self.rankingReader = rankingReader
        receiver.begin(receive)
    }

    /// Closes the host, and releases what `begin` was given.
    ///
    /// Not on the loop thread.
    func close() {
        oav_pw_host_close(host)
        receiver.end()
        rankingReader = nil
    }

    /// - Returns: the answer, if it comes at once.
    package func carryOut(_ request: PipeWireServerState.Request) -> PipeWireMessage? {
        switch request {
        case .sync(let roundTrip):
            let seq = oav_pw_host_sync(host)
            // A lost connection answers nothing.
            if seq >= 0 { receiver.roundTrips[seq] = roundTrip }
        case .readMetadata: if !oav_pw_host_read_metadata(host) { return .metadataRead(isComplete: false) }
        case .readRanking(let process): rankingReader?.read(ofProcess: process)
        case .arm(let time): oav_pw_host_arm(host, time.map { max($0.nanoseconds, 1) } ?? 0)
        }
        return nil
    }
}
