import AudioModel
import Foundation
import HostSimulated
import SessionCore
import Synchronization

@testable import AudioRuntime
@testable import OpenAVFAudio

/// A simulated machine with a speaker and headphones, and engines on its session.
final class EngineMachine {
    let host: SimulatedHost
    let runtime: SessionRuntime
    let session: AVAudioSession

    static let headphones = SimulatedDevice.wiredHeadphones.uid
    static let speaker = SimulatedDevice.builtInSpeaker.uid

    /// - Parameter quantum: frames of one cycle.
    init(quantum: Int = 480, devices: [SimulatedDevice] = [.builtInSpeaker, .wiredHeadphones]) throws {
        host = SimulatedHost(.bare, quantum: quantum)
        runtime = try SessionRuntime(host: host)
        session = AVAudioSession(runtime: runtime)
        for device in devices { host.plug(device) }
        runtime.settle()
    }

    deinit {
        runtime.shutdown()
        precondition(host.violations.isEmpty, "the session broke the host's rules: \(host.violations)")
    }

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

    func advance(frames: Int) {
        runtime.settle()
        host.advance(frames: frames) { runtime.settle() }
        runtime.settle()
    }

    /// [channel][frame] of what a port has played since this frame of virtual time.
    func heard(on uid: String = headphones, since frame: Int) -> [[Float]] {
        host.capture(of: uid, since: frame)
    }
}

extension AVAudioFormat {
    static let mono = standard(1)
    static let stereo = standard(2)

    static func standard(_ channels: UInt32, rate: Double = 48_000) -> AVAudioFormat {
        guard let format = AVAudioFormat(standardFormatWithSampleRate: rate, channels: channels) else {
            preconditionFailure("\(channels) channels at \(rate) Hz are a format")
        }
        return format
    }
}

extension AVAudioPCMBuffer {
    /// Each channel's frames.
    convenience init(_ channels: [[Float]], rate: Double = 48_000) {
        let format = AVAudioFormat.standard(UInt32(channels.count), rate: rate)
        let frames = channels[0].count
        // Standard formats have buffers.
        self.init(pcmFormat: format, frameCapacity: UInt32(frames))!
        frameLength = UInt32(frames)
        for (index, channel) in channels.enumerated() {
            for (frame, sample) in channel.enumerated() { floatChannelData![index][frame] = sample }
        }
    }

    /// Each channel's valid frames.
    var channels: [[Float]] {
        (0..<Int(format.channelCount)).map { channel in
            (0..<Int(frameLength)).map { floatChannelData![channel][$0 * stride] }
        }
    }
}

/// Different in every frame, and exact in Float32: these whole numbers of 2^-16.
///
/// of 2^-16.
func ramp(_ first: Int, _ count: Int) -> [Float] { (first..<first + count).map { Float($0) / 65536 } }

func silence(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }
