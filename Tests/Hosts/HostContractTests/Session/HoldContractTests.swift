import AudioModel
import AudioRuntime
import SessionCore
import Testing

@testable import OpenAudioSession

/// What a session does while something outside holds its stream, on the simulated host and on a private PipeWire.
@Suite("Hold contract", .serialized)
struct HoldContractTests {
    /// The gate opens by a link and by nothing else: each release brings one.
    @Test(arguments: WorldKind.allCases)
    func hold_isAnInterruption_andEachReleasePlaysOn(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            for _ in 1...3 {
                let start = world.journal.count
                try await world.hold(.pausedNode)
                try await world.journal.wait(for: .player(.paused, .interruption), from: start)
                // What was on its way is over.
                try await world.run(seconds: 0.2)
                try await world.mark()
                // An intent, and no more.
                try player.play()
                try await world.run(seconds: 0.2)
                #expect(try await world.loudFrames(on: .speaker) == 0)
                #expect(player.status.suppression == .interruption)
                try await world.release(.pausedNode)
                try await world.journal.wait(for: .player(.playing, .user), from: start)
                try await world.untilHeard(on: .speaker)
            }
            player.close()
        }
    }

    /// Deactivated meanwhile, the session has nothing to resume: the next play links and sounds.
    @Test(arguments: WorldKind.allCases)
    func play_afterAHoldThatTheAppDidNotWaitFor_isHeard(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker]) { world in
            let player = try await world.startPlaying(on: .speaker)
            try await world.hold(.pausedNode)
            try await world.journal.wait(for: .player(.paused, .interruption))
            try world.session.setActive(false)
            try await world.release(.pausedNode)
            try await world.run(seconds: 0.2)
            try await world.mark()
            try await world.run(seconds: 0.2)
            #expect(try await world.loudFrames(on: .speaker) == 0)
            try player.play()
            try await world.untilHeard(on: .speaker)
            player.close()
        }
    }
}
