internal import AudioModel
public import Foundation
internal import SessionCore
internal import SessionRuntime

// Volumes are the server's, for all programs; mute switches are the app's own. The class's rules for threads and errors
// hold here too.
extension AVAudioSession {
    /// The volume of the output in use, 0...1, as the slider of a mixer shows it; 0 while the output is muted.
    ///
    /// The user sets it in a mixer. 1 for an output without a volume, and without an output. Of several outputs it is the
    /// first one's. Observable.
    public var outputVolume: Float {
        let state = runtime.state
        return state.route.outputs.first.flatMap { state.inventory.volumes[$0.uid] }?.audibleLevel ?? 1
    }

    /// The gain of the input in use, 0...1, as the slider of a mixer shows it; 1 for an input without one.
    ///
    /// Observable.
    public var inputGain: Float { inputVolume?.level ?? 1 }

    /// Whether the server can set the gain of the input in use.
    public var isInputGainSettable: Bool { inputVolume != nil }

    /// Sets the gain of the input in use for all programs; values outside of 0...1 become the nearest of these.
    ///
    /// ``inputGain`` returns it as soon as the server has confirmed it.
    ///
    /// - Throws: `incompatibleCategory` without an input in the route, `resourceNotAvailable` for an input without a gain,
    ///   `badParam` for a value that is no number.
    public func setInputGain(_ gain: Float) throws {
        try perform { call, _ in .inputGainRequested(call, gain) }
    }

    private var inputVolume: PortVolume? {
        let state = runtime.state
        return state.route.inputs.first.flatMap { state.inventory.volumes[$0.uid] }
    }

    /// Mutes what this app plays, or lets it sound again.
    ///
    /// A mode other than `.default` in `.playAndRecord` removes the mute.
    ///
    /// - Throws: `incompatibleCategory` for `true` in `.playAndRecord` with a mode other than `.default`.
    public func setOutputMuted(_ muted: Bool) throws {
        try perform { call, _ in .outputMuteRequested(call, muted) }
    }

    /// False until it is set.
    public var isOutputMuted: Bool { runtime.state.isOutputMuted }

    /// ``isOutputMuted`` has changed.
    ///
    /// On the main thread.
    ///
    /// `userInfo`: ``muteStateKey``.
    public static let outputMuteStateChangeNotification = NSNotification.Name(
        "AVAudioSessionOutputMuteStateChangeNotification")

    /// Key of an `NSNumber` with a Bool: whether the output is muted.
    public static let muteStateKey: String = "AVAudioSessionMuteStateKey"

    /// The user raised the volume of the output in use while the app had muted its own output.
    ///
    /// On the main thread.
    ///
    /// No `userInfo`.
    public static let userIntentToUnmuteOutputNotification = NSNotification.Name(
        "AVAudioSessionUserIntentToUnmuteOutputNotification")

    /// Which voice prompts the app should use now: none during a call of another program, otherwise the normal ones.
    ///
    /// Observable.
    public var promptStyle: PromptStyle { runtime.state.isOtherCallUnderWay ? .none : .normal }

    /// The length of voice prompts.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 18.0).
    @nonexhaustive public enum PromptStyle: UInt, Sendable {
        /// 'none'
        case none = 1_852_796_517
        /// 'shrt': never returned on Linux.
        case short = 1_936_224_884
        /// 'nrml'
        case normal = 1_852_992_876
    }
}
