public import Foundation

/// The domain of ``AVError``.
public let AVFoundationErrorDomain: String = "AVFoundationErrorDomain"

/// An error of AVFoundation, as code in use compares it.
///
/// Nothing in `AVAudioSession`, the engine and the simple players throws it; `catch let error as AVError` compiles.
///
/// Source: SDK header AVError.h (iOS 18.0), the codes that concern audio.
public struct AVError: Error, CustomNSError, Hashable, Sendable {
    public let code: Code

    public init(_ code: Code) { self.code = code }

    public static var errorDomain: String { AVFoundationErrorDomain }
    public var errorCode: Int { code.rawValue }

    @nonexhaustive public enum Code: Int, Sendable {
        case unknown = -11800
        case outOfMemory = -11801
        case noDataCaptured = -11805
        case diskFull = -11807
        case maximumDurationReached = -11810
        case deviceNotConnected = -11814
        case mediaServicesWereReset = -11819
        case exportFailed = -11820
        case decodeFailed = -11821
        case invalidSourceMedia = -11822
        case fileAlreadyExists = -11823
        case fileFormatNotRecognized = -11828
        case fileFailedToParse = -11829
        case contentIsProtected = -11831
        case decoderNotFound = -11833
        case encoderNotFound = -11834
        case contentIsNotAuthorized = -11835
        case applicationIsNotAuthorized = -11836
        case operationNotSupportedForAsset = -11838
        case operationInterrupted = -11847
        case failedToLoadMediaData = -11849
        case serverIncorrectlyConfigured = -11850
    }
}
