import AVFoundation
import OpenAVFAudioTestKit
import Testing

/// The app's code of `SoundEffects.swift` on a simulated phone.
@MainActor struct SoundEffectsTests {
    /// A tenth of a second of this value, in stereo.
    private func withFile<Result>(of value: Float, _ body: (URL) async throws -> Result) async throws -> Result {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("open-avfaudio-\(UUID()).wav")
        defer { try? FileManager.default.removeItem(at: url) }
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2))
        do {
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 4800))
            buffer.frameLength = 4800
            for channel in 0..<2 {
                for frame in 0..<4800 { buffer.floatChannelData?[channel][frame] = value }
            }
            try AVAudioFile(forWriting: url, settings: format.settings).write(from: buffer)
        }
        return try await body(url)
    }

    @Test func sound_playedTwice_overlapsItself_andEachEndIsTold() async throws {
        try await withFile(of: 0.25) { url in
            try await AudioSimulator.run(.phone) { phone in
                let effects = try #require(SoundEffects(url: url))
                var endings: [Bool] = []
                effects.onEnd = { endings.append($0) }
                #expect(effects.play())
                phone.advance(bySeconds: 0.05)
                #expect(effects.play())
                phone.advance(bySeconds: 0.025)
                #expect(phone.samples(of: .builtInSpeaker)[0].max() == 0.5)
                phone.advance(bySeconds: 0.5)
                #expect(!effects.isPlaying)
                #expect(endings == [true, true])
                #expect(phone.violations == [])
            }
        }
    }

    @Test func headphonesThatLeave_silenceALoop_andNothingReachesTheSpeaker() async throws {
        try await withFile(of: 0.25) { url in
            try await AudioSimulator.run(.phone) { phone in
                phone.plug(.wiredHeadphones)
                let effects = try #require(SoundEffects(url: url))
                #expect(effects.play(numberOfLoops: -1))
                phone.advance(bySeconds: 1)
                #expect(effects.isPlaying)
                phone.unplug(.wiredHeadphones)
                phone.advance(bySeconds: 0.1)
                #expect(!effects.isPlaying)
                #expect(phone.samples(of: .wiredHeadphones)[0].filter { $0 == 0.25 }.count == 48_000)
                #expect(phone.samples(of: .builtInSpeaker).allSatisfy { $0.allSatisfy { $0 == 0 } })
                effects.stop()
                #expect(phone.violations == [])
            }
        }
    }
}
