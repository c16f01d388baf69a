public import Foundation
internal import SessionRuntime

/// Properties of the whole program: whether it may record, and whether it is muted.
///
/// Any thread. Permission and mute belong to ``AVAudioSession/sharedInstance()``, which is created if necessary.
///
/// `@unchecked Sendable`: it has no stored property. A subclass must not add mutable state.
///
/// Source: SDK header AVAudioApplication.h (iOS 17.0).
open class AVAudioApplication: NSObject, @unchecked Sendable {
    private static let program = AVAudioApplication()

    /// The program's one instance; any thread may use it.
    open class var shared: AVAudioApplication { program }

    private override init() {}

    /// Whether the program may record; see `AVAudioSession.recordPermission`.
    open var recordPermission: AVAudioApplication.recordPermission {
        .init(rawValue: Int(AVAudioSession.sharedInstance().recordPermission.rawValue)) ?? .undetermined
    }

    /// Requests the permission to record; does not wait.
    ///
    /// - Parameter handler: called once, on its own thread, never on the caller's, so that the caller may wait for it.
    @preconcurrency
    open class func requestRecordPermission(completionHandler handler: @escaping @Sendable (Bool) -> Void) {
        AVAudioSession.sharedInstance().requestRecordPermission(handler)
    }

    /// Requests the permission to record and suspends until the answer.
    open class func requestRecordPermission() async -> Bool {
        await withCheckedContinuation { continuation in
            requestRecordPermission { continuation.resume(returning: $0) }
        }
    }

    /// Whether the program records silence.
    open var isInputMuted: Bool { AVAudioSession.sharedInstance().runtime.state.isInputMuted }

    /// Lets the program record silence, or its input again.
    ///
    /// Files and taps get silence from the next cycle on. Other programs are not affected.
    ///
    /// - Throws: `mediaServicesFailed` without a server.
    open func setInputMuted(_ muted: Bool) throws {
        try AVAudioSession.sharedInstance().perform { call, _ in .inputMuteRequested(call, muted) }
    }

    /// ``isInputMuted`` has changed.
    ///
    /// The object is the application. On the main thread.
    ///
    /// `userInfo`: ``muteStateKey``.
    public static let inputMuteStateChangeNotification = NSNotification.Name(
        "AVAudioApplicationInputMuteStateChangeNotification")

    /// Key of an `NSNumber` with a Bool: whether the input is muted.
    public static let muteStateKey: String = "AVAudioApplicationMuteStateKey"

    /// What the user has said to the injection of an app's sound into calls; `AVAudioSession.isMicrophoneInjectionAvailable`
    /// is false on Linux.
    ///
    /// Source: Apple documentation (iOS 18.2); `serviceDisabled` has a value of ours.
    @nonexhaustive public enum MicrophoneInjectionPermission: Int, Sendable {
        /// The service is off for all apps; the value is ours.
        case serviceDisabled = 0
        /// 'undt'
        case undetermined = 1_970_168_948
        /// 'deny'
        case denied = 1_684_369_017
        /// 'grnt'
        case granted = 1_735_552_628
    }

    // The name is Apple's.
    // swift-format-ignore: TypeNamesShouldBeCapitalized
    /// What the user has said to recording.
    @nonexhaustive public enum recordPermission: Int, Sendable {
        /// Not asked yet: 'undt'.
        case undetermined = 1_970_168_948
        /// 'deny'
        case denied = 1_684_369_017
        /// 'grnt'
        case granted = 1_735_552_628
    }
}

// Whether the app may record. The class's rule for threads holds here too.
extension AVAudioSession {
    /// Whether the app may record: `granted`, because a desktop has no such prompt.
    ///
    /// In a sandbox (Flatpak, Snap) the portal decides when an input stream opens; it is not asked here. A simulator of
    /// the test kit may return another value; the app then records silence, as on iOS.
    public var recordPermission: RecordPermission {
        switch runtime.recordPermission.status {
        case .undetermined: .undetermined
        case .denied: .denied
        case .granted: .granted
        }
    }

    /// Requests the permission to record; does not wait.
    ///
    /// - Parameter response: called once, on its own thread, never on the caller's, so that the caller may wait for it.
    ///   True if the app may record; see `recordPermission`.
    @preconcurrency
    public func requestRecordPermission(_ response: @escaping @Sendable (Bool) -> Void) {
        Thread.detachNewThread { [self] in
            let isGranted = runtime.recordPermission.request()
            AVAudioSession.$taskSession.withValue(self) { response(isGranted) }
        }
    }

    /// What the user has said to recording.
    ///
    /// Source: SDK header AVAudioSessionTypes.h (iOS 17.0).
    @nonexhaustive public enum RecordPermission: UInt, Sendable {
        /// Not asked yet: 'undt'.
        case undetermined = 1_970_168_948
        /// 'deny'
        case denied = 1_684_369_017
        /// 'grnt'
        case granted = 1_735_552_628
    }
}
