import AudioModel
import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionRest
import SimulatedControls
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAudioSession
@testable import SessionRuntime

/// An app that keeps its map right from within the handler of the configuration change.
///
/// What sounds on several devices is for HostContractTests to say, on both hosts.
@Suite struct EngineMultiRouteTests {
    private static let hdmi = SimulatedDevice.hdmi.uid

    /// A television of eight channels and headphones of two, in this order.
    private func machine() throws -> AppMachine {
        let machine = try AppMachine(devices: [.hdmi, .wiredHeadphones])
        try machine.session.setCategory(.multiRoute)
        return machine
    }

    /// The offset of each port's channels, by its uid.
    private func offsets(_ session: AVAudioSession) -> [String: Int] {
        var offsets: [String: Int] = [:]
        var offset = 0
        for port in session.currentRoute.outputs {
            offsets[port.uid] = offset
            offset += port.channels?.count ?? 0
        }
        return offsets
    }

    private func steer(_ engine: AVAudioEngine, to uid: String, in session: AVAudioSession) throws {
        let offset = try #require(offsets(session)[uid])
        var map = [NSNumber](repeating: -1, count: Int(engine.outputNode.outputFormat(forBus: 0).channelCount))
        map[offset] = 0
        map[offset + 1] = 1
        engine.outputNode.auAudioUnit.channelMap = map
    }

    private func play(_ machine: AppMachine, _ player: AVAudioPlayerNode) -> Int {
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 480), ramp(1001, 480)]))
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 480)
        return start
    }

    @Test func mapRecomputedAfterRouteChange() throws {
        let machine = try machine()
        let (engine, player) = try machine.engineWithPlayer()
        try steer(engine, to: AppMachine.headphones, in: machine.session)
        let history = History<String>()
        let token = NotificationCenter.default.addObserver(
            forName: .AVAudioEngineConfigurationChange, object: engine, queue: nil
        ) { notification in
            guard let engine = notification.object as? AVAudioEngine else { return }
            let unit = engine.outputNode.auAudioUnit
            history.append("\(unit.channelMap?.count ?? -1) channels")
            // The television is gone or back: the headphones' channels are elsewhere now.
            var map = [NSNumber](repeating: -1, count: unit.channelMap?.count ?? 0)
            var offset = 0
            for port in AVAudioSession.sharedInstance().currentRoute.outputs {
                if port.uid == AppMachine.headphones {
                    map[offset] = 0
                    map[offset + 1] = 1
                }
                offset += port.channels?.count ?? 0
            }
            unit.channelMap = map
            try? engine.start()
        }
        defer { NotificationCenter.default.removeObserver(token) }
        machine.host.unplug(.hdmi)
        machine.runtime.drain()
        #expect(engine.isRunning)
        let alone = play(machine, player)
        #expect(machine.heard(since: alone) == [ramp(1, 480), ramp(1001, 480)])
        machine.host.plug(.hdmi)
        machine.runtime.drain()
        // What comes back is the last one now.
        #expect(machine.session.currentRoute.outputs.map(\.uid) == [AppMachine.headphones, Self.hdmi])
        #expect(engine.isRunning)
        let both = play(machine, player)
        // The route cut the player off between two frames of its own: it fades in, 5 ms long.
        #expect(machine.heard(since: both).map { $0.dropFirst(240) } == [ramp(241, 240)[...], ramp(1241, 240)[...]])
        #expect(machine.host.loudFrames(of: Self.hdmi, since: both) == 0)
        #expect(history.entries == ["2 channels", "10 channels"])
    }
}
