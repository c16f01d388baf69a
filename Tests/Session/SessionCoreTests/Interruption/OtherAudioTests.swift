import AudioModel
import Foundation
import SessionCore
import Testing

/// Ducking, mixing, hints, foreign streams and held ones.
struct OtherAudioTests {
    // Behaviour 46
    @Test func duckLowersThenRestores() {
        var (bench, stream) = Bench.playing()
        let (serial, effects) = bench.join(Bench.ducking)
        #expect(effects == [.setGain(stream, 0.2)])
        #expect(bench.leave(serial, notifying: true) == [.setGain(stream, 1)])
    }

    @Test func duck_bySeveral_lastsUntilTheLastHasGone() {
        var (bench, stream) = Bench.playing()
        let (first, _) = bench.join(Bench.ducking)
        let (second, none) = bench.join(Bench.ducking)
        #expect(none == [])
        #expect(bench.leave(first, notifying: true) == [])
        #expect(bench.run(roles: "Alarm") == [])
        #expect(bench.leave(second, notifying: false) == [])
        #expect(bench.run() == [.setGain(stream, 1)])
    }

    @Test func duck_betweenTwoThatDuck_lowersTheEarlier() {
        var (early, stream) = Bench.playing(Bench.ducking)
        #expect(early.join(Bench.ducking).1 == [.setGain(stream, 0.2)])
        var late = Bench([Ports.speaker], output: Ports.speaker)
        late.configure(Bench.ducking)
        let other = late.open()
        #expect(late.join(Bench.ducking).1 == [], "without a claim it has no serial")
        #expect(late.activate().contains(.setGain(other, 0.2)) == false)
    }

    // Behaviour 47
    /// Who ducks others and came before us lowers us only where we do not duck them.
    @Test(arguments: [(Bench.mixing, Float(0.2)), (Bench.ducking, Float(1))])
    func duck_byAnEarlierSession_lowersWhoDoesNotDuck(configuration: SessionConfiguration, gain: Float) {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.configure(configuration)
        _ = bench.join(Bench.ducking)
        let stream = bench.open()
        bench.activate()
        bench.play(stream)
        #expect(bench.record(stream)?.isStarted == true)
        #expect(bench.record(stream)?.gain == gain)
    }

    /// Only of a session that mixes: another one interrupts.
    @Test func streamThatDucksOthers_isInTheClaim_whileItSounds() {
        var (bench, _) = Bench.playing(Bench.mixing)
        let voice = bench.open(StreamPolicy(ducksOthers: true))
        let plain = bench.state.configuration
        bench.play(voice)
        #expect(bench.state.isDuckingOthers && bench.state.claimedConfiguration.ducksOthers)
        #expect(bench.allEffects.last { $0.claim != nil }?.claim?.ducksOthers == true)
        bench.grant()
        bench.pause(voice)
        #expect(bench.state.claimedConfiguration == plain)
        #expect(bench.allEffects.last { $0.claim != nil }?.claim == plain)
        var (alone, _) = Bench.playing()
        alone.play(alone.open(StreamPolicy(ducksOthers: true)))
        #expect(!alone.state.isDuckingOthers)
    }

    @Test func duckWhilePausedAlsoRestored() {
        var (bench, stream) = Bench.playing()
        bench.pause(stream)
        let (serial, lowered) = bench.join(Bench.ducking)
        #expect(lowered == [.setGain(stream, 0.2)])
        #expect(bench.leave(serial, notifying: true) == [.setGain(stream, 1)])
        #expect(bench.play(stream).silent == [.startPlayer(stream)])
    }

    // Behaviour 48
    @Test func abandonWhileDuckedRestoresVolume() {
        var (bench, stream) = Bench.playing()
        let (serial, _) = bench.join(Bench.ducking)
        bench.deactivate()
        bench.leave(serial, notifying: false)
        #expect(bench.allEffects.contains(.setGain(stream, 1)))
        bench.play(stream)
        bench.grant()
        #expect(bench.record(stream)?.gain == 1)
    }

    @Test func newPlayer_whileDucked_startsLow() {
        var (bench, _) = Bench.playing()
        let (serial, _) = bench.join(Bench.ducking)
        let second = bench.open()
        #expect(bench.effects.last?.last == .setGain(second, 0.2))
        let deaf = bench.open(StreamPolicy(onInterruption: .ignore))
        #expect(bench.effects.last == [.linkStream(deaf, [Ports.headphones])], "it is not ducked")
        #expect(bench.leave(serial, notifying: true).count == 2)
    }

    @Test func closedPlayer_isToldOfNoVolume_whenTheDuckEnds() {
        var (bench, stream) = Bench.playing()
        let other = bench.open()
        let (serial, _) = bench.join(Bench.ducking)
        bench.feed(.streamClosed(stream))
        #expect(bench.leave(serial, notifying: true) == [.setGain(other, 1)])
    }

    /// Its claim is the later one from then on.
    @Test func loweredSession_thatDucksOthersInstead_isAtItsFullVolume() {
        var (bench, stream) = Bench.playing(Bench.mixing)
        _ = bench.join(Bench.ducking)
        #expect(bench.record(stream)?.gain == 0.2)
        bench.configure(Bench.ducking)
        #expect(bench.grant().contains(.setGain(stream, 1)))
    }

    // Behaviour 49
    @Test func speechPausesInsteadOfDucking() {
        var (bench, stream) = Bench.playing(Bench.speech)
        let (serial, effects) = bench.join(Bench.prompt)
        #expect(effects.first == .suppressPlayer(stream, .interruption))
        #expect(!effects.contains(.setGain(stream, 0.2)))
        #expect(bench.leave(serial, notifying: true).last == .postInterruptionEnded(shouldResume: true))
        #expect(bench.grant().withoutWaitingClaim.first == .startPlayer(stream))

        var (music, _) = Bench.playing()
        #expect(music.join(Bench.prompt).1 == [], "only spoken audio makes way")
    }

    // Behaviour 50
    @Test func silenceHintOnlyForegroundAndActive() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.configure(SessionConfiguration(category: .ambient))
        let (serial, quiet) = bench.join(Bench.music)
        #expect(quiet == [])
        #expect(bench.state.secondaryAudioShouldBeSilenced)
        bench.activate()
        #expect(bench.leave(serial, notifying: true) == [.postSilenceSecondaryAudioHint(begins: false)])
        let (again, _) = bench.join(Bench.music, isPlaying: false)
        #expect(bench.effects.last == [])
        let playing = Peer(serial: again, configuration: Bench.music, isPlaying: true)
        #expect(bench.feed(.host(.peerChanged(playing))) == [.postSilenceSecondaryAudioHint(begins: true)])
        bench.deactivate()
        #expect(bench.leave(again, notifying: false) == [])
    }

    @Test func heldProgram_isSilent_butItsCallIsUnderWay() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.configure(SessionConfiguration(category: .ambient))
        bench.activate()
        func run(_ role: String, isHeld: Bool) -> [SessionEffect] {
            bench.feed(.host(.foreignStreamsChanged([ForeignStream(id: 1, role: role, isHeld: isHeld)])))
        }
        #expect(run("Music", isHeld: false) == [.postSilenceSecondaryAudioHint(begins: true)])
        #expect(run("Music", isHeld: true) == [.postSilenceSecondaryAudioHint(begins: false)])
        #expect(!bench.state.isOtherAudioPlaying)
        #expect(run("Alarm", isHeld: true) == [])
        _ = run("Phone", isHeld: true)
        #expect(bench.state.isOtherCallUnderWay)
    }

    // Behaviour 110
    @Test func silentCall_interruptsWhenItIsHeard_andUntilItStops() {
        var (bench, _) = Bench.playing()
        func run(isSilent: Bool) -> [SessionEffect] {
            bench.feed(.host(.foreignStreamsChanged([ForeignStream(id: 1, role: "Phone", isSilent: isSilent)])))
        }
        #expect(run(isSilent: true) == [])
        #expect(!bench.state.isOtherCallUnderWay && !bench.state.isOtherAudioPlaying)
        #expect(run(isSilent: false).last == .postInterruptionBegan(.default))
        // A person mutes the others in the middle of it.
        #expect(run(isSilent: true) == [])
        #expect(bench.state.isOtherCallUnderWay)
        #expect(bench.run().last == .postInterruptionEnded(shouldResume: true))
        // The next one is another stream.
        #expect(bench.feed(.host(.foreignStreamsChanged([ForeignStream(id: 2, role: "Phone", isSilent: true)]))) == [])
    }

    // Behaviours 111 and 112
    @Test func silentProgram_lowersNothing_andIsNoOtherAudio() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.configure(SessionConfiguration(category: .ambient))
        bench.activate()
        func run(_ role: String, isSilent: Bool) -> [SessionEffect] {
            bench.feed(.host(.foreignStreamsChanged([ForeignStream(id: 1, role: role, isSilent: isSilent)])))
        }
        #expect(run("Music", isSilent: true) == [] && !bench.state.isOtherAudioPlaying)
        #expect(run("Music", isSilent: false) == [.postSilenceSecondaryAudioHint(begins: true)])
        #expect(run("Music", isSilent: true) == [.postSilenceSecondaryAudioHint(begins: false)])
        _ = run("Alarm", isSilent: true)
        #expect(!bench.state.isDucked)
        _ = run("Alarm", isSilent: false)
        #expect(bench.state.isDucked)
    }

    /// A trace of an earlier version says nothing of it.
    @Test func streamOfAnOldTrace_isHeard() throws {
        let text = #"{"id":3,"name":"mpv","isHeld":true,"role":"Music"}"#
        let stream = try JSONDecoder().decode(ForeignStream.self, from: Data(text.utf8))
        #expect(stream == ForeignStream(id: 3, role: "Music", name: "mpv", isHeld: true))
        let silent = ForeignStream(id: 4, isSilent: true)
        #expect(try JSONDecoder().decode(ForeignStream.self, from: JSONEncoder().encode(silent)) == silent)
    }

    // Behaviour 51
    @Test func hintTracksNonMixableOnly() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.configure(SessionConfiguration(category: .ambient))
        bench.activate()
        #expect(bench.join(Bench.mixing).1 == [])
        #expect(bench.state.isOtherAudioPlaying)
        #expect(!bench.state.secondaryAudioShouldBeSilenced)
    }

    @Test(arguments: [
        ("Music", true, true), ("movie", true, true), (nil, true, true), ("Strange", true, true),
        ("Game", true, false), ("Production", true, false), ("Test", false, false), ("Notification", true, false),
        ("Communication", true, true),
    ])
    func foreignStream_byItsRole_isOtherAudio(_ role: String?, isOther: Bool, isHint: Bool) {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        bench.run(roles: role)
        #expect(bench.state.isOtherAudioPlaying == isOther)
        #expect(bench.state.secondaryAudioShouldBeSilenced == isHint)
        bench.run()
        #expect(!bench.state.isOtherAudioPlaying)
    }

    // Behaviour 52: the side of the one that leaves; the others' side is 24 and 25.
    @Test func notifyOthersResumesThem() {
        for notifies in [true, false] {
            var (bench, _) = Bench.playing()
            #expect(
                bench.deactivate(notifyOthers: notifies).contains(
                    .release(ClaimID(number: 1), notifyOthers: notifies)))
            var (interrupted, _) = Bench.playing()
            let (serial, _) = interrupted.join(Bench.music)
            #expect(
                interrupted.leave(serial, notifying: notifies).contains(
                    .postInterruptionEnded(shouldResume: notifies)))
        }
    }

    // Behaviour 53
    @Test func corkOnlyReversesWhatItDid() {
        var (bench, stream) = Bench.playing()
        bench.pause(stream)
        bench.run(roles: "Phone")
        let effects = bench.run()
        #expect(effects.withoutWaitingClaim == [.postInterruptionEnded(shouldResume: true)])
        #expect(bench.state.stage == .inactive)
    }

    // Behaviour 54
    @Test func streamStartingDuringTriggerIsSilenced() {
        var (bench, _) = Bench.playing()
        bench.run(roles: "Phone")
        let music = bench.open()
        #expect(bench.play(music).silent == [.suppressPlayer(music, .interruption)])
        #expect(!bench.effects.suffix(2).flatMap { $0 }.contains { $0.isStart })
    }

    @Test func foreignCall_interruptsAndResumes() {
        var (bench, stream) = Bench.playing()
        let began = bench.run(roles: "Music", "Phone")
        #expect(began.starts(with: [.suppressPlayer(stream, .interruption)]))
        #expect(bench.run(roles: "Phone", "Phone") == [], "a second stream of the call")
        let ended = bench.run(roles: "Music")
        #expect(ended.last == .postInterruptionEnded(shouldResume: true))

        var (call, _) = Bench.playing(Bench.call)
        #expect(call.run(roles: "Phone").last == .postInterruptionBegan(.default), "of two calls the later one wins")
        #expect(call.activate().contains(.postBecameActive), "and may be overruled by the app")
        var (mixing, _) = Bench.playing(Bench.mixing)
        #expect(mixing.run(roles: "Phone").last == .postInterruptionBegan(.default), "a call interrupts everyone")
    }

    @Test func alarm_underACallOfOurs_doesNotDuckIt() {
        var (bench, _) = Bench.playing(Bench.call)
        #expect(bench.run(roles: "Alarm") == [])
    }

    // MARK: Held streams

    @Test func heldStream_isAnInterruption() {
        var (bench, stream) = Bench.playing()
        #expect(
            bench.feed(.host(.streamHeld(stream))) == [
                .suppressPlayer(stream, .interruption), .release(ClaimID(number: 1), notifyOthers: false),
                .postInterruptionBegan(.default),
            ])
        #expect(
            bench.feed(.host(.streamReleased(stream))) == [
                .linkStream(stream, [Ports.headphones]), .claim(ClaimID(number: 2), Bench.music),
                .postInterruptionEnded(shouldResume: true),
            ])
        #expect(bench.grant().first == .startPlayer(stream))
    }

    @Test func heldStream_thatEndsInstead_endsTheInterruptionWithoutResumption() {
        var (bench, held) = Bench.playing()
        let other = bench.open()
        bench.play(other)
        bench.feed(.host(.streamHeld(held)))
        #expect(
            bench.feed(.streamClosed(held))
                == [.pausePlayer(other, .interruption), .postInterruptionEnded(shouldResume: false)])
    }

    @Test func heldStream_whoseDeviceLeaves_doesNotGoOnAloud() {
        var (bench, stream) = Bench.playing()
        bench.feed(.host(.streamHeld(stream)))
        let effects = bench.plug([Ports.speaker], output: Ports.speaker)
        #expect(effects.first == .pausePlayer(stream, .oldDeviceUnavailable))
        #expect(!effects.contains(.linkStream(stream, [Ports.speaker])))
        #expect(
            bench.feed(.host(.streamReleased(stream)))
                == [.linkStream(stream, [Ports.speaker]), .postInterruptionEnded(shouldResume: false)])
        #expect(bench.state.stage == .inactive)
    }

    /// The host takes a held stream off a port that goes; a release is not told then.
    @Test func heldStream_thatTheHostSilences_isHeldNoMore() {
        var (bench, stream) = Bench.playing()
        bench.feed(.host(.streamHeld(stream)))
        let effects = bench.plug(
            [Ports.speaker], output: Ports.speaker, losses: [PortLoss(stream, portUID: Ports.headphones.uid)])
        #expect(effects.first == .pausePlayer(stream, .oldDeviceUnavailable))
        #expect(effects.contains(.linkStream(stream, [Ports.speaker])))
        #expect(effects.last == .postInterruptionEnded(shouldResume: false))
        #expect(bench.play(stream).contains { $0.isClaim })
        #expect(bench.grant().first == .startPlayer(stream))
    }

    /// The host tells of a lost port before the inventory that says what is left.
    @Test func heldStream_whosePortIsLost_isHeldNoMoreBeforeTheInventory() {
        var (bench, stream) = Bench.playing()
        bench.feed(.host(.streamHeld(stream)))
        #expect(
            bench.feed(.host(.portLost(PortLoss(stream, portUID: Ports.headphones.uid))))
                == [.pausePlayer(stream, .oldDeviceUnavailable), .postInterruptionEnded(shouldResume: false)])
    }

    @Test func heldStream_withoutAnyPortLeft_isHeldNoMore() {
        var (bench, stream) = Bench.playing()
        bench.feed(.host(.streamHeld(stream)))
        bench.plug([])
        #expect(bench.state.interruption == nil)
        #expect(bench.plug([Ports.speaker], output: Ports.speaker).contains(.linkStream(stream, [Ports.speaker])))
        #expect(bench.feed(.host(.streamReleased(stream))) == [])
        bench.play(stream)
        #expect(bench.grant().first == .startPlayer(stream))
    }

    @Test func stream_heldAgainAsSoonAsItIsLinked_isSilentUntilItsLastRelease() {
        var (bench, stream) = Bench.playing()
        for _ in 1...3 {
            bench.feed(.host(.streamHeld(stream)))
            #expect(bench.feed(.host(.streamReleased(stream))).contains(.linkStream(stream, [Ports.headphones])))
            bench.feed(.host(.streamHeld(stream)))
            #expect(!bench.grant().contains { $0.isStart })
            bench.deactivate()
            bench.feed(.host(.streamReleased(stream)))
            bench.play(stream)
            #expect(bench.grant().contains(.startPlayer(stream)))
        }
    }

    @Test func heldStream_thatTheAppActivatesUnder_staysSilentUntilItsRelease() {
        var (bench, stream) = Bench.playing()
        bench.feed(.host(.streamHeld(stream)))
        #expect(!bench.activate().contains { $0.isStart })
        #expect(
            bench.feed(.host(.streamReleased(stream)))
                == [.linkStream(stream, [Ports.headphones]), .startPlayer(stream)])
    }
}

extension SessionEffect {
    /// What a claim that goes up says.
    fileprivate var claim: SessionConfiguration? { if case .claim(_, let said) = self { said } else { nil } }
}
