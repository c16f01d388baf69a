import Foundation
import OpenAVFAudio
import OpenAVFAudioTestKit
import OpenAudioSession
import Testing

struct AVAudioTimeTests {
    @Test func audioTime_saysWhichOfItsTimesAreKnown() {
        let host = AVAudioTime(hostTime: 101)
        #expect(host.isHostTimeValid && host.hostTime == 101)
        #expect(!host.isSampleTimeValid && host.sampleTime == 0 && host.sampleRate == 0)
        let sample = AVAudioTime(sampleTime: -5, atRate: 44_100)
        #expect(!sample.isHostTimeValid && sample.hostTime == 0)
        #expect(sample.isSampleTimeValid && sample.sampleTime == -5 && sample.sampleRate == 44_100)
        let both = AVAudioTime(hostTime: 7, sampleTime: 8, atRate: 9)
        #expect(both.isHostTimeValid && both.isSampleTimeValid)
        #expect(both.description == "<AVAudioTime: host time 7 ns, sample time 8 at 9.0 Hz>")
    }

    @Test func audioTimeStamp_throughATime_keepsItsValidParts() {
        var stamp = AudioTimeStamp()
        stamp.mSampleTime = 480.0
        stamp.mHostTime = 99
        stamp.mFlags = .sampleTimeValid
        let time = AVAudioTime(audioTimeStamp: &stamp, sampleRate: 48_000)
        #expect(time.isSampleTimeValid && time.sampleTime == 480)
        #expect(!time.isHostTimeValid && time.hostTime == 0, "its flag is not set")
        #expect(time.audioTimeStamp.mFlags == .sampleTimeValid)
        #expect(time.audioTimeStamp.mSampleTime == 480)
        stamp.mFlags = .sampleHostTimeValid
        let both = AVAudioTime(audioTimeStamp: &stamp, sampleRate: 48_000).audioTimeStamp
        #expect(both.mFlags == .sampleHostTimeValid && both.mHostTime == 99)
    }

    @Test(arguments: [(Double.infinity, Int64.max), (-1e300, .min), (.nan, 0), (2.5, 3)])
    func audioTimeStamp_whileItsSampleTimeIsNoFrame_givesTheNearest(sampleTime: Double, frame: Int64) {
        var stamp = AudioTimeStamp()
        stamp.mSampleTime = sampleTime
        stamp.mFlags = .sampleTimeValid
        #expect(AVAudioTime(audioTimeStamp: &stamp, sampleRate: 48_000).sampleTime == frame)
    }

    @Test func hostTime_isNanoseconds() {
        #expect(AVAudioTime.hostTime(forSeconds: 1.5) == 1_500_000_000)
        #expect(AVAudioTime.seconds(forHostTime: 250_000_000) == 0.25)
        #expect(AVAudioTime.hostTime(forSeconds: -1) == 0)
        #expect(AVAudioTime.hostTime(forSeconds: .nan) == 0)
        #expect(AVAudioTime.hostTime(forSeconds: .infinity) == .max)
    }

    @Test(.simulated(.phone)) func machTime_isTheHostTimeOfThisMachine() throws {
        let phone = try #require(AudioSimulator.current)
        let start = mach_absolute_time()
        phone.advance(bySeconds: 1.5)
        #expect(mach_absolute_time() - start == AVAudioTime.hostTime(forSeconds: 1.5))
    }

    @Test func extrapolate_fromAnAnchorWithBothTimes_fillsInTheMissingOne() throws {
        let anchor = AVAudioTime(hostTime: 10_000_000_000, sampleTime: 1000, atRate: 48_000)
        let later = try #require(AVAudioTime(sampleTime: 25_000, atRate: 48_000).extrapolateTime(fromAnchor: anchor))
        #expect(later.hostTime == 10_500_000_000 && later.sampleTime == 25_000)
        let earlier = try #require(AVAudioTime(sampleTime: -47_000, atRate: 48_000).extrapolateTime(fromAnchor: anchor))
        #expect(earlier.hostTime == 9_000_000_000)
        let byHost = try #require(
            AVAudioTime(hostTime: 9_000_000_000, sampleTime: nil, atRate: 48_000).extrapolateTime(fromAnchor: anchor))
        #expect(byHost.sampleTime == -47_000 && byHost.isSampleTimeValid && byHost.hostTime == 9_000_000_000)
        #expect(anchor.extrapolateTime(fromAnchor: later) === anchor, "nothing is missing")
    }

    @Test func extrapolate_withoutARateOrACompleteAnchor_isNil() {
        let anchor = AVAudioTime(hostTime: 1, sampleTime: 1, atRate: 48_000)
        let sample = AVAudioTime(sampleTime: 1, atRate: 48_000)
        #expect(AVAudioTime(hostTime: 5).extrapolateTime(fromAnchor: anchor) == nil, "it has no sample rate")
        #expect(sample.extrapolateTime(fromAnchor: AVAudioTime(hostTime: 5)) == nil)
        #expect(sample.extrapolateTime(fromAnchor: sample) == nil)
        #expect(AVAudioTime(sampleTime: 1, atRate: .nan).extrapolateTime(fromAnchor: anchor) == nil)
    }
}
