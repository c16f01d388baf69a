import CAudioTypes
import CoreMedia
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAVFoundation

/// What a tap is told, and what it does, as an app has it: behind the pointer that the callbacks get.
final class TapMeter: Sendable {
    typealias Process =
        @Sendable (
            MTAudioProcessingTap, Int, UnsafeMutableAudioBufferListPointer, UnsafeMutablePointer<Int>
        ) -> Void
    let log = History<String>()
    let peak = Mutex<Float>(0)
    let ranges = History<CMTimeRange>()
    let flags = History<MTAudioProcessingTapFlags>()
    let work: Mutex<Process?> = Mutex(nil)

    static func of(_ tap: MTAudioProcessingTap) -> TapMeter {
        Unmanaged<TapMeter>.fromOpaque(MTAudioProcessingTapGetStorage(tap)).takeUnretainedValue()
    }

    /// - Returns: the tap; it owns the meter.
    func makeTap(_ flags: MTAudioProcessingTapCreationFlags = kMTAudioProcessingTapCreationFlag_PreEffects)
        -> MTAudioProcessingTap?
    {
        var callbacks = MTAudioProcessingTapCallbacks(
            version: kMTAudioProcessingTapCallbacksVersion_0, clientInfo: Unmanaged.passRetained(self).toOpaque(),
            init: { _, clientInfo, storage in storage.pointee = clientInfo },
            finalize: { tap in
                TapMeter.of(tap).log.append("finalize")
                Unmanaged<TapMeter>.fromOpaque(MTAudioProcessingTapGetStorage(tap)).release()
            },
            prepare: { tap, frames, format in
                let format = format.pointee
                TapMeter.of(tap).log.append(
                    "prepare \(frames) \(format.mSampleRate) \(format.mChannelsPerFrame) \(format.mFormatFlags)")
            },
            unprepare: { tap in TapMeter.of(tap).log.append("unprepare") },
            process: { tap, frames, _, list, framesOut, flagsOut in
                let meter = TapMeter.of(tap)
                let list = UnsafeMutableAudioBufferListPointer(list)
                if let work = meter.work.withLock({ $0 }) { return work(tap, frames, list, framesOut) }
                var range = CMTimeRange.invalid
                let status = MTAudioProcessingTapGetSourceAudio(
                    tap, frames, list.unsafeMutablePointer, flagsOut, &range, framesOut)
                if status != noErr { return meter.log.append("error \(status)") }
                meter.ranges.append(range)
                meter.flags.append(flagsOut.pointee)
                for buffer in list {
                    for sample in UnsafeMutableBufferPointer<Float>(buffer) {
                        meter.peak.withLock { $0 = max($0, sample) }
                    }
                    for index in 0..<framesOut.pointee {
                        UnsafeMutableBufferPointer<Float>(buffer)[index] *= 0.5
                    }
                }
            })
        var tap: MTAudioProcessingTap?
        let status = MTAudioProcessingTapCreate(kCFAllocatorDefault, &callbacks, flags, &tap)
        #expect((status == noErr) == (tap != nil))
        return tap
    }
}

extension AVAudioMix {
    /// A mix of the one track, with a tap.
    static func of(_ tap: MTAudioProcessingTap?, volume: Float = 1) -> AVAudioMix {
        let parameters = AVMutableAudioMixInputParameters(track: nil)
        parameters.trackID = 1
        parameters.audioTapProcessor = tap
        if volume != 1 { parameters.setVolume(volume, at: .zero) }
        let mix = AVMutableAudioMix()
        mix.inputParameters = [parameters]
        return mix
    }
}
