import CAudioTypes
import Foundation
import Testing

@testable import OpenAVFAudio

/// The sampler that other libraries have in their graphs (decision 78).
@Suite struct SamplerTests {
    /// AudioKit attaches a subclass to a running engine and connects it to a mixer without inputs.
    private final class Dummy: AVAudioUnitSampler {}

    @Test(arguments: [1, 2] as [UInt32])
    func sampler_isSilentInAnyGraph(_ channels: UInt32) throws {
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: channels))
        let sampler: AVAudioUnitSampler = Dummy()
        let bench = try EffectBench([], format: format, source: sampler)
        sampler.startNote(60, withVelocity: 127, onChannel: 0)
        #expect(try bench.render(4800).allSatisfy { $0 == 0 })
        let later = AVAudioUnitSampler()
        bench.engine.attach(later)
        bench.engine.connect(later, to: bench.engine.mainMixerNode, format: format)
        #expect(try bench.render(480).allSatisfy { $0 == 0 })
        #expect(later.outputFormat(forBus: 0) == format)
        #expect(
            (sampler.name, sampler.audioComponentDescription.componentType) == ("AUSampler", kAudioUnitType_MusicDevice)
        )
        // Whoever looks for an instrument wants to hear it.
        #expect(
            !AVAudioUnitComponentManager.shared().components(passingTest: { _, _ in true }).contains {
                $0.name == "AUSampler"
            })
    }

    @Test func sampler_refusesWhatItShouldLoad() {
        let sampler = AVAudioUnitSampler()
        let file = URL(fileURLWithPath: "/tmp/piano.sf2")
        func refusal(_ body: () throws -> Void) -> NSError? {
            do { try body() } catch { return error as NSError }
            return nil
        }
        let errors = [
            refusal { try sampler.loadInstrument(at: file) },
            refusal { try sampler.loadAudioFiles(at: [file]) },
            refusal {
                try sampler.loadSoundBankInstrument(
                    at: file, program: 0, bankMSB: UInt8(kAUSampler_DefaultMelodicBankMSB),
                    bankLSB: UInt8(kAUSampler_DefaultBankLSB))
            },
        ]
        for error in errors {
            #expect(error?.code == Int(kAudioUnitErr_InvalidFile))
            #expect(error?.localizedDescription.contains("piano.sf2") == true)
            #expect(error?.localizedDescription.contains("AVAudioPlayerNode") == true)
        }
    }

    @Test func sampler_keepsItsSettings() {
        let sampler = AVAudioUnitSampler()
        #expect((sampler.overallGain, sampler.stereoPan, sampler.globalTuning) == (0, 0, 0))
        (sampler.masterGain, sampler.stereoPan, sampler.globalTuning) = (-6, 20, 100)
        #expect((sampler.overallGain, sampler.stereoPan, sampler.globalTuning) == (-6, 20, 100))
        let beats: MusicTimeStamp = 1.5
        #expect(beats == 1.5)
        #expect((kAUSampler_DefaultPercussionBankMSB, kAUSampler_DefaultMelodicBankMSB) == (0x78, 0x79))
        #expect(kAUSampler_DefaultBankLSB == 0)
    }
}
