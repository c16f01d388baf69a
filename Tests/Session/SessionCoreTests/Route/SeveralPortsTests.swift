import AudioModel
import SessionCore
import Testing

/// Machines with two ports of one kind: the first in the inventory's order is taken.
struct SeveralPortsTests {
    private static func second(_ port: Port) -> Port {
        var second = port
        second.uid += " 2"
        return second
    }

    private func route(_ ports: [Port], output: Port?, override: OutputOverride = .none) -> [Port] {
        let inventory = Inventory(ports: ports, defaultOutputUID: output?.uid)
        let route = RoutePolicy.route(
            for: SessionConfiguration(category: .playAndRecord), in: inventory, override: override)
        return route.outputs + route.inputs
    }

    @Test func receiverSpeakerAndMicrophones_areTheFirst() {
        let phone = [Ports.speaker, Ports.receiver, Ports.mic].flatMap { [$0, Self.second($0)] }
        #expect(route(phone, output: Ports.speaker) == [Ports.receiver, Ports.mic])
        #expect(route(phone, output: Ports.speaker, override: .speaker) == [Ports.speaker, Ports.mic])
        let desk = [Ports.headphones] + [Ports.headsetMic, Ports.mic].flatMap { [$0, Self.second($0)] }
        #expect(route(desk, output: Ports.headphones) == [Ports.headphones, Ports.headsetMic])
    }

    @Test func portsWithoutADefault_areTheFirst_butNoReceiver() {
        let inventory = Inventory(ports: [Ports.lineOut, Ports.usb, Ports.mic, Ports.usbMic])
        let playing = RoutePolicy.route(for: SessionConfiguration(category: .playback), in: inventory)
        #expect(playing.outputs == [Ports.lineOut])
        let recording = RoutePolicy.route(for: SessionConfiguration(category: .record), in: inventory)
        #expect(recording.inputs == [Ports.mic])
    }
}
