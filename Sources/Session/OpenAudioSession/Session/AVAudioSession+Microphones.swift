internal import AudioModel
public import Foundation
internal import SessionRuntime

// Properties of microphones; most of them no sound card on Linux has. The class's rules for threads and errors hold here too.
extension AVAudioSession {
    /// Whether PipeWire's echo canceller is installed (`libspa-0.2-modules`).
    ///
    /// It takes out of an engine's input what the same engine plays; recorders and other programs are not changed.
    public var isEchoCancelledInputAvailable: Bool { EchoCancellation.problem == nil }

    /// Whether engines that start now have echo-cancelled input: it is preferred, allowed in the category and mode, and available.
    public var isEchoCancelledInputEnabled: Bool {
        runtime.state.prefersEchoCancellation && isEchoCancelledInputAvailable
    }

    /// Sets whether the app would like echo-cancelled input, from the next start of an engine on.
    ///
    /// The engine's microphone is cleaned as by `AVAudioInputNode.setVoiceProcessingEnabled(_:)`, without its gain control.
    ///
    /// - Throws: `incompatibleCategory` for `true` outside of `.playAndRecord` with mode `.default`.
    public func setPrefersEchoCancelledInput(_ value: Bool) throws {
        guard !value || category == .playAndRecord && mode == .default else {
            throw NSError(
                SessionError(
                    .incompatibleCategory,
                    "Echo-cancelled input cannot be preferred in category \(category.rawValue) with mode \(mode.rawValue). "
                        + "Allowed: category playAndRecord with mode default. Set these first."))
        }
        try prefer { $0.prefersEchoCancelledInput = value }
    }

    /// False until it is set.
    public var prefersEchoCancelledInput: Bool { runtime.state.preferredSettings.prefersEchoCancelledInput }

    /// Sets the orientation of the device for stereo recording.
    ///
    /// The preference is stored and read back only: sound cards do not know their orientation.
    ///
    /// - Throws: `mediaServicesFailed` without a server.
    public func setPreferredInputOrientation(_ orientation: StereoOrientation) throws {
        try prefer { $0.inputOrientation = orientation.rawValue }
    }

    /// `.none` until it is set.
    public var preferredInputOrientation: StereoOrientation {
        StereoOrientation(rawValue: runtime.state.preferredSettings.inputOrientation) ?? .none
    }

    /// `.none`: sound cards do not know their orientation.
    public var inputOrientation: StereoOrientation { .none }

    /// The orientation of a device with stereo microphones.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 14.0).
    @nonexhaustive public enum StereoOrientation: Int, Sendable {
        /// Stereo recording has no preferred orientation; the only value that ``inputOrientation`` returns.
        case none = 0
        /// Upright, the home button at the bottom.
        case portrait = 1
        /// Upright, the home button at the top.
        case portraitUpsideDown = 2
        /// On its side, the home button at the right.
        case landscapeRight = 3
        /// On its side, the home button at the left.
        case landscapeLeft = 4
    }

    /// False: Linux has no call service that takes an app's sound.
    public var isMicrophoneInjectionAvailable: Bool { false }

    /// `.none`, as ``isMicrophoneInjectionAvailable``.
    public var preferredMicrophoneInjectionMode: MicrophoneInjectionMode { .none }

    /// Accepts `.none` only: no call service of Linux takes an app's sound.
    ///
    /// - Throws: `resourceNotAvailable` for a mode other than `.none`; see ``isMicrophoneInjectionAvailable``.
    public func setPreferredMicrophoneInjectionMode(_ inValue: MicrophoneInjectionMode) throws {
        guard inValue != .none else { return }
        throw NSError(
            SessionError(
                .resourceNotAvailable,
                "The microphone injection mode \(inValue) is not available on Linux. Use none."))
    }

    /// What an app adds to the sound of a call's microphone.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.2).
    @nonexhaustive public enum MicrophoneInjectionMode: Int, Sendable {
        /// Nothing is added to the microphone's sound.
        case none = 0
        /// Spoken sound of the app is added; not available on Linux.
        case spokenAudio = 1
    }

    /// Never posted; see ``isMicrophoneInjectionAvailable``.
    public static let microphoneInjectionCapabilitiesChangeNotification = NSNotification.Name(
        "AVAudioSessionMicrophoneInjectionCapabilitiesChangeNotification")
}

/// Key of an `NSNumber` with a Bool; see `microphoneInjectionCapabilitiesChangeNotification`.
public let AVAudioSessionMicrophoneInjectionIsAvailableKey: String = "AVAudioSessionMicrophoneInjectionIsAvailableKey"

/// A capability of a microphone: whether the device has it, and whether it is on.
///
/// Source: SDK header AVAudioSessionRoute.h (iOS 26.0).
public final class AVAudioSessionCapability: NSObject, Sendable {
    /// False: the server reports no such capability.
    public var isSupported: Bool { false }
    /// False: the server reports no such capability.
    public var isEnabled: Bool { false }

    override init() { super.init() }
}

/// What a Bluetooth microphone can do; the server reports neither.
///
/// Source: SDK header AVAudioSessionRoute.h (iOS 26.0).
public final class AVAudioSessionPortExtensionBluetoothMicrophone: NSObject, Sendable {
    /// Recording with more bandwidth; never supported here.
    public let highQualityRecording = AVAudioSessionCapability()
    /// Recording from a distance; never supported here.
    public let farFieldCapture = AVAudioSessionCapability()

    override init() { super.init() }
}
