import AudioModel
import Foundation
import HostSimulated
import RuntimeTestSupport
import SessionRest
import SimulatedControls
import TestSupport
import Testing

@testable import AudioRuntime
@testable import OpenAVFAudio
@testable import OpenAudioSession
@testable import SessionRuntime

/// Apple's recorder on a simulated phone.
@MainActor @Suite struct AVAudioRecorderTests {
    private let machine: AppMachine

    init() throws {
        machine = try AppMachine(.phone, devices: [])
        try machine.prepareRecording()
    }

    private var url: URL { URL(filePath: machine.path) }

    private func makeRecorder(_ settings: [String: Any] = [AVFormatIDKey: kAudioFormatLinearPCM]) throws
        -> AVAudioRecorder
    {
        try AVAudioSession.$taskSession.withValue(machine.session) { try AVAudioRecorder(url: url, settings: settings) }
    }

    private final class Delegate: NSObject, AVAudioRecorderDelegate {
        let endings = History<Bool>()
        let errors = History<String>()
        func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?) {
            errors.append(error?.localizedDescription ?? "")
        }
        func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) {
            #expect(MainThread.isCurrent)
            endings.append(flag)
        }
    }

    @Test func recorder_recordsPausesAndStops() throws {
        let recorder = try makeRecorder()
        let delegate = Delegate()
        recorder.delegate = delegate
        #expect(!recorder.isRecording)
        #expect(recorder.record())
        machine.advance(frames: 4800)
        #expect(recorder.isRecording)
        recorder.pause()
        #expect(!recorder.isRecording)
        #expect(recorder.currentTime == 0.1)
        #expect(recorder.record())
        machine.advance(frames: 4800)
        recorder.stop()
        #expect(recorder.currentTime == 0)
        machine.runtime.drain()
        #expect(delegate.endings.entries == [true])
        #expect(try machine.recorded() == (0..<9600).map(machine.sample))
        #expect(recorder.format.sampleRate == 48_000)
        #expect(recorder.format.channelCount == 1)
    }

    // Behaviour 93
    @Test func recorderDelegateHearsAfterRelease() throws {
        let delegate = Delegate()
        weak var last: AVAudioRecorder?
        do {
            let recorder = try makeRecorder()
            last = recorder
            recorder.delegate = delegate
            recorder.record()
            machine.advance(frames: 4800)
            recorder.stop()
        }
        machine.runtime.drain()
        #expect(delegate.endings.entries == [true])
        #expect(last == nil, "and nothing keeps it alive any more")
    }

    @Test func whatCannotBeWritten_isAnErrorInTheStatusDomain() throws {
        let errors = [
            #expect(throws: NSError.self) {
                try AVAudioRecorder(url: url, settings: [AVFormatIDKey: kAudioFormatMPEG4AAC])
            },
            #expect(throws: NSError.self) {
                try AVAudioRecorder(url: URL(string: "https://example.org/memo.wav")!, settings: [:])
            },
        ]
        #expect(errors.map { $0?.domain } == [NSOSStatusErrorDomain, NSOSStatusErrorDomain])
    }

    @Test func recorderWithoutAFile_answersFalse() {
        let recorder = AVAudioRecorder()
        #expect(!recorder.prepareToRecord())
        #expect(!recorder.record())
        recorder.stop()
        #expect(!recorder.deleteRecording())
        #expect(!recorder.isRecording)
        #expect((recorder.currentTime, recorder.format.channelCount, recorder.settings.count) == (0, 0, 0))
    }

    @Test func meters_tellTheLevelOfWhatWasRecorded() throws {
        let recorder = try makeRecorder()
        recorder.isMeteringEnabled = true
        machine.host.setInput(of: "simulated.microphone") { frame, _ in frame % 2 == 0 ? 0.5 : -0.25 }
        recorder.updateMeters()
        #expect(recorder.peakPower(forChannel: 0) == -160)
        recorder.record()
        machine.advance(frames: 48_000)
        recorder.updateMeters()
        #expect(abs(recorder.peakPower(forChannel: 0) - 20 * log10(0.5)) < 0.001)
        // The mean of 1/4 and 1/16.
        #expect(abs(recorder.averagePower(forChannel: 0) - 10 * log10(0.156_25)) < 0.001)
        #expect(recorder.averagePower(forChannel: 1) == -160)
        recorder.updateMeters()
        #expect(abs(recorder.peakPower(forChannel: 0) - 20 * log10(0.5)) < 0.001)
        recorder.pause()
        recorder.updateMeters()
        recorder.updateMeters()
        #expect(recorder.peakPower(forChannel: 0) == -160)
        recorder.isMeteringEnabled = false
        #expect(recorder.averagePower(forChannel: 0) == -160)
        recorder.stop()
    }

    @Test func record_afterStop_beginsTheFileAnew() throws {
        let recorder = try makeRecorder()
        for _ in 0..<2 {
            #expect(recorder.record(forDuration: 0.01))
            machine.advance(frames: 4800)
            #expect(!recorder.isRecording)
        }
        #expect(try machine.recorded() == (4800..<5280).map(machine.sample))
        #expect(recorder.deleteRecording())
        #expect(!FileManager.default.fileExists(atPath: url.path))
        #expect(!recorder.deleteRecording())
    }

    @Test func record_inACategoryWithoutInput_isFalse() throws {
        try machine.session.setCategory(.playback)
        let recorder = try makeRecorder()
        #expect(!recorder.record())
        #expect(!recorder.isRecording)
        recorder.stop()
    }

    @Test func record_refusedForTheCategory_worksInTheNextOne() throws {
        try machine.session.setCategory(.playback)
        let recorder = try makeRecorder()
        #expect(!recorder.record())
        try machine.session.setCategory(.playAndRecord)
        #expect(recorder.record())
        machine.advance(frames: 4800)
        recorder.stop()
        #expect(try machine.recorded().count == 4800)
    }

    @Test func headsetThatIsPluggedIn_endsTheRecording_andTheDelegateHears() throws {
        let recorder = try makeRecorder()
        let delegate = Delegate()
        recorder.delegate = delegate
        recorder.record()
        machine.advance(frames: 480)
        machine.host.plug(.wiredHeadset)
        machine.runtime.drain()
        #expect(!recorder.isRecording)
        #expect(delegate.endings.entries == [true])
        #expect(try machine.recorded().count == 480)
    }

    // Behaviour 56
    @Test func recorderOfALostServer_leavesItsFile() throws {
        let (recorder, other) = (try makeRecorder(), try makeRecorder())
        let delegate = Delegate()
        (recorder.delegate, other.delegate) = (delegate, delegate)
        recorder.record()
        machine.advance(frames: 4800)
        for isBack in [false, true] {
            isBack ? machine.host.restartServer() : machine.host.crashServer()
            machine.runtime.drain()
            try? machine.session.setCategory(.record)
            #expect(!recorder.record() && !recorder.prepareToRecord())
            if !isBack { #expect(!other.record()) }
        }
        recorder.stop()
        machine.runtime.drain()
        #expect(delegate.endings.entries == [false])
        #expect(try machine.recorded().count == 4800)
        #expect(other.record())
    }

    @Test func fileThatCannotBeWritten_tellsTheDelegate() throws {
        let recorder = try makeRecorder()
        let delegate = Delegate()
        recorder.delegate = delegate
        recorder.tell(
            FileRecorder.Status(
                transport: .init(.failed, .error, failure: .file("The disk is full.")), duration: 0, lostFrames: 0)
        )
        machine.runtime.drain()
        #expect(delegate.errors.entries == ["The disk is full."])
        #expect(delegate.endings.entries == [false])
    }

    // Behaviour 102
    @Test func emptyRecordingIsNoSuccess() throws {
        let recorder = try makeRecorder()
        let delegate = Delegate()
        recorder.delegate = delegate
        #expect(recorder.record())
        recorder.stop()
        machine.runtime.drain()
        #expect(delegate.endings.entries == [false])
        #expect(!FileManager.default.fileExists(atPath: url.path))
        // The next one begins with a new file.
        #expect(recorder.record())
        machine.advance(frames: 480)
        recorder.stop()
        machine.runtime.drain()
        #expect(delegate.endings.entries == [false, true])
        #expect(try machine.recorded().count == 480)
    }

    @Test func settingsThatNoFileTakes_throw() {
        #expect(throws: NSError.self) { try makeRecorder([AVNumberOfChannelsKey: 0]) }
        #expect(throws: NSError.self) { try makeRecorder([AVFormatIDKey: kAudioFormatFLAC]) }
        #expect(throws: NSError.self) {
            try AVAudioSession.$taskSession.withValue(machine.session) {
                try AVAudioRecorder(url: URL(filePath: "/tmp/recording.wma"), settings: [:])
            }
        }
    }

    /// The settings of most recorders.
    @Test func aac_isRecorded() throws {
        let path = machine.directory.path("recording.m4a")
        let settings: [String: Any] = [
            AVFormatIDKey: Int(kAudioFormatMPEG4AAC), AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 1,
            AVEncoderAudioQualityKey: AVAudioQuality.high.rawValue, AVEncoderBitRateKey: 96_000,
        ]
        let recorder = try AVAudioSession.$taskSession.withValue(machine.session) {
            try AVAudioRecorder(url: URL(filePath: path), settings: settings)
        }
        #expect(recorder.record())
        machine.advance(frames: 96_000)
        recorder.stop()
        machine.runtime.drain()
        let file = try AVAudioFile(forReading: URL(filePath: path))
        #expect(file.fileFormat.settings[AVFormatIDKey] as? UInt32 == kAudioFormatMPEG4AAC)
        #expect(abs(Double(file.length) / 44_100 - 2) < 0.05)
    }

    @Test func format_givesTheSettings() throws {
        let format = try #require(
            AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 44_100, channels: 2, interleaved: true))
        let recorder = try AVAudioSession.$taskSession.withValue(machine.session) {
            try AVAudioRecorder(url: url, format: format)
        }
        #expect(recorder.url == url)
        #expect(recorder.format.sampleRate == 44_100)
        #expect(recorder.settings[AVNumberOfChannelsKey] as? Int == 2)
        #expect(recorder.prepareToRecord())
        #expect(FileManager.default.fileExists(atPath: url.path))
    }
}
