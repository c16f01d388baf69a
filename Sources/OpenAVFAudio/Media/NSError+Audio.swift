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
            case .notFound: kAudioFileFileNotFoundError
            case .notReadable: kAudioFilePermissionsError
            case .notAudio: kAudioFileUnsupportedFileTypeError
            case .truncated: kAudioFileInvalidFileError
            case .isDirectory, .readFailed: kAudioFileUnspecifiedError
            }
        return audio(status, error.message)
    }

    package static func audio(_ error: AudioFileWriteError) -> NSError {
        audio(kAudioFileUnspecifiedError, error.message)
    }
}
