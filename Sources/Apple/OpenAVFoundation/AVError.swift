public import Foundation

/// The domain of ``AVError``.
public let AVFoundationErrorDomain: String = "AVFoundationErrorDomain"

/// An error of AVFoundation, as code in use compares it.
///
/// Nothing in `AVAudioSession`, the engine and the simple players throws it; `catch let error as AVError` compiles.
///
/// Source: SDK header AVError.h (iOS 18.0), the codes that concern audio.
public struct AVError: Error, CustomNSError, Hashable, Sendable {
    /// What happened.
    public let code: Code

    /// An error with this code, for tests and for apps that throw it.
    public init(_ code: Code) { self.code = code }

    public static var errorDomain: String { AVFoundationErrorDomain }
    public var errorCode: Int { code.rawValue }

    /// The codes that concern audio; the numbers are Apple's.
    @nonexhaustive public enum Code: Int, Sendable {
        /// No more is known; `AVPlayer` uses it for a read error and for the loss of the server.
        case unknown = -11800
        /// There is not enough memory; never thrown here.
        case outOfMemory = -11801
        /// A recording is empty; never thrown here.
        case noDataCaptured = -11805
        /// The disk is full; never thrown here, see the recorder's delegate.
        case diskFull = -11807
        /// A recording has its greatest length; never thrown here.
        case maximumDurationReached = -11810
        /// The device is not connected; never thrown here, see `AVAudioSession.ErrorCode`.
        case deviceNotConnected = -11814
        /// The sound server was restarted; never thrown here, see `AVAudioSession.mediaServicesWereResetNotification`.
        case mediaServicesWereReset = -11819
        /// An export failed; never thrown here.
        case exportFailed = -11820
        /// The sound could not be decoded; never thrown here.
        case decodeFailed = -11821
        /// The source cannot be used; never thrown here.
        case invalidSourceMedia = -11822
        /// The file exists already; an export does not replace it.
        case fileAlreadyExists = -11823
        /// An `AVPlayerItem` or an asset names a file that is not audio.
        case fileFormatNotRecognized = -11828
        /// An `AVPlayerItem` or an asset names a file that ends too early.
        case fileFailedToParse = -11829
        /// The sound is protected; never thrown here.
        case contentIsProtected = -11831
        /// No decoder is installed; never thrown here.
        case decoderNotFound = -11833
        /// No encoder is installed; never thrown here.
        case encoderNotFound = -11834
        /// The user may not play the sound; never thrown here.
        case contentIsNotAuthorized = -11835
        /// The app may not play the sound; never thrown here.
        case applicationIsNotAuthorized = -11836
        /// The asset does not allow the operation; never thrown here.
        case operationNotSupportedForAsset = -11838
        /// The operation was interrupted; never thrown here.
        case operationInterrupted = -11847
        /// Data could not be loaded; never thrown here.
        case failedToLoadMediaData = -11849
        /// A media server answered wrongly; never thrown here.
        case serverIncorrectlyConfigured = -11850
    }
}

/// The codes by the short names that apps compare: `AVError.unknown` is `AVError.Code.unknown`.
extension AVError {
    /// The code ``Code/unknown``.
    public static var unknown: Code { .unknown }
    /// The code ``Code/outOfMemory``.
    public static var outOfMemory: Code { .outOfMemory }
    /// The code ``Code/noDataCaptured``.
    public static var noDataCaptured: Code { .noDataCaptured }
    /// The code ``Code/diskFull``.
    public static var diskFull: Code { .diskFull }
    /// The code ``Code/maximumDurationReached``.
    public static var maximumDurationReached: Code { .maximumDurationReached }
    /// The code ``Code/deviceNotConnected``.
    public static var deviceNotConnected: Code { .deviceNotConnected }
    /// The code ``Code/mediaServicesWereReset``.
    public static var mediaServicesWereReset: Code { .mediaServicesWereReset }
    /// The code ``Code/exportFailed``.
    public static var exportFailed: Code { .exportFailed }
    /// The code ``Code/decodeFailed``.
    public static var decodeFailed: Code { .decodeFailed }
    /// The code ``Code/invalidSourceMedia``.
    public static var invalidSourceMedia: Code { .invalidSourceMedia }
    /// The code ``Code/fileAlreadyExists``.
    public static var fileAlreadyExists: Code { .fileAlreadyExists }
    /// The code ``Code/fileFormatNotRecognized``.
    public static var fileFormatNotRecognized: Code { .fileFormatNotRecognized }
    /// The code ``Code/fileFailedToParse``.
    public static var fileFailedToParse: Code { .fileFailedToParse }
    /// The code ``Code/contentIsProtected``.
    public static var contentIsProtected: Code { .contentIsProtected }
    /// The code ``Code/decoderNotFound``.
    public static var decoderNotFound: Code { .decoderNotFound }
    /// The code ``Code/encoderNotFound``.
    public static var encoderNotFound: Code { .encoderNotFound }
    /// The code ``Code/contentIsNotAuthorized``.
    public static var contentIsNotAuthorized: Code { .contentIsNotAuthorized }
    /// The code ``Code/applicationIsNotAuthorized``.
    public static var applicationIsNotAuthorized: Code { .applicationIsNotAuthorized }
    /// The code ``Code/operationNotSupportedForAsset``.
    public static var operationNotSupportedForAsset: Code { .operationNotSupportedForAsset }
    /// The code ``Code/operationInterrupted``.
    public static var operationInterrupted: Code { .operationInterrupted }
    /// The code ``Code/failedToLoadMediaData``.
    public static var failedToLoadMediaData: Code { .failedToLoadMediaData }
    /// The code ``Code/serverIncorrectlyConfigured``.
    public static var serverIncorrectlyConfigured: Code { .serverIncorrectlyConfigured }
}
