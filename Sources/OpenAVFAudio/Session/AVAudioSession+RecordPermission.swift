internal import AudioRuntime
internal import Foundation

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
