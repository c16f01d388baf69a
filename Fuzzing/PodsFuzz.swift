import AudioModel
import CFuzzServer
import CPipeWireShims
import Synchronization

@testable import HostPipeWire

/// Objects, properties, metadata and PODs with any content, to the shim's own code and to the inventory behind it.
enum PodsFuzz {
    private static let kinds = [FUZZ_NODE, FUZZ_DEVICE, FUZZ_PORT, FUZZ_METADATA, FUZZ_CLIENT, FUZZ_LINK]
    private static let params = [FUZZ_ENUM_PROFILE, FUZZ_PROFILE, FUZZ_ENUM_ROUTE, FUZZ_ROUTE, FUZZ_PROPS]
    private static let keys = [
        "media.class", "node.name", "node.description", "audio.position", "audio.channel", "port.id", "node.id",
        "port.direction", "object.serial", "client.id", "device.id", "card.profile.device", "device.api",
        "metadata.name", "application.name", "pipewire.sec.pid", "media.role", "link.output.node", "link.input.node",
    ]
    private static let values = [
        "Audio/Sink", "Audio/Source", "Audio/Device", "Stream/Output/Audio", "audiosession.claim", "bluez5", "default",
        "settings", "[ FL, FR ]", "1", "2", "in", "out",
    ]
    private static let metadataKeys = [
        "default.audio.sink", "default.configured.audio.source", "target.object", "clock.rate", "clock.force-rate",
        "clock.min-quantum",
    ]

    private static let device: UInt32 = 1
    private static let node: UInt32 = 2
    private static let metadata: UInt32 = 3

    static func run(_ bytes: ByteSource) {
        var bytes = bytes
        let state = Mutex(PipeWireEventState(followsALoss: false))
        let receiver = PipeWireReceiver()
        receiver.begin { message in state.withLock { _ = $0.update(at: .monotonic) { $0.receive(message) } } }
        var events = receiver.makeEvents()
        // It brings no facts, and takes half of the time.
        events.synced = { _, _ in }
        let server = fuzz_server_new(&events)
        defer {
            fuzz_server_free(server)
            withExtendedLifetime(receiver) {}
        }
        begin(server, isBluetooth: bytes.bool())
        while !bytes.isAtEnd {
            EventCount.note()
            step(server, &bytes)
        }
        fuzz_server_answer(server)
        let inventory = state.withLock { $0.facts.inventory }
        for level in inventory.volumes.values.map(\.level) { require((0...1).contains(level), "a volume of \(level)") }
        require(Set(inventory.ports.map { "\($0.uid) \($0.direction)" }).count == inventory.ports.count, "two ports")
    }

    /// A card with a sink, which the host has begun to ask, and the session manager's metadata.
    private static func begin(_ server: OpaquePointer, isBluetooth: Bool) {
        fuzz_server_set(server, "media.class", "Audio/Device")
        fuzz_server_set(server, "device.api", isBluetooth ? "bluez5" : "alsa")
        fuzz_server_add(server, device, FUZZ_DEVICE)
        fuzz_server_info(server, device, .max)
        for (key, value) in [
            ("media.class", "Audio/Sink"), ("node.name", "sink"), ("device.id", "1"), ("card.profile.device", "0"),
            ("audio.position", "FL,FR"),
        ] {
            fuzz_server_set(server, key, value)
        }
        fuzz_server_add(server, node, FUZZ_NODE)
        fuzz_server_info(server, node, .max)
        fuzz_server_set(server, "metadata.name", "default")
        fuzz_server_add(server, metadata, FUZZ_METADATA)
    }

    private static func step(_ server: OpaquePointer, _ bytes: inout ByteSource) {
        switch bytes.int(below: 16) {
        case 0..<8:
            let param = params[bytes.int(below: params.count)]
            let pod = bytes.bool() ? RandomPod.param(param, &bytes) : RandomPod.any(&bytes, depth: 0)
            let target = param == FUZZ_PROPS ? node : device
            pod.withUnsafeBufferPointer { pod in
                guard let start = pod.baseAddress else { return }
                fuzz_server_tell(server, target, param, start, pod.count)
            }
        case 8: fuzz_server_answer(server)
        case 9: fuzz_server_info(server, device, UInt32(bytes.byte()))
        case 10, 11:
            let key = bytes.optionalText(or: metadataKeys)
            let value = bytes.optionalText(or: ["{\"name\":\"sink\"}", "-1"])
            fuzz_server_metadata(server, metadata, bytes.id(), key, value)
        case 12:
            setProperties(server, &bytes)
            fuzz_server_info(server, bytes.id(), UInt32(bytes.byte()))
        case 13, 14:
            setProperties(server, &bytes)
            fuzz_server_add(server, bytes.id(), kinds[bytes.int(below: kinds.count)])
        default: fuzz_server_remove(server, bytes.id())
        }
    }

    private static func setProperties(_ server: OpaquePointer, _ bytes: inout ByteSource) {
        for _ in 0..<bytes.int(below: 6) {
            fuzz_server_set(server, bytes.text(or: keys), bytes.text(or: values))
        }
    }
}
