public import Foundation

/// Properties of the whole program: whether it may record.
///
/// Any thread. The permission belongs to ``AVAudioSession/sharedInstance()``, which is created if necessary. Muting the
/// input is not implemented.
///
/// `@unchecked Sendable`: it has no stored property. A subclass must not add mutable state.
///
/// Source: SDK header AVAudioApplication.h (iOS 17.0).
open class AVAudioApplication: NSObject, @unchecked Sendable {
    private static let program = AVAudioApplication()

    open class var shared: AVAudioApplication { program }

    private override init() {}

    /// Whether the program may record; see `AVAudioSession.recordPermission`.
    open var recordPermission: AVAudioApplication.recordPermission {
        .init(rawValue: Int(AVAudioSession.sharedInstance().recordPermission.rawValue)) ?? .undetermined
    }

    /// Requests the permission to record; does not wait.
    ///
    /// - Parameter handler: called once, on its own thread, never on the caller's, so that the caller may wait for it.
    open class func requestRecordPermission(completionHandler handler: @escaping @Sendable (Bool) -> Void) {
        AVAudioSession.sharedInstance().requestRecordPermission(handler)
    }

    /// Requests the permission to record and suspends until the answer.
    open class func requestRecordPermission() async -> Bool {
        await withCheckedContinuation { continuation in
            requestRecordPermission { continuation.resume(returning: $0) }
        }
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
