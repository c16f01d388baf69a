internal import AudioModel
package import CPipeWireShims
internal import Foundation
internal import HostInterface

extension PipeWireEventEmitter {
    /// The table of functions that the shim calls; whoever holds it keeps the emitter alive.
    func makeEvents() -> oav_pw_events {
        oav_pw_events(
            context: Unmanaged.passUnretained(self).toOpaque(),
            changed: { context, hasManager in emitter(context).update { $0.changed(hasManager: hasManager) } },
            node: { context, node in
                switch ShimNode(node.pointee) {
                case .device(let node): emitter(context).update { $0.apply(.nodeChanged(node)) }
                case .program(let node): emitter(context).update { $0.programChanged(node) }
                }
            },
            node_removed: { context, id in emitter(context).update { $0.apply(.nodeRemoved(id: id)) } },
            node_volume: { context, id, volume in
                guard let volume = PortVolume(volume.pointee) else { return }
                emitter(context).update { $0.apply(.nodeVolumeChanged(nodeID: id, volume)) }
            },
            device: { context, device in
                emitter(context).update { $0.apply(.deviceChanged(PipeWireDevice(device.pointee))) }
            },
            device_removed: { context, id in emitter(context).update { $0.apply(.deviceRemoved(id: id)) } },
            routes: { context, id, routes, count, active, activeCount in
                emitter(context).update { $0.apply(.routes(ofDevice: id, routes, count, active, activeCount)) }
                emitter(context).update { $0.apply(.routeVolumes(ofDevice: id, active, activeCount)) }
            },
            profiles: { context, id, profiles, count, active in
                emitter(context).update { $0.apply(.profiles(ofDevice: id, profiles, count, active: active)) }
            },
            default_node: { context, key, name in
                emitter(context).update { $0.apply(.defaultNode(key: key, name: name)) }
            },
            graph_rate: { context, hertz in emitter(context).update { $0.apply(.graphRateSet(Double(hertz))) } },
            sink_rate: { context, node, hertz in
                emitter(context).update { $0.apply(.sinkRateSeen(nodeID: node, hertz == 0 ? nil : Double(hertz))) }
            },
            port: { context, port in
                emitter(context).update { $0.apply(.portAdded(PipeWireNodePort(port.pointee))) }
            },
            link: { context, id, output, input, isOurs in
                if !isOurs { emitter(context).update { $0.linkedByOthers(id, from: output, to: input) } }
            },
            object_removed: { context, id in emitter(context).update { $0.objectRemoved(id) } },
            synced: { context, seq, isEnumerating, hasManager in
                emitter(context).update { $0.synced(seq, isEnumerating: isEnumerating, hasManager: hasManager) }
            },
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
            claim_granted: { context, tag, serial in
                emitter(context).update { $0.send(.claimGranted(ClaimID(number: tag), ClaimSerial(number: serial))) }
            },
            claims_read: { context, seq in emitter(context).update { $0.claimsRead(seq) } },
            claim_failed: { context, tag, message in
                let refusal = HostError.refused(String(cString: message))
                emitter(context).update { $0.send(.claimRefused(ClaimID(number: tag), refusal)) }
            },
            other_added: { context, serial, client, isClaim in
                emitter(context).update {
                    $0.updatePrograms { $0.added(serial, clientID: client.known, isClaim: isClaim) }
                }
            },
            other_removed: { context, serial in emitter(context).update { $0.removeProgram(serial) } },
            client: { context, id, process, name in
                let client = PipeWireClients.Client(processID: process == 0 ? nil : process, name: text(name))
                emitter(context).update { $0.addClient(id, client) }
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
    package static func routes(
        ofDevice id: UInt32, _ routes: UnsafePointer<oav_pw_route>?, _ count: UInt32,
        _ active: UnsafePointer<oav_pw_active_route>?, _ activeCount: UInt32
    ) -> PipeWireFact {
        let active = UnsafeBufferPointer(start: active, count: Int(activeCount))
        return .routesChanged(
            deviceID: id, routes: UnsafeBufferPointer(start: routes, count: Int(count)).map { PipeWireRoute($0) },
            active: Dictionary(active.map { ($0.card_device, $0.route_index) }) { $1 })
    }

    static func profiles(
        ofDevice id: UInt32, _ profiles: UnsafePointer<oav_pw_profile>?, _ count: UInt32, active: Int32
    ) -> PipeWireFact {
        .profilesChanged(
            deviceID: id, UnsafeBufferPointer(start: profiles, count: Int(count)).map { PipeWireProfile($0) },
            active: active < 0 ? nil : active)
    }

    /// The active routes without a volume are missing.
    package static func routeVolumes(
        ofDevice id: UInt32, _ active: UnsafePointer<oav_pw_active_route>?, _ activeCount: UInt32
    ) -> PipeWireFact {
        let volumes = UnsafeBufferPointer(start: active, count: Int(activeCount)).compactMap { route in
            PortVolume(route.volume).map { (route.card_device, $0) }
        }
        return .routeVolumesChanged(deviceID: id, Dictionary(volumes) { $1 })
    }

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

extension PortVolume {
    fileprivate init?(_ volume: oav_pw_volume) {
        guard volume.is_known else { return nil }
        self.init(level: cbrt(volume.amplitude), isMuted: volume.is_muted)
    }

    /// Linear, as PipeWire has it.
    var amplitude: Float { level * level * level }
}

/// A node as the shim tells it.
package enum ShimNode {
    case device(PipeWireNode)
    case program(PipeWireProgramNode)

    package init(_ node: oav_pw_node) {
        let properties = node.properties
        func value(_ key: String) -> String? { text(oav_pw_property(properties, key)) }
        switch node.kind {
        case OAV_PW_NODE_STREAM, OAV_PW_NODE_CLAIM:
            let pairs = PipeWireProgramNode.keys.compactMap { key in value(key).map { (key, $0) } }
            self = .program(
                PipeWireProgramNode(
                    serial: node.serial, nodeID: node.id, clientID: node.client_id.known,
                    isClaim: node.kind == OAV_PW_NODE_CLAIM, isRunning: node.is_running,
                    properties: Dictionary(uniqueKeysWithValues: pairs)))
        default:
            let isSource = node.kind == OAV_PW_NODE_SOURCE
            self = .device(
                PipeWireNode(
                    id: node.id, serial: node.serial, direction: isSource ? .input : .output, properties: value))
        }
    }
}

extension PipeWireNodePort {
    package init(_ port: oav_pw_port) {
        self.init(
            id: port.id, nodeID: port.node_id, number: port.number, isInput: port.is_input,
            channel: String(cString: port.channel))
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

extension PipeWireDevice {
    package init(_ device: oav_pw_device) {
        self.init(id: device.id, name: text(device.name))
        description = text(device.description)
        formFactor = text(device.form_factor)
        bus = text(device.bus)
        api = text(device.api)
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
        var name = profile.name
        self.init(
            index: profile.index, name: text(&name), hasInput: profile.has_input, hasOutput: profile.has_output)
        priority = profile.priority
        isAvailable = profile.is_available
    }
}

extension PipeWireManagerStart.Progress {
    init(_ progress: oav_pw_progress) { self.init(cycles: progress.cycles, isLinked: progress.is_linked) }
}
