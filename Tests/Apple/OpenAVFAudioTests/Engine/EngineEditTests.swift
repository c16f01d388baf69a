import Foundation
import HostSimulated
import RuntimeTestSupport
import SimulatedControls
import Synchronization
import TestSupport
import Testing

@testable import OpenAVFAudio

/// Connections, and edits of a graph that sounds.
@Suite struct EngineEditTests {
    private func steady(_ value: Float, _ seconds: Double = 10) -> AVAudioPCMBuffer {
        AVAudioPCMBuffer([[Float](repeating: value, count: Int(seconds * 48_000))])
    }

    /// A step of the whole level would be a click; a ramp of 240 frames has steps of a 240th of it.
    private static let slope: Float = 1.01 / 240

    @Test func edits_whileItSounds_neitherClickNorLeaveAGap() throws {
        let machine = try AppMachine()
        let (engine, first) = try machine.engineWithPlayer(format: .mono)
        first.scheduleBuffer(steady(0.5))
        let start = machine.host.frame
        first.play()
        machine.advance(frames: 4800)
        // Another player comes, is turned down, and goes; the first is heard all the time.
        let second = AVAudioPlayerNode()
        engine.attach(second)
        engine.connect(second, to: engine.mainMixerNode, format: .mono)
        second.volume = 0
        second.scheduleBuffer(steady(0.25))
        second.play()
        machine.advance(frames: 4800)
        second.volume = 1
        machine.advance(frames: 4800)
        #expect(machine.heard(since: machine.host.frame - 480)[0].allSatisfy { $0 == 0.75 })
        let submix = AVAudioMixerNode()
        engine.attach(submix)
        engine.connect(submix, to: engine.mainMixerNode, format: .mono)
        engine.connect(second, to: submix, format: .mono)
        machine.advance(frames: 4800)
        engine.detach(submix)
        machine.advance(frames: 4800)
        let heard = machine.heard(since: start)[0]
        #expect(heard[0] == 0.5)
        #expect(heard.allSatisfy { $0 >= 0.5 })
        #expect(largestStep(heard) <= 0.25 * Self.slope)
        #expect(heard.suffix(480).allSatisfy { $0 == 0.5 })
    }

    @Test func volume_ofAMixer_slides() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        player.scheduleBuffer(steady(1))
        player.play()
        machine.advance(frames: 4800)
        let change = machine.host.frame
        engine.mainMixerNode.outputVolume = 0
        machine.advance(frames: 960)
        let heard = machine.heard(since: change)[0]
        #expect(largestStep(heard) <= Self.slope)
        #expect(heard[480...].allSatisfy { $0 == 0 })
    }

    @Test func connect_toAMixer_takesTheNextFreeInput() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        let mixer = AVAudioMixerNode()
        let players = (0..<3).map { _ in AVAudioPlayerNode() }
        for node in players + [mixer] { engine.attach(node) }
        for player in players { engine.connect(player, to: mixer, format: nil) }
        #expect(mixer.numberOfInputs == 3)
        #expect(mixer.nextAvailableInputBus == 3)
        #expect(engine.inputConnectionPoint(for: mixer, inputBus: 1)?.node === players[1])
        engine.disconnectNodeInput(mixer, bus: 1)
        #expect(mixer.nextAvailableInputBus == 1)
        #expect(engine.outputConnectionPoints(for: players[1], outputBus: 0).isEmpty)
        engine.disconnectNodeOutput(players[2])
        engine.disconnectNodeInput(mixer)
        #expect(mixer.numberOfInputs == 1)
    }

    @Test func connectionPoints_feedSeveralMixers_eachWithItsOwnVolume() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        let (a, b) = (AVAudioMixerNode(), AVAudioMixerNode())
        for mixer in [a, b] {
            engine.attach(mixer)
            engine.connect(mixer, to: engine.mainMixerNode, format: .mono)
        }
        engine.connect(
            player, to: [AVAudioConnectionPoint(node: a, bus: 0), AVAudioConnectionPoint(node: b, bus: 2)], fromBus: 0,
            format: .mono)
        #expect(engine.outputConnectionPoints(for: player, outputBus: 0).map(\.bus) == [0, 2])
        #expect(player.destination(forMixer: b, bus: 0) == nil)
        let destination = try #require(player.destination(forMixer: b, bus: 2))
        destination.volume = 0.25
        #expect(player.destination(forMixer: a, bus: 0)?.volume == 1)
        machine.advance(frames: 480)
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(4, 480)]))
        let start = machine.host.frame
        player.play()
        machine.advance(frames: 480)
        #expect(machine.heard(since: start)[0] == ramp(4, 480).map { $0 * 1.25 })
    }

    @Test func settingsOfADestination_changedByThreeThreads_areAllKept() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        // Any thread may use it.
        nonisolated(unsafe) let destination = try #require(
            player.destination(forMixer: engine.mainMixerNode, bus: 0))
        let lost = Mutex<[Int]>([])
        DispatchQueue.concurrentPerform(iterations: 3) { thread in
            for step in 1...1000 {
                let value = Float(step) / 1000
                switch thread {
                case 0: destination.volume = value
                case 1: destination.pan = value
                default: destination.position = AVAudio3DPoint(x: value, y: 0, z: 0)
                }
                // No other thread sets it.
                let kept = [destination.volume, destination.pan, destination.position.x][thread]
                if kept != value { lost.withLock { $0.append(thread) } }
            }
        }
        #expect(lost.withLock { $0 } == [])
        #expect((destination.volume, destination.pan, destination.position.x) == (1, 1, 1))
    }

    @Test func connectNode_ofWhatCanNotBe_throwsAndChangesNothing() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        let (a, b, stranger) = (AVAudioMixerNode(), AVAudioMixerNode(), AVAudioPlayerNode())
        engine.attach(a)
        engine.attach(b)
        try engine.connectNode(a, to: b, format: nil)
        func code(_ body: () throws -> Void) -> Int? {
            (#expect(throws: NSError.self) { try body() })?.code
        }
        #expect(code { try engine.connectNode(stranger, to: b, format: nil) } == Int(kAudioUnitErr_InvalidParameter))
        #expect(code { try engine.connectNode(b, to: a, format: nil) } == Int(kAudioUnitErr_InvalidParameter))
        #expect(
            code { try engine.connectNode(a, to: b, fromBus: 1, toBus: 0, format: nil) }
                == Int(kAudioUnitErr_InvalidElement))
        #expect(
            code { try engine.connectNode(engine.inputNode, to: b, format: nil) }
                == Int(kAudioUnitErr_FormatNotSupported))
        #expect(
            code { try engine.connectNode(engine.inputNode, to: b, format: .stereo) }
                == Int(kAudioUnitErr_FormatNotSupported))
        #expect(engine.inputConnectionPoint(for: b, inputBus: 0)?.node === a)
        #expect(engine.inputNode.outputFormat(forBus: 0).channelCount == 0)
        #expect(engine.inputNode.outputFormat(forBus: 0).sampleRate == 0)
    }

    @Test func attach_andDetach_setTheNodesEngine() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        let node = AVAudioMixerNode()
        engine.attach(node)
        engine.attach(node)
        #expect(node.engine === engine)
        #expect(engine.attachedNodes == [node])
        engine.detach(node)
        engine.detach(node)
        #expect(node.engine == nil)
        #expect(engine.attachedNodes.isEmpty)
    }

    @Test func settings_beforeAttaching_count() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        let player = AVAudioPlayerNode()
        player.volume = 0.5
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(2, 480), ramp(1000, 480)]))
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: .stereo)
        player.play()
        try engine.start()
        let start = machine.host.frame
        machine.advance(frames: 480)
        #expect(machine.heard(since: start) == [ramp(2, 480).map { $0 * 0.5 }, ramp(1000, 480).map { $0 * 0.5 }])
    }

    @Test func misuse_thatAppleDocuments_endsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            let machine = try AppMachine()
            let engine = machine.engine()
            engine.connect(AVAudioPlayerNode(), to: engine.mainMixerNode, format: nil)
        }
        await #expect(processExitsWith: .failure) {
            let machine = try AppMachine()
            let (_, player) = try machine.engineWithPlayer(format: .stereo)
            player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 10)]))
        }
        await #expect(processExitsWith: .failure) {
            let machine = try AppMachine()
            let (_, player) = try machine.engineWithPlayer()
            for _ in 0..<2 { player.installTap(onBus: 0, bufferSize: 4800, format: nil) { _, _ in } }
        }
        await #expect(processExitsWith: .failure) { AVAudioPlayerNode().play() }
        await #expect(processExitsWith: .failure) {
            let machine = try AppMachine()
            let (engine, player) = try machine.engineWithPlayer()
            engine.disconnectNodeOutput(player)
            player.play()
        }
    }
}
