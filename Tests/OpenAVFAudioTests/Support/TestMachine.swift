import AudioModel
import Foundation
import HostSimulated
import SessionCore
import TestAudio

@testable import AudioRuntime
@testable import OpenAVFAudio

/// A simulated machine and one app on it, whose session, engines and players a test uses.
final class TestMachine {
    let host: SimulatedHost
    let runtime: SessionRuntime
    let session: AVAudioSession
    /// For the files of the players.
    let directory: TemporaryDirectory
    /// The status of the players, at each of their callbacks.
    let history = History<FilePlayer.Status>()

    static let headphones = SimulatedDevice.wiredHeadphones.uid
    static let speaker = SimulatedDevice.builtInSpeaker.uid
    static let microphone = SimulatedDevice.builtInMic.uid

    /// - Parameter quantum: frames of one cycle.
    init(
        quantum: Int = 480, captureSeconds: Double = 60,
        devices: [SimulatedDevice] = [.builtInSpeaker, .wiredHeadphones]
    ) throws {
        directory = try TemporaryDirectory()
        host = SimulatedHost(.bare, quantum: quantum, captureSeconds: captureSeconds)
        runtime = try SessionRuntime(host: host)
        session = AVAudioSession(runtime: runtime)
        for device in devices { host.plug(device) }
        runtime.settle()
    }

    /// A machine whose microphones record a ramp: frame n is n / 65536, and on the second channel -n / 65536.
    static func recordingARamp(
        category: AVAudioSession.Category? = nil, devices: [SimulatedDevice] = [.builtInSpeaker, .builtInMic]
    ) throws -> TestMachine {
        let machine = try TestMachine(devices: devices)
        for uid in [microphone, "simulated.usb-audio/input", "simulated.headset/input"] {
            machine.host.setInput(of: uid) { frame, channel in Float(channel == 0 ? frame : -frame) / 65536 }
        }
        if let category { try machine.session.setCategory(category) }
        return machine
    }

    deinit {
        runtime.shutdown()
        precondition(host.violations.isEmpty, "the session broke the host's rules: \(host.violations)")
    }

    // MARK: Events and time

    func plug(_ device: SimulatedDevice) {
        host.plug(device)
        runtime.settle()
    }

    func unplug(_ device: SimulatedDevice) {
        host.unplug(device)
        runtime.settle()
    }

    func unplugHeadphones() { unplug(.wiredHeadphones) }

    func receiveCall() {
        host.receiveCall()
        runtime.settle()
    }

    func endCall() {
        host.endCall()
        runtime.settle()
    }

    func advance(frames: Int) {
        runtime.settle()
        host.advance(frames: frames) { runtime.settle() }
        runtime.settle()
    }

    /// [channel][frame] of what a port has played since this frame of virtual time.
    func heard(on uid: String = headphones, since frame: Int = 0) -> [[Float]] {
        host.capture(of: uid, since: frame)
    }
}

// MARK: Engines

extension TestMachine {
    func engine() -> AVAudioEngine { AVAudioSession.$taskSession.withValue(session) { AVAudioEngine() } }

    /// A running engine with a player in front of its main mixer.
    func engineWithPlayer(
        format: AVAudioFormat = .stereo, on engine: AVAudioEngine? = nil
    ) throws -> (AVAudioEngine, AVAudioPlayerNode) {
        let engine = engine ?? self.engine()
        let player = AVAudioPlayerNode()
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: format)
        try engine.start()
        return (engine, player)
    }

    /// An engine in manual rendering, not running yet, with a player in front of its main mixer.
    ///
    /// - Parameters:
    ///   - format: of what is rendered.
    ///   - connected: of the player; nil for the same.
    func engineRenderedByHand(
        _ mode: AVAudioEngineManualRenderingMode, _ format: AVAudioFormat, connected: AVAudioFormat? = nil,
        maximumFrames: AVAudioFrameCount
    ) throws -> (AVAudioEngine, AVAudioPlayerNode) {
        let engine = engine()
        let player = AVAudioPlayerNode()
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: connected ?? format)
        try engine.enableManualRenderingMode(mode, format: format, maximumFrameCount: maximumFrames)
        return (engine, player)
    }

    func tap(_ node: AVAudioNode, frames: UInt32 = 4800, format: AVAudioFormat? = nil) -> History<HeardBuffer> {
        let history = History<HeardBuffer>()
        node.installTap(onBus: 0, bufferSize: frames, format: format) { buffer, time in
            history.append(HeardBuffer(buffer, time))
        }
        return history
    }
}

// MARK: Players

extension TestMachine {
    func player(
        _ path: String, onDeviceLoss: DeviceLossPolicy = .pause, volume: Float = 1
    ) throws -> FilePlayer {
        try FilePlayer(
            path: path, runtime: runtime, policy: StreamPolicy(onDeviceLoss: onDeviceLoss), volume: volume
        ) { [history] in history.append($0) }
    }

    /// Apple's player on this machine's session.
    func audioPlayer(at path: String) throws -> AVAudioPlayer {
        try AVAudioSession.$taskSession.withValue(session) { try AVAudioPlayer(contentsOf: URL(filePath: path)) }
    }

    /// Apple's player of a file of that signal; every frame of a ramp says which it is.
    func audioPlayer(_ signal: TestSignal = .ramp, seconds: Double, channels: Int = 2) throws -> AVAudioPlayer {
        try audioPlayer(at: TestFile.write(signal, seconds: seconds, channels: channels, in: directory))
    }

    /// A player that has played for 0.1 s.
    func playing(seconds: Double = 3) throws -> FilePlayer {
        let player = try player(try TestFile.write(.ramp, seconds: seconds, in: directory))
        try player.play()
        advance(frames: 4800)
        return player
    }

    /// Lets time pass until the player has come to its end, at most so long.
    func playToTheEnd(_ player: FilePlayer, atMostSeconds: Double) {
        var left = Int(atMostSeconds * 48_000)
        while left > 0, player.status.state == .playing {
            advance(frames: 4800)
            left -= 4800
        }
    }

    /// The states and causes of the callbacks.
    var states: [String] { history.entries.map { "\($0.state) (\($0.cause))" } }

    /// The intents of the callbacks.
    var intents: [PlayerIntent] { history.entries.map(PlayerIntent.init) }
}

/// What a player's user wants, and what is in the way.
struct PlayerIntent: Equatable {
    var state: FilePlayer.State
    var cause: FilePlayer.Cause
    var isMeant: Bool
    var suppression: Suppression?

    init(_ state: FilePlayer.State, _ cause: FilePlayer.Cause, isMeant: Bool, _ suppression: Suppression? = nil) {
        self.state = state
        self.cause = cause
        self.isMeant = isMeant
        self.suppression = suppression
    }

    init(_ status: FilePlayer.Status) {
        self.init(status.state, status.cause, isMeant: status.playWhenReady, status.suppression)
    }

    static let playing = PlayerIntent(.playing, .user, isMeant: true)
    static let pausedByUser = PlayerIntent(.paused, .user, isMeant: false)
    static let interrupted = PlayerIntent(.paused, .interruption, isMeant: true, .interruption)
    static let pausedByInterruption = PlayerIntent(.paused, .interruption, isMeant: false)
}
