import CRig
import Foundation

/// The rig's own client connection to its server, closed when the last object made through it is released.
///
/// Sendable because the C side takes the connection's lock in every call.
final class RigConnection: @unchecked Sendable {
    let pointer: OpaquePointer

    init(socketPath: String, hasSessionManager: Bool, timeout: Duration) throws(RigError) {
        var pointer: OpaquePointer?
        let result = oav_rig_connect(socketPath, hasSessionManager, timeout.nanoseconds, &pointer)
        try RigError.check(result, "connecting to \(socketPath)", timeout: timeout)
        guard let pointer else { throw .headersMissing }
        self.pointer = pointer
    }

    deinit {
        oav_rig_close(pointer)
    }

    var isConnected: Bool { oav_rig_is_connected(pointer) }

    /// After so long without an event that helps, the metadata are read again: the server may have kept a change back.
    private static let lookAgain = Duration.seconds(2)

    /// Waits until a predicate holds; it is asked again after each event of the server, with the connection locked.
    func waitUntil(
        _ what: String, timeout: Duration, seen: () -> String, predicate: () -> Bool
    ) throws(RigError) {
        var (result, left) = (Int32(0), timeout)
        repeat {
            let part = min(left, Self.lookAgain)
            left -= part
            result = withoutActuallyEscaping(predicate) { escaping in
                let box = PredicateBox(escaping)
                return withExtendedLifetime(box) {
                    oav_rig_wait_until(
                        pointer,
                        { Unmanaged<PredicateBox>.fromOpaque($0!).takeUnretainedValue().predicate() },
                        Unmanaged.passUnretained(box).toOpaque(), part.nanoseconds)
                }
            }
            if result == -ETIMEDOUT { oav_rig_read_metadata_again(pointer) }
        } while result == -ETIMEDOUT && left > .zero
        do {
            try RigError.check(result, what, timeout: timeout)
        } catch .timedOut(let what, let duration, _) {
            throw .timedOut(waitingFor: what, after: duration, seen: seen())
        }
    }

    /// Waits until the server has handled everything sent so far and its events have arrived.
    func roundTrip(timeout: Duration) throws(RigError) {
        try RigError.check(oav_rig_round_trip(pointer, timeout.nanoseconds), "an answer", timeout: timeout)
    }

    func metadata(_ metadata: String, subject: UInt32, key: String) -> String? {
        var text = [CChar](repeating: 0, count: 4096)
        guard oav_rig_metadata_get(pointer, metadata, subject, key, &text, text.count) == 0 else { return nil }
        return text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    func setMetadata(
        _ metadata: String, subject: UInt32, key: String, type: String?, value: String?, timeout: Duration
    ) throws(RigError) {
        let result = oav_rig_metadata_set(pointer, metadata, subject, key, type, value, timeout.nanoseconds)
        try RigError.check(result, "setting \(key) of \(subject) in the metadata \"\(metadata)\"", timeout: timeout)
    }

    private final class PredicateBox {
        let predicate: () -> Bool

        init(_ predicate: @escaping () -> Bool) {
            self.predicate = predicate
        }
    }
}
