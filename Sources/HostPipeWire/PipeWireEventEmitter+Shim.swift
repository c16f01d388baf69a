internal import AudioModel
package import CPipeWireShims
internal import Foundation
internal import HostInterface

extension PipeWireEventEmitter {
    /// The table of functions that the shim calls; whoever holds it keeps the emitter alive.
    func makeEvents() -> oav_pw_events {
        oav_pw_events(
            context: Unmanaged.passUnretained(self).toOpaque(),
            object: { context, object in
                guard let object = PipeWireObject(object.pointee) else { return }
                emitter(context).update { $0.appeared(object) }
            },
            object_removed: { context, kind, id, serial in
                let removal = PipeWireObject.Removal(kind, id: id, serial: serial)
                emitter(context).update { $0.removed(removal) }
            },
            node_volume: { context, id, volume in
                guard let volume = PipeWireVolume(volume.pointee) else { return }
                emitter(context).update { $0.apply(.nodeVolumeChanged(nodeID: id, volume)) }
            },
            reading: { context, id, isOver in emitter(context).update { $0.read(isOver ? .over : .begun, of: id) } },
            route: { context, id, route in
                let route = PipeWireRoute(route.pointee)
                emitter(context).update { $0.read(.route(route), of: id) }
            },
            active_route: { context, id, active in
                let part = PipeWireReadings.Part(active.pointee)
                emitter(context).update { $0.read(part, of: id) }
            },
            profile: { context, id, profile in
                let part = PipeWireReadings.Part(profile.pointee)
                emitter(context).update { $0.read(part, of: id) }
            },
            default_node: { context, key, name in
                emitter(context).update { $0.apply(.defaultNode(key: key, name: name)) }
            },
            setting: { context, key, value in
                let key = String(cString: key)
                emitter(context).update { $0.set(key, to: value) }
            },
            sink_rate: { context, node, hertz in
                emitter(context).update { $0.apply(.sinkRateSeen(nodeID: node, hertz == 0 ? nil : Double(hertz))) }
            },
            synced: { context, seq in emitter(context).update { $0.synced(seq) } },
            timer_fired: { context in emitter(context).update { $0.timerFired() } },
            stream_linked: { context, tag, node in
                emitter(context).update { $0.track(StreamID(number: tag)) { $0.linked(nodeID: node) } }
            },
            stream_lost: { context, tag, loss in
                emitter(context).update {
                    $0.linkEnded(StreamID(number: tag), PipeWireStreamTracker.LinkEnd(loss.pointee))
                }
            },
            stream_paused: { context, tag in emitter(context).update { $0.paused(StreamID(number: tag)) } },
            stream_running: { context, tag in
                emitter(context).update { $0.track(StreamID(number: tag)) { $0.running() } }
            },
            stream_failed: { context, tag, message in
                emitter(context).update {
                    $0.failed(StreamID(number: tag), String(cString: message), hasNode: false)
                }
            },
            stream_named: { context, tag, node in
                emitter(context).update { $0.named(StreamID(number: tag), nodeID: node) }
            },
            target_set: { context, node, target in
                let target = text(target)
                emitter(context).update { $0.updatePrograms { $0.setTarget(target, ofNode: node.known) } }
                emitter(context).update {
                    $0.changeTargets {
                        if let node = node.known { $0.set(target, ofNode: node) } else { $0.removeAll() }
                    }
                }
            },
            claim_named: { context, tag, node in
                emitter(context).update { $0.named(ClaimID(number: tag), nodeID: node) }
            },
            claims_read: { context, seq in emitter(context).update { $0.claimsRead(seq) } },
            claim_failed: { context, tag, message in
                let refusal = HostError.refused(String(cString: message))
                emitter(context).update { $0.refused(ClaimID(number: tag), refusal) }
            },
            own_client: { context, id in emitter(context).update { $0.learnOwnClient(id) } },
            lost: { context, message, lacksDescriptors in
                let message = String(cString: message)
                emitter(context).update { $0.lost(message, lacksDescriptors: lacksDescriptors) }
            })
    }
}

private func emitter(_ context: UnsafeMutableRawPointer?) -> PipeWireEventEmitter {
    guard let context else { preconditionFailure("the shim lost its context") }
    return Unmanaged<PipeWireEventEmitter>.fromOpaque(context).takeUnretainedValue()
}

extension PipeWireFact {
    package static func defaultNode(key: UnsafePointer<CChar>, name: UnsafePointer<CChar>?) -> PipeWireFact {
        let key = String(cString: key)
        let direction: PortDirection = key.hasSuffix("sink") ? .output : .input
        let name = text(name)
        return key.contains("configured") ? .preferenceNamed(direction, name) : .defaultNamed(direction, name)
    }
}

package func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }

extension UInt32 {
    /// The shim's `OAV_PW_NONE` as what it means.
    package var known: UInt32? { self == .max ? nil : self }
}

extension PipeWireVolume {
    init?(_ volume: oav_pw_volume) {
        guard volume.channel_count > 0 else { return nil }
        self.init(
            PortVolume(level: cbrt(volume.amplitude), isMuted: volume.is_muted), channelCount: volume.channel_count)
    }
}

extension oav_pw_volume {
    /// Linear, as PipeWire has it.
    init(_ volume: PortVolume, channelCount: UInt32) {
        let amplitude = volume.level * volume.level * volume.level
        self.init(is_muted: volume.isMuted, amplitude: amplitude, channel_count: channelCount)
    }
}

extension PipeWireObject {
    /// - Returns: nil for what says nothing.
    package init?(_ object: oav_pw_object) {
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
                    isRunning: object.is_running, properties: Dictionary(uniqueKeysWithValues: pairs)))
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
    package init(_ kind: oav_pw_kind, id: UInt32, serial: UInt64) {
        switch kind {
        case OAV_PW_SINK, OAV_PW_SOURCE: self = .node(id: id)
        case OAV_PW_STREAM, OAV_PW_CLAIM: self = .program(serial: serial)
        case OAV_PW_DEVICE: self = .device(id: id)
        default: self = .other(id: id)
        }
    }
}

extension PipeWireReadings.Part {
    package init(_ active: oav_pw_active_route) {
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
        self.init(target: Int(loss.target), cause: cause)
        wasBound = loss.was_bound
        ports = [loss.our_port, loss.their_port]
        words = String(cString: loss.words)
    }
}

extension PipeWireRoute {
    package init(_ route: oav_pw_route) {
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
