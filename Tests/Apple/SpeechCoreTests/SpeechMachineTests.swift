import SpeechCore
import Testing

// Helpers: Support/SpeechBench.swift

/// One behaviour at a time; what holds whatever happens is in `SpeechScriptTests`.
struct SpeechMachineTests {
    /// A bench that speaks: the player plays, and nothing is on its way.
    private func speaking(_ texts: [Text] = [.words(3)], heard frames: Int64 = 500) -> SpeechBench {
        var bench = SpeechBench()
        for text in texts { bench.add(text) }
        bench.settle()
        hear(frames, &bench)
        return bench
    }

    private func hear(_ frames: Int64, _ bench: inout SpeechBench) {
        bench.play(frames: frames)
        bench.reach()
        bench.settle()
    }

    /// Everything that can be opened is opened, and the step that starts the player is next.
    private func stopBeforeStart(_ bench: inout SpeechBench) {
        for _ in 0..<100 {
            guard let thread = bench.threads.indices.last else { return }
            if case .effect(.startPlayer)? = bench.threads[thread].last { return }
            bench.step(thread)
        }
    }

    @Test func utterances_areSpokenInOrder_withEachWord() {
        var bench = speaking([.words(2), Text(passages: [1], framesBefore: 2_000, framesAfter: 500), .silent])
        #expect(bench.told == ["1 started", "1 0.0"])
        #expect(bench.machine.isSpeaking && !bench.machine.isPaused)
        hear(1_000, &bench)
        #expect(bench.told.suffix(1) == ["1 0.1"])
        // The silence before the second one.
        hear(1_500, &bench)
        #expect(bench.told.suffix(1) == ["1 finished"])
        hear(10_000, &bench)
        #expect(
            bench.told == [
                "1 started", "1 0.0", "1 0.1", "1 finished", "2 started", "2 0.0", "2 finished", "3 started",
                "3 finished",
            ])
        #expect(bench.machine.isIdle && !bench.machine.isSpeaking && bench.violations == [])
        // The two words, the silence before the second one, its word and the silence after it.
        #expect(bench.soundedFrames == 2_000 + 2_000 + 1_000 + 500)
    }

    @Test func withNothingToSay_eachRequestIsRefused() {
        var bench = SpeechBench()
        bench.pause(.immediate)
        bench.pause(.word)
        bench.resume()
        bench.stop(.immediate)
        bench.stop(.word)
        bench.settle()
        #expect(bench.answers == Array(repeating: false, count: 5))
        #expect(bench.told == [] && bench.violations == [])
    }

    // MARK: Pause and continue

    @Test func pause_isTold_afterThePlayerIsPaused() {
        var bench = speaking()
        bench.pause(.immediate)
        let last = bench.effects.last
        #expect(last?.first == .pausePlayer(PlayerID(of: bench)))
        #expect(last?.dropFirst() == [.tell(.paused, UtteranceID(number: 1)), .answer(true)])
        bench.settle()
        #expect(bench.machine.isPaused && bench.machine.isSpeaking && bench.playing.isEmpty)
        bench.pause(.immediate)
        bench.resume()
        bench.settle()
        #expect(bench.answers == [true, false, true])
        hear(10_000, &bench)
        #expect(bench.told == ["1 started", "1 0.0", "1 paused", "1 continued", "1 0.1", "1 0.2", "1 finished"])
        #expect(bench.violations == [])
    }

    @Test func pauseAtAWord_finishesTheWord_andContinuesWithTheNext() {
        var bench = speaking()
        bench.pause(.word)
        bench.settle()
        #expect(bench.machine.phase == .pausing && !bench.machine.isPaused && bench.told.count == 2)
        hear(5_000, &bench)
        #expect(bench.soundedFrames == 1_000)
        #expect(bench.told == ["1 started", "1 0.0", "1 paused"] && bench.machine.isPaused)
        bench.resume()
        bench.settle()
        hear(5_000, &bench)
        #expect(bench.told.dropFirst(3) == ["1 continued", "1 0.1", "1 0.2", "1 finished"])
        #expect(bench.soundedFrames == 3_000 && bench.violations == [])
    }

    /// The word's end was not reached: no pause was heard, and none is reported.
    @Test func pauseAtAWord_takenBackInTime_isNotTold() {
        var bench = speaking()
        bench.pause(.word)
        bench.settle()
        bench.resume()
        bench.settle()
        hear(5_000, &bench)
        #expect(bench.told == ["1 started", "1 0.0", "1 0.1", "1 0.2", "1 finished"])
        #expect(bench.answers == [true, true] && bench.violations == [])
    }

    /// The player has reached the word when the app continues: what is left is spoken by another player.
    @Test func pauseAtAWord_takenBackTooLate_losesNoWord() {
        var bench = speaking()
        bench.pause(.word)
        while !bench.threads.isEmpty { bench.step(0) }
        bench.play(frames: 5_000)
        bench.resume()
        bench.settle()
        #expect(bench.machine.phase == .speaking && bench.playing.count == 1)
        hear(5_000, &bench)
        #expect(bench.told == ["1 started", "1 0.0", "1 0.1", "1 0.2", "1 finished"])
        #expect(bench.soundedFrames == 3_000 && bench.violations == [])
    }

    @Test func pauseAtTheLastWord_thenAnotherUtterance_finishesBothWhenContinued() {
        var bench = speaking([.words(2)], heard: 1_500)
        bench.pause(.word)
        bench.settle()
        hear(5_000, &bench)
        #expect(bench.told.suffix(1) == ["1 paused"])
        bench.readAhead()
        bench.add(.words(1))
        bench.settle()
        #expect(bench.machine.isPaused)
        bench.resume()
        bench.settle()
        hear(5_000, &bench)
        #expect(bench.told.suffix(5) == ["1 continued", "1 finished", "2 started", "2 0.0", "2 finished"])
        #expect(bench.violations == [])
    }

    @Test func pause_beforeThereIsSound_holdsThePlayer() {
        var bench = SpeechBench()
        bench.add(.words(2))
        bench.pause(.word)
        bench.settle()
        #expect(bench.told == ["1 paused"] && bench.playing.isEmpty)
        bench.resume()
        bench.settle()
        hear(5_000, &bench)
        #expect(bench.told == ["1 paused", "1 continued", "1 started", "1 0.0", "1 0.1", "1 finished"])
    }

    /// The start is carried out behind the pause.
    @Test func pause_whileThePlayerIsStarted_pausesIt() {
        var bench = SpeechBench()
        bench.add(.words(3))
        stopBeforeStart(&bench)
        bench.pause(.immediate)
        while bench.threads.count > 1 { bench.step(bench.threads.count - 1) }
        #expect(bench.playing.isEmpty)
        bench.settle()
        #expect(bench.playing.isEmpty && bench.machine.isPaused)
        hear(5_000, &bench)
        #expect(bench.soundedFrames == 0 && bench.violations == [])
    }

    @Test func pause_inTheSilenceAfterTheLastUtterance_isRefused_andTheNextIsSpoken() {
        var bench = speaking([Text(passages: [1], framesAfter: 4_000)], heard: 2_000)
        #expect(bench.told == ["1 started", "1 0.0", "1 finished"] && !bench.machine.isSpeaking)
        bench.pause(.immediate)
        // An interruption: nothing is paused, since nothing is left to say.
        bench.interrupt()
        bench.settle()
        #expect(bench.answers == [false] && bench.machine.isIdle)
        bench.add(.words(1))
        bench.settle()
        hear(5_000, &bench)
        #expect(bench.told.suffix(3) == ["2 started", "2 0.0", "2 finished"] && bench.violations == [])
    }

    // MARK: The session

    @Test func interruption_pauses_untilTheAppContinues_andACallRefusesThat() {
        var bench = speaking()
        bench.interrupt()
        bench.settle()
        #expect(bench.told.suffix(1) == ["1 paused"] && bench.machine.isPaused)
        bench.refuses = true
        bench.resume()
        bench.settle()
        #expect(bench.answers == [false] && bench.machine.isPaused && bench.said == ["a call"])
        bench.refuses = false
        bench.resume()
        bench.settle()
        hear(5_000, &bench)
        #expect(bench.answers == [false, true])
        #expect(bench.told.suffix(4) == ["1 continued", "1 0.1", "1 0.2", "1 finished"] && bench.violations == [])
    }

    /// Decision 60: before the player is opened, while it is opened, before it is started.
    @Test func loss_beforeThePlayerPlays_pausesSpeech() {
        for steps in 0..<10 {
            var bench = SpeechBench()
            bench.add(.words(3))
            for _ in 0..<steps where !bench.threads.isEmpty { bench.step(bench.threads.count - 1) }
            bench.lose()
            bench.settle()
            hear(5_000, &bench)
            #expect(bench.soundedFrames == 0 && bench.told == ["1 paused"], "after \(steps) steps: \(bench.told)")
            bench.resume()
            bench.settle()
            hear(5_000, &bench)
            #expect(bench.told.last == "1 finished" && bench.violations == [], "after \(steps) steps: \(bench.told)")
        }
    }

    /// The request to continue is newer than the loss: also the players that are opened after it play.
    @Test func loss_duringAPause_countsNoMoreOnceTheAppContinues() {
        var bench = SpeechBench()
        bench.add(.words(1))
        bench.pause(.immediate)
        bench.lose()
        bench.settle()
        bench.resume()
        bench.settle()
        hear(500, &bench)
        bench.readAhead()
        bench.add(.words(1))
        bench.settle()
        hear(5_000, &bench)
        hear(5_000, &bench)
        #expect(
            bench.told == [
                "1 paused", "1 continued", "1 started", "1 0.0", "1 finished", "2 started", "2 0.0", "2 finished",
            ])
    }

    /// The second utterance has a sound of its own; the request was that for the first one.
    @Test func loss_betweenTwoSounds_pausesTheSecond() {
        var bench = speaking([.words(1)], heard: 500)
        bench.readAhead()
        bench.add(.words(1))
        bench.play(frames: 5_000)
        bench.lose()
        bench.settle()
        #expect(bench.told == ["1 started", "1 0.0", "1 finished", "2 paused"] && bench.playing.isEmpty)
        bench.resume()
        bench.settle()
        hear(5_000, &bench)
        #expect(bench.told.suffix(4) == ["2 continued", "2 started", "2 0.0", "2 finished"])
    }

    @Test func playerThatFails_cancelsEachUtterance_andTheNextBeginsAfresh() {
        var bench = speaking([.words(2), .words(1)])
        bench.fail("the server is gone")
        bench.settle()
        #expect(bench.told == ["1 started", "1 0.0", "1 cancelled", "2 cancelled"])
        #expect(bench.said == ["the server is gone"] && bench.machine.isIdle)
        bench.refuses = true
        bench.add(.words(1))
        bench.settle()
        #expect(bench.told.suffix(1) == ["3 cancelled"] && bench.said.suffix(1) == ["a call"])
        bench.refuses = false
        bench.add(.words(1))
        bench.settle()
        hear(5_000, &bench)
        #expect(bench.told.suffix(3) == ["4 started", "4 0.0", "4 finished"] && bench.violations == [])
    }

    // MARK: Stop

    @Test func stop_cancelsWhatIsSpoken_andDropsTheOthers() {
        var bench = speaking([.words(3), .words(1)])
        bench.stop(.immediate)
        bench.settle()
        #expect(bench.told == ["1 started", "1 0.0", "1 cancelled"] && bench.machine.isIdle && bench.playing.isEmpty)
        #expect(bench.answers == [true] && bench.violations == [])
    }

    @Test func stopAtAWord_finishesTheWord_andSpeaksWhatIsGivenAfterIt() {
        var bench = speaking([.words(3), .words(1)])
        bench.stop(.word)
        bench.settle()
        bench.add(.words(1))
        // A stop cannot be taken back.
        bench.resume()
        bench.pause(.immediate)
        bench.settle()
        #expect(bench.answers == [true, false, false] && bench.machine.isSpeaking)
        hear(5_000, &bench)
        #expect(bench.soundedFrames == 1_000)
        #expect(bench.told == ["1 started", "1 0.0", "1 cancelled"])
        hear(5_000, &bench)
        #expect(bench.told.suffix(3) == ["3 started", "3 0.0", "3 finished"] && bench.violations == [])
    }

    @Test func stopAtAWord_thenALoss_cancels_andWhatWasGivenBeforeTheLossIsPaused() {
        var bench = speaking()
        bench.stop(.word)
        bench.add(.words(1))
        bench.settle()
        bench.lose()
        bench.settle()
        #expect(bench.told == ["1 started", "1 0.0", "1 cancelled", "2 paused"] && bench.playing.isEmpty)
    }

    @Test func stop_whileItStopsAtAWord_dropsAll() {
        var bench = speaking()
        bench.stop(.word)
        bench.add(.words(1))
        bench.stop(.word)
        bench.settle()
        #expect(bench.told == ["1 started", "1 0.0", "1 cancelled"] && bench.machine.isIdle)
        #expect(bench.answers == [true, true] && bench.violations == [])
    }

    /// The engine's answer for an utterance that was stopped has no sound to go to.
    @Test func stop_whileTheEngineIsAsked_dropsItsAnswer_andTheSameMakerMakesTheNext() {
        var bench = SpeechBench()
        bench.add(.words(1))
        while !bench.isAsking { bench.step(bench.threads.count - 1) }
        bench.stop(.immediate)
        bench.add(.words(2))
        bench.settle()
        hear(5_000, &bench)
        #expect(bench.told == ["2 started", "2 0.0", "2 0.1", "2 finished"])
        #expect(bench.soundedFrames == 2_000 && bench.violations == [])
        #expect(bench.events.count { $0 == .makerStarted } == 1)
    }

    // MARK: The engine

    @Test func voiceThatFails_cancelsEach_andIsReportedOnce() {
        var bench = SpeechBench()
        bench.add(.failing)
        bench.add(.failing)
        bench.add(.words(1))
        bench.settle()
        hear(5_000, &bench)
        #expect(bench.told == ["1 cancelled", "2 cancelled", "3 started", "3 0.0", "3 finished"])
        #expect(bench.said == ["no voice"] && bench.violations == [])
    }

    @Test func voiceThatFailsWithinAnUtterance_cancelsItWhereItsSoundEnds() {
        var bench = speaking([Text(passages: [1, 1], failingPassage: 1)])
        #expect(bench.told == ["1 started", "1 0.0"])
        hear(5_000, &bench)
        #expect(bench.told == ["1 started", "1 0.0", "1 cancelled"] && bench.machine.isIdle)
    }

    /// 21 passages of one second, and one more for each second that is heard.
    @Test func sound_isMade20SecondsAhead() {
        let second = SpeechMachine.sampleRate
        var bench = SpeechBench()
        bench.add(Text(passages: Array(repeating: 1, count: 60), wordFrames: second))
        bench.settle()
        #expect(bench.events.count { if case .passageSpoken = $0 { true } else { false } } == 20)
        hear(second / 2, &bench)
        #expect(bench.events.count { if case .passageSpoken = $0 { true } else { false } } == 21)
        hear(second, &bench)
        #expect(bench.events.count { if case .passageSpoken = $0 { true } else { false } } == 22)
    }

    @Test func utterance_addedAfterTheEndWasRead_getsASoundOfItsOwn() {
        var bench = speaking([.words(1)])
        let first = bench.machine.sound
        bench.readAhead()
        bench.add(.words(1))
        bench.settle()
        #expect(bench.machine.sound == first)
        hear(5_000, &bench)
        #expect(bench.machine.sound != first)
        hear(5_000, &bench)
        #expect(bench.told == ["1 started", "1 0.0", "1 finished", "2 started", "2 0.0", "2 finished"])
        #expect(bench.violations == [])
    }

    @Test func nextNotice_isTheFrameOfTheNextMark_andNoneDuringAPause() {
        var bench = speaking([.words(2)])
        #expect(bench.machine.nextNoticeFrame == 1_000)
        bench.pause(.immediate)
        bench.settle()
        #expect(bench.machine.nextNoticeFrame == nil)
    }
}

extension SpeechBench {
    /// The engine is asked for a passage.
    fileprivate var isAsking: Bool { if case .speaking = machine.making { true } else { false } }
}

extension PlayerID {
    /// The open player of a bench.
    fileprivate init(of bench: SpeechBench) { self = bench.machine.player.open! }
}
