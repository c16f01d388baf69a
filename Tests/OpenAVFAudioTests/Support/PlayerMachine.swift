import AudioModel
import Foundation
import HostSimulated
import SessionCore
import TestAudio

@testable import AudioRuntime
@testable import OpenAVFAudio

/// A simulated machine with a speaker and headphones, and players on it.
final class PlayerMachine {
    let host: SimulatedHost
    let runtime: SessionRuntime
    private(set) lazy var session = AVAudioSession(runtime: runtime)
    let directory: TemporaryDirectory
    /// What the players' callbacks said.
    let history = History<FilePlayer.Status>()

    static let headphones = SimulatedDevice.wiredHeadphones.uid
    static let speaker = SimulatedDevice.builtInSpeaker.uid

    /// - Parameter quantum: frames of one cycle.
    init(quantum: Int = 480, captureSeconds: Double = 60) throws {
        directory = try TemporaryDirectory()
        host = SimulatedHost(.bare, quantum: quantum, captureSeconds: captureSeconds)
        runtime = try SessionRuntime(host: host)
        host.plug(.builtInSpeaker)
        host.plug(.wiredHeadphones)
        runtime.settle()
    }

    deinit {
        runtime.shutdown()
        precondition(host.violations.isEmpty, "the session broke the host's rules: \(host.violations)")
    }

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

    func advance(frames: Int) {
        runtime.settle()
        host.advance(frames: frames)
        runtime.settle()
    }

    func unplugHeadphones() {
        host.unplug(.wiredHeadphones)
        runtime.settle()
    }

    /// Lets time pass until the player has come to its end, at most so long.
    func playToTheEnd(_ player: FilePlayer, atMostSeconds: Double) {
        var left = Int(atMostSeconds * 48_000)
        while left > 0, player.status.state == .playing {
            advance(frames: 4800)
            left -= 4800
        }
    }

    /// The states and causes that the callbacks named.
    var states: [String] { history.entries.map { "\($0.state) (\($0.cause))" } }

    /// [channel][frame] of what a port has played since this frame of virtual time.
    func heard(on uid: String = headphones, since frame: Int = 0) -> [[Float]] {
        host.capture(of: uid, since: frame)
    }
}

extension [[Float]] {
    /// The frames in which something sounds.
    var sounding: [[Float]] {
        let frames = (0..<(first?.count ?? 0)).filter { frame in contains { $0[frame] != 0 } }
        return map { channel in frames.map { channel[$0] } }
    }
}

extension TestSignal {
    /// Planar: [channel][frame] for these frames of a stereo file at 48 kHz.
    func planar(_ frames: Range<Int>) -> [[Float]] {
        (0..<2).map { channel in frames.map { sample(frame: $0, channel: channel, sampleRate: 48_000) } }
    }
}
