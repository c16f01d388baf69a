package import AudioFiles
package import AudioModel
package import AudioRuntime
package import EffectCore
package import EngineCore
package import MediaStreams
package import MediaTags
import QueueRuntime
package import SessionCore
package import TransportCore

// What this package's own programs use besides the public products (docs/decisions/0015-what-the-cli-stands-on.md):
// - FilePlayer and FileRecorder of AudioRuntime, with LevelMeasure for their meters; the queue of QueueRuntime.
// - ServerDiagnosis, SystemPackage, SimulatedMachineControls, SessionEnvironment, HostChoice, LibraryVersion, and the
//   declarations in this file.
// - EffectListing, with what this file calls its parts.
// - `AVAudioSession.runtime`, and of that runtime the members of SessionRuntime+Status.swift, `drain` and `shutdown` (dev/checks/purity).
// - The words of a session (`SessionWord`), by the three types that this file names.
// - `NoticeQueue.delivered`; Apple's descriptions of a runtime's port or route; `String.printable`.
// - The module GuardRuntime: `GuardController`, with `SessionDesktop` for the user's desktop, `HeldStream` for what it holds, and
//   `GuardNotice` for its text.
// - The module MediaPlayer: `NowPlayingExport` with `RemoteVolume`, besides its public API.
// - The module Threading, and of TimePitch `SoundTouch.register`.
// A program imports no other module below the public products.

extension FilePlayer {
    /// What a player does when its device is lost or its session is interrupted, and where it plays.
    package typealias Policy = StreamPolicy
    package typealias Info = AudioFileInfo
    package typealias PlaybackError = SessionError
    package typealias FileError = AudioFileError
    package typealias Reader = AudioFileReader
    package typealias ServerTrust = MediaStreams.ServerTrust
    package typealias Transport = TransportStatus
    package typealias Chapter = MediaTags.Chapter
    package typealias ReplayGain = MediaTags.ReplayGain
    package typealias ServerPlaylist = MediaStreams.ServerPlaylist
    package typealias Cancellation = MediaStreams.Cancellation
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
    /// Has the sound go through these effects, one after the other; see `setStages`.
    ///
    /// - Throws: `cannotStartPlaying` where one of them does not take the file's channels or the output's rate; nothing has changed then.
    package func setEffects(_ effects: [any ProcessorUnit]) throws(SessionError) {
        do throws(GraphError) {
            var stages: [any FrameConverter] = []
            for unit in effects { stages.append(try ProcessorStage(unit, format)) }
            setStages(stages)
        } catch {
            throw SessionError(.cannotStartPlaying, error.description)
        }
    }

    /// Whether files and addresses can be read that need FFmpeg.
    ///
    /// The first call loads its libraries.
    package static var hasFFmpeg: Bool { LibavFile.remedy == nil }

    /// Why no player has another speed than its file's, and what to do; nil where all can.
    ///
    /// The first call loads a library.
    package static var rateProblem: String? {
        TimePitchLibraries.registered?.isInstalled == true
            ? nil : "SoundTouch is not installed. Install it: \(SystemPackage.installCommand(.soundTouch))"
    }
}

extension FileRecorder {
    package typealias RecordingError = SessionError
    package typealias FileError = AudioFileWriteError

    /// Records at once.
    package func record(forSeconds seconds: Double?) throws(SessionError) {
        try record(forSeconds: seconds, after: 0)
    }
}
