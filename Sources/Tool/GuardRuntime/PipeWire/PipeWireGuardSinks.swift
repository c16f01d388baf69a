internal import CPipeWireGuardShims
internal import CPipeWireShims

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The two parking sinks of a guard's connection: one catches streams whose output leaves, one holds streams.
///
/// With the loop locked.
final class PipeWireGuardSinks {
    let names = PipeWireParking(processID: getpid())
    private let host: OpaquePointer
    private var catchSink: OpaquePointer?
    private var holdSink: OpaquePointer?
    /// The holding sink's node; nil until the server has named it.
    private(set) var holdNode: UInt32?

    init(_ host: OpaquePointer) { self.host = host }

    var hasHoldSink: Bool { holdSink != nil }

    func free() {
        let sinks = [catchSink, holdSink].compactMap(\.self)
        (catchSink, holdSink) = (nil, nil)
        for sink in sinks { oav_pw_park_free(sink) }
    }

    /// - Parameter priority: nil ends the catching sink.
    func setCatch(_ priority: Int?) {
        let old = catchSink
        // The new sink comes first: the default must not move to the speaker in between.
        catchSink = priority.flatMap {
            oav_pw_park_new(
                host, names.catchName, "Headphones guard (do not choose)", "Audio/Sink", Int32(clamping: $0))
        }
        if let old { oav_pw_park_free(old) }
    }

    func makeHold() {
        // With its media class, mixers do not list the sink and it never becomes the default; a target by name finds it.
        holdSink = oav_pw_park_new(host, names.holdName, "Paused by audiosession guard", OAV_PW_PARKING_CLASS, 1)
    }

    func remakeHold() {
        guard let old = holdSink else { return }
        holdNode = nil
        makeHold()
        oav_pw_park_free(old)
    }

    /// - Returns: the holding sink's node, once the server has named it.
    func findHoldNode() -> UInt32? {
        guard let holdSink else { return nil }
        let id = oav_pw_park_node(holdSink)
        guard id != .max else { return nil }
        holdNode = id
        return id
    }
}
