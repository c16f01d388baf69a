import CAudioTypes
import CoreMedia
import Foundation
import SessionRest
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAVFoundation
@testable import SessionRuntime

// Helpers: AVPlayerTesting.swift

/// Taps of mixes, on the simulated host: every frame of a ramp says which it is.
@MainActor @Suite struct MTAudioProcessingTapTests {
    private let machine: AppMachine

    init() throws { machine = try AppMachine() }

    /// An item of a ramp with a tap that the meter owns.
    private func item(
        _ meter: TapMeter, _ flags: MTAudioProcessingTapCreationFlags = kMTAudioProcessingTapCreationFlag_PreEffects,
        seconds: Double = 0.5, volume: Float = 1
    ) throws -> AVPlayerItem {
        let item = try machine.item(seconds: seconds)
        item.audioMix = AVAudioMix.of(meter.makeTap(flags), volume: volume)
        #expect(item.audioMix?.inputParameters.first?.audioTapProcessor != nil)
        return item
    }

    @Test func tap_hearsAndChangesTheSound_toTheFrame() throws {
        let meter = TapMeter()
        var player: AVPlayer? = machine.avPlayer(try item(meter))
        machine.runtime.drain()
        let start = machine.host.frame
        player?.play()
        machine.run(frames: 28_800)
        let half = TestSignal.ramp.planar(0..<24_000).map { $0.map { $0 * 0.5 } }
        #expect(machine.heard(since: start).map { Array($0.prefix(24_000)) } == half)
        #expect(meter.peak.withLock { $0 } == TestSignal.ramp.planar(23_999..<24_000)[1][0])
        #expect(meter.log.entries == ["prepare 4096 48000.0 2 41"])
        // The parts follow one another; the first begins the sound, and the last ends it.
        let ranges = meter.ranges.entries
        #expect(ranges.first?.start == .zero && ranges.last?.end == CMTime(0.5))
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.end == $1.start })
        let flags: [MTAudioProcessingTapFlags] = meter.flags.entries
        #expect(flags.first == kMTAudioProcessingTapFlag_StartOfStream)
        #expect(flags.last == kMTAudioProcessingTapFlag_EndOfStream)
        #expect(flags.dropFirst().dropLast().allSatisfy { $0 == 0 })
        // A seek begins a new stream.
        player?.seek(to: CMTime(0.25))
        player?.play()
        machine.run(frames: 4800)
        #expect(meter.flags.entries.dropFirst(flags.count).first == kMTAudioProcessingTapFlag_StartOfStream)
        #expect(meter.ranges.entries.dropFirst(flags.count).first?.start == CMTime(0.25))
        player = nil
        machine.runtime.drain()
        machine.run(frames: 4800)
        try meter.log.wait(for: "the end of the tap") { $0.last == "finalize" }
        #expect(meter.log.entries == ["prepare 4096 48000.0 2 41", "unprepare", "finalize"])
    }

    /// Nothing of the app ends it: the queue goes on to the next item, whose tap stays.
    @Test func tap_ofAnItemThatHasEnded_isUnprepared() throws {
        let meters = (TapMeter(), TapMeter())
        var items = [try item(meters.0, seconds: 0.2), try item(meters.1, seconds: 5)]
        let player = machine.queuePlayer(items)
        player.play()
        machine.run(frames: 14_400)
        try meters.0.log.wait(for: "the end of the first") { $0.last == "unprepare" }
        #expect(meters.1.log.entries == ["prepare 4096 48000.0 2 41"])
        items.removeFirst()
        machine.runtime.drain()
        machine.run(frames: 480)
        try meters.0.log.wait(for: "the end of its tap") { $0.last == "finalize" }
        #expect(meters.0.log.entries == ["prepare 4096 48000.0 2 41", "unprepare", "finalize"])
        #expect(meters.1.log.count == 1 && player.items() == items)
    }

    /// Before the volume of its mix it hears all of the sound, behind it a quarter.
    @Test(arguments: [
        (kMTAudioProcessingTapCreationFlag_PreEffects, Float(1)),
        (kMTAudioProcessingTapCreationFlag_PostEffects, Float(0.25)),
    ])
    func tap_isBeforeOrAfterTheVolume(flags: MTAudioProcessingTapCreationFlags, volume: Float) throws {
        let meter = TapMeter()
        let player = machine.avPlayer(try item(meter, flags, volume: 0.25))
        machine.runtime.drain()
        let start = machine.host.frame
        player.play()
        machine.run(frames: 28_800)
        #expect(meter.peak.withLock { $0 } == TestSignal.ramp.planar(23_999..<24_000)[1][0] * volume)
        #expect(
            Array(machine.heard(since: start)[0].prefix(24_000))
                == TestSignal.ramp.planar(0..<24_000)[0].map { $0 * 0.125 })
    }

    /// Counts and sizes that are wrong, and frames that are none: nothing outside of the call's frames is read or heard.
    @Test func claims_ofTheApp_areChecked() throws {
        let meter = TapMeter()
        let errors = History<OSStatus>()
        meter.work.withLock {
            $0 = { tap, frames, list, framesOut in
                // Too small, of other channels, below 0.
                var sample: Float = 0
                withUnsafeMutablePointer(to: &sample) { sample in
                    for index in list.indices {
                        list[index] = AudioBuffer(mNumberChannels: 1, mDataByteSize: 4, mData: sample)
                    }
                    errors.append(
                        MTAudioProcessingTapGetSourceAudio(tap, 2, list.unsafeMutablePointer, nil, nil, nil))
                }
                for index in list.indices { list[index].mData = nil }
                list.count = 1
                errors.append(MTAudioProcessingTapGetSourceAudio(tap, 1, list.unsafeMutablePointer, nil, nil, nil))
                list.count = 2
                var given = -1
                errors.append(MTAudioProcessingTapGetSourceAudio(tap, -1, list.unsafeMutablePointer, nil, nil, &given))
                #expect(given == 0)
                // More than there are: all there are, once.
                errors.append(
                    MTAudioProcessingTapGetSourceAudio(tap, .max, list.unsafeMutablePointer, nil, nil, &given))
                #expect(given == frames && list[0].mDataByteSize == UInt32(frames * 4))
                let data = list[0].mData?.assumingMemoryBound(to: Float.self)
                data?[0] = .nan
                list[1].mData = nil
                errors.append(MTAudioProcessingTapGetSourceAudio(tap, 1, list.unsafeMutablePointer, nil, nil, &given))
                #expect(given == 0)
                list[1].mData = nil
                list[0].mDataByteSize = .max
                list.count = 1000
                framesOut.pointee = .max
            }
        }
        let player = machine.avPlayer(try item(meter))
        machine.runtime.drain()
        let start = machine.host.frame
        player.play()
        machine.run(frames: 4800)
        let heard = machine.heard(since: start)
        let ramp = TestSignal.ramp.planar(0..<4800)
        #expect(heard[1] == ramp[1].map { _ in 0 })
        // The first of each call is no number.
        #expect(zip(heard[0], ramp[0]).allSatisfy { $0 == $1 || $0 == 0 })
        #expect(heard[0].count { $0 == 0 } < 40)
        let invalid = kMTAudioProcessingTapInvalidArgumentErr
        #expect(Array(errors.entries.prefix(5)) == [invalid, invalid, invalid, noErr, noErr])
    }

    /// The app's own memory, in two parts, and fewer frames than were asked for: the rest is silence, and time goes on.
    @Test func tap_withMemoryOfItsOwn_thatGivesLess_isFollowedBySilence() throws {
        let meter = TapMeter()
        let memory = UnsafeMutablePointer<Float>.allocate(capacity: 4096)
        defer { memory.deallocate() }
        nonisolated(unsafe) let room = memory
        let counts = History<Int>()
        meter.work.withLock {
            $0 = { tap, frames, list, framesOut in
                let half = frames / 2
                for channel in list.indices {
                    list[channel] = AudioBuffer(
                        mNumberChannels: 1, mDataByteSize: UInt32(frames * 4), mData: channel == 0 ? room : nil)
                }
                MTAudioProcessingTapGetSourceAudio(tap, half, list.unsafeMutablePointer, nil, nil, framesOut)
                counts.append(frames)
            }
        }
        let player = machine.avPlayer(try item(meter))
        machine.runtime.drain()
        let start = machine.host.frame
        player.play()
        machine.run(frames: 4800)
        let ramp = TestSignal.ramp.planar(0..<24_000)[1]
        var expected: [Float] = []
        for count in counts.entries {
            let first = expected.count
            expected += ramp[first..<(first + count / 2)] + repeatElement(0, count: count - count / 2)
        }
        #expect(machine.heard(since: start)[1] == Array(expected.prefix(4800)))
        #expect(player.currentTime() == CMTime(0.1))
    }

    /// What it does to its player is carried out; nothing waits for the call that is under way.
    @Test func tap_mayCallThePlayer_andTakeItselfAway() throws {
        let meter = TapMeter()
        let player = machine.avPlayer(try item(meter, seconds: 3))
        machine.runtime.drain()
        weak let released = player
        let host = machine.host
        let calls = History<Bool>()
        meter.work.withLock {
            $0 = { tap, frames, list, framesOut in
                MTAudioProcessingTapGetSourceAudio(tap, frames, list.unsafeMutablePointer, nil, nil, framesOut)
                guard calls.count == 1 else { return calls.append(true) }
                let item = released?.currentItem
                item?.audioMix = nil
                released?.seek(to: CMTime(2))
                released?.rate = 1.5
                released?.pause()
                calls.append(host.frame > 0)
            }
        }
        player.play()
        machine.run(frames: 9600)
        #expect(player.rate == 0)
        #expect(isNear(player.currentTime(), CMTime(2)))
        #expect(calls.count == 2)
        try meter.log.wait(for: "the end of the tap") { $0.last == "finalize" }
        #expect(meter.log.entries.suffix(2) == ["unprepare", "finalize"])
    }

    @Test func tap_ofAReader_isCalledToo() throws {
        let asset = AVURLAsset(url: URL(filePath: try TestFile.write(.ramp, seconds: 0.5, in: machine.directory)))
        let meter = TapMeter()
        let reader = try AVAssetReader(asset: asset)
        let output = AVAssetReaderAudioMixOutput(audioTracks: asset.tracks, audioSettings: nil)
        output.audioMix = AVAudioMix.of(meter.makeTap())
        reader.add(output)
        #expect(reader.startReading())
        var samples: [Int16] = []
        while let buffer = output.copyNextSampleBuffer() {
            let bytes = try #require(CMSampleBufferGetDataBuffer(buffer)).dataBytes()
            bytes.withUnsafeBytes { samples += $0.bindMemory(to: Int16.self) }
        }
        #expect(reader.status == .completed)
        #expect(samples.count == 48_000 && samples[47_998] == 23_999 / 2 + 1)
        #expect(meter.log.entries == ["prepare 4096 48000.0 2 41", "unprepare"])
        #expect(meter.flags.entries.last == kMTAudioProcessingTapFlag_EndOfStream)
    }

    @Test func create_refusesWhatIsNoTap() {
        var callbacks = MTAudioProcessingTapCallbacks(
            version: 1, clientInfo: nil, init: nil, finalize: nil, prepare: nil, unprepare: nil,
            process: { _, _, _, _, _, _ in })
        var tap: Unmanaged<MTAudioProcessingTap>?
        let flags = [1, 0, 3].map { MTAudioProcessingTapCreationFlags($0) }
        #expect(
            MTAudioProcessingTapCreate(nil, &callbacks, flags[0], &tap) == kMTAudioProcessingTapInvalidArgumentErr)
        callbacks.version = kMTAudioProcessingTapCallbacksVersion_0
        for flags in flags.dropFirst() {
            #expect(
                MTAudioProcessingTapCreate(nil, &callbacks, flags, &tap) == kMTAudioProcessingTapInvalidArgumentErr)
        }
        #expect(tap == nil)
        #expect(MTAudioProcessingTapCreate(kCFAllocatorDefault, &callbacks, flags[0], &tap) == noErr)
        let taken = tap?.takeRetainedValue()
        #expect(taken != nil && taken == taken && Set([taken]).count == 1)
        // Outside of its callback it gives nothing.
        let list = AudioBufferList.allocate(maximumBuffers: 2)
        defer { free(list.unsafeMutablePointer) }
        if let taken {
            let status = MTAudioProcessingTapGetSourceAudio(taken, 1, list.unsafeMutablePointer, nil, nil, nil)
            #expect(status == kMTAudioProcessingTapInvalidArgumentErr)
        }
    }

    @Test func storage_thatWasNotSet_traps() async {
        await #expect(processExitsWith: .failure) {
            var callbacks = MTAudioProcessingTapCallbacks(
                version: 0, clientInfo: nil, init: nil, finalize: nil, prepare: nil, unprepare: nil,
                process: { _, _, _, _, _, _ in })
            var tap: MTAudioProcessingTap?
            MTAudioProcessingTapCreate(nil, &callbacks, 1, &tap)
            if let tap { _ = MTAudioProcessingTapGetStorage(tap) }
        }
    }
}
