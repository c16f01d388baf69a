import AudioModel
import Foundation
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAudioSession

/// Short sounds of an app's interface, on the simulated host and on a private PipeWire.
@Suite("System sounds contract", .serialized)
struct SystemSoundContractTests {
    private func create(_ music: Music) throws -> SystemSoundID {
        var id: SystemSoundID = 0
        #expect(AudioServicesCreateSystemSoundID(URL(filePath: music.path) as CFURL, &id) == kAudioServicesNoError)
        return try #require(id == 0 ? nil : id)
    }

    private func play(_ id: SystemSoundID, in world: any World, _ ends: History<String>) {
        AVAudioSession.$taskSession.withValue(world.session) {
            AudioServicesPlaySystemSoundWithCompletion(id) { ends.append("end") }
        }
    }

    @Test(arguments: WorldKind.allCases)
    func systemSound_soundsWithoutAnActiveSession_andTellsItsEnd(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker], category: .ambient) { world in
            let music = try Music(seconds: 1)
            let id = try create(music)
            let ends = History<String>()
            play(id, in: world, ends)
            // Taken away, it plays to its end.
            #expect(AudioServicesDisposeSystemSoundID(id) == kAudioServicesNoError)
            try await world.untilHeard(on: .speaker)
            while ends.entries.isEmpty { try await world.run(seconds: 0.1) }
            #expect(ends.entries == ["end"])
            withExtendedLifetime(music) {}
        }
    }

    @Test(arguments: WorldKind.allCases)
    func systemSound_whileItsOutputLeaves_ends_andNothingReachesTheSpeaker(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones], category: .ambient) { world in
            let music = try Music(seconds: 25)
            let id = try create(music)
            let ends = History<String>()
            play(id, in: world, ends)
            try await world.untilHeard(on: .headphones)
            try await world.mark()
            try await world.unplug(.headphones)
            try await world.waitForRoute(.speaker)
            while ends.entries.isEmpty { try await world.run(seconds: 0.1) }
            try await world.run(seconds: 0.3)
            try await world.settle()
            #expect(try await world.loudFrames(on: .speaker) == 0)
            #expect(ends.entries == ["end"])
            AudioServicesDisposeSystemSoundID(id)
            withExtendedLifetime(music) {}
        }
    }
}
