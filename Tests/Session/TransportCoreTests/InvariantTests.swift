import AudioModel
import Testing
import TransportCore

/// The checker must be able to fire: each rule is broken once, with the effects of a machine that has that fault.
struct InvariantTests {
    private static let pause = TransportEvent.paused(.output, .user)
    private static let loss = TransportEvent.paused(.output, .oldDeviceUnavailable)

    /// Runs `events` through a true machine, lets `tamper` change the last effects, and returns the violations.
    private func violations(
        _ kind: TransportKind, _ events: [TransportEvent], after other: [TransportEvent]? = nil,
        tamper: (inout [TransportEffect]) -> Void = { _ in }
    ) -> [String] {
        var machine = TransportMachine(kind)
        var invariants = TransportInvariants(kind)
        for (index, event) in events.enumerated() {
            let before = machine
            var effects = machine.apply(event)
            if index == events.count - 1 {
                tamper(&effects)
                if let other {
                    machine = TransportMachine(kind)
                    for event in other { _ = machine.apply(event) }
                }
            }
            invariants.check(event, effects: effects, before: before, after: machine)
        }
        #expect(invariants.stepCount == events.count)
        return invariants.violations
    }

    private let playing: [TransportEvent] = [.streamOpened(.output), .playRequested(), .started(.output)]
    private let playingEngine: [TransportEvent] = [
        .streamOpened(.input), .streamOpened(.output), .playRequested(), .started(.input), .started(.output),
    ]

    @Test func trueMachine_violatesNothing() {
        #expect(violations(.player, playing + [Self.loss]) == [])
    }

    @Test func missingStop_isFound() {
        let found = violations(.player, playing + [Self.loss]) { $0.removeAll { $0 == .stopStream(.output) } }
        #expect(found.contains("step 4: a stream runs after a loss"))
        #expect(found.contains("step 4: the output stream is running, and the machine says stopped"))
        #expect(found.contains("step 4: a cut comes before the stop of a stream"))
        #expect(found.contains { $0.hasSuffix("and a stream runs") })
    }

    @Test func fadeOnALostDevice_isFound() {
        let found = violations(.player, playing + [Self.loss]) { $0[0] = .beginFade }
        #expect(found.contains("step 4: it faded on a device that is gone"))
        #expect(found.contains("step 4: it began to fade, and does not"))
    }

    @Test func fadeOfWhatDoesNotPlay_isFound() {
        let found = violations(.player, [.streamOpened(.output), Self.pause]) { $0.append(.beginFade) }
        #expect(found.first == "step 2: it began to fade, and did not play")
    }

    @Test func reports_missingDoubleOrWrong_areFound() {
        #expect(
            violations(.player, playing + [Self.loss]) { $0.remove(at: 1) }.first?.hasSuffix("was not reported") == true
        )
        #expect(
            violations(.player, playing + [Self.loss]) { $0.append($0[1]) }.contains(
                "step 4: 2 reports for one event"))
        #expect(
            violations(.player, playing + [Self.loss]) { $0[1] = .report(TransportStatus(.finished)) }.first?.hasPrefix(
                "step 4: reported") == true)
        #expect(
            violations(.engine, playingEngine + [Self.loss]) { $0.insert(.report(TransportStatus(.paused)), at: 3) }
                .contains("step 6: an engine reports nothing"))
    }

    @Test func wrongOrder_isFound() {
        let found = violations(.player, playing + [Self.loss]) { $0.swapAt(0, 2) }
        #expect(found.first?.hasPrefix("step 4: effects out of order") == true)
    }

    @Test func doubleEffect_isFound() {
        let found = violations(.player, playing) { $0.append($0.last!) }
        #expect(found.first?.hasPrefix("step 3: an effect comes twice") == true)
    }

    @Test func startOfAClosedStream_isFound() {
        let found = violations(.player, [.started(.output)]) { $0.append(.startStream(.output)) }
        #expect(found.contains("step 1: started the output stream, which is not open"))
        #expect(found.contains("step 1: started the output stream without intent"))
    }

    @Test func stopOfAStreamThatRests_isFound() {
        let found = violations(.player, [.streamOpened(.output), Self.loss]) { $0.append(.stopStream(.output)) }
        #expect(found.first == "step 2: stopped the output stream, which does not run")
    }

    @Test func intent_fromNowhereOrLost_isFound() {
        #expect(
            violations(
                .player, [.streamOpened(.output), .fadeFinished], after: [.streamOpened(.output), .playRequested()])
                == ["step 2: it is meant to play, and was not asked: fadeFinished"])
        #expect(
            violations(
                .player, [.streamOpened(.output), .playRequested(), .fadeFinished], after: [.streamOpened(.output)])
                == ["step 3: it is not meant to play any more, for no reason: fadeFinished"])
    }

    @Test func illegalExit_isFound() {
        let found = violations(
            .recorder, [.streamOpened(.input), .closeRequested, .fileClosed(failure: nil), .started(.input)],
            after: [.streamOpened(.input), .started(.input)])
        #expect(found.contains { $0.contains("has no exit to playing") })
        let changed = violations(
            .player, [.failed(Bench.deviceFailed), .fadeFinished], after: [.failed(Bench.serverLost)])
        #expect(changed.contains { $0.contains("became failed") })
    }

    @Test func seekWithAnotherGeneration_isFound() {
        let found = violations(.player, playing + [.seekRequested(toSeconds: 1)]) {
            $0[0] = .seek(toSeconds: 1, generation: 7)
        }
        #expect(found == ["step 4: a seek has the generation 7, not 1"])
        let loops = violations(.player, playing + [.playRequested()]) { $0.insert(.restartLoops, at: 0) }
        #expect(loops == ["step 4: loops restarted, no seek"])
    }

    @Test func staleEnd_withAnEffect_isFound() {
        let found = violations(.player, playing + [.sourceEnded(.complete, generation: 9)]) {
            $0.append(.tellSessionStopped(.output))
        }
        #expect(found.contains("step 4: a stale end had an effect"))
        #expect(found.contains("step 4: told the session that it stopped, and it plays"))
    }

    @Test func fileClosedTwiceOrNever_isFound() {
        let recording: [TransportEvent] = [.streamOpened(.input), .started(.input), .closeRequested]
        #expect(violations(.recorder, recording) { $0.removeLast() } == ["step 3: closed the file 0 times"])
        #expect(
            violations(.player, playing) { $0.append(.closeFile) }.contains("step 3: a player has no file to close"))
    }

    @Test func configurationChange_missingOrUndue_isFound() {
        let told = playingEngine + [.deviceShapeChanged, .sessionEventApplied]
        #expect(violations(.engine, told) { $0 = [] } == ["step 7: posted 0 configuration changes, not 1"])
        #expect(
            violations(.engine, playingEngine) { $0.append(.postConfigurationChange) }
                == ["step 5: posted 1 configuration changes, not 0"])
        #expect(
            violations(.player, playing) { $0.append(.postConfigurationChange) }
                == ["step 3: a player posts no configuration change"])
    }

    @Test func captureThatNobodyAskedFor_isFound() {
        let found = violations(
            .engine, [.streamOpened(.input), .streamOpened(.output), .playRequested(), .playRefused]
        ) {
            $0.append(.startStream(.input))
        }
        #expect(found.contains("step 4: it captures unasked"))
    }

    @Test func closeOfAStreamThatIsNone_isFound() {
        let found = violations(.engine, [.failed(Bench.deviceFailed)]) { $0.insert(.closeStream(.input), at: 0) }
        #expect(found == ["step 1: closed the input stream, which is not open"])
        let told = violations(.engine, [.failed(Bench.deviceFailed)]) { $0.append(.tellSessionStopped(.input)) }
        #expect(told == ["step 1: told of a input stream that is none"])
    }
}
