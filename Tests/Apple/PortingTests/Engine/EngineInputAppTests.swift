import AVFoundation
import OpenAVFAudioTestKit
import Testing

/// The app's code of `SpeechLevelMonitor.swift` and `VoiceMemo.swift` on a simulated phone.
@Suite struct EngineInputAppTests {
    @Test func speechLevelMonitor_followsTheMicrophone() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let monitor = SpeechLevelMonitor()
            try monitor.startListening()
            #expect(monitor.isListening)
            phone.advance(bySeconds: 0.5)
            phone.setInput(of: .builtInMic) { _, _ in 0.25 }
            phone.advance(bySeconds: 0.5)
            phone.receiveCall()
            #expect(!monitor.isListening)
            phone.endCall()
            monitor.stopListening()
            // Buffers of 100 ms, up to the last frame before the call.
            #expect(monitor.history == [Float](repeating: 0, count: 5) + [Float](repeating: 0.25, count: 5))
            #expect(phone.violations == [])
        }
    }

    @Test func voiceMemo_isAFileOfWhatTheMicrophoneHeard() async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("open-avfaudio-\(UUID()).caf")
        defer { try? FileManager.default.removeItem(at: url) }
        try await AudioSimulator.run(.phone) { phone in
            phone.setInput(of: .builtInMic) { frame, _ in Float(frame % 4800) / 65_536 }
            let memo = VoiceMemo()
            try memo.record(to: url)
            phone.advance(bySeconds: 1)
            memo.stop()
            #expect(!memo.wasInterruptedByNewHardware)
            #expect(phone.violations == [])
        }
        let file = try AVAudioFile(forReading: url)
        #expect(file.processingFormat.sampleRate == 48_000)
        #expect(file.processingFormat.channelCount == 1)
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: AVAudioFrameCount(file.length)))
        try file.read(into: buffer)
        // Whole buffers of 100 ms arrive; what was left at the end does not.
        #expect(file.length >= 43_200)
        let samples = try #require(buffer.floatChannelData?[0])
        #expect((0..<Int(file.length)).allSatisfy { samples[$0] == Float($0 % 4800) / 65_536 })
    }

    @Test func voiceMemo_whileAMicrophoneComes_isTold() async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("open-avfaudio-\(UUID()).caf")
        defer { try? FileManager.default.removeItem(at: url) }
        try await AudioSimulator.run(.phone) { phone in
            let memo = VoiceMemo()
            try memo.record(to: url)
            phone.advance(bySeconds: 0.3)
            phone.plug(.usbAudio)
            #expect(memo.wasInterruptedByNewHardware)
            memo.stop()
            #expect(phone.violations == [])
        }
    }
}
