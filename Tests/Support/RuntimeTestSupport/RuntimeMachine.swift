package import AudioModel
package import AudioRuntime
package import HostSimulated
package import SessionCore
internal import SessionRest
package import SessionRuntime
internal import SimulatedControls
package import TestAudio
import TestSupport

/// A simulated machine and one app on it, whose runtime, players and recorders a test uses.
open class RuntimeMachine {
    package let host: SimulatedHost
    package let runtime: SessionRuntime
    /// For the files of the players and recorders.
    package let directory: TemporaryDirectory
    let changes = History<String>()
    private let intended = History<PlayerIntent>()

    /// Frames of a player's fade: 5 ms at 48 kHz.
    package static let fade = 240
    package static let headphones = SimulatedDevice.wiredHeadphones.uid
    package static let speaker = SimulatedDevice.builtInSpeaker.uid
    package static let microphone = SimulatedDevice.builtInMic.uid

    /// - Parameters:
    ///   - quantum: frames of one cycle.
    ///   - devices: plugged in beside those of the machine.
    ///   - recorders: see what the session does.
    package init(
        _ machine: SimulatedMachine = .bare, quantum: Int = 480, captureSeconds: Double = 60,
        devices: [SimulatedDevice] = [.builtInSpeaker, .wiredHeadphones], recorders: [any SessionRecorder] = []
    ) throws {
        directory = try TemporaryDirectory()
        host = SimulatedHost(machine, quantum: quantum, captureSeconds: captureSeconds)
        runtime = try SessionRuntime(host: host, recorders: recorders)
        for device in devices { host.plug(device) }
        runtime.drain()
    }

    deinit {
        runtime.shutdown()
        precondition(host.violations.isEmpty, "the session broke the host's rules: \(host.violations)")
    }
}

// MARK: Events and time

extension RuntimeMachine {
    package func plug(_ device: SimulatedDevice) {
        host.plug(device)
        runtime.drain()
    }

    package func unplug(_ device: SimulatedDevice) {
        host.unplug(device)
        runtime.drain()
    }

    package func unplugHeadphones() { unplug(.wiredHeadphones) }

    package func receiveCall() {
        host.receiveCall()
        runtime.drain()
    }

    package func endCall() {
        host.endCall()
        runtime.drain()
    }

    package func advance(frames: Int) {
        // One event leads to the next: a notice, a claim, a grant.
        for _ in 0..<3 { runtime.drain() }
        host.advance(frames: frames) { runtime.drain() }
        runtime.drain()
    }

    /// [channel][frame] of what a port has played since this frame of virtual time.
    package func heard(on uid: String = headphones, since frame: Int = 0) -> [[Float]] {
        host.capture(of: uid, since: frame)
    }
}

// MARK: The session

extension RuntimeMachine {
    /// Sets the category and clears the mode and the options.
    package func configure(_ category: SessionCategory) throws {
        try runtime.perform { call, _ in
            .configurationRequested(call, SessionConfiguration(category: category, mode: .default, options: []))
        }
    }

    package func activate() throws { try runtime.perform { call, _ in .activationRequested(call) } }

    package func deactivate() throws {
        try runtime.perform { call, _ in .deactivationRequested(call, notifyOthers: false) }
    }
}

// MARK: Players

extension RuntimeMachine {
    package func player(
        _ path: String, onDeviceLoss: DeviceLossPolicy = .pause,
        onInterruption: InterruptionPolicy = .pauseAndResume, volume: Float = 1
    ) throws -> FilePlayer {
        try FilePlayer(
            path: path, runtime: runtime,
            policy: StreamPolicy(onDeviceLoss: onDeviceLoss, onInterruption: onInterruption), volume: volume
        ) { [changes, intended] in
            changes.append("\($0.state) (\($0.cause))")
            intended.append(PlayerIntent($0))
        }
    }

    /// A player that has played for 0.1 s.
    package func playing(seconds: Double = 3) throws -> FilePlayer {
        let player = try player(try TestFile.write(.ramp, seconds: seconds, in: directory))
        try player.play()
        advance(frames: 4800)
        return player
    }

    /// Lets time pass until the player has come to its end, at most so long.
    package func playToTheEnd(_ player: FilePlayer, atMostSeconds: Double) {
        var left = Int(atMostSeconds * 48_000)
        while left > 0, player.status.state == .playing {
            advance(frames: 4800)
            left -= 4800
        }
    }

    /// The states and causes of the players' and recorders' callbacks.
    package var states: [String] { changes.entries }

    /// The intents of the players' callbacks.
    package var intents: [PlayerIntent] { intended.entries }
}
