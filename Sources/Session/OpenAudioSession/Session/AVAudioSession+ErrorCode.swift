package import AudioModel
package import Foundation

extension AVAudioSession {
    /// The codes of the errors that the session throws, in `NSOSStatusErrorDomain`.
    ///
    /// Source: Apple documentation, "AVAudioSession.ErrorCode"; most are four characters read as a number.
    @nonexhaustive public enum ErrorCode: Int, Sendable {
        /// No error; never thrown.
        case none = 0
        /// 'msrv': the sound server failed or is not available.
        case mediaServicesFailed = 1_836_282_486
        /// '!act'
        case isBusy = 560_030_580
        /// '!cat': the category does not allow this.
        case incompatibleCategory = 560_161_140
        /// '!int'
        case cannotInterruptOthers = 560_557_684
        /// 'ent?'
        case missingEntitlement = 1_701_737_535
        /// 'siri'
        case siriIsRecording = 1_936_290_409
        /// '!pla'
        case cannotStartPlaying = 561_015_905
        /// '!rec'
        case cannotStartRecording = 561_145_187
        /// An illegal value or combination.
        case badParam = -50
        /// '!pri': a session of higher priority holds the audio.
        case insufficientPriority = 561_017_449
        /// '!res'
        case resourceNotAvailable = 561_145_203
        /// 'what'
        case unspecified = 2_003_329_396
        /// '!ses'
        case expiredSession = 561_210_739
        /// 'inac'
        case sessionNotActive = 1_768_841_571
    }
}

extension AVAudioSession.ErrorCode {
    package init(_ code: SessionError.Code) {
        switch code {
        case .mediaServicesFailed: self = .mediaServicesFailed
        case .isBusy: self = .isBusy
        case .incompatibleCategory: self = .incompatibleCategory
        case .cannotInterruptOthers: self = .cannotInterruptOthers
        case .cannotStartPlaying: self = .cannotStartPlaying
        case .cannotStartRecording: self = .cannotStartRecording
        case .badParam: self = .badParam
        case .insufficientPriority: self = .insufficientPriority
        case .resourceNotAvailable: self = .resourceNotAvailable
        case .unspecified: self = .unspecified
        case .expiredSession: self = .expiredSession
        case .sessionNotActive: self = .sessionNotActive
        }
    }
}

extension NSError {
    /// The error as Apple's session throws it: domain, code, and the message as its localised description.
    package convenience init(_ error: SessionError) {
        self.init(
            domain: NSOSStatusErrorDomain, code: AVAudioSession.ErrorCode(error.code).rawValue,
            userInfo: [NSLocalizedDescriptionKey: error.message])
    }
}
