package import AudioFiles
package import AudioModel
package import EffectCore
package import EngineCore
internal import HostInterface
package import SessionCore
package import TransportCore

// What this package's own programs use besides the public products (docs/decisions/0015-what-the-cli-stands-on.md):
// - FilePlayer and FileRecorder, with LevelMeasure for their meters.
// - ServerDiagnosis, SystemPackage, SimulatedMachineControls, SessionEnvironment, HostChoice, LibraryVersion, QueueMachine, and the declarations in
//   this file.
// - EffectListing, with what this file calls its parts, and `PluginLibrary.failure`.
// - `AVAudioSession.runtime`, and of that runtime this file's members, `drain` and `shutdown` (dev/checks/purity).
// - The words of a session (`SessionWord`), by the three types that this file names.
// - `NoticeQueue.delivered`; Apple's descriptions of a runtime's port or route; `String.printable`.
// - The module GuardRuntime: `GuardController`, with `SessionDesktop` for the user's desktop, `HeldStream` for what it holds, and
//   `GuardNotice` for its text.
// - The module MediaPlayer: `NowPlayingExport` with `RemoteVolume`, besides its public API.
// - The module Threading.
// A program imports no other module below the public products.

/// The one queue (QueueMachine.swift).
package typealias QueueMachine = TransportCore.QueueMachine
package typealias QueueItemID = TransportCore.QueueItemID
package typealias QueueSeek = TransportCore.QueueSeek

/// The version of the library, and of the package and its programs.
package enum LibraryVersion {
    package static let current = "1.0.0"
}

extension FilePlayer {
    /// What a player does when its device is lost or its session is interrupted, and where it plays.
    package typealias Policy = StreamPolicy
    package typealias Info = AudioFileInfo
    package typealias PlaybackError = SessionError
    package typealias FileError = AudioFileError
    package typealias ServerTrust = AudioFiles.ServerTrust
    package typealias Transport = TransportStatus
    package typealias Chapter = AudioFiles.Chapter
    package typealias ServerPlaylist = AudioFiles.ServerPlaylist
    package typealias Cancellation = AudioFiles.Cancellation
}

extension EffectListing {
    package typealias Unit = any ParameterizedUnit
    package typealias Parameter = UnitParameter
    package typealias ParameterUnit = UnitParameter.Unit
}

package typealias SystemPackage = AudioModel.SystemPackage
package typealias SessionCategory = AudioModel.SessionCategory
package typealias SessionMode = AudioModel.SessionMode
package typealias SessionOptions = AudioModel.SessionOptions

extension FilePlayer {
    /// Whether files and addresses can be read that need FFmpeg.
    ///
    /// The first call loads its libraries.
    package static var hasFFmpeg: Bool { SystemPackage.hasFFmpeg }

    /// Why no player has another speed than its file's, and what to do; nil where all can.
    ///
    /// The first call loads a library.
    package static var rateProblem: String? {
        TimePitchTool.isAvailable
            ? nil : "SoundTouch is not installed. Install it: \(SystemPackage.installCommand(.soundTouch))"
    }
}

extension FileRecorder {
    package typealias RecordingError = SessionError
    package typealias FileError = AudioFileWriteError
}

extension SessionRuntime {
    /// A port of the machine, whether the session uses it or not.
    package struct PortStatus: Sendable {
        package let port: AudioModel.Port
        /// The host's default output or input.
        package let isDefault: Bool
        /// Why audio may go on elsewhere after an unplug of this port; nil if it cannot.
        ///
        /// Untrusted text.
        package let caveat: String?
    }

    /// "pipewire" or "simulated".
    package var hostName: String { host.name }

    package var ports: [PortStatus] {
        let inventory = state.inventory
        let defaults = [inventory.defaultOutputUID, inventory.defaultInputUID]
        return inventory.ports.map {
            PortStatus(port: $0, isDefault: defaults.contains($0.uid), caveat: host.unplugCaveat(ofPort: $0.uid))
        }
    }

    /// False from the loss of the sound server to its return.
    package var isServerConnected: Bool { state.isConnected }

    /// Why the connection was lost last, in the library's words; nil where the server had gone, and before any loss.
    package var lossReason: String? {
        let reason = state.lossReason
        return reason.isEmpty ? nil : reason.printable
    }

    /// How many outputs of the route have left so far; see `FilePlayer.play(at:knownLosses:)`.
    package var outputLosses: UInt64 { state.outputLosses }

    /// No session manager runs: a stream to a device that it has not set up is interrupted until one does.
    package var lacksSessionManager: Bool { host.lacksSessionManager }

    /// Why the system has made the session inactive; nil while it is active, and once that reason is gone.
    package var interruptionReason: InterruptionReason? {
        switch state.interruption?.source {
        case nil: nil
        case .routeDisconnected: .routeDisconnected
        case .peer, .foreignCall, .heldStream, .sleep, .claimLost: .default
        }
    }

    /// A call of another program has interrupted the session.
    package var isInCall: Bool {
        switch state.interruption?.source {
        case .foreignCall: true
        case .peer(let serial): state.peers.contains { $0.serial == serial && $0.configuration.isCallLike }
        case nil, .heldStream, .sleep, .routeDisconnected, .claimLost: false
        }
    }

    /// The controls of the simulated host; nil on another host.
    package var simulatedMachine: SimulatedMachineControls? {
        host.controls.map { SimulatedMachineControls(host: $0, runtime: self) }
    }
}

extension SessionEnvironment {
    /// What all variables say, for a program that stops at an invalid one.
    ///
    /// `AVAudioSession.sharedInstance()` goes on with defaults instead.
    ///
    /// - Parameter choice: the program's own choice of a host; the variable is then not read.
    /// - Throws: `badParam` for an invalid variable.
    package func validSettings(host choice: HostChoice?) throws(SessionError) -> Settings {
        try settings(host: choice) { error, _ throws(SessionError) in throw error }
    }
}
