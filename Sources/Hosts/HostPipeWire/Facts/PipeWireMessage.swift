package import AudioModel
internal import CPipeWireShims
internal import Foundation

/// A report from the shim; each callback has its own case.
///
/// `rankingRead` is a report of `WirePlumberRankingReader`.
package enum PipeWireMessage: Hashable, Sendable {
    case object(PipeWireObject)
    case removed(PipeWireObject.Removal)
    /// The volume of a node, or the rate of a sink or source to which one of our streams is linked.
    case measured(PipeWireFact)
    /// The session manager's or the user's default.
    case chosen(PipeWireFact)
    case reading(PipeWireReadings.Part, deviceID: UInt32)
    case setting(String, UInt32)
    case synced(PipeWireServerState.RoundTrip)
    case timerFired
    case streamLinked(StreamID, nodeID: UInt32)
    case streamLost(StreamID, PipeWireStreamTracker.LinkEnd)
    case streamPaused(StreamID)
    case streamRunning(StreamID)
    case streamFailed(StreamID, String)
    case streamNamed(StreamID, nodeID: UInt32)
    /// `nodeID` is nil if the session manager, which kept the targets of all nodes, has left.
    case targetSet(String?, nodeID: UInt32?)
    /// A reading has found this value.
    case metadataFound(PipeWireMetadataReading.Key, String?)
    case metadataRead(isComplete: Bool)
    /// Comes on another thread than the loop's.
    case rankingRead(WirePlumberRankingReader.Ranking)
    case claimNamed(ClaimID, nodeID: UInt32)
    case claimsRead(Int32)
    case claimFailed(ClaimID, String)
    case ownClient(UInt32)
    case lost(String, lacksDescriptors: Bool)
}

/// Converts the shim's callbacks into messages.
///
/// Rule: used with the loop locked, or while the loop does not run. Messages come one after the other.
final class PipeWireReceiver: @unchecked Sendable {
    private var receive: (@Sendable (PipeWireMessage) -> Void)?
    /// The names of the round trips that are under way, by the server's numbers; the shim's own have none.
    var roundTrips: [Int32: PipeWireServerState.RoundTrip] = [:]

    /// Starts delivery; nothing is received before this call.
    func begin(_ receive: @escaping @Sendable (PipeWireMessage) -> Void) { self.receive = receive }

    func end() { receive = nil }

    /// The table of functions that the shim calls; its owner must keep the receiver alive.
    func makeEvents() -> oav_pw_events {
        func tell(_ context: UnsafeMutableRawPointer?, _ message: PipeWireMessage?) {
            if let message { context.receiver.receive?(message) }
        }
        return oav_pw_events(
            context: Unmanaged.passUnretained(self).toOpaque(),
            object: { tell($0, PipeWireObject($1.pointee).map { .object($0) }) },
            object_removed: { tell($0, .removed(PipeWireObject.Removal($1, id: $2, serial: $3))) },
            node_volume: { context, id, volume in
                tell(context, PipeWireVolume(volume.pointee).map { .measured(.nodeVolumeChanged(nodeID: id, $0)) })
            },
            reading: { tell($0, .reading($2 ? .over : .begun, deviceID: $1)) },
            route: { tell($0, .reading(.route(PipeWireRoute($2.pointee)), deviceID: $1)) },
            active_route: { tell($0, .reading(PipeWireReadings.Part($2.pointee), deviceID: $1)) },
            profile: { tell($0, .reading(PipeWireReadings.Part($2.pointee), deviceID: $1)) },
            default_node: {
                let (key, name) = (PipeWireMetadataReading.Key(metadata: String(cString: $1)), text($2))
                tell($0, $3 ? .metadataFound(key, name) : key.message(name))
            },
            setting: { tell($0, .setting(String(cString: $1), $2)) },
            sink_rate: { tell($0, .measured(.sinkRateSeen(nodeID: $1, $2 == 0 ? nil : Double($2)))) },
            synced: { tell($0, $0.receiver.roundTrips.removeValue(forKey: $1).map(PipeWireMessage.synced)) },
            timer_fired: { tell($0, .timerFired) },
            stream_linked: { tell($0, .streamLinked(StreamID(number: $1), nodeID: $2)) },
            stream_lost: { tell($0, .streamLost(StreamID(number: $1), .init($2.pointee))) },
            stream_paused: { tell($0, .streamPaused(StreamID(number: $1))) },
            stream_running: { tell($0, .streamRunning(StreamID(number: $1))) },
            stream_failed: { tell($0, .streamFailed(StreamID(number: $1), String(cString: $2))) },
            stream_named: { tell($0, .streamNamed(StreamID(number: $1), nodeID: $2)) },
            target_set: {
                tell(
                    $0,
                    $3 ? .metadataFound(.target(nodeID: $1), text($2)) : .targetSet(text($2), nodeID: $1.known))
            },
            metadata_read: { tell($0, .metadataRead(isComplete: $1)) },
            claim_named: { tell($0, .claimNamed(ClaimID(number: $1), nodeID: $2)) },
            claims_read: { tell($0, .claimsRead($1)) },
            claim_failed: { tell($0, .claimFailed(ClaimID(number: $1), String(cString: $2))) },
            own_client: { tell($0, .ownClient($1)) },
            lost: { tell($0, .lost(String(cString: $1), lacksDescriptors: $2)) })
    }
}

extension UnsafeMutableRawPointer? {
    /// The receiver that is the context of a callback.
    fileprivate var receiver: PipeWireReceiver {
        guard let self else { preconditionFailure("the shim lost its context") }
        return Unmanaged<PipeWireReceiver>.fromOpaque(self).takeUnretainedValue()
    }
}

extension PipeWireMetadataReading.Key {
    fileprivate init(metadata key: String) {
        let direction: PortDirection = key.hasSuffix("sink") ? .output : .input
        self = key.contains("configured") ? .preference(direction) : .choice(direction)
    }
}

private func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }

extension UInt32 {
    /// nil for the shim's `OAV_PW_NONE`.
    var known: UInt32? { self == .max ? nil : self }
}

extension PipeWireVolume {
    init?(_ volume: oav_pw_volume) {
        guard volume.channel_count > 0 else { return nil }
        self.init(
            PortVolume(level: cbrt(volume.amplitude), isMuted: volume.is_muted), channelCount: volume.channel_count)
    }
}

extension oav_pw_volume {
    /// The volume with a linear amplitude, as PipeWire uses it.
    init(_ volume: PortVolume, channelCount: UInt32) {
        let amplitude = volume.level * volume.level * volume.level
        self.init(is_muted: volume.isMuted, amplitude: amplitude, channel_count: channelCount)
    }
}

extension PipeWireObject {
    /// - Returns: nil for an object of no interest.
    init?(_ object: oav_pw_object) {
        func value(_ key: String) -> String? { text(oav_pw_property(object.properties, key)) }
        func number(_ key: String) -> UInt32 { value(key).flatMap { UInt32($0) } ?? .max }
        let id = object.id
        switch object.kind {
        case OAV_PW_SINK, OAV_PW_SOURCE, OAV_PW_DEVICE:
            guard object.is_described else {
                self = .announced
                return
            }
            let direction: PortDirection = object.kind == OAV_PW_SOURCE ? .input : .output
            self =
                object.kind == OAV_PW_DEVICE
                ? .device(PipeWireDevice(id: id, properties: value))
                : .node(PipeWireNode(id: id, serial: object.serial, direction: direction, properties: value))
        case OAV_PW_STREAM, OAV_PW_CLAIM:
            let (client, isClaim) = (object.client_id.known, object.kind == OAV_PW_CLAIM)
            guard object.is_described else {
                self = .programAnnounced(
                    serial: object.serial, nodeID: id, clientID: client, isClaim: isClaim)
                return
            }
            let pairs = PipeWireProgramNode.keys.compactMap { key in value(key).map { (key, $0) } }
            self = .program(
                PipeWireProgramNode(
                    serial: object.serial, nodeID: id, clientID: client, isClaim: isClaim,
                    isRunning: object.is_running, isSilent: object.is_silent,
                    properties: Dictionary(uniqueKeysWithValues: pairs)))
        case OAV_PW_PORT:
            self = .port(
                PipeWireNodePort(
                    id: id, nodeID: number("node.id"), number: number("port.id"),
                    isInput: value("port.direction") == "in", channel: value("audio.channel") ?? ""))
        case OAV_PW_LINK:
            self = .link(
                id: id, output: number("link.output.node"), input: number("link.input.node"), isOurs: object.is_ours)
        case OAV_PW_CLIENT:
            let process = value("pipewire.sec.pid").flatMap { UInt32($0) }
            self = .client(
                id: id, .init(processID: process == 0 ? nil : process, name: value("application.name")))
        case OAV_PW_FACTORY: self = .factory(id: id, name: value("factory.name") ?? "")
        case OAV_PW_METADATA: self = .metadata(id: id)
        case OAV_PW_SETTINGS: self = .announced
        default: return nil
        }
    }
}

extension PipeWireObject.Removal {
    init(_ kind: oav_pw_kind, id: UInt32, serial: UInt64) {
        switch kind {
        case OAV_PW_SINK, OAV_PW_SOURCE: self = .node(id: id)
        case OAV_PW_STREAM, OAV_PW_CLAIM: self = .program(serial: serial)
        case OAV_PW_DEVICE: self = .device(id: id)
        default: self = .other(id: id)
        }
    }
}

extension PipeWireReadings.Part {
    init(_ active: oav_pw_active_route) {
        self = .active(
            cardDevice: active.card_device, route: active.route_index, PipeWireVolume(active.volume))
    }

    fileprivate init(_ profile: oav_pw_profile) {
        self = profile.is_active ? .activeProfile(profile.index) : .profile(PipeWireProfile(profile))
    }
}

extension PipeWireStreamTracker.LinkEnd {
    fileprivate init(_ loss: oav_pw_loss) {
        let cause: Cause =
            switch loss.cause {
            case OAV_PW_LOSS_REMOVED: .removed
            case OAV_PW_LOSS_FAILED: .failed
            default: .route
            }
        self.init(
            target: Int(loss.target), cause: cause, wasBound: loss.was_bound, ports: [loss.our_port, loss.their_port],
            words: String(cString: loss.words))
    }
}

extension PipeWireRoute {
    init(_ route: oav_pw_route) {
        self.init(
            index: route.index, direction: route.is_input ? .input : .output, name: text(route.name) ?? "",
            cardDevices: Array(UnsafeBufferPointer(start: route.card_devices, count: Int(route.card_device_count))))
        profiles = Array(UnsafeBufferPointer(start: route.profiles, count: Int(route.profile_count)))
        description = text(route.description)
        priority = route.priority
        portType = text(route.port_type)
        availability =
            switch route.availability {
            case OAV_PW_AVAILABLE_NO: .no
            case OAV_PW_AVAILABLE_YES: .yes
            default: .unknown
            }
    }
}

extension PipeWireProfile {
    init(_ profile: oav_pw_profile) {
        self.init(
            index: profile.index, name: text(profile.name) ?? "", hasInput: profile.has_input,
            hasOutput: profile.has_output)
        priority = profile.priority
        isAvailable = profile.is_available
    }
}

extension PipeWireManagerStart.Progress {
    init(_ progress: oav_pw_progress) { self.init(cycles: progress.cycles, isLinked: progress.is_linked) }
}
