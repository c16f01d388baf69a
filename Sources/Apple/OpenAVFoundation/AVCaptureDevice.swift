public import Foundation
internal import OpenAudioSession

/// Whether the program may record; see `AVAudioSession.recordPermission`.
///
/// Source: SDK header AVCaptureDevice.h of AVFoundation.
@nonexhaustive public enum AVAuthorizationStatus: Int, Sendable {
    /// The user has not been asked.
    case notDetermined = 0
    /// Others than the user decide, and it is not allowed.
    case restricted = 1
    /// It is not allowed.
    case denied = 2
    /// It is allowed.
    case authorized = 3
}

/// Apple's class of cameras and microphones; here it answers for the permission to record.
///
/// Record with `AVAudioRecorder` or `AVAudioEngine`: there are no capture sessions.
///
/// Source: SDK header AVCaptureDevice.h of AVFoundation.
public final class AVCaptureDevice: NSObject {
    private override init() { super.init() }

    /// Whether the program may record.
    ///
    /// - Parameter mediaType: `.audio`; anything else is `.restricted`, as there are no cameras.
    public class func authorizationStatus(for mediaType: AVMediaType) -> AVAuthorizationStatus {
        guard mediaType == .audio else { return .restricted }
        return switch AVAudioSession.sharedInstance().recordPermission {
        case .granted: .authorized
        case .denied: .denied
        default: .notDetermined
        }
    }

    /// Asks the user whether the program may record, unless that has been answered.
    ///
    /// - Parameters:
    ///   - mediaType: `.audio`; the answer for anything else is false.
    ///   - handler: called once, as of `AVAudioSession.requestRecordPermission`.
    @preconcurrency
    public class func requestAccess(
        for mediaType: AVMediaType, completionHandler handler: @escaping @Sendable (Bool) -> Void
    ) {
        guard mediaType == .audio else { return DispatchQueue.global().async { handler(false) } }
        AVAudioSession.sharedInstance().requestRecordPermission(handler)
    }

    /// Asks the user whether the program may record, unless that has been answered; false for anything but `.audio`.
    public class func requestAccess(for mediaType: AVMediaType) async -> Bool {
        await withCheckedContinuation { continuation in
            requestAccess(for: mediaType) { continuation.resume(returning: $0) }
        }
    }
}
