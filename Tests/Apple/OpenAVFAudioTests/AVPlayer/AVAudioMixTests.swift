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

/// Mixes of players, on the simulated host: every frame of a ramp says which it is, and so which volume it has.
@MainActor @Suite struct AVAudioMixTests {
    private let machine: AppMachine

    init() throws { machine = try AppMachine() }

    private func mix(_ set: (AVMutableAudioMixInputParameters) -> Void) -> AVMutableAudioMix {
        let parameters = AVMutableAudioMixInputParameters(track: nil)
        parameters.trackID = 1
        set(parameters)
        let mix = AVMutableAudioMix()
        mix.inputParameters = [parameters]
        return mix
    }

    /// 0.5 from the beginning, up to 1 from 0.25 to 0.5 s, 0.25 from 0.75 s on.
    private var shape: AVMutableAudioMix {
        mix {
            $0.setVolume(0.5, at: .zero)
            $0.setVolumeRamp(
                fromStartVolume: 0.5, toEndVolume: 1, timeRange: CMTimeRange(start: CMTime(0.25), end: CMTime(0.5)))
            $0.setVolume(0.25, at: CMTime(0.75))
        }
    }

    /// Channels of a ramp at the volumes of `shape`.
    private func shaped(_ frames: Range<Int>) -> [[Float]] {
        TestSignal.ramp.planar(frames).map { channel in
            zip(channel, frames).map { sample, frame in
                let volume: Float =
                    switch frame {
                    case ..<12_000: 0.5
                    case ..<24_000: 0.5 + 0.5 * Float(Double(frame - 12_000) / 12_000)
                    case ..<36_000: 1
                    default: 0.25
                    }
                return sample * volume
            }
        }
    }

    @Test func mix_isHeardToTheFrame() throws {
        let item = try machine.item(seconds: 1)
        item.audioMix = shape
        let player = machine.avPlayer(item)
        machine.runtime.drain()
        let start = machine.host.frame
        player.play()
        machine.run(frames: 48_000)
        #expect(machine.heard(since: start).map { Array($0.prefix(48_000)) } == shaped(0..<48_000))
        // After a seek its times are still the item's; the player fades out and in over 5 ms each.
        player.seek(to: CMTime(0.4))
        let again = machine.host.frame
        player.play()
        machine.run(frames: 28_800)
        let heard = machine.heard(since: again)[0]
        #expect(Array(heard[480..<28_800]) == shaped(19_440..<47_760)[0])
    }

    /// Each item has its own, and one has none.
    @Test func mixes_ofAQueue_followWithoutAGap() throws {
        let items = try (0..<3).map { _ in try machine.item(seconds: 1) }
        items[0].audioMix = shape
        items[2].audioMix = mix { $0.setVolume(0.125, at: .zero) }
        let player = machine.queuePlayer(items)
        machine.runtime.drain()
        let start = machine.host.frame
        player.play()
        machine.run(frames: 144_000)
        let plain = TestSignal.ramp.planar(0..<48_000)[0]
        let expected = shaped(0..<48_000)[0] + plain + plain.map { $0 * 0.125 }
        #expect(Array(machine.heard(since: start)[0].prefix(144_000)) == expected)
    }

    /// At twice the speed the item's times come in half the time.
    @Test func mix_holdsAtOtherRates() throws {
        let item = try machine.item(.sine(hertz: 1000), seconds: 2)
        item.audioMix = mix {
            $0.setVolume(0, at: .zero)
            $0.setVolume(1, at: CMTime(1))
        }
        let player = machine.avPlayer(item)
        machine.runtime.drain()
        let start = machine.host.frame
        player.rate = 2
        machine.run(frames: 43_200)
        let heard = machine.heard(since: start)[0]
        let first = try #require(heard.firstIndex { abs($0) > 0.1 })
        // Within the 50 ms that the stretcher works with.
        #expect(abs(first - 24_000) < 2400)
    }

    @Test func mix_setWhileItPlays_isHeardSoon() throws {
        let player = try machine.avPlayer(seconds: 10)
        let item = try #require(player.currentItem)
        player.play()
        machine.run(frames: 24_000)
        let frame = Int((item.currentTime().seconds * 48_000).rounded())
        item.audioMix = mix { $0.setVolume(0.5, at: .zero) }
        let start = machine.host.frame
        machine.run(frames: 24_000)
        var heard = machine.heard(since: start)[0]
        // What was fed without it is not heard: a join of 5 ms, then the next frames at half the volume.
        let half = TestSignal.ramp.planar(frame..<frame + 24_000)[0].map { $0 * 0.5 }
        #expect(Array(heard[960..<23_000]) == Array(half[720..<22_760]))
        // Another one changes the volume over 5 ms, and leaves no frame out.
        item.audioMix = mix { $0.setVolume(0.25, at: .zero) }
        let next = machine.host.frame
        machine.run(frames: 24_000)
        heard = machine.heard(since: next)[0]
        let ramp = TestSignal.ramp.planar(frame + 23_760..<frame + 47_760)[0]
        let volumes = zip(heard, ramp).map { $1 == 0 ? 0.25 : $0 / $1 }
        let change = try #require(volumes.firstIndex { $0 < 0.499 })
        #expect(change < 9600)
        #expect(volumes[..<change].allSatisfy { abs($0 - 0.5) < 1e-3 })
        #expect(zip(volumes, volumes.dropFirst()).allSatisfy { abs($0 - $1) < 0.0021 })
        #expect(Array(heard[(change + 240)...]) == Array(ramp[(change + 240)...].map { $0 * 0.25 }))
        // Without one it is the file again.
        item.audioMix = nil
        machine.run(frames: 24_000)
        let last = machine.host.frame
        machine.run(frames: 4800)
        #expect(machine.heard(since: last)[0] == TestSignal.ramp.planar(frame + 71_760..<frame + 76_560)[0])
    }

    @Test func track_thatIsNotEnabled_isSilent_andTimeGoesOn() throws {
        let item = try machine.item(seconds: 3)
        #expect(item.tracks.isEmpty)
        let player = machine.avPlayer(item)
        machine.runtime.drain()
        let track = try #require(item.tracks.first)
        #expect(item.tracks == [track] && track.isEnabled)
        #expect(track.assetTrack == item.asset.tracks.first)
        track.isEnabled = false
        #expect(!item.tracks[0].isEnabled)
        let start = machine.host.frame
        player.play()
        machine.run(frames: 48_000)
        #expect(machine.host.loudFrames(of: AppMachine.headphones, since: start) == 0)
        #expect(player.currentTime() == CMTime(1))
        track.isEnabled = true
        machine.run(frames: 24_000)
        let again = machine.host.frame
        machine.run(frames: 4800)
        #expect(machine.heard(since: again)[0] == TestSignal.ramp.planar(72_000..<76_800)[0])
    }

    // MARK: Values

    @Test func mix_isCopied_whereItIsSet() throws {
        let item = try machine.item(seconds: 1)
        #expect(item.audioMix == nil)
        let mix = shape
        item.audioMix = mix
        (mix.inputParameters.first as? AVMutableAudioMixInputParameters)?.setVolume(0, at: .zero)
        mix.inputParameters = []
        let kept = try #require(item.audioMix)
        #expect(kept !== mix && kept.inputParameters.map(\.trackID) == [1])
        var volume: Float = -1
        let isFound = kept.inputParameters[0].getVolumeRamp(
            for: .zero, startVolume: &volume, endVolume: nil, timeRange: nil)
        #expect(isFound && volume == 0.5)
        let copies = [kept.copy() as? AVAudioMix, kept.mutableCopy() as? AVMutableAudioMix]
        #expect(copies.map { $0?.inputParameters.count } == [1, 1])
        let parameters = try #require(kept.inputParameters[0].mutableCopy() as? AVMutableAudioMixInputParameters)
        #expect(parameters.audioTimePitchAlgorithm == nil)
        parameters.audioTimePitchAlgorithm = .spectral
        let copy = try #require(parameters.copy() as? AVAudioMixInputParameters)
        #expect(copy.audioTimePitchAlgorithm == .spectral && copy.trackID == 1)
        // Those of another track change nothing.
        parameters.trackID = 2
        let other = AVMutableAudioMix()
        other.inputParameters = [parameters]
        item.audioMix = other
        let player = machine.avPlayer(item)
        machine.runtime.drain()
        let start = machine.host.frame
        player.play()
        machine.run(frames: 4800)
        #expect(machine.heard(since: start)[0] == TestSignal.ramp.planar(0..<4800)[0])
    }

    @Test func ramp_isTold_asItWasSet() throws {
        let asset = AVURLAsset(url: URL(filePath: try TestFile.write(.ramp, seconds: 1, in: machine.directory)))
        let parameters = AVMutableAudioMixInputParameters(track: asset.tracks.first)
        #expect(parameters.trackID == 1)
        #expect(AVMutableAudioMixInputParameters(track: nil).trackID == kCMPersistentTrackID_Invalid)
        let range = CMTimeRange(start: CMTime(1), duration: CMTime(2))
        parameters.setVolumeRamp(fromStartVolume: 0.25, toEndVolume: 0.75, timeRange: range)
        // What is no time changes nothing.
        parameters.setVolume(0, at: .invalid)
        parameters.setVolumeRamp(
            fromStartVolume: 0, toEndVolume: 0, timeRange: CMTimeRange(start: .zero, duration: .indefinite))
        var (from, to, told): (Float, Float, CMTimeRange) = (0, 0, .invalid)
        for time in [CMTime.zero, CMTime(2)] {
            #expect(parameters.getVolumeRamp(for: time, startVolume: &from, endVolume: &to, timeRange: &told))
            #expect((from, to) == (0.25, 0.75))
            #expect(told == range)
        }
        for time in [CMTime(3), .invalid] {
            #expect(!parameters.getVolumeRamp(for: time, startVolume: nil, endVolume: nil, timeRange: nil))
        }
    }

    // MARK: Readers and exports

    private func samples(_ output: AVAssetReaderOutput) throws -> [Float] {
        var samples: [Float] = []
        while let buffer = output.copyNextSampleBuffer() {
            let bytes = try #require(CMSampleBufferGetDataBuffer(buffer)).dataBytes()
            bytes.withUnsafeBytes { samples += $0.bindMemory(to: Float.self) }
        }
        return samples
    }

    @Test func reader_givesTheMix_toTheFrame() throws {
        let asset = AVURLAsset(url: URL(filePath: try TestFile.write(.ramp, seconds: 1, in: machine.directory)))
        let reader = try AVAssetReader(asset: asset)
        let settings: [String: Any] = [
            AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMBitDepthKey: 32, AVLinearPCMIsFloatKey: true,
            AVLinearPCMIsNonInterleaved: false,
        ]
        let output = AVAssetReaderAudioMixOutput(audioTracks: asset.tracks, audioSettings: settings)
        #expect(output.audioMix == nil)
        output.audioMix = shape
        #expect(output.audioMix?.inputParameters.count == 1)
        reader.add(output)
        reader.timeRange = CMTimeRange(start: CMTime(0.3), duration: CMTime(0.6))
        #expect(reader.startReading())
        output.audioMix = nil
        let read = try samples(output)
        let expected = shaped(14_400..<43_200)
        #expect(stride(from: 0, to: read.count, by: 2).map { read[$0] } == expected[0])
        #expect(stride(from: 1, to: read.count, by: 2).map { read[$0] } == expected[1])
    }

    @Test func export_hasTheMix() async throws {
        let path = try TestFile.write(.sine(hertz: 1000), seconds: 1, in: machine.directory)
        let asset = AVURLAsset(url: URL(filePath: path))
        let export = try #require(AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetAppleM4A))
        export.audioMix = mix { $0.setVolume(0, at: CMTime(0.5)) }
        #expect(export.audioMix?.inputParameters.count == 1)
        let url = URL(filePath: machine.directory.path("mix.m4a"))
        try await export.export(to: url, as: .m4a)
        let file = try AVAudioFile(forReading: url)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 48_000))
        try file.read(into: buffer)
        let heard = buffer.channels[0]
        #expect(Listening.quietestPeak(heard[2400..<21_600]) > 0.4)
        // An encoder spreads a step over a block of its own.
        #expect(heard[26_400...].allSatisfy { abs($0) < 0.01 })
        let copy = try #require(AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetPassthrough))
        copy.audioMix = shape
        await #expect(throws: NSError.self) {
            try await copy.export(to: URL(filePath: self.machine.directory.path("mix.wav")), as: .wav)
        }
    }
}
