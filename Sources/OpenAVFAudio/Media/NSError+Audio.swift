package import AudioFiles
package import Foundation

extension NSError {
    /// An error as Apple's audio classes throw it: domain `com.apple.coreaudio.avfaudio`, an `OSStatus` as its code.
    package static func audio(_ status: OSStatus, _ message: String) -> NSError {
        NSError(
            domain: "com.apple.coreaudio.avfaudio", code: Int(status), userInfo: [NSLocalizedDescriptionKey: message])
    }

    package static func audio(_ error: AudioFileError) -> NSError {
        let status =
            switch error.kind {
            case .notReadable: kAudioFilePermissionsError
            case .notAudio: kAudioFileUnsupportedFileTypeError
            case .truncated: kAudioFileInvalidFileError
            case .notFound, .isDirectory, .readFailed, .unreachable, .cancelled: kAudioFileUnspecifiedError
            }
        return audio(status, error.message)
    }

    /// The same error as `AVAudioPlayer` and `AVAudioRecorder` report it: in `NSOSStatusErrorDomain`.
    var inStatusDomain: NSError { NSError(domain: NSOSStatusErrorDomain, code: code, userInfo: userInfo) }

    package static func audio(_ error: AudioFileWriteError) -> NSError {
        audio(kAudioFileUnspecifiedError, error.message)
    }
}
