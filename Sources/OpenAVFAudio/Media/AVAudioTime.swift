private import AudioModel
private import EngineCore
public import Foundation

/// A time: on the host's clock, as a frame of a stream, or both.
///
/// Host times are nanoseconds of `CLOCK_MONOTONIC`, the clock of PipeWire's cycles. On a simulated host they are
/// virtual time. Portable code converts them with `seconds(forHostTime:)` and `hostTime(forSeconds:)`.
///
/// `@unchecked Sendable`: constants only; a subclass must not add mutable state.
///
/// Source: SDK header AVAudioTime.h; Apple documentation (extrapolateTime(fromAnchor:)).
open class AVAudioTime: NSObject, @unchecked Sendable {
    /// Whether `hostTime` is known.
    public let isHostTimeValid: Bool
    /// Meaningless unless `isHostTimeValid`; 0 then.
    public let hostTime: UInt64
    /// Whether `sampleTime` is known.
    public let isSampleTimeValid: Bool
    /// In frames of `sampleRate`.
    ///
    /// Meaningless unless `isSampleTimeValid`; 0 then.
    public let sampleTime: AVAudioFramePosition
    /// In hertz; 0 if only the host time is known.
    public let sampleRate: Double

    /// The parts of a C time stamp that are valid by its flags.
    ///
    /// - Parameters:
    ///   - ts: is copied.
    ///   - sampleRate: in hertz; the time stamp does not contain it.
    public init(audioTimeStamp ts: UnsafePointer<AudioTimeStamp>, sampleRate: Double) {
        let stamp = ts.pointee
        isHostTimeValid = stamp.mFlags.contains(.hostTimeValid)
        hostTime = isHostTimeValid ? stamp.mHostTime : 0
        isSampleTimeValid = stamp.mFlags.contains(.sampleTimeValid)
        sampleTime = isSampleTimeValid ? AVAudioFramePosition(nearest: stamp.mSampleTime) : 0
        self.sampleRate = sampleRate
        super.init()
    }

    /// A time of the host's clock; `sampleTime` and `sampleRate` are not known.
    public convenience init(hostTime: UInt64) {
        self.init(hostTime: hostTime, sampleTime: nil, atRate: 0)
    }

    /// A frame of a stream, at a rate in hertz; the host time is not known.
    public convenience init(sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
        self.init(hostTime: nil, sampleTime: sampleTime, atRate: sampleRate)
    }

    /// A time of which both parts are known; the rate is in hertz.
    public convenience init(hostTime: UInt64, sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
        self.init(hostTime: .some(hostTime), sampleTime: .some(sampleTime), atRate: sampleRate)
    }

    package init(hostTime: UInt64?, sampleTime: AVAudioFramePosition?, atRate sampleRate: Double) {
        isHostTimeValid = hostTime != nil
        self.hostTime = hostTime ?? 0
        isSampleTimeValid = sampleTime != nil
        self.sampleTime = sampleTime ?? 0
        self.sampleRate = sampleRate
        super.init()
    }

    /// The units of the host clock in a duration.
    ///
    /// 0 for a negative duration or NaN.
    public class func hostTime(forSeconds seconds: TimeInterval) -> UInt64 {
        seconds > 0 ? HostTime.zero.advanced(bySeconds: seconds).nanoseconds : 0
    }

    /// The seconds of a host time, which counts nanoseconds.
    public class func seconds(forHostTime hostTime: UInt64) -> TimeInterval {
        HostTime(nanoseconds: hostTime).seconds
    }

    /// This time with its missing half, calculated from a time of which both halves are known.
    ///
    /// The calculation assumes exactly this time's `sampleRate` between the two.
    ///
    /// - Returns: nil unless the anchor has both times and this one has a sample rate and at least one of them.
    public func extrapolateTime(fromAnchor anchorTime: AVAudioTime) -> AVAudioTime? {
        guard sampleRate > 0, sampleRate.isFinite, isHostTimeValid || isSampleTimeValid,
            anchorTime.isHostTimeValid, anchorTime.isSampleTimeValid
        else { return nil }
        if isHostTimeValid && isSampleTimeValid { return self }
        let anchor = HostTime(nanoseconds: anchorTime.hostTime)
        guard isHostTimeValid else {
            let seconds = (Double(sampleTime) - Double(anchorTime.sampleTime)) / sampleRate
            let host = anchor.advanced(bySeconds: seconds)
            return AVAudioTime(hostTime: host.nanoseconds, sampleTime: sampleTime, atRate: sampleRate)
        }
        let frames = HostTime(nanoseconds: hostTime).seconds(since: anchor) * sampleRate
        let (sum, overflow) = anchorTime.sampleTime.addingReportingOverflow(AVAudioFramePosition(nearest: frames))
        let clamped: AVAudioFramePosition = frames < 0 ? .min : .max
        return AVAudioTime(hostTime: hostTime, sampleTime: overflow ? clamped : sum, atRate: sampleRate)
    }

    /// The parts that are known, as a C time stamp with the flags set.
    public var audioTimeStamp: AudioTimeStamp {
        var stamp = AudioTimeStamp()
        if isHostTimeValid {
            stamp.mHostTime = hostTime
            stamp.mFlags.insert(.hostTimeValid)
        }
        if isSampleTimeValid {
            stamp.mSampleTime = Double(sampleTime)
            stamp.mFlags.insert(.sampleTimeValid)
        }
        return stamp
    }

    open override var description: String {
        let host = isHostTimeValid ? "\(hostTime) ns" : "none"
        let sample = isSampleTimeValid ? "\(sampleTime) at \(sampleRate) Hz" : "none"
        return "<AVAudioTime: host time \(host), sample time \(sample)>"
    }
}
