import AudioModel
import HostDiagnosis
import SessionCore

@testable import HostPipeWire

/// A server's facts in any order and with any content, folded to inventories that a session takes.
enum InventoryFuzz {
    private static let names = [
        "alsa_output.pci", "alsa_input.pci", "usb", "bluez_output.1", "auto_null", "speaker", "",
    ]
    private static let positions = ["FL", "FR", "MONO", "AUX0", "FC", "LFE"]

    static func run(_ bytes: ByteSource) {
        var bytes = bytes
        var facts = PipeWireInventory()
        var lastSent: PipeWireInventory?
        var session = SessionFeed()
        var tracker = PipeWireStreamTracker()
        let stream = StreamID(number: 1)
        session.apply(.streamOpened(stream, StreamPolicy()))
        while !bytes.isAtEnd {
            let fact = fact(&bytes)
            facts.apply(fact)
            var losses: [PortLoss] = []
            for action in trackerActions(&tracker, fact, facts, &bytes) {
                if case .tellLost(let uid) = action { losses.append(PortLoss(stream, portUID: uid)) }
            }
            let inventories = lastSent.map { facts.steps(after: $0) } ?? [facts.inventory]
            for (index, inventory) in inventories.enumerated() {
                check(inventory)
                session.apply(.host(.inventoryChanged(inventory, losses: index == 0 ? losses : [])))
            }
            lastSent = facts
            for port in facts.inventory.ports {
                _ = facts.promiseOff(uid: port.uid)
                require(facts.location(uid: port.uid) != nil, "no location for \(port.uid)")
            }
        }
    }

    private static func check(_ inventory: Inventory) {
        for ports in [inventory.outputs, inventory.inputs] {
            require(Set(ports.map(\.uid)).count == ports.count, "two ports with one uid: \(ports.map(\.uid))")
        }
        let outputs = inventory.outputs.map(\.uid)
        let inputs = inventory.inputs.map(\.uid)
        require(inventory.defaultOutputUID.map(outputs.contains) ?? true, "the default output is not there")
        require(inventory.defaultInputUID.map(inputs.contains) ?? true, "the default input is not there")
    }

    private static func trackerActions(
        _ tracker: inout PipeWireStreamTracker, _ fact: PipeWireFact, _ facts: PipeWireInventory,
        _ bytes: inout ByteSource
    ) -> [PipeWireStreamTracker.Action] {
        var actions: [PipeWireStreamTracker.Action] = []
        switch fact {
        case .nodeRemoved(let id): actions += tracker.nodeRemoved(id)
        case .routesChanged(let id, _, _): actions += tracker.routesChanged(ofDevice: id, in: facts)
        default: break
        }
        switch bytes.int(below: 16) {
        case 0:
            guard let uid = facts.inventory.outputs.first?.uid else { break }
            if let target = facts.target(uid: uid, .output) {
                actions += tracker.beginLink(to: [target])
            } else {
                actions += tracker.awaitPorts([uid], isRunning: bytes.int(below: 2) == 0)
            }
        case 1: actions += tracker.linked(nodeID: 70)
        case 2: actions += tracker.lost(target: bytes.int(below: 3))
        case 3: actions += tracker.cut(target: 0)
        case 4: actions += tracker.paused()
        case 5: actions += tracker.timedOut()
        case 6: actions += tracker.running()
        case 7: actions += tracker.linkedByOthers(linkID: bytes.id())
        case 8: actions += tracker.portRemoved(ofNode: bytes.id())
        case 9: actions += tracker.settled(in: facts)
        case 10: tracker.rested()
        case 11: actions += tracker.unlink()
        default: break
        }
        return actions
    }

    private static func fact(_ bytes: inout ByteSource) -> PipeWireFact {
        switch bytes.int(below: 12) {
        case 0, 1: return .nodeChanged(node(&bytes))
        case 2: return .nodeRemoved(id: bytes.id())
        case 3: return .deviceChanged(device(&bytes))
        case 4: return .deviceRemoved(id: bytes.id())
        case 5: return .nodeVolumeChanged(nodeID: bytes.id(), volume(&bytes))
        case 6:
            let count = bytes.int(below: 4)
            return .routeVolumesChanged(
                deviceID: bytes.id(),
                Dictionary((0..<count).map { _ in (Int32(bitPattern: bytes.id()), volume(&bytes)) }) { $1 })
        case 7:
            let routes = (0..<bytes.int(below: 5)).map { _ in route(&bytes) }
            let active = (0..<bytes.int(below: 4)).map { _ in
                (Int32(bitPattern: bytes.id()), Int32(bitPattern: bytes.id()))
            }
            return .routesChanged(deviceID: bytes.id(), routes: routes, active: Dictionary(active) { $1 })
        case 8: return .defaultNamed(direction(&bytes), bytes.optionalText(or: names))
        case 9: return .preferenceNamed(direction(&bytes), bytes.optionalText(or: names))
        case 10: return bytes.bool() ? .graphRateSet(bytes.double()) : .sinkRateSeen(nodeID: bytes.id(), bytes.double())
        default: return .rested
        }
    }

    private static func direction(_ bytes: inout ByteSource) -> PortDirection { bytes.bool() ? .input : .output }

    private static func volume(_ bytes: inout ByteSource) -> PipeWireVolume {
        PipeWireVolume(PortVolume(level: Float(bytes.double()), isMuted: bytes.bool()))
    }

    private static func node(_ bytes: inout ByteSource) -> PipeWireNode {
        var node = PipeWireNode(id: bytes.id(), direction: direction(&bytes), name: bytes.text(or: names))
        node.serial = UInt64(bytes.id())
        node.description = bytes.optionalText(or: names)
        node.isVirtual = bytes.bool()
        node.formFactor = bytes.optionalText(or: ["headphone", "headset", "speaker", "microphone", "internal"])
        node.bus = bytes.optionalText(or: ["usb", "pci", "bluetooth"])
        node.api = bytes.optionalText(or: ["alsa", "bluez5"])
        node.bluetoothProfile = bytes.optionalText(or: ["a2dp-sink", "headset-head-unit"])
        node.profileName = bytes.optionalText(or: ["analog-stereo", "hdmi-stereo"])
        node.positions = (0..<bytes.int(below: 9)).map { _ in bytes.text(or: positions) }
        node.deviceID = bytes.bool() ? bytes.id() : nil
        node.cardDevice = bytes.bool() ? Int32(bitPattern: bytes.id()) : nil
        node.priority = bytes.word(Int32.self)
        return node
    }

    private static func device(_ bytes: inout ByteSource) -> PipeWireDevice {
        var device = PipeWireDevice(id: bytes.id(), name: bytes.optionalText(or: names))
        device.description = bytes.optionalText(or: names)
        device.formFactor = bytes.optionalText(or: ["headset", "internal"])
        device.bus = bytes.optionalText(or: ["usb", "pci", "bluetooth"])
        device.api = bytes.optionalText(or: ["alsa", "bluez5"])
        return device
    }

    private static func route(_ bytes: inout ByteSource) -> PipeWireRoute {
        let devices = (0..<bytes.int(below: 4)).map { _ in Int32(bitPattern: bytes.id()) }
        var route = PipeWireRoute(
            index: Int32(bitPattern: bytes.id()), direction: direction(&bytes), name: bytes.text(or: names),
            cardDevices: devices)
        route.description = bytes.optionalText(or: names)
        route.priority = bytes.word(Int32.self)
        route.availability = [.unknown, .no, .yes][bytes.int(below: 3)]
        route.portType = bytes.optionalText(or: ["speaker", "headphones", "headset", "mic", "hdmi"])
        return route
    }
}
