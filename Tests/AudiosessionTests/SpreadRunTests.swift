import SessionCore
import Testing

@testable import OpenAVFAudio
@testable import audiosession

/// Several files at once, each on an output of its own; and channel maps.
@Suite struct SpreadRunTests {
    private typealias Rig = PlayRunnerRig

    private func rig(_ names: [String] = ["a.wav", "b.wav"], onServerLoss: PlayPlan.ServerLoss? = nil) -> Rig {
        Rig(["a.wav": 4, "b.wav": 9], play: names, onServerLoss: onServerLoss) { plan in
            plan.items[0].output = FakeStudio.speaker
            plan.items[1].output = FakeStudio.headphones
        }
    }

    @Test func files_playAtOnce_eachBoundToItsOutput_untilBothHaveEnded() {
        let rig = rig()
        #expect(
            rig.studio.players.map(\.policy.target) == [
                .ports(uids: ["sim.speaker"]), .ports(uids: ["sim.headphones"]),
            ])
        rig.studio.players[0].run(seconds: 4)
        rig.settle()
        #expect(!rig.runner.isDone)
        #expect(rig.runner.nowPlaying?.tracks.map(\.title) == ["b.wav"])
        rig.studio.players[1].run(seconds: 9)
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
        #expect(rig.studio.players.map(\.status.position) == [4, 5])
        #expect(rig.studio.players.map(\.status.state) == [.paused, .paused])
        #expect(rig.studio.players.allSatisfy { $0.volume < 1 })
        rig.press(.character(" "))
        #expect(rig.studio.players.map(\.status.state) == [.playing, .playing])
        rig.runner.hold()
        #expect(rig.studio.players.map(\.status.state) == [.paused, .paused])
        rig.runner.release()
        #expect(rig.studio.players.map(\.status.state) == [.playing, .playing])
    }

    @Test func badFile_leavesTheOtherPlaying() {
        let rig = rig(["none.wav", "b.wav"])
        #expect(!rig.runner.isDone)
        #expect(rig.runner.hasFailed)
        #expect(rig.errors.lines == ["audiosession: there is no file 'none.wav'; check the path."])
    }

    @Test(arguments: [false, true])
    func lossOfTheServer_isTheEndOfBoth(newsFirst: Bool) {
        let rig = rig()
        rig.studio.loseServer(newsFirst: newsFirst)
        rig.settle()
        #expect(rig.runner.isDone)
        #expect(rig.errors.lines.count == 2)
        #expect(rig.story.filter { $0.hasPrefix("failed") } == ["failed a.wav at 0:00", "failed b.wav at 0:00"])
        #expect(rig.story.contains("media services lost: the sound server went away"))
    }

    @Test func returnOfTheServer_whileToldToResume_playsBothOn() {
        let rig = rig(onServerLoss: .resume)
        rig.studio.loseServer()
        rig.settle()
        rig.studio.restoreServer()
        rig.settle()
        #expect(rig.story.suffix(2) == ["playing a.wav at 0:00", "playing b.wav at 0:00"])
        #expect(rig.studio.players.count == 4)
    }

    // MARK: Choices before the run

    private let query = DeviceQuery(
        usable: [FakeStudio.headphones, FakeStudio.speaker], connected: [FakeStudio.headphones, FakeStudio.speaker],
        category: .multiRoute)

    @Test func outputsByNameUIDAndType_areFoundForEachFile() throws {
        let plan = PlayPlan(items: PlayPlan.items(["a.wav", "b.wav"]))
        for names in [["Cans", "sim.speaker"], ["headphones", "speaker"]] {
            let found = try plan.following(.perFile(names), among: query)
            #expect(found.items.map(\.output) == [FakeStudio.headphones, FakeStudio.speaker])
            #expect(found.lanes.count == 2)
        }
    }

    @Test func outputOfTwoFiles_isRefusedWithBoth() {
        let plan = PlayPlan(items: PlayPlan.items(["a.wav", "b.wav"]))
        let error = #expect(throws: StudioError.self) {
            try plan.following(.perFile(["Cans", "headphones"]), among: query)
        }
        #expect(
            error?.message
                == "'Cans' is to play both 'a.wav' and 'b.wav'. Give each file an output of its own.")
    }

    // MARK: Channel maps

    @Test func map_isThatOfEachFile_untilItNoLongerFits() {
        let rig = Rig(["a.wav": 1, "b.wav": 1, "c.wav": 9], play: ["a.wav", "b.wav", "c.wav"]) {
            $0.channelMap = [1, -1]
        }
        rig.run(seconds: 1)
        #expect(rig.studio.players.map(\.channelMap) == [[1, -1], [1, -1]])
        rig.studio.players[1].resetChannelMap(outputChannels: 8)
        rig.settle()
        #expect(rig.story.last == "b.wav: the channel map 1,-1 does not fit 8 channels; the default is back")
        rig.run(seconds: 1)
        #expect(rig.studio.players[2].channelMap == nil)
    }

    @Test func mapThatDoesNotFit_isAnError() {
        let rig = Rig(["a.wav": 9], play: ["a.wav"]) { $0.channelMap = [0] }
        #expect(rig.errors.lines == ["audiosession: the map has 1 entries; give 2."])
        #expect(rig.runner.isDone)
        #expect(rig.runner.hasFailed)
    }
}
