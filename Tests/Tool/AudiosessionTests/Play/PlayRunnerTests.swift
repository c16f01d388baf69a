import AudioModel
import SessionCore
import Testing

@testable import AudioRuntime
@testable import audiosession

/// Whole runs on a fake backend: keys and devices in, lines out.
@Suite struct PlayRunnerTests {
    private typealias Rig = PlayRunnerRig

    @Test func pausesWhenHeadphonesLeave() {
        let rig = Rig(["a.wav": 8], play: ["a.wav"])
        rig.run(seconds: 2)
        rig.unplug()
        rig.plug()
        rig.press(.character(" "))
        rig.run(seconds: 6)
        #expect(
            rig.story == [
                "host pipewire; route: Cans (Headphones)",
                "playing a.wav at 0:00",
                "paused a.wav at 0:02: Cans left",
                "waiting: --on-unplug continue or quit would go on or end; playerctl play continues, Control-C ends",
                "Cans (Headphones) connected; now on Cans (Headphones)",
                "playing a.wav at 0:02",
                "finished a.wav",
            ])
        #expect(rig.runner.isDone)
        #expect(!rig.runner.hasFailed)
    }

    /// The next item is not local: it is opened while nothing sounds.
    @Test func headphonesLeaving_betweenTwoItems_pausesTheNextOne() throws {
        for policy in [DeviceLossPolicy.pause, .continue] {
            let (first, second) = ("http://a/1", "http://a/2")
            let items = try MediaList.items([FilePath(first), FilePath(second)])
            let rig = Rig(
                [first: 8, second: 8], play: [],
                policy: StreamPolicy(onDeviceLoss: policy, onInterruption: .pauseAndResume)
            ) { $0.items = items }
            rig.runAside()
            rig.run(seconds: 8)
            rig.unplug()
            rig.runAside()
            let goesOn = policy == .continue
            #expect(rig.backend.players.count == 2)
            #expect(rig.runner.nowPlaying?.isPlaying == goesOn)
            #expect(rig.story.contains { $0.hasSuffix("Cans left") } == !goesOn)
            if goesOn { continue }
            rig.press(.character(" "))
            #expect(rig.backend.players.last?.status.state == .playing)
            rig.run(seconds: 8)
            #expect(rig.runner.isDone && !rig.runner.hasFailed)
        }
    }

    /// While its first item is being opened, too; and a process that was stopped by its terminal goes on where its person wanted it.
    @Test func headphonesLeaving_whileNothingSounds_leavesItPaused() throws {
        let items = try MediaList.items([FilePath("http://a/1")])
        let rig = Rig(["http://a/1": 8], play: []) { $0.items = items }
        rig.unplug()
        rig.runAside()
        #expect(rig.backend.players.last?.status.state == .ready)
        #expect(rig.runner.nowPlaying?.blockReason == .outputLeft())
        let stopped = Rig(["a.wav": 8], play: ["a.wav"])
        stopped.runner.hold()
        stopped.unplug()
        stopped.runner.release()
        stopped.settle()
        #expect(stopped.backend.players.last?.status.state == .paused)
        stopped.press(.character(" "))
        #expect(stopped.backend.players.last?.status.state == .playing)
    }

    /// What its player reported before the loss is read after it.
    @Test func headphonesLeaving_afterAFailureThatWasNotReadYet_pausesTheNextItem() {
        let rig = Rig(["a.wav": 8, "b.wav": 8], play: ["a.wav", "b.wav"], isInteractive: true)
        for _ in 0..<2 { rig.runner.handle(.key(.character(" "))) }
        rig.backend.players[0].fail("a.wav is incomplete.")
        rig.backend.setHeadphones(false)
        rig.settle()
        #expect(rig.backend.players.map(\.status.state) == [.failed, .ready])
        #expect(rig.runner.nowPlaying?.tracks[0].title == "b.wav")
        #expect(rig.runner.nowPlaying?.blockReason == .outputLeft())
        rig.press(.character(" "))
        #expect(rig.backend.players[1].status.state == .playing)
    }

    @Test func headphonesLeaving_inATerminal_isOneLine() {
        let rig = Rig(["a.wav": 8], play: ["a.wav"], isInteractive: true)
        rig.run(seconds: 2)
        rig.unplug()
        #expect(rig.story.suffix(2) == ["playing a.wav at 0:00", "paused a.wav at 0:02: Cans left"])
    }

    @Test func headphonesLeaving_whileToldToQuit_endsTheRunWithAnError() {
        let rig = Rig(["a.wav": 8], play: ["a.wav"]) { $0.onUnplug = .quit }
        rig.unplug()
        #expect(
            rig.errors.lines == ["audiosession: the output was disconnected, and --on-unplug quit ends playback then."])
        #expect(rig.runner.isDone)
        #expect(rig.runner.hasFailed)
    }

    /// A script would wait for ever; who wants that says so.
    @Test func noOutput_inAScript_endsTheRunWithAnError() throws {
        let rig = Rig(["a.wav": 8], play: ["a.wav"], hasOutput: false) { $0.waitsForOutput = false }
        let due = try #require(rig.runner.wakeSeconds)
        #expect((10...).contains(due))
        rig.runner.wake()
        #expect(
            rig.errors.lines == [
                "audiosession: for 10 s there has been no output; connect one ('audiosession doctor' finds the reason), or "
                    + "wait for one with --wait."
            ])
        #expect(rig.runner.isDone && rig.runner.hasFailed && rig.runner.wakeSeconds == nil)
    }

    @Test func output_thatComesInTime_isPlayedOn() {
        let rig = Rig(["a.wav": 8], play: ["a.wav"], hasOutput: false) { $0.waitsForOutput = false }
        rig.plug()
        #expect(rig.story.contains("playing a.wav at 0:00"))
        #expect(rig.runner.wakeSeconds == nil)
        let late = Rig(["a.wav": 8], play: ["a.wav"], hasOutput: false) { $0.waitsForOutput = false }
        late.backend.setHeadphones(true)
        late.runner.wake()
        #expect(!late.runner.isDone)
    }

    @Test func noOutput_whereAPersonOrTheScriptWaits_endsNothing() {
        #expect(Rig(["a.wav": 8], play: ["a.wav"], hasOutput: false).runner.wakeSeconds == nil)
        let person = Rig(["a.wav": 8], play: ["a.wav"], isInteractive: true, hasOutput: false) {
            $0.waitsForOutput = false
        }
        #expect(person.runner.wakeSeconds == nil)
        let playing = Rig(["a.wav": 8], play: ["a.wav"]) { $0.waitsForOutput = false }
        #expect(playing.runner.wakeSeconds == nil)
    }

    @Test func headphonesLeaving_whilePaused_isTold() {
        let rig = Rig(["a.wav": 8], play: ["a.wav"])
        rig.press(.character(" "))
        rig.unplug()
        #expect(rig.story.last == "Cans (Headphones) disconnected; now on Speaker")
    }

    @Test func questionMark_opensAndClosesTheListOfKeys() throws {
        let rig = Rig(["a.wav": 8], play: ["a.wav"], isSimulated: true, isInteractive: true)
        func lines() throws -> [String] {
            let content = try #require(rig.runner.liveContent(hasKeys: true))
            return content(TerminalSize(columns: 80, rows: 24), .ascii).map { $0.rendered(inColor: false) }
        }
        #expect(try lines().last?.contains("? keys") == true)
        rig.press(.character("?"))
        #expect(try lines().contains("    m           mute"))
        #expect(try lines().contains("    c           a call comes in, or ends"))
        rig.press(.character("?"))
        #expect(try !lines().contains("    m           mute"))
    }

    @Test func headphonesLeaving_whileToldToContinue_pausesNothing() {
        let rig = Rig(["a.wav": 8], play: ["a.wav"], policy: StreamPolicy(onDeviceLoss: .continue))
        rig.unplug()
        #expect(rig.story.last == "Cans (Headphones) disconnected; now on Speaker")
        #expect(rig.runner.nowPlaying?.tracks[0].state == .playing)
    }

    @Test func badFileAmongGoodOnes_isNamedAndTheOthersPlay() {
        let rig = Rig(["a.wav": 1, "b.wav": 1], play: ["a.wav", "none.wav", "b.wav"])
        rig.run(seconds: 1)
        rig.run(seconds: 1)
        #expect(
            rig.story == [
                "host pipewire; route: Cans (Headphones)", "playing a.wav at 0:00", "finished a.wav",
                "playing b.wav at 0:00", "finished b.wav",
            ])
        #expect(rig.errors.lines == ["audiosession: there is no file 'none.wav'; check the path."])
        #expect(rig.runner.isDone)
        #expect(rig.runner.hasFailed)
        #expect(rig.backend.players.map(\.isClosed) == [true, true])
    }

    @Test func badFile_thatAPersonSkipsToWhilePaused_startsNothing() {
        let rig = Rig(["a.wav": 1, "c.wav": 1], play: ["a.wav", "none.wav", "c.wav"], isInteractive: true)
        rig.press(.character(" "), .character("n"))
        #expect(rig.errors.lines == ["audiosession: there is no file 'none.wav'; check the path."])
        #expect(rig.runner.nowPlaying?.tracks[0].title == "c.wav")
        #expect(rig.backend.players.map(\.status.state) == [.paused, .ready])
        rig.press(.character(" "))
        #expect(rig.backend.players[1].status.state == .playing)
    }

    @Test func failureWhilePlaying_isNamedAndTheNextFilePlays() {
        let rig = Rig(["a.wav": 9, "b.wav": 9], play: ["a.wav", "b.wav"])
        rig.backend.players[0].fail("the output is gone; choose another.")
        rig.settle()
        #expect(rig.errors.lines == ["audiosession: the output is gone; choose another."])
        #expect(rig.story.suffix(2) == ["playing a.wav at 0:00", "playing b.wav at 0:00"])
        #expect(rig.runner.nowPlaying?.tracks[0].place == "2 of 2")
        #expect(rig.runner.hasFailed)
    }

    @Test func refusalToPlay_afterAPause_isNamedAndTheRunGoesOn() {
        let rig = Rig(["a.wav": 9], play: ["a.wav"])
        rig.press(.character(" "))
        rig.backend.players[0].refuse(SessionError(.insufficientPriority, "a call is on; end it first."))
        rig.press(.character(" "))
        #expect(rig.errors.lines == ["audiosession: a call is on; nothing else plays or records until it ends."])
        #expect(!rig.runner.isDone)
        rig.backend.players[0].refuse(nil)
        rig.press(.character(" "))
        #expect(rig.runner.nowPlaying?.tracks[0].state == .playing)
    }

    @Test func arrows_seekByFiveSecondsWithinTheFile() {
        let rig = Rig(["a.wav": 12], play: ["a.wav"])
        var places: [Double?] = []
        for key in [Key.right, .right, .right, .left, .left, .left] {
            rig.press(key)
            places.append(rig.runner.nowPlaying?.tracks[0].position)
        }
        // The last second is heard.
        #expect(places == [5, 10, 11, 6, 1, 0])
    }

    @Test func upAndDown_changeTheVolumeWithinItsRange_andTheNextFileKeepsIt() {
        let rig = Rig(["a.wav": 1, "mono.wav": 1], play: ["a.wav", "mono.wav"], volume: 0.95)
        rig.press(.up, .up, .up)
        #expect(rig.backend.players[0].volume == 1)
        for _ in 0..<10 { rig.press(.down) }
        rig.run(seconds: 1)
        // Ten steps of 0.05 in single precision.
        #expect(abs(rig.backend.players[1].volume - 0.5) < 1e-6)
        for _ in 0..<20 { rig.press(.down) }
        #expect(rig.backend.players[1].volume == 0)
    }

    @Test func plugKeys_workOnTheSimulatedHostOnly() {
        let simulated = Rig(["a.wav": 9], play: ["a.wav"], isSimulated: true)
        simulated.press(.character("u"))
        #expect(simulated.runner.nowPlaying?.tracks[0].state == .paused)
        #expect(simulated.runner.nowPlaying?.route.outputs == [FakeBackend.speaker])
        simulated.press(.character("p"))
        #expect(simulated.runner.nowPlaying?.route.outputs == [FakeBackend.headphones])
        #expect(simulated.runner.nowPlaying?.tracks[0].state == .paused)

        let real = Rig(["a.wav": 9], play: ["a.wav"])
        real.press(.character("u"), .character("p"))
        #expect(real.runner.nowPlaying?.tracks[0].state == .playing)
    }

    @Test(arguments: [RunInput<PlayRunner.Report>.key(.character("q")), .signal(.leave)])
    func leaving_endsTheRunWithoutAnError(input: RunInput<PlayRunner.Report>) {
        let rig = Rig(["a.wav": 9, "b.wav": 9], play: ["a.wav", "b.wav"])
        rig.runner.handle(input)
        #expect(rig.runner.isDone)
        rig.runner.close()
        #expect(rig.backend.players.count == 1)
        #expect(rig.backend.players[0].isClosed)
        #expect(!rig.runner.hasFailed)
    }

    @Test func readerThatGoesAway_endsTheRunQuietly() {
        let rig = Rig(["a.wav": 9], play: ["a.wav"])
        rig.output.isClosed = true
        rig.unplug()
        #expect(rig.runner.isDone)
        #expect(!rig.runner.hasFailed)
        #expect(rig.errors.text.isEmpty)
    }

    @Test func stoppedProcess_isSilentAndPlaysOnAfterwards() {
        let rig = Rig(["a.wav": 9], play: ["a.wav"])
        rig.runner.hold()
        #expect(rig.backend.players[0].status.state == .paused)
        rig.runner.release()
        #expect(rig.backend.players[0].status.state == .playing)
    }

    @Test func stoppedProcess_whileThePersonHadPaused_staysPaused() {
        let rig = Rig(["a.wav": 9], play: ["a.wav"])
        rig.press(.character(" "))
        rig.runner.hold()
        rig.runner.release()
        #expect(rig.backend.players[0].status.state == .paused)
    }

    @Test func quietRun_writesErrorsOnly() {
        let rig = Rig(["a.wav": 1], play: ["none.wav", "a.wav"], style: .errorsOnly)
        rig.run(seconds: 1)
        #expect(rig.output.text.isEmpty)
        #expect(rig.errors.lines == ["audiosession: there is no file 'none.wav'; check the path."])
    }

    @Test func hostileFileName_reachesTheTerminalWithoutControls() {
        let name = "\u{1B}]0;x\u{07}.wav"
        let rig = Rig([name: 1], play: [name])
        #expect(rig.story.last == "playing \u{FFFD}]0;x\u{FFFD}.wav at 0:00")
    }

    @Test func lateReport_ofAnEarlierFile_isIgnored() {
        let rig = Rig(["a.wav": 1, "mono.wav": 9], play: ["a.wav", "mono.wav"])
        rig.run(seconds: 1)
        rig.backend.players[0].report(isWaiting: false)
        rig.settle()
        #expect(!rig.runner.isDone)
        #expect(rig.story.last == "playing mono.wav at 0:00")
    }

    // MARK: Without a gap

    @Test func filesWithTheSameChannels_shareAPlayer_andEachIsReported() {
        let rig = Rig(["a.wav": 1, "b.wav": 1, "c.wav": 1], play: ["a.wav", "b.wav", "c.wav"])
        for _ in 1...3 { rig.run(seconds: 1) }
        #expect(
            rig.story.dropFirst() == [
                "playing a.wav at 0:00", "finished a.wav", "playing b.wav at 0:00", "finished b.wav",
                "playing c.wav at 0:00", "finished c.wav",
            ])
        #expect(rig.backend.players.count == 1)
        #expect(rig.runner.isDone)
        #expect(!rig.runner.hasFailed)
    }

    @Test func joinedFile_isShownFromItsFirstFrame() {
        let rig = Rig(["a.wav": 1, "b.wav": 4], play: ["a.wav", "b.wav"])
        rig.run(seconds: 1)
        rig.run(seconds: 3)
        let track = rig.runner.nowPlaying?.tracks[0]
        #expect((track?.title, track?.place) == ("b.wav", "2 of 2"))
        #expect((track?.position, track?.duration) == (3, 4))
    }

    @Test func pause_asTheNextFileBegins_isShownForTheNextFile() {
        let rig = Rig(["a.wav": 1, "b.wav": 4], play: ["a.wav", "b.wav"])
        // The report of the pause is on its way when the next file begins.
        rig.backend.players[0].run(seconds: 1)
        rig.backend.players[0].pause()
        rig.settle()
        #expect(rig.story.suffix(3) == ["playing a.wav at 0:00", "finished a.wav", "paused b.wav at 0:00"])
        #expect(rig.runner.nowPlaying?.tracks[0].place == "2 of 2")
    }

    /// Its player is at the end of the second file, and that has not been reported.
    @Test func key_whileTheEndsOfTwoFilesAreOnTheirWay_endsEachOnce() {
        let rig = Rig(["a.wav": 1, "b.wav": 1], play: ["a.wav", "b.wav"])
        for _ in 1...2 { rig.backend.players[0].run(seconds: 1) }
        rig.press(.left)
        #expect(rig.story.dropFirst() == ["playing a.wav at 0:00", "finished a.wav", "finished b.wav"])
        #expect(rig.backend.players.count == 1)
        #expect(rig.runner.isDone)
    }

    @Test func joinedFileThatFails_isNamed_andTheNextOnePlays() {
        let rig = Rig(["a.wav": 1, "b.wav": 4, "c.wav": 1], play: ["a.wav", "b.wav", "c.wav"])
        rig.run(seconds: 1)
        rig.backend.players[0].fail("b.wav is incomplete.")
        rig.settle()
        #expect(rig.errors.lines == ["audiosession: b.wav is incomplete."])
        #expect(rig.story.suffix(2) == ["playing b.wav at 0:00", "playing c.wav at 0:00"])
    }

    // MARK: Next, previous, mute, speed, loops

    private func places(_ rig: Rig, _ keys: String) -> [String?] {
        keys.map { key in
            rig.press(.character(key))
            return rig.runner.nowPlaying?.tracks[0].place
        }
    }

    @Test func nextAndPrevious_moveThroughTheFiles() {
        let rig = Rig(["a.wav": 9, "b.wav": 9], play: ["a.wav", "b.wav"])
        #expect(places(rig, "nn") == ["2 of 2", "2 of 2"])
        rig.run(seconds: 4)
        // Its beginning first, then the file before it.
        #expect(places(rig, "b") == ["2 of 2"])
        #expect(rig.runner.nowPlaying?.tracks[0].position == 0)
        #expect(places(rig, "<<>") == ["1 of 2", "1 of 2", "2 of 2"])
        #expect(rig.runner.nowPlaying?.tracks[0].state == .playing)
    }

    @Test func previous_isNoRoundOfALoop() {
        let rig = Rig(["a.wav": 9, "b.wav": 9], play: ["a.wav", "b.wav"]) { $0.rounds = 2 }
        #expect(places(rig, "nbnnn") == ["2 of 2", "1 of 2", "2 of 2", "1 of 2", "2 of 2"])
    }

    @Test func loopOfPausedFiles_goesOn() {
        let rig = Rig(["a.wav": 9, "b.wav": 9], play: ["a.wav", "b.wav"]) { $0.rounds = nil }
        rig.press(.character(" "))
        #expect(places(rig, "nnnnn") == ["2 of 2", "1 of 2", "2 of 2", "1 of 2", "2 of 2"])
        #expect(rig.runner.nowPlaying?.isPlaying == false)
    }

    @Test func pauseFromTheDesktop_whileAnAddressIsOpened_isKept() throws {
        let address = "http://example.org/live"
        let items = try MediaList.items([FilePath(address)])
        let rig = Rig([address: 9], play: []) { $0.items = items }
        rig.runner.handle(.remote(.pause))
        rig.runAside()
        #expect(rig.runner.nowPlaying?.isPlaying == false)
        rig.press(.character(" "))
        #expect(rig.story.last == "playing \(address) at 0:00")
    }

    @Test func chapters_areShown_andKeysGoToThem() {
        let rig = Rig(["book.m4b": 30, "a.wav": 9], play: ["book.m4b", "a.wav"])
        func now() -> String {
            let track = rig.runner.nowPlaying?.tracks[0]
            return "\(track?.chapter ?? "-") at \(Int(track?.position ?? -1))"
        }
        #expect(now() == "1/3 Part 0 at 0" && rig.runner.nowPlaying?.hasChapters == true)
        rig.press(.character("."))
        #expect(now() == "2/3 Part 1 at 10")
        rig.press(.character("."), .character("."))
        #expect(now() == "3/3 Part 2 at 20")
        rig.run(seconds: 4)
        rig.press(.character(","))
        #expect(now() == "3/3 Part 2 at 20")
        rig.press(.character(","))
        #expect(now() == "2/3 Part 1 at 10")
        rig.press(.character(","), .character(","))
        #expect(now() == "1/3 Part 0 at 0")
        rig.press(.character("n"), .character("."), .character(","))
        #expect(now() == "- at 0" && rig.runner.nowPlaying?.hasChapters == false)
    }

    @Test func next_whilePaused_staysPaused() {
        let rig = Rig(["a.wav": 9, "b.wav": 9], play: ["a.wav", "b.wav"])
        rig.press(.character(" "), .character("n"))
        #expect(rig.runner.nowPlaying?.tracks[0].title == "b.wav")
        #expect(rig.runner.nowPlaying?.isPlaying == false)
        rig.press(.character(" "))
        #expect(rig.story.last == "playing b.wav at 0:00")
    }

    @Test func mute_keepsTheVolume_andHoldsForTheNextFile() {
        let rig = Rig(["a.wav": 1, "mono.wav": 9], play: ["a.wav", "mono.wav"], volume: 0.5)
        rig.press(.character("m"))
        rig.run(seconds: 1)
        #expect(rig.backend.players.map(\.volume) == [0, 0])
        #expect(rig.runner.nowPlaying?.isMuted == true)
        rig.press(.character("m"))
        #expect(rig.backend.players[1].volume == 0.5)
    }

    @Test func speed_changesInTenths_withinItsRange() {
        let rig = Rig(["a.wav": 1, "mono.wav": 9], play: ["a.wav", "mono.wav"])
        #expect(rig.backend.players[0].rate == nil)
        rig.press(.character("]"), .character("]"))
        rig.run(seconds: 1)
        #expect(rig.backend.players.map(\.rate) == [1.2, 1.2])
        rig.press(.backspace)
        #expect(rig.backend.players[1].rate == nil)
        for _ in 0..<20 { rig.press(.character("[")) }
        #expect(rig.backend.players[1].rate == 0.25)
    }

    @Test func loopOfSeveralFiles_beginsAgain_andOneOfUnplayableFilesEnds() {
        let rig = Rig(["a.wav": 1, "b.wav": 1], play: ["a.wav", "b.wav"]) { $0.rounds = 2 }
        for _ in 1...4 { rig.run(seconds: 1) }
        #expect(rig.story.count { $0.hasPrefix("playing") } == 4)
        #expect(rig.runner.isDone)
        let endless = Rig([:], play: ["none.wav", "nor.wav"]) { $0.rounds = nil }
        #expect(endless.runner.isDone)
        #expect(endless.errors.lines.count == 2)
    }

    @Test func loopOfOneFile_isThatOfItsPlayer() {
        #expect(Rig(["a.wav": 1], play: ["a.wav"]) { $0.rounds = 3 }.backend.players[0].repetitions == 2)
        #expect(Rig(["a.wav": 1], play: ["a.wav"]) { $0.rounds = nil }.backend.players[0].repetitions == -1)
    }

    @Test func startBehindTheEnd_isAnError() {
        let rig = Rig(["a.wav": 60, "b.wav": 60], play: ["a.wav", "b.wav"]) { $0.startSeconds = 61 }
        #expect(rig.errors.lines == ["audiosession: 'a.wav' has 1:00, and --start is 1:01; give an earlier time."])
        #expect(rig.story.last == "playing b.wav at 0:00")
    }

    @Test func address_isOpenedAside_andShownMeanwhile() throws {
        let address = "http://example.org/live"
        let items = try MediaList.items([FilePath(address)])
        let rig = Rig([address: 9], play: []) { $0.items = items }
        #expect(rig.runner.nowPlaying?.blockReason == .opening)
        #expect(rig.backend.players.isEmpty)
        rig.runAside()
        #expect(rig.runner.nowPlaying?.blockReason == nil)
        #expect(rig.story.last == "playing \(address) at 0:00")
    }

    @Test func address_isOpened_withThePlansTrust() throws {
        let address = "https://example.org/song.flac"
        let items = try MediaList.items([FilePath(address)])
        let rig = Rig([address: 9], play: []) { plan in
            plan.items = items
            plan.trust = .anyServer
        }
        rig.runAside()
        #expect(rig.backend.trusts == [.anyServer])
    }

    /// The server sends too little at first, and once more later.
    @Test func address_isToldOnce_whenItsSoundHasCome() throws {
        let address = "http://example.org/song.flac"
        let items = try MediaList.items([FilePath(address)])
        let rig = Rig([address: 9], play: []) { $0.items = items }
        let told = rig.story.count
        rig.runAside()
        let player = try #require(rig.backend.players.last)
        #expect(rig.story.count == told + 1)
        for isWaiting in [true, false, true, false] {
            player.report(isWaiting: isWaiting)
            rig.settle()
            #expect(rig.runner.nowPlaying?.blockReason == (isWaiting ? .waitingForServer : nil))
        }
        #expect(rig.story.count { $0.hasPrefix("playing") } == 1)
        player.pause()
        rig.settle()
        #expect(rig.story.last == "paused \(address) at 0:00")
    }

    @Test func startOfAStation_isAnError() throws {
        let address = "http://example.org/radio"
        let items = try MediaList.items([FilePath(address)])
        let rig = Rig([address: 9], play: []) {
            $0.items = items
            $0.startSeconds = 5
        }
        rig.runAside()
        #expect(
            rig.errors.lines == [
                "audiosession: '\(address)' is a live stream, which has a present only; leave out --start."
            ])
    }

    @Test func addressThatIsLeft_whileItIsOpened_isNotOpened() throws {
        let address = "http://example.org/live"
        let items = try MediaList.items([FilePath(address), "a.wav"])
        let rig = Rig([address: 9, "a.wav": 9], play: []) { $0.items = items }
        rig.press(.character("n"))
        #expect(rig.story.last == "playing a.wav at 0:00")
        rig.runAside()
        #expect(rig.backend.players.map(\.isClosed) == [false])
    }

    @Test func notesOfALibrary_areOneLineForEachFile() {
        let rig = Rig(["a.mp3": 9], play: ["a.mp3"])
        for _ in 1...3 { rig.runner.handle(.note("Note: Trying to resync...", time: 1)) }
        #expect(rig.story.suffix(2) == ["playing a.mp3 at 0:00", "a.mp3 may be damaged: Note: Trying to resync..."])
    }
}
