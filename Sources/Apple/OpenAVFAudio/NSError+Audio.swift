package import AudioFiles
public import CAudioTypes
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

// What parsers of audio file streams return. This library has no parser: the constants are for code that compares them.
// Source: SDK header AudioFileStream.h.

/// The letters "typ?".
public let kAudioFileStreamError_UnsupportedFileType: OSStatus = 0x7479_703f
/// The letters "fmt?".
public let kAudioFileStreamError_UnsupportedDataFormat: OSStatus = 0x666d_743f
/// The letters "pty?".
public let kAudioFileStreamError_UnsupportedProperty: OSStatus = 0x7074_793f
/// The letters "!siz".
public let kAudioFileStreamError_BadPropertySize: OSStatus = 0x2173_697a
/// The letters "optm".
public let kAudioFileStreamError_NotOptimized: OSStatus = 0x6f70_746d
/// The letters "pck?".
public let kAudioFileStreamError_InvalidPacketOffset: OSStatus = 0x7063_6b3f
/// The letters "dta?".
public let kAudioFileStreamError_InvalidFile: OSStatus = 0x6474_613f
/// The letters "unk?".
public let kAudioFileStreamError_ValueUnknown: OSStatus = 0x756e_6b3f
/// The letters "more".
public let kAudioFileStreamError_DataUnavailable: OSStatus = 0x6d6f_7265
/// The letters "nope".
public let kAudioFileStreamError_IllegalOperation: OSStatus = 0x6e6f_7065
/// The letters "wht?".
public let kAudioFileStreamError_UnspecifiedError: OSStatus = 0x7768_743f
/// The letters "dsc!".
public let kAudioFileStreamError_DiscontinuityCantRecover: OSStatus = 0x6473_6321
