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

/// What the session and the machine do to an engine.
@Suite struct EngineSessionTests {
    /// A buffer that sounds for as long as any test lasts.
    private func playForEver(_ player: AVAudioPlayerNode) {
        let level = [Float](repeating: 0.5, count: 480)
        player.scheduleBuffer(AVAudioPCMBuffer([level, level]), at: nil, options: .loops)
        player.play()
    }

    // MARK: Configuration changes

    @Test func engineStopsOnFormatChange() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer()
        let changes = EngineChanges(of: engine, .output)
        playForEver(player)
        machine.advance(frames: 4800)
        machine.host.plug(.hdmi)
        machine.runtime.drain()
        #expect(changes.history.entries == ["running false, 8 channels"])
        #expect(!engine.isRunning)
        #expect(engine.attachedNodes == [player, engine.mainMixerNode, engine.outputNode])
        #expect(engine.outputConnectionPoints(for: player, outputBus: 0).first?.node === engine.mainMixerNode)
        let silent = machine.host.frame
        machine.advance(frames: 4800)
        #expect(machine.host.loudFrames(of: SimulatedDevice.hdmi.uid, since: silent) == 0)
        // The app starts it again, and the player goes on.
        try engine.start()
        machine.advance(frames: 4800)
        #expect(machine.host.loudFrames(of: SimulatedDevice.hdmi.uid, since: silent) == 4800)
        #expect(changes.history.entries.count == 1)
    }

    @Test func rateChange_whileRunning_stopsTheEngineOnce() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer()
        let changes = EngineChanges(of: engine, .output)
        playForEver(player)
        machine.advance(frames: 480)
        machine.host.plug(.bluetoothA2DP)
        machine.runtime.drain()
        // The same shape: it plays on.
        #expect(engine.isRunning)
        #expect(changes.history.entries == [])
        machine.host.setSampleRate(of: SimulatedDevice.bluetoothA2DP.uid, to: 44_100)
        machine.runtime.drain()
        machine.host.setSampleRate(of: SimulatedDevice.bluetoothA2DP.uid, to: 96_000)
        machine.runtime.drain()
        #expect(changes.history.entries == ["running false, 2 channels"])
        #expect(!engine.isRunning)
        #expect(engine.outputNode.outputFormat(forBus: 0).sampleRate == 96_000)
    }

    // Behaviour 84
    @Test func configurationChangeOnlyForFormats() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer()
        let changes = EngineChanges(of: engine, .output)
        playForEver(player)
        machine.advance(frames: 4800)
        machine.host.setDefaultOutput(AppMachine.speaker)
        machine.runtime.drain()
        machine.advance(frames: 4800)
        #expect(engine.isRunning && player.isPlaying)
        #expect(changes.history.entries == [])
    }

    // Behaviours 83 and 117, where the speaker has the headphones' format
    @Test(arguments: [AVAudioSession.Category.soloAmbient, .playback], [false, true])
    func engineWithoutInputStopsWhenItsOutputLeaves(_ category: AVAudioSession.Category, _ restarts: Bool) throws {
        let machine = try AppMachine()
        try machine.session.setCategory(category)
        let (engine, player) = try machine.engineWithPlayer()
        let changes = EngineChanges(of: engine, .output) { if restarts { try? $0.start() } }
        playForEver(player)
        machine.advance(frames: 4800)
        machine.unplugHeadphones()
        #expect(engine.isRunning == restarts && !player.isPlaying)
        machine.advance(frames: 48_000)
        expectSpeakerIsSilentUntilPlay(of: player, on: machine)
        #expect(engine.isRunning)
        #expect(changes.history.entries == ["running false, 2 channels"])
    }

    /// A tap on the microphone goes on.
    @Test func engineWithAnInput_runsOnWhenItsOutputLeaves() throws {
        let machine = try AppMachine()
        machine.plug(.builtInMic)
        try machine.session.setCategory(.playAndRecord)
        let (engine, player) = try machine.engineWithPlayer()
        engine.stop()
        let heard = machine.tap(engine.inputNode)
        let changes = EngineChanges(of: engine, .output)
        try engine.start()
        playForEver(player)
        machine.advance(frames: 4800)
        machine.unplugHeadphones()
        #expect(engine.isRunning && !player.isPlaying)
        let count = heard.entries.count
        machine.advance(frames: 48_000)
        #expect(heard.entries.count > count)
        #expect(changes.history.entries == [])
        expectSpeakerIsSilentUntilPlay(of: player, on: machine)
    }

    /// What was paused or has only source nodes is not told of what it does not lose.
    @Test func engineWhosePlayersDoNotPlay_runsOnWhenItsOutputLeaves() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer()
        let changes = EngineChanges(of: engine, .output)
        playForEver(player)
        machine.advance(frames: 4800)
        player.pause()
        machine.advance(frames: 4800)
        machine.unplugHeadphones()
        #expect(engine.isRunning)
        machine.advance(frames: 48_000)
        expectSpeakerIsSilentUntilPlay(of: player, on: machine)
        #expect(changes.history.entries == [])
    }

    // Behaviour 83
    @Test func restartInConfigurationChangeIsSilentAfterUnplug() throws {
        let machine = try AppMachine()
        machine.plug(.hdmi)
        let (engine, player) = try machine.engineWithPlayer()
        let changes = EngineChanges(of: engine, .output) { try? $0.start() }
        playForEver(player)
        machine.advance(frames: 4800)
        machine.unplug(.wiredHeadphones)
        machine.unplug(.hdmi)
        machine.advance(frames: 48_000)
        #expect(engine.isRunning)
        #expect(!player.isPlaying)
        #expect(changes.history.entries == ["running false, 2 channels"])
        expectSpeakerIsSilentUntilPlay(of: player, on: machine)
    }

    /// A player's `play` alone lets the output sound again; what is paused for good stays so.
    @Test func play_afterALoss_soundsWithoutAStart_andAlone() throws {
        let machine = try AppMachine()
        let (engine, first) = try machine.engineWithPlayer()
        let second = AVAudioPlayerNode()
        engine.attach(second)
        engine.connect(second, to: engine.mainMixerNode, format: .stereo)
        playForEver(first)
        playForEver(second)
        machine.advance(frames: 4800)
        machine.unplugHeadphones()
        let resumed = machine.host.frame
        second.play()
        machine.advance(frames: 4800)
        #expect(engine.isRunning && second.isPlaying && !first.isPlaying)
        let heard = machine.heard(on: AppMachine.speaker, since: resumed)[0]
        #expect(heard.suffix(4000).allSatisfy { $0 == 0.5 }, "one of the two players")
    }

    /// A source node has no `play`: it sounds again with the app's next start.
    @Test func sourceNode_afterALoss_isSilentUntilTheAppStarts() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        let source = AVAudioSourceNode { _, _, frames, data in
            for buffer in UnsafeMutableAudioBufferListPointer(data) {
                buffer.mData?.assumingMemoryBound(to: Float.self).update(repeating: 0.5, count: Int(frames))
            }
            return noErr
        }
        engine.attach(source)
        engine.connect(source, to: engine.mainMixerNode, format: .stereo)
        try engine.start()
        machine.advance(frames: 9600)
        machine.unplugHeadphones()
        machine.advance(frames: 48_000)
        #expect(machine.host.loudFrames(of: AppMachine.speaker) == 0)
        let resumed = machine.host.frame
        try engine.start()
        machine.advance(frames: 9600)
        #expect(machine.host.loudFrames(of: AppMachine.speaker, since: resumed) > 4700)
    }

    @Test func lostLastDevice_stopsTheEngine_andIsToldOnce() throws {
        let machine = try AppMachine(devices: [.wiredHeadphones])
        let (engine, player) = try machine.engineWithPlayer()
        let changes = EngineChanges(of: engine, .output)
        playForEver(player)
        machine.advance(frames: 4800)
        machine.unplugHeadphones()
        #expect(!engine.isRunning && !player.isPlaying)
        #expect(changes.history.entries == ["running false, 0 channels"])
        machine.plug(.wiredHeadphones)
        try engine.start()
        let resumed = machine.host.frame
        machine.advance(frames: 4800)
        #expect(machine.heard(since: resumed).sounding == [[], []])
    }

    @Test func handler_thatStartsAgain_soundsOnTheNewRoute() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer()
        let changes = EngineChanges(of: engine, .output) { try? $0.start() }
        playForEver(player)
        machine.advance(frames: 4800)
        machine.host.plug(.hdmi)
        machine.runtime.drain()
        #expect(engine.isRunning)
        let start = machine.host.frame
        machine.advance(frames: 4800)
        #expect(machine.host.loudFrames(of: SimulatedDevice.hdmi.uid, since: start) == 4800)
        #expect(changes.history.entries == ["running false, 8 channels"])
    }

    // MARK: Session

    @Test func interruption_fadesOutAndStaysStopped() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer()
        let changes = EngineChanges(of: engine, .output)
        playForEver(player)
        machine.advance(frames: 4800)
        let began = machine.host.frame
        machine.host.receiveCall()
        machine.runtime.drain()
        #expect(!engine.isRunning)
        machine.advance(frames: 4800)
        let heard = machine.heard(since: began)[0]
        // A fade of 5 ms: no step is larger than its slope, and then there is silence.
        #expect(largestStep(heard) <= 0.5 / 240 * 1.01)
        #expect(heard[480...].allSatisfy { $0 == 0 })
        #expect(throws: NSError.self) { try engine.start() }
        machine.host.endCall()
        machine.runtime.drain()
        machine.advance(frames: 4800)
        // The app must start it again.
        #expect(!engine.isRunning)
        try engine.start()
        let resumed = machine.host.frame
        machine.advance(frames: 4800)
        #expect(machine.host.loudFrames(of: AppMachine.headphones, since: resumed) > 4700)
        #expect(changes.history.entries == [])
    }

    @Test func deactivation_stopsTheEngine() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer()
        playForEver(player)
        machine.advance(frames: 4800)
        try machine.session.setActive(false)
        #expect(!engine.isRunning)
        machine.advance(frames: 480)
        let silent = machine.host.frame
        machine.advance(frames: 4800)
        #expect(machine.host.loudFrames(of: AppMachine.headphones, since: silent) == 0)
    }

    @Test func mediaServicesLost_endsTheEngineForGood() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer()
        playForEver(player)
        machine.advance(frames: 480)
        machine.host.crashServer()
        machine.runtime.drain()
        #expect(!engine.isRunning)
        machine.host.restartServer()
        machine.runtime.drain()
        let error = #expect(throws: NSError.self) { try engine.start() }
        #expect(error?.code == AVAudioSession.ErrorCode.mediaServicesFailed.rawValue)
        // A new one works.
        let (another, other) = try machine.engineWithPlayer()
        playForEver(other)
        machine.advance(frames: 480)
        #expect(another.isRunning)
    }

    @Test func ducking_lowersTheEngineAndComesBackExactly() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer()
        playForEver(player)
        machine.advance(frames: 4800)
        machine.host.playForeignSound(role: "Notification", name: "bell", seconds: 0.5)
        machine.runtime.drain()
        machine.advance(frames: 4800)
        #expect(machine.heard(since: machine.host.frame - 480)[0].allSatisfy { $0 == 0.5 * 0.2 })
        machine.advance(frames: 48_000)
        #expect(machine.heard(since: machine.host.frame - 480)[0].allSatisfy { $0 == 0.5 })
        #expect(engine.isRunning)
    }

    // MARK: Starting

    @Test func start_withoutAnyOutput_throws() throws {
        let machine = try AppMachine(devices: [])
        let engine = machine.engine()
        _ = engine.mainMixerNode
        #expect(engine.outputNode.outputFormat(forBus: 0).channelCount == 0)
        let error = #expect(throws: NSError.self) { try engine.start() }
        #expect(error?.code == AVAudioSession.ErrorCode.resourceNotAvailable.rawValue)
        #expect(!engine.isRunning)
    }

    @Test func start_ofAnUnconnectedOutput_throwsBeforeAnythingSounds() throws {
        let machine = try AppMachine()
        let engine = machine.engine()
        _ = engine.outputNode
        let error = #expect(throws: NSError.self) { try engine.start() }
        #expect(error?.domain == "com.apple.coreaudio.avfaudio")
        #expect(error?.code == Int(kAudioUnitErr_NoConnection))
        #expect(!machine.runtime.state.activation.isActive)
    }

    @Test func start_activatesTheSession_andPauseAndStopGoOnAtTheVeryFrame() throws {
        let machine = try AppMachine()
        let (engine, player) = try machine.engineWithPlayer(format: .mono)
        #expect(machine.runtime.state.activation.isActive)
        player.scheduleBuffer(AVAudioPCMBuffer([ramp(1, 48_000)]))
        player.play()
        machine.advance(frames: 4800)
        engine.pause()
        machine.advance(frames: 9600)
        let paused = try #require(machine.heard(since: 0)[0].lastIndex { $0 != 0 })
        #expect(!engine.isRunning)
        try engine.start()
        let resumed = machine.host.frame
        machine.advance(frames: 4800)
        let heard = machine.heard(since: resumed)[0]
        // It fades in; then each frame is the next one of the ramp again.
        #expect(heard[300] > 0)
        #expect(zip(heard[300...], heard[301...]).allSatisfy { $1 - $0 == 1 / 65536 })
        #expect(paused > 0)
        engine.stop()
        #expect(!engine.isRunning)
        try engine.start()
        machine.advance(frames: 4800)
        #expect(engine.isRunning)
    }

    @Test func manyEngines_areHeardTogether() throws {
        let machine = try AppMachine()
        var engines: [(AVAudioEngine, AVAudioPlayerNode)] = []
        for index in 0..<8 {
            let pair = try machine.engineWithPlayer(format: .mono)
            pair.1.scheduleBuffer(AVAudioPCMBuffer([ramp(1 + index, 4800)]))
            engines.append(pair)
        }
        let start = machine.host.frame
        for (_, player) in engines { player.play() }
        machine.advance(frames: 4800)
        // Whole numbers of 2^-16 below 2^20: every sum is exact.
        let sum = ramp(0, 4800).indices.map { Float(8 * $0 + 36) / 65536 }
        #expect(machine.heard(since: start)[0] == sum)
    }
}

/// The largest difference between neighbours.
func largestStep(_ samples: some Sequence<Float>) -> Float {
    var last: Float?
    var largest: Float = 0
    for sample in samples {
        if let last { largest = max(largest, abs(sample - last)) }
        last = sample
    }
    return largest
}

extension EngineSessionTests {
    private func expectSpeakerIsSilentUntilPlay(
        of player: AVAudioPlayerNode, on machine: AppMachine, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(machine.host.loudFrames(of: AppMachine.speaker) == 0, sourceLocation: sourceLocation)
        let resumed = machine.host.frame
        player.play()
        machine.advance(frames: 4800)
        let heard = machine.host.loudFrames(of: AppMachine.speaker, since: resumed)
        #expect(heard > 4700, sourceLocation: sourceLocation)
    }
}
