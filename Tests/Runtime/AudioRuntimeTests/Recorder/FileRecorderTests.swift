import AudioFiles
import AudioModel
import Foundation
import HostSimulated
import ProgramRuntime
import RuntimeTestSupport
import SessionCore
import SessionRest
import SimulatedControls
import Synchronization
import TestAudio
import TestSupport
import Testing

@testable import AudioRuntime
@testable import SessionRuntime

/// A recorder and its session on the simulated host.
@Suite struct FileRecorderTests {
    @Test func recording_isWhatTheMicrophonePickedUp() throws {
        let machine = try RuntimeMachine(recordingOn: .phone)
        let recorder = try machine.recorder()
        machine.advance(frames: 480)
        let start = machine.host.frame
        try recorder.record()
        machine.advance(frames: 48_000)
        recorder.pause()
        machine.advance(frames: 4800)
        try recorder.record()
        let resumed = machine.host.frame
        machine.advance(frames: 4800)
        recorder.stop()
        #expect(recorder.status.duration == 1.1)
        #expect(
            try machine.recorded() == (start..<start + 48_000).map(machine.sample)
                + (resumed..<resumed + 4800).map(machine.sample))
        machine.runtime.drain()
        #expect(
            machine.states == ["recording (user)", "paused (user)", "recording (user)", "finished (user)"])
        #expect(throws: SessionError.self) { try recorder.record() }
    }

    @Test func levels_areThePeaksOfWhatWasRecordedSinceTheyWereTaken() throws {
        let machine = try RuntimeMachine(recordingOn: .phone)
        let recorder = try machine.recorder()
        #expect(recorder.takeMeasures().map(\.peak) == [])
        let start = machine.host.frame
        try recorder.record()
        machine.advance(frames: 4800)
        recorder.pause()
        let peak = (start..<start + 4800).map { abs(machine.sample($0)) }.max()
        #expect(recorder.takeMeasures().map(\.peak) == [peak])
        // Nothing was recorded since.
        machine.advance(frames: 4800)
        #expect(recorder.takeMeasures().map(\.peak) == [peak])
        let resumed = machine.host.frame
        try recorder.record()
        machine.advance(frames: 480)
        recorder.pause()
        #expect(
            recorder.takeMeasures().map(\.peak) == [(resumed..<resumed + 480).map { abs(machine.sample($0)) }.max()])
        recorder.stop()
    }

    // Behaviour 63
    @Test func recordingStopsOnPlug() throws {
        let machine = try RuntimeMachine(recordingOn: .phone)
        let recorder = try machine.recorder()
        try recorder.record()
        machine.advance(frames: 4800)
        machine.host.plug(.wiredHeadset)
        machine.advance(frames: 4800)
        #expect(machine.states == ["recording (user)", "finished (newDeviceAvailable)"])
        // Before the recorder is let go of: the file is complete.
        #expect(try machine.recorded() == (0..<4800).map(machine.sample))
        recorder.stop()
        #expect(machine.states.count == 2)
    }

    // Behaviour 64
    @Test func recordingStopsOnUnplug() throws {
        let machine = try RuntimeMachine(recordingOn: .phone)
        machine.host.plug(.wiredHeadset)
        machine.runtime.drain()
        let recorder = try machine.recorder()
        try recorder.record()
        machine.advance(frames: 4800)
        machine.host.schedule(Scenario().at(0.01) { $0.unplug(.wiredHeadset) })
        machine.advance(frames: 4800)
        #expect(machine.states == ["recording (user)", "finished (oldDeviceUnavailable)"])
        // To the very frame, and nothing of the microphone that remains.
        #expect(try machine.recorded() == (0..<5280).map { -machine.sample($0) })
        recorder.stop()
    }

    // Behaviour 65
    @Test func recordingIgnoresCategoryChange() throws {
        let machine = try RuntimeMachine(recordingOn: .phone)
        let recorder = try machine.recorder()
        try recorder.record()
        machine.advance(frames: 4800)
        try machine.configure(.record)
        machine.advance(frames: 4800)
        recorder.stop()
        machine.runtime.drain()
        #expect(machine.states == ["recording (user)", "finished (user)"])
        #expect(try machine.recorded() == (0..<9600).map(machine.sample))
    }

    // Behaviour 92
    @Test func inputTakenAwayEndsTheRecording() throws {
        let machine = try RuntimeMachine(recordingOn: .phone)
        let recorder = try machine.recorder()
        try recorder.record()
        machine.advance(frames: 4800)
        try machine.configure(.playback)
        machine.advance(frames: 4800)
        #expect(machine.states == ["recording (user)", "finished (noSuitableRoute)"])
        #expect(try machine.recorded() == (0..<4800).map(machine.sample))
        recorder.stop()
    }

    @Test func length_endsTheRecordingOnTheFrame() throws {
        let machine = try RuntimeMachine(recordingOn: .phone)
        let recorder = try machine.recorder()
        try recorder.record(forSeconds: 0.123)
        machine.advance(frames: 48_000)
        #expect(machine.states == ["recording (user)", "finished (endOfRecording)"])
        #expect(try machine.recorded() == (0..<5904).map(machine.sample))
        recorder.stop()
    }

    // Behaviour 82
    @Test func interruptedStaysPausedUntilTheAppPlays() throws {
        let machine = try RuntimeMachine(recordingOn: .phone)
        let recorder = try machine.recorder()
        try recorder.record()
        machine.advance(frames: 480)
        machine.host.receiveCall()
        machine.advance(frames: 4800)
        #expect(recorder.status.state == .paused)
        #expect(!recorder.status.playWhenReady)
        machine.host.endCall()
        machine.advance(frames: 480)
        try machine.activate()
        machine.advance(frames: 480)
        #expect(recorder.status.state == .paused)
        try recorder.record()
        machine.advance(frames: 480)
        #expect(recorder.status.state == .playing)
        recorder.stop()
        #expect(try machine.recorded().count == 960)
    }

    @Test func deactivation_endsTheRecording() throws {
        let machine = try RuntimeMachine(recordingOn: .phone)
        let recorder = try machine.recorder()
        try recorder.record()
        machine.advance(frames: 480)
        try machine.deactivate()
        machine.runtime.drain()
        #expect(machine.states == ["recording (user)", "finished (deactivation)"])
        #expect(try machine.recorded().count == 480)
        recorder.stop()
    }

    @Test func lostServer_endsTheRecording_withAReadableFile() throws {
        let machine = try RuntimeMachine(recordingOn: .phone)
        let recorder = try machine.recorder()
        try recorder.record()
        machine.advance(frames: 480)
        machine.host.crashServer()
        machine.runtime.drain()
        #expect(recorder.status.state == .failed)
        #expect(recorder.status.message?.isEmpty == false)
        #expect(try machine.recorded().count == 480)
        recorder.stop()
    }

    @Test func recording_inACategoryWithoutInput_throws() throws {
        let machine = try RuntimeMachine(recordingOn: .phone)
        try machine.configure(.playback)
        let recorder = try machine.recorder()
        let error = #expect(throws: SessionError.self) { try recorder.record() }
        #expect(error?.code == .incompatibleCategory)
        recorder.stop()
    }

    @Test func stereoFile_ofAMonoMicrophone_hasItInBothChannels() throws {
        let machine = try RuntimeMachine(recordingOn: .phone)
        let recorder = try machine.recorder(channels: [.left, .right])
        try recorder.record()
        machine.advance(frames: 480)
        recorder.stop()
        #expect(try machine.recorded() == (0..<480).flatMap { [machine.sample($0), machine.sample($0)] })
    }

    @Test func recorderThatIsLetGo_closesItsFile() throws {
        let machine = try RuntimeMachine(recordingOn: .phone)
        do {
            let recorder = try machine.recorder()
            try recorder.record()
            machine.advance(frames: 480)
        }
        #expect(try machine.recorded().count == 480)
    }

    // Behaviour 102
    @Test(arguments: ["wav", "caf", "aiff", "flac", "ogg", "opus", "mp3"])
    func emptyRecordingIsNoSuccess(suffix: String) throws {
        let machine = try RuntimeMachine(recordingOn: .phone)
        let path = machine.directory.path("empty.\(suffix)")
        let recorder = try FileRecorder(path: path, channelCount: 1, runtime: machine.runtime, onChange: { _ in })
        try recorder.record()
        recorder.stop()
        #expect(recorder.status.state == .failed)
        #expect(recorder.status.message?.contains("before any sound came") == true)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    // Behaviour 102
    @Test func emptyRecording_thatADeviceEnds_isNoSuccess() throws {
        let machine = try RuntimeMachine(recordingOn: .phone)
        let recorder = try machine.recorder()
        try recorder.record()
        machine.host.plug(.wiredHeadset)
        machine.runtime.drain()
        #expect(machine.states == ["recording (user)", "failed (error)"])
        #expect(!FileManager.default.fileExists(atPath: machine.path))
        recorder.stop()
    }

    /// Nothing was to be recorded: an empty file is what its owner asked for.
    @Test func recorderThatNeverRecorded_leavesAnEmptyFile() throws {
        let machine = try RuntimeMachine(recordingOn: .phone)
        let recorder = try machine.recorder()
        recorder.stop()
        #expect(recorder.status.state == .finished)
        #expect(FileManager.default.fileExists(atPath: machine.path))
    }

    /// A file that has replaced the empty one is not ours to remove.
    @Test func emptyRecording_removesNoOtherFile() throws {
        let machine = try RuntimeMachine(recordingOn: .phone)
        let recorder = try machine.recorder()
        try recorder.record()
        try FileManager.default.removeItem(atPath: machine.path)
        try Data([1]).write(to: URL(filePath: machine.path))
        recorder.stop()
        #expect(recorder.status.state == .failed)
        #expect(try Data(contentsOf: URL(filePath: machine.path)) == Data([1]))
    }

    @Test func emptyRecording_isNoticedOnce_andNotWhileItWaitsForItsTime() throws {
        let machine = try RuntimeMachine(recordingOn: .phone)
        let writer = try AudioFileWriter(
            path: machine.path, type: AudioFileType(container: .wav, coding: .integer(bits: 16)), sampleRate: 48_000,
            channels: [.mono])
        var sink = RecordingSink(writer: writer, progress: RecordingProgress())
        sink.skip = 1
        #expect((0..<5).map { _ in sink.isStillEmpty(atLook: 2) } == Array(repeating: false, count: 5))
        sink.skip = 0
        #expect((0..<5).map { _ in sink.isStillEmpty(atLook: 2) } == [false, true, false, false, false])
    }

    /// Its node is suspended, for example.
    @Test func microphoneThatHandsNothingOver_isSaid_whileTheRecordingStandsAtZero() throws {
        let directory = try TemporaryDirectory()
        let runtime = try SessionRuntime(host: ManualHost(ports: [.speaker, .microphone]))
        defer { runtime.shutdown() }
        try runtime.perform { call, _ in
            .configurationRequested(call, SessionConfiguration(category: .playAndRecord, mode: .default, options: []))
        }
        let changes = History<FileRecorder.Status>()
        let recorder = try FileRecorder(
            path: directory.path("empty.wav"), channelCount: 1, runtime: runtime, onChange: { changes.append($0) })
        try recorder.record()
        let said = try changes.wait(for: "the warning") { $0.contains(where: \.isWithoutSound) }
        #expect(said.map(\.state) == [.playing, .playing])
        #expect(said.last?.duration == 0)
        recorder.stop()
        #expect(recorder.status.state == .failed)
    }
}
