import AudioFiles
import AudioModel
import Foundation
import SessionCore
import TestAudio
import Testing

@testable import AudioRuntime
@testable import OpenAudioSession
@testable import SessionRuntime

/// A recorder, its session and either host.
@Suite(.serialized) struct RecorderContractTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/recording.wav" }

    init() throws { directory = try TemporaryDirectory() }

    /// Records until something is in the file.
    private func startRecording(in world: any World) async throws -> FileRecorder {
        try world.session.setCategory(.playAndRecord)
        let recorder = try FileRecorder(
            path: path, type: AudioFileType(container: .wav, coding: .integer(bits: 16)), sampleRate: 48_000,
            channels: [.left, .right], runtime: world.runtime, onChange: { _ in })
        try recorder.record()
        try await world.until { recorder.status.duration > 0.1 }
        #expect(recorder.status.state == .playing)
        return recorder
    }

    /// The file is complete although the app has not stopped the recorder.
    private func expectReadableFile(of recorder: FileRecorder) throws {
        let info = try AudioFileReader(path: path, outputSampleRate: 48_000).info
        #expect(info.duration == recorder.status.duration)
        #expect(info.duration > 0.1)
    }

    // Behaviour 63
    @Test(arguments: WorldKind.allCases)
    func recordingStopsOnPlug(kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone]) { world in
            let recorder = try await startRecording(in: world)
            try await world.plug(.headphones)
            try await world.until { recorder.status.state == .finished }
            #expect(recorder.status.cause == .newDeviceAvailable)
            try expectReadableFile(of: recorder)
            recorder.stop()
            #expect(world.runtime.state.streams.isEmpty)
        }
    }

    // Behaviour 64
    @Test(arguments: WorldKind.allCases)
    func recordingStopsOnUnplug(kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone]) { world in
            let recorder = try await startRecording(in: world)
            try await world.unplug(.microphone)
            try await world.until { recorder.status.state == .finished }
            #expect(recorder.status.cause == .oldDeviceUnavailable)
            try expectReadableFile(of: recorder)
            recorder.stop()
            #expect(world.runtime.state.streams.isEmpty)
        }
    }

    // Behaviour 65
    @Test(arguments: WorldKind.allCases)
    func recordingIgnoresCategoryChange(kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone]) { world in
            let recorder = try await startRecording(in: world)
            try world.session.setCategory(.record)
            let before = recorder.status.duration
            try await world.until { recorder.status.duration > before + 0.1 }
            #expect(recorder.status.state == .playing)
            recorder.stop()
            try expectReadableFile(of: recorder)
        }
    }

    // Behaviour 92
    @Test(arguments: WorldKind.allCases)
    func inputTakenAwayEndsTheRecording(kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone]) { world in
            let recorder = try await startRecording(in: world)
            try world.session.setCategory(.playback)
            try await world.until { recorder.status.state == .finished }
            #expect(recorder.status.cause == .noSuitableRoute)
            try expectReadableFile(of: recorder)
            recorder.stop()
        }
    }

    // Behaviour 113
    @Test(arguments: WorldKind.allCases)
    func pausedRecorderKeepsItsFileWithoutInput(kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone]) { world in
            let recorder = try await startRecording(in: world)
            let call = try await world.startForeignStream(role: "Phone")
            try await world.until { recorder.status.state == .paused }
            try world.session.setCategory(.playback)
            try await world.stopForeignStream(call)
            try await world.settle()
            #expect(recorder.status.state == .paused)
            #expect(throws: SessionError.self) { try recorder.record() }
            let before = recorder.status.duration
            try world.session.setCategory(.playAndRecord)
            try recorder.record()
            try await world.until { recorder.status.duration > before + 0.1 }
            recorder.stop()
            try expectReadableFile(of: recorder)
        }
    }
}
