import SessionCore
import Testing

@testable import OpenAudioSession
@testable import audiosession

/// Several files at once, each on an output of its own; and channel maps.
@Suite struct ParallelFilesTests {
    private typealias Rig = PlayRunnerRig

    private func rig(_ names: [String] = ["a.wav", "b.wav"], onServerLoss: PlayPlan.ServerLoss? = nil) -> Rig {
        Rig(["a.wav": 4, "b.wav": 9], play: names, onServerLoss: onServerLoss) { plan in
            plan.items[0].output = FakeBackend.speaker
            plan.items[1].output = FakeBackend.headphones
        }
    }

    @Test func files_playAtOnce_eachBoundToItsOutput_untilBothHaveEnded() {
        let rig = rig()
        #expect(
            rig.backend.players.map(\.policy.target) == [
                .ports(uids: ["sim.speaker"]), .ports(uids: ["sim.headphones"]),
            ])
        rig.backend.players[0].run(seconds: 4)
        rig.settle()
        #expect(!rig.runner.isDone)
        #expect(rig.runner.nowPlaying?.tracks.map(\.title) == ["b.wav"])
        rig.backend.players[1].run(seconds: 9)
        rig.settle()
        #expect(rig.runner.isDone)
        #expect(!rig.runner.hasFailed)
        #expect(
            rig.story.dropFirst() == [
                "playing a.wav at 0:00", "playing b.wav at 0:00", "finished a.wav", "finished b.wav",
            ])
    }

    @Test func keys_actOnAllFiles() {
        let rig = rig()
        rig.press(.right, .down, .character(" "))
        #expect(rig.backend.players.map(\.status.position) == [3, 5])
        #expect(rig.backend.players.map(\.status.state) == [.paused, .paused])
        #expect(rig.backend.players.allSatisfy { $0.volume < 1 })
        rig.press(.character(" "))
        #expect(rig.backend.players.map(\.status.state) == [.playing, .playing])
        rig.runner.hold()
        #expect(rig.backend.players.map(\.status.state) == [.paused, .paused])
        rig.runner.release()
        #expect(rig.backend.players.map(\.status.state) == [.playing, .playing])
    }

    @Test func badFile_leavesTheOtherPlaying() {
        let rig = rig(["none.wav", "b.wav"])
        #expect(!rig.runner.isDone)
        #expect(rig.runner.hasFailed)
        #expect(rig.errors.lines == ["audiosession: there is no file 'none.wav'; check the path."])
    }

    @Test(arguments: [false, true])
    func lossOfTheServer_isTheEndOfBoth(eventFirst: Bool) {
        let rig = rig()
        rig.backend.loseServer(eventFirst: eventFirst)
        rig.settle()
        #expect(rig.runner.isDone)
        #expect(rig.errors.lines.count == 2)
        #expect(rig.story.suffix(2) == ["playing a.wav at 0:00", "playing b.wav at 0:00"])
    }

    @Test func returnOfTheServer_whileToldToResume_playsBothOn() {
        let rig = rig(onServerLoss: .resume)
        rig.backend.loseServer()
        rig.settle()
        rig.backend.restoreServer()
        rig.settle()
        #expect(rig.story.suffix(2) == ["playing a.wav at 0:00", "playing b.wav at 0:00"])
        #expect(rig.backend.players.count == 4)
    }

    // MARK: Choices before the run

    private let query = DeviceQuery(
        usable: [FakeBackend.headphones, FakeBackend.speaker],
        connected: [FakeBackend.headphones, FakeBackend.speaker],
        category: .multiRoute)

    @Test func outputsByNameUIDAndType_areFoundForEachFile() throws {
        let plan = PlayPlan(items: PlayPlan.items(["a.wav", "b.wav"]))
        for names in [["Cans", "sim.speaker"], ["headphones", "speaker"]] {
            let found = try plan.selecting(.perFile(names), in: query)
            #expect(found.items.map(\.output) == [FakeBackend.headphones, FakeBackend.speaker])
            #expect(found.queues.count == 2)
        }
    }

    @Test func outputOfTwoFiles_isRefusedWithBoth() {
        let plan = PlayPlan(items: PlayPlan.items(["a.wav", "b.wav"]))
        let error = #expect(throws: BackendError.self) {
            try plan.selecting(.perFile(["Cans", "headphones"]), in: query)
        }
        #expect(
            error?.message
                == "'Cans' is assigned to both 'a.wav' and 'b.wav'. Give each file its own output.")
    }

    // MARK: Channel maps

    @Test func map_isThatOfEachFile_untilItNoLongerFits() {
        let rig = Rig(["a.wav": 1, "mono.wav": 1, "c.wav": 9], play: ["a.wav", "mono.wav", "c.wav"]) {
            $0.channelMap = [1, -1]
        }
        rig.run(seconds: 1)
        #expect(rig.backend.players.map(\.channelMap) == [[1, -1], [1, -1]])
        rig.backend.players[1].resetChannelMap(outputChannels: 8)
        rig.settle()
        #expect(
            rig.story.last == "mono.wav: the channel map 1,-1 does not fit 8 output channels; using the default map")
        rig.run(seconds: 1)
        #expect(rig.backend.players[2].channelMap == nil)
    }

    @Test func mapThatDoesNotFit_isAnError() {
        let rig = Rig(["a.wav": 9], play: ["a.wav"]) { $0.channelMap = [0] }
        #expect(rig.errors.lines == ["audiosession: the map has 1 entries; give 2."])
        #expect(rig.runner.isDone)
        #expect(rig.runner.hasFailed)
    }
}
