import AudioModel
import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionCore
import SimulatedControls
import TestAudio
import TestSupport

@testable import OpenAVFAudio
@testable import OpenAudioSession

/// A simulated machine and one app on it, whose session, engines and players a test uses.
final class AppMachine: RuntimeMachine {
    private(set) lazy var session = AVAudioSession(runtime: runtime)

    /// A machine whose microphones record a ramp: frame n is n / 65536, and on the second channel -n / 65536.
    static func recordingARamp(
        category: AVAudioSession.Category? = nil, devices: [SimulatedDevice] = [.builtInSpeaker, .builtInMic]
    ) throws -> AppMachine {
        let machine = try AppMachine(devices: devices)
        for uid in [microphone, "simulated.usb-audio/input", "simulated.headset/input"] {
            machine.host.setInput(of: uid) { frame, channel in Float(channel == 0 ? frame : -frame) / 65536 }
        }
        if let category { try machine.session.setCategory(category) }
        return machine
    }
}

// MARK: Engines

extension AppMachine {
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

extension AppMachine {
    /// Apple's player on this machine's session.
    func audioPlayer(at path: String) throws -> AVAudioPlayer {
        try AVAudioSession.$taskSession.withValue(session) { try AVAudioPlayer(contentsOf: URL(filePath: path)) }
    }

    /// Apple's player of a file of that signal; every frame of a ramp says which it is.
    func audioPlayer(_ signal: TestSignal = .ramp, seconds: Double, channels: Int = 2) throws -> AVAudioPlayer {
        try audioPlayer(at: TestFile.write(signal, seconds: seconds, channels: channels, in: directory))
    }
}
