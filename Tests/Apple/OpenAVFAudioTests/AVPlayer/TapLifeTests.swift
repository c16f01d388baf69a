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

/// How long taps live: whatever an app does with mixes, items and players, each tap is prepared and unprepared in turn, is called
/// in between only, and is finalized once, last.
@MainActor @Suite struct TapLifeTests {
    private let machine: AppMachine

    init() throws { machine = try AppMachine() }

    /// Notes each call of the tap, and passes the sound on.
    private func meter() -> TapMeter {
        let meter = TapMeter()
        meter.work.withLock {
            $0 = { tap, frames, list, framesOut in
                TapMeter.of(tap).log.append("process")
                MTAudioProcessingTapGetSourceAudio(tap, frames, list.unsafeMutablePointer, nil, nil, framesOut)
            }
        }
        return meter
    }

    /// (prepare process* unprepare)* finalize.
    private func isLife(_ log: [String]) -> Bool {
        var isPrepared = false
        for (index, entry) in log.enumerated() {
            switch entry.split(separator: " ")[0] {
            case "prepare" where !isPrepared: isPrepared = true
            case "process" where isPrepared: break
            case "unprepare" where isPrepared: isPrepared = false
            case "finalize" where !isPrepared: return index == log.count - 1
            default: return false
            }
        }
        return false
    }

    @Test func tap_thatNothingUses_isFinalizedAtOnce() {
        let meter = meter()
        var tap = meter.makeTap()
        #expect(meter.log.entries.isEmpty && tap != nil)
        var mix: AVAudioMix? = AVAudioMix.of(tap)
        tap = nil
        #expect(meter.log.entries.isEmpty, "the mix has it")
        let copy = mix?.mutableCopy() as? AVMutableAudioMix
        mix = nil
        #expect(meter.log.entries.isEmpty, "its copy has it")
        copy?.inputParameters = []
        #expect(meter.log.entries == ["finalize"])
    }

    @Test func tap_ofAReader_livesAsLongAsItsOutput() throws {
        let asset = AVURLAsset(url: URL(filePath: try TestFile.write(.ramp, seconds: 0.5, in: machine.directory)))
        let meter = meter()
        try {
            let reader = try AVAssetReader(asset: asset)
            let output = AVAssetReaderAudioMixOutput(audioTracks: asset.tracks, audioSettings: nil)
            output.audioMix = AVAudioMix.of(meter.makeTap())
            reader.add(output)
            #expect(meter.log.entries.isEmpty && reader.startReading())
            #expect(output.copyNextSampleBuffer() != nil)
            #expect(meter.log.entries.first?.hasPrefix("prepare") == true && meter.log.entries.last == "process")
            reader.cancelReading()
            #expect(output.copyNextSampleBuffer() == nil)
        }()
        #expect(isLife(meter.log.entries) && meter.log.count > 3)
    }

    /// A volume of another item's mix with the same tap: the tap is for the first one that uses it.
    @Test(arguments: 0..<6 as Range<UInt64>) func taps_liveInTurn_whateverTheAppDoes(seed: UInt64) throws {
        var random = Seeded(seed: seed)
        var meters: [TapMeter] = []
        try {
            let items = try (0..<3).map { _ in try machine.item(seconds: 2) }
            let player = machine.avPlayer(items[0])
            machine.runtime.drain()
            for _ in 0..<60 {
                let item = items[Int.random(in: 0..<3, using: &random)]
                switch Int.random(in: 0..<9, using: &random) {
                case 0, 1:
                    let meter = meter()
                    meters.append(meter)
                    item.audioMix = AVAudioMix.of(meter.makeTap(), volume: .random(in: 0.1...1, using: &random))
                case 2: item.audioMix = item.audioMix
                case 3: item.audioMix = nil
                case 4: player.seek(to: CMTime(.random(in: 0...2, using: &random)))
                case 5: player.replaceCurrentItem(with: item)
                case 6: player.rate = [0, 0.5, 1, 2].randomElement(using: &random) ?? 1
                default: player.play()
                }
                machine.run(frames: 480 * Int.random(in: 0...10, using: &random))
            }
            player.replaceCurrentItem(with: nil)
            for item in items { item.audioMix = nil }
            machine.runtime.drain()
        }()
        machine.run(frames: 4800)
        #expect(meters.count > 5)
        for meter in meters {
            try meter.log.wait(for: "the end of a tap") { $0.last == "finalize" }
            #expect(isLife(meter.log.entries), "\(meter.log.entries)")
        }
        #expect(meters.contains { $0.log.entries.contains("process") })
    }
}
