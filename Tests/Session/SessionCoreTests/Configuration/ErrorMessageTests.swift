import AudioModel
import SessionCore
import Testing

/// The errors that a session answers with, word by word: the value, what is allowed, the next step.
struct ErrorMessageTests {
    private func refusal(
        _ bench: inout Bench, _ fact: (CallID) -> SessionFact, sourceLocation: SourceLocation = #_sourceLocation
    ) -> String? {
        bench.feed(fact(bench.call())).silentExceptReply.replyError(sourceLocation: sourceLocation)?.message
    }

    @Test func inputGain_namesWhatIsMissing() {
        var bench = Bench([Ports.speaker, Ports.mic], output: Ports.speaker)
        #expect(
            refusal(&bench) { .inputGainRequested($0, 1) }
                == "The input gain cannot be set: the route has no input in category playback. Set record or playAndRecord, "
                + "and connect a microphone.")
        bench.configure(SessionConfiguration(category: .record))
        #expect(
            refusal(&bench) { .inputGainRequested($0, 1) }
                == "The input \"mic\" has no gain that the server could set. Check isInputGainSettable first.")
        bench.feed(
            .host(
                .inventoryChanged(
                    Inventory(ports: [Ports.mic], volumes: [Ports.mic.uid: PortVolume(level: 1)]))))
        #expect(refusal(&bench) { .inputGainRequested($0, .nan) } == "The input gain is not a number. Allowed: 0 to 1.")
    }

    @Test func outputMute_namesTheMode() {
        var bench = Bench([Ports.speaker, Ports.mic], output: Ports.speaker)
        bench.configure(Bench.call)
        #expect(
            refusal(&bench) { .outputMuteRequested($0, true) }
                == "The output cannot be muted in category playAndRecord with mode voiceChat. Set mode default first.")
    }

    @Test func override_namesTheCategoryOrTheOutputs() {
        var bench = Bench([Ports.headphones], output: Ports.headphones)
        #expect(
            refusal(&bench) { .outputOverrideRequested($0, .speaker) }
                == "The output cannot be overridden in category playback. Allowed category: playAndRecord. Set category "
                + "playAndRecord first.")
        bench.configure(SessionConfiguration(category: .playAndRecord))
        #expect(
            refusal(&bench) { .outputOverrideRequested($0, .speaker) }
                == "The output cannot be overridden to the speaker: this machine has no built-in speaker now. Available "
                + "outputs: \"headphones\". Keep the present route.")
    }

    @Test func preferredInput_namesTheInputs() {
        var bench = Bench([Ports.speaker, Ports.mic], output: Ports.speaker, category: .record)
        #expect(
            refusal(&bench) { .inputPreferred($0, uid: "tape\n") }
                == "The input \"tape\u{FFFD}\" cannot be preferred: it is not among availableInputs. Available inputs: \"mic\". "
                + "Choose one of these, or nil for no preference; category record is set.")
    }

    @Test func outputChoice_namesTheOutputs() {
        var bench = Bench([Ports.speaker, Ports.mic], output: Ports.speaker)
        #expect(
            refusal(&bench) { .outputChosenByApp($0, .port(uid: "tape")) }
                == "No output \"tape\" is connected, or category playback cannot use it. Available outputs: \"speaker\" "
                + "(\(PortKind.builtInSpeaker)). Choose one of these, or connect the device first.")
        #expect(
            refusal(&bench) { .outputChosenByApp($0, .kind(.hdmi)) }
                == "No output of type \(PortKind.hdmi) is connected, or category playback cannot use it. Available outputs: "
                + "\"speaker\" (\(PortKind.builtInSpeaker)). Choose one of these, or connect the device first.")
        bench.plug([Ports.mic])
        #expect(
            refusal(&bench) { .outputChosenByApp($0, .kind(.hdmi)) }
                == "No output of type \(PortKind.hdmi) is connected, or category playback cannot use it. Available outputs: "
                + "none. Choose one of these, or connect the device first.")
        bench.configure(SessionConfiguration(category: .record))
        #expect(
            refusal(&bench) { .outputChosenByApp($0, .kind(.hdmi)) }
                == "No output can be chosen in category record, which does not play. Set one that plays first.")
    }

    @Test func activation_namesTheCategoriesThatWork() {
        var bench = Bench([Ports.speaker], output: Ports.speaker, category: .record)
        #expect(
            refusal(&bench) { .activationRequested($0) }
                == "Category record needs an input, and none is connected. Connect a microphone, or set one of: ambient, "
                + "soloAmbient, playback, multiRoute.")
    }

    @Test func recorder_namesWhatIsMissing() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        let stream = bench.open(StreamPolicy(direction: .input))
        #expect(
            refusal(&bench) { .playRequested($0, stream, generation: 0) }
                == "Category playback does not record. Set one of: record, playAndRecord, multiRoute.")
        bench.configure(SessionConfiguration(category: .playAndRecord))
        #expect(
            refusal(&bench) { .playRequested($0, stream, generation: 0) }
                == "No input is connected. Connect a microphone and record again. Without one, these categories work: "
                + "ambient, soloAmbient, playback, multiRoute.")
    }

    @Test func missingPort_namesThosePresent() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        let stream = StreamID(number: 7)
        func failure(_ effects: [SessionEffect]) -> String? {
            for case .failPlayer(stream, let error) in effects { return error.message }
            return nil
        }
        #expect(
            failure(bench.feed(.streamOpened(stream, StreamPolicy(target: .port(uid: "tape")))))
                == "The output \"tape\" is not connected, or is no output for category playback. Available outputs: "
                + "\"speaker\". Name one of these, or connect the device and open the stream again.")
    }

    @Test func refusedPlay_saysWhatToDo() {
        var (bench, stream) = Bench.playing()
        bench.deactivate()
        #expect(
            bench.play(stream, generation: 0).replyError()?.message
                == "The session was interrupted or deactivated after this was asked, so the player was not started. Play "
                + "again if it is still wanted.")
        #expect(
            bench.play(StreamID(number: 99)).replyError()?.message
                == "The player's stream has been closed or has failed. Open the player again.")
    }

    @Test func waitWithoutRoute_endsWithAnError() {
        var bench = Bench([], category: .playback)
        let stream = bench.open()
        bench.activate()
        bench.play(stream)
        var texts: [String] = []
        for case .failPlayer(stream, let error) in bench.feed(.host(.timeReached(.zero)), after: 601) {
            texts.append(error.message)
        }
        #expect(
            texts == [
                "For 10 minutes there was no output that the player could use. Connect one, or choose a category that can "
                    + "use what is there, and open the player again."
            ])
    }

    @Test func overtakenActivation_saysSo() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        let waiting = bench.call()
        bench.feed(.activationRequested(waiting))
        var texts: [String?] = []
        for case .reply(waiting, let error) in bench.deactivate() { texts.append(error?.message) }
        #expect(
            texts == [
                "The session was deactivated before its activation was granted. Activate it again to sound."
            ])
    }

    @Test func call_namesTheProgram() {
        let rule =
            " holds a call, and category playback in mode default may not begin under one. Allowed: options that mix with "
            + "others, or playAndRecord in a chat mode. Wait for the recommendation to resume, then activate again."
        for (name, subject) in [("phone", "The program \"phone\""), ("", "Another program")] {
            var bench = Bench([Ports.speaker], output: Ports.speaker)
            _ = bench.join(Bench.call, name: name)
            #expect(bench.activate().silentExceptReply.replyError()?.message == subject + rule)
        }
    }

    @Test func preferences_nameTheValue() {
        var bench = Bench([Ports.speaker], output: Ports.speaker)
        var preferred = PreferredSettings()
        preferred.ioBufferDuration = -1
        #expect(
            refusal(&bench) { .preferencesStated($0, preferred) }
                == "A buffer of -1.0 seconds cannot be preferred. Allowed: 0 (no preference) and every finite duration above. "
                + "Choose one, 0.005 for instance.")
        preferred = PreferredSettings()
        preferred.sampleRate = .infinity
        #expect(
            refusal(&bench) { .preferencesStated($0, preferred) }
                == "A sample rate of inf Hz cannot be preferred. Allowed: 0 (no preference) and every finite rate above. "
                + "Choose one, 48000 for instance.")
    }
}

extension [SessionEffect] {
    /// The replies alone.
    fileprivate var silentExceptReply: [SessionEffect] {
        filter { if case .reply = $0 { true } else { false } }
    }
}
