import Foundation
import OpenAVFAudio
import OpenAVFAudioTestKit
import OpenAudioSession
import TestAudio
import TestSupport
import Testing

/// `record(atTime:)`, and the methods of delegates that are not called any more.
@Suite struct RecordingTimeTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func recording_atATime_leavesOutWhatComesBefore() async throws {
        try await AudioSimulator.run(.phone) { phone in
            try AVAudioSession.sharedInstance().setCategory(.playAndRecord)
            // Silence for half a second, then a constant.
            phone.setInput(of: .builtInMic) { frame, _ in frame < 24_000 ? 0 : 0.5 }
            let url = URL(fileURLWithPath: directory.path + "/late.wav")
            let recorder = try AVAudioRecorder(
                url: url, settings: [AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 48_000])
            #expect(recorder.deviceCurrentTime == phone.now)
            #expect(recorder.record(atTime: recorder.deviceCurrentTime + 0.75, forDuration: 0.25))
            phone.advance(bySeconds: 0.5)
            #expect(recorder.isRecording && recorder.currentTime == 0)
            phone.advance(bySeconds: 1)
            #expect(!recorder.isRecording)
            let file = try AVAudioFile(forReading: url)
            #expect(file.length == 12_000)
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 12_000))
            try file.read(into: buffer)
            let samples = try #require(buffer.floatChannelData?[0])
            #expect((0..<12_000).allSatisfy { abs(samples[$0] - 0.5) < 0.001 })
        }
    }

    @Test func recording_atATimeInThePast_beginsAtOnce() async throws {
        try await AudioSimulator.run(.phone) { phone in
            try AVAudioSession.sharedInstance().setCategory(.playAndRecord)
            phone.advance(bySeconds: 1)
            let recorder = try AVAudioRecorder(
                url: URL(fileURLWithPath: directory.path + "/now.wav"),
                settings: [AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 48_000])
            #expect(recorder.record(atTime: 0.5))
            phone.advance(bySeconds: 0.5)
            #expect(abs(recorder.currentTime - 0.5) < 0.11)
            recorder.stop()
        }
    }

    private final class OldDelegate: NSObject, AVAudioPlayerDelegate, AVAudioRecorderDelegate {
        let story = History<String>()
        func audioPlayerBeginInterruption(_ player: AVAudioPlayer) { story.append("begin") }
        func audioPlayerEndInterruption(_ player: AVAudioPlayer, withOptions flags: Int) { story.append("options") }
        func audioPlayerEndInterruption(_ player: AVAudioPlayer, withFlags flags: Int) { story.append("flags") }
        func audioPlayerEndInterruption(_ player: AVAudioPlayer) { story.append("end") }
        func audioRecorderBeginInterruption(_ recorder: AVAudioRecorder) { story.append("begin") }
        func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withOptions flags: Int) {
            story.append("options")
        }
        func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withFlags flags: Int) { story.append("flags") }
        func audioRecorderEndInterruption(_ recorder: AVAudioRecorder) { story.append("end") }
    }

    @Test func oldDelegateMethods_areNotCalled() async throws {
        try await AudioSimulator.run(.phone) { phone in
            try AVAudioSession.sharedInstance().setCategory(.playAndRecord)
            let delegate = OldDelegate()
            let recorder = try AVAudioRecorder(
                url: URL(fileURLWithPath: directory.path + "/call.wav"),
                settings: [AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 48_000])
            recorder.delegate = delegate
            #expect(recorder.record())
            phone.advance(bySeconds: 0.2)
            let player = try AVAudioPlayer(
                contentsOf: URL(fileURLWithPath: TestFile.write(.ramp, in: directory)))
            player.delegate = delegate
            #expect(player.play())
            phone.receiveCall()
            phone.endCall()
            phone.settle()
            #expect(delegate.story.entries == [])
            recorder.stop()
        }
    }
}
