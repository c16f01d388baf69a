import AudioFiles
import AudioModel
import Foundation
import SessionCore
import TestAudio
import TestSupport
import Testing

@testable import AudioRuntime
@testable import OpenAVFAudio
@testable import OpenAudioSession
@testable import SessionRuntime

/// Volumes of the server, mute switches of the app, and the data sources of a card, on either host.
@Suite(.serialized) struct VolumeContractTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(arguments: WorldKind.allCases)
    func outputVolume_followsTheDeviceInUse_andIsObserved(kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let session = world.session
            let volumes = History<Float>()
            let observation = session.observe(\.outputVolume, options: .new) { _, change in
                volumes.append(change.newValue ?? -1)
            }
            try await world.setVolume(PortVolume(level: 0.5), of: .speaker)
            try volumes.wait(for: "a half") { $0.last.map { abs($0 - 0.5) < 0.001 } ?? false }
            #expect(abs(session.outputVolume - 0.5) < 0.001)
            try await world.setVolume(PortVolume(level: 0.5, isMuted: true), of: .speaker)
            try volumes.wait(for: "silence") { $0.last == 0 }
            #expect(session.outputVolume == 0)
            try await world.setVolume(PortVolume(level: 0.8), of: .speaker)
            try volumes.wait(for: "more") { $0.last.map { abs($0 - 0.8) < 0.001 } ?? false }
            #expect(world.journal.events == [])
            observation.invalidate()
        }
    }

    @Test(arguments: WorldKind.allCases)
    func inputGain_setByTheApp_isTheServersOwn(kind: WorldKind) async throws {
        try await withWorld(kind, plugged: []) { world in
            let session = world.session
            // The virtual source of the rig has no volume; the route of the card's microphone has one.
            try await world.plugCardWithJack()
            if kind == .simulated { try await world.plug(.microphone) }
            try session.setCategory(.playAndRecord)
            try await world.app.wait(for: "an input with a volume") { state in
                state.route.inputs.contains { state.inventory.volumes[$0.uid] != nil }
            }
            #expect(session.isInputGainSettable)
            let gains = History<Float>()
            let observation = session.observe(\.inputGain, options: .new) { _, change in
                gains.append(change.newValue ?? -1)
            }
            try session.setInputGain(0.25)
            try gains.wait(for: "a quarter") { $0.last.map { abs($0 - 0.25) < 0.001 } ?? false }
            #expect(abs(session.inputGain - 0.25) < 0.001)
            try session.setInputGain(7)
            try gains.wait(for: "all") { $0.last == 1 }
            observation.invalidate()
            try session.setCategory(.playback)
            #expect(!session.isInputGainSettable)
            #expect(throws: (any Error).self) { try session.setInputGain(0.5) }
        }
    }

    @Test(arguments: WorldKind.allCases)
    func outputMute_silencesTheApp_andPostsItsChange(kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker], category: .playback) { world in
            let session = world.session
            let story = History<String>()
            let token = NotificationCenter.default.addObserver(
                forName: AVAudioSession.outputMuteStateChangeNotification, object: session, queue: nil
            ) { story.append("\($0.userInfo?[AVAudioSession.muteStateKey] as? Bool ?? false)") }
            defer { NotificationCenter.default.removeObserver(token) }
            _ = try await world.startPlaying(on: .speaker)
            try session.setOutputMuted(true)
            #expect(session.isOutputMuted)
            #expect(try await world.level(on: .speaker) < 0.001)
            try session.setOutputMuted(false)
            #expect(try await world.level(on: .speaker) > 0.1)
            try await world.settle()
            #expect(story.entries == ["true", "false"])
        }
    }

    @Test(arguments: WorldKind.allCases)
    func inputMute_recordsSilence_andTheLatencyIsTheStreams(kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .microphone], category: .playAndRecord) { world in
            let session = world.session
            let story = History<String>()
            let token = NotificationCenter.default.addObserver(
                forName: AVAudioApplication.inputMuteStateChangeNotification, object: AVAudioApplication.shared,
                queue: nil
            ) { story.append("\($0.userInfo?[AVAudioApplication.muteStateKey] as? Bool ?? false)") }
            defer { NotificationCenter.default.removeObserver(token) }
            try await world.speak(into: .microphone)
            #expect(session.inputLatency == 0)
            let silent = try await peak(in: world, muted: true)
            #expect(silent == 0)
            let loud = try await peak(in: world, muted: false)
            #expect(loud > 0.1)
            #expect(story.entries == ["true", "false"])
        }
    }

    /// The highest sample of a recording.
    private func peak(in world: any World, muted: Bool) async throws -> Float {
        try AVAudioSession.$taskSession.withValue(world.session) {
            try AVAudioApplication.shared.setInputMuted(muted)
            #expect(AVAudioApplication.shared.isInputMuted == muted)
        }
        let path = directory.path + "/\(muted).wav"
        let recorder = try FileRecorder(
            path: path, type: AudioFileType(container: .wav, coding: .integer(bits: 16)), sampleRate: 48_000,
            channels: [.left, .right], runtime: world.runtime, onChange: { _ in })
        try recorder.record()
        for _ in 0..<200 where recorder.status.duration < 0.3 { try await world.run(seconds: 0.05) }
        #expect(world.session.inputLatency > 0)
        recorder.stop()
        try await world.settle()
        let reader = try AVAudioFile(forReading: URL(fileURLWithPath: path))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: reader.processingFormat, frameCapacity: 9600))
        try reader.read(into: buffer)
        let channel = try #require(buffer.floatChannelData?[0])
        return (0..<Int(buffer.frameLength)).map { abs(channel[$0]) }.max() ?? 0
    }

    @Test(arguments: WorldKind.allCases)
    func dataSources_areTheRoutesOfOneCard(kind: WorldKind) async throws {
        try await withWorld(kind, plugged: []) { world in
            let session = world.session
            try session.setCategory(.playback)
            try await world.plugCardWithJack()
            try await world.app.wait(for: "two routes") {
                $0.route.outputs.map(\.kind) == [.headphones] && $0.inventory.alternatives.contains { $0.count == 2 }
            }
            let sources = try #require(session.outputDataSources)
            #expect(sources.count == 2 && Set(sources.map(\.dataSourceID)).count == 2)
            let headphones = try #require(session.outputDataSource)
            let speaker = try #require(sources.first { $0 != headphones })
            #expect(headphones.dataSourceName == session.currentRoute.outputs.first?.portName)
            try session.setOutputDataSource(speaker)
            try await world.app.wait(for: "the speaker") { $0.route.outputs.map(\.kind) == [.builtInSpeaker] }
            try session.setOutputDataSource(nil)
            #expect(throws: (any Error).self) { try session.setOutputDataSource(AVAudioSessionDataSourceDescription()) }
        }
    }
}

extension World {
    /// The user sets the volume of a device in a mixer; returns when the app knows.
    func setVolume(_ volume: PortVolume, of device: WorldDevice) async throws {
        let uid = try #require(runtime.state.inventory.ports.first { $0.kind == device.kind }?.uid)
        try runtime.host.setVolume(volume, ofPort: uid)
        try await app.wait(for: "the volume \(volume)") { state in
            state.inventory.volumes[uid].map { abs($0.level - volume.level) < 0.001 && $0.isMuted == volume.isMuted }
                ?? false
        }
    }
}
