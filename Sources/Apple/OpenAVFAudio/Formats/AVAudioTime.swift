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
    public init(hostTime: UInt64) {
        (isHostTimeValid, self.hostTime) = (true, hostTime)
        (isSampleTimeValid, sampleTime, sampleRate) = (false, 0, 0)
        super.init()
    }

    /// A frame of a stream, at a rate in hertz; the host time is not known.
    public init(sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
        (isHostTimeValid, hostTime) = (false, 0)
        (isSampleTimeValid, self.sampleTime, self.sampleRate) = (true, sampleTime, sampleRate)
        super.init()
    }

    /// A time of which both parts are known; the rate is in hertz.
    public init(hostTime: UInt64, sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
        (isHostTimeValid, self.hostTime) = (true, hostTime)
        (isSampleTimeValid, self.sampleTime, self.sampleRate) = (true, sampleTime, sampleRate)
        super.init()
    }

    /// Convenience: a subclass of an app's inherits the initialisers only if it may see all designated ones.
    package convenience init(hostTime: UInt64?, sampleTime: AVAudioFramePosition?, atRate sampleRate: Double) {
        switch (hostTime, sampleTime) {
        case (let host?, let sample?): self.init(hostTime: host, sampleTime: sample, atRate: sampleRate)
        case (nil, let sample?): self.init(sampleTime: sample, atRate: sampleRate)
        case (let host?, nil):
            var stamp = AudioTimeStamp()
            (stamp.mHostTime, stamp.mFlags) = (host, .hostTimeValid)
            self.init(audioTimeStamp: &stamp, sampleRate: sampleRate)
        case (nil, nil):
            var stamp = AudioTimeStamp()
            self.init(audioTimeStamp: &stamp, sampleRate: sampleRate)
        }
    }

    /// The units of the host clock in a duration.
    ///
    /// 0 for a negative duration or NaN.
    open class func hostTime(forSeconds seconds: TimeInterval) -> UInt64 {
        seconds > 0 ? HostTime.zero.advanced(bySeconds: seconds).nanoseconds : 0
    }

    /// The seconds of a host time, which counts nanoseconds.
    open class func seconds(forHostTime hostTime: UInt64) -> TimeInterval {
        HostTime(nanoseconds: hostTime).seconds
    }

    /// This time with its missing half, calculated from a time of which both halves are known.
    ///
    /// The calculation assumes exactly this time's `sampleRate` between the two.
    ///
    /// - Returns: nil unless the anchor has both times and this one has a sample rate and at least one of them.
    open func extrapolateTime(fromAnchor anchorTime: AVAudioTime) -> AVAudioTime? {
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
    open var audioTimeStamp: AudioTimeStamp {
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
