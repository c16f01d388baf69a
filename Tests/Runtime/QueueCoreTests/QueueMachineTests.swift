import AudioModel
import Foundation
import QueueCore
import TestSupport
import Testing
import TransportCore

// Helpers: Support/QueueBench.swift

struct QueueMachineTests {
    private func id(_ number: UInt64) -> QueueItemID { QueueItemID(number: number) }

    /// The first of these items is open, and plays.
    private func playing(_ items: [UInt64]) -> QueueBench {
        var bench = QueueBench()
        bench.setItems(items)
        bench.setRate(1)
        bench.settle()
        bench.open(items[0])
        bench.settle()
        bench.feed(.started(.output))
        return bench
    }

    @Test func rate_isThereAtOnce_andTheSoundPlaysWhenItIsOpen() {
        var bench = QueueBench()
        #expect(bench.phase == .paused)
        bench.setRate(2)
        #expect((bench.phase, bench.requestedRate) == (.waitingForItem, 2))
        bench.setItems([1, 2])
        #expect(bench.phase == .opening)
        #expect(bench.settle() == [.open(id(1), unwanted: nil)])
        bench.open(1)
        #expect(bench.settle() == [.play(rate: 2), .join(id(2))])
        #expect(bench.phase == .opening)
        bench.feed(.started(.output))
        #expect((bench.phase, bench.requestedRate) == (.playing, 2))
        #expect(bench.machine.phase(bench.status, lack: .sound) == .waitingForSound)
        #expect(bench.machine.phase(bench.status, lack: .output) == .waitingForOutput)
        #expect(bench.violations == [])
    }

    @Test func newestRequest_isCarriedOutAlone() {
        var bench = playing([1])
        for rate in [0, 3, 0] as [Float] { bench.setRate(rate) }
        #expect(bench.phase == .paused)
        #expect(bench.settle() == [.pause])
        #expect(bench.phase == .paused)
    }

    @Test func rateThatComes_whileAnotherIsCarriedOut_isCarriedOutToo() {
        var bench = playing([1])
        bench.setRate(2)
        let step = bench.step()
        bench.setRate(3)
        step.map { bench.carryOut($0) }
        #expect(bench.settle() == [.play(rate: 3)])
    }

    @Test func session_changesThePhase_withoutAStep() {
        var bench = playing([1])
        bench.feed(.suppressed(.output, .interruption))
        #expect(bench.settle() == [])
        #expect((bench.phase, bench.requestedRate) == (.suppressed(.interruption), 1))
        bench.feed(.started(.output))
        bench.feed(.paused(.output, .oldDeviceUnavailable))
        #expect(bench.settle() == [])
        #expect((bench.phase, bench.requestedRate) == (.paused, 0))
    }

    /// The item of a suppressed sound is left: the next one is meant to play.
    @Test func intent_ofTheTransport_passesToTheNextItem() {
        for isSuppressed in [true, false] {
            var bench = playing([1, 2])
            bench.feed(isSuppressed ? .suppressed(.output, .interruption) : .paused(.output, .oldDeviceUnavailable))
            bench.setItems([2])
            bench.settle()
            bench.open(2)
            #expect(bench.settle() == (isSuppressed ? [.play(rate: 1)] : []))
            #expect(bench.violations == [])
        }
    }

    @Test func end_doesWhatItsActionSays() {
        for (action, phase) in [
            (.advance, .opening), (.pause, .paused), (.stay, .ended),
        ] as [(QueueMachine.EndAction, QueueMachine.Phase)] {
            var bench = playing([1, 2])
            bench.setEndAction(action)
            bench.keepSeparate(2)
            bench.settle()
            bench.feed(.sourceEnded(.complete, generation: 0))
            #expect(bench.phase == .playing)
            let steps = bench.settle()
            #expect(steps == [.tellEnd(id(1))] + (action == .advance ? [.open(id(2), unwanted: nil)] : []))
            #expect(bench.phase == phase)
            #expect(bench.violations == [])
        }
    }

    @Test func play_atTheEnd_endsOnceMore_andASeekLeavesIt() {
        var bench = playing([1])
        bench.setEndAction(.pause)
        bench.feed(.sourceEnded(.complete, generation: 0))
        bench.settle()
        bench.setRate(1)
        #expect(bench.settle() == [.tellEnd(id(1))])
        #expect(bench.phase == .paused)
        bench.seek(1, to: 0)
        bench.setRate(1)
        bench.seek(1, to: 2)
        #expect(bench.seeks.dropped == [1])
        let seek = QueueSeek(number: 2, item: id(1), seconds: 2)
        #expect(bench.settle() == [.seek(seek), .play(rate: 1)])
        #expect(bench.violations == [])
    }

    @Test func play_atAnEndThatDoesNothing_keepsItsRate() {
        var bench = playing([1])
        bench.setEndAction(.stay)
        bench.feed(.sourceEnded(.complete, generation: 0))
        bench.setRate(0)
        bench.settle()
        #expect((bench.phase, bench.requestedRate) == (.paused, 0))
        bench.setRate(2)
        #expect(bench.settle() == [.tellEnd(id(1))])
        #expect((bench.phase, bench.requestedRate) == (.ended, 2))
    }

    /// No rate was asked for; the session has resumed the sound.
    @Test func soundThatPlaysByItself_hasTheRateOne() {
        var bench = QueueBench()
        bench.setItems([1])
        bench.settle()
        bench.open(1)
        bench.settle()
        #expect(bench.machine.requestedRate(nil) == 0)
        bench.feed(.playRequested(startTime: nil, remaining: .more))
        #expect(bench.requestedRate == 1)
    }

    /// Its end was not noticed yet.
    @Test func seek_inTheInstantOfTheEnd_playsOn() {
        var bench = playing([1])
        bench.setEndAction(.pause)
        bench.feed(.sourceEnded(.complete, generation: 0))
        bench.seek(1, to: 0)
        #expect(bench.settle() == [.seek(QueueSeek(number: 1, item: id(1), seconds: 0)), .play(rate: 1)])
        #expect(bench.violations == [])
    }

    @Test func joinedItem_begins_alsoBeforeItsJoinIsKnown() {
        for isKnown in [true, false] {
            var bench = playing([1, 2, 3])
            if isKnown { bench.join(2, file: 7) }
            bench.begin(file: 7)
            #expect(bench.machine.items == [id(2), id(3)])
            #expect(bench.phase == .playing)
            #expect(bench.settle() == [.join(id(3))])
            bench.setEnd(2, to: 5)
            #expect(bench.settle() == [.setEnd(id(2), seconds: 5, file: 7)])
            #expect(bench.violations == [])
        }
    }

    @Test func joinedItem_isTakenAway_whenAnotherFollows() {
        var bench = playing([1, 2])
        bench.join(2, file: 1)
        bench.setItems([1, 3, 2])
        #expect(bench.settle() == [.separate, .join(id(3))])
        // It comes too late.
        bench.join(2, file: 2)
        #expect(bench.machine.isJoining(id(3)))
        bench.setEndAction(.stay)
        #expect(bench.settle() == [])
        #expect(bench.machine.follower == .none)
        #expect(bench.violations == [])
    }

    @Test func endOfAnItemThatJoins_isSetWhenItHasJoined() {
        var bench = playing([1, 2, 3])
        bench.setEnd(2, to: 4)
        bench.setEnd(3, to: 5)
        #expect(bench.settle() == [])
        bench.join(2, file: 9)
        #expect(bench.settle() == [.setEnd(id(2), seconds: 4, file: 9)])
    }

    @Test func failure_dropsTheSeek_andPauses() {
        var bench = playing([1])
        bench.feed(.sourceEnded(.failed("broken"), generation: 0))
        bench.seek(1, to: 1)
        #expect(bench.settle() == [.tellFailure(id(1), dropped: 1)])
        #expect((bench.phase, bench.requestedRate) == (.paused, 0))
        bench.seek(1, to: 1)
        #expect(bench.seeks.dropped == [1, 2])
        // What replaces it plays, if that was asked for.
        bench.setRate(1)
        #expect(bench.phase == .paused)
        bench.setItems([2])
        #expect(bench.phase == .opening)
        bench.settle()
        bench.failOpening(2)
        #expect((bench.phase, bench.requestedRate) == (.paused, 0))
        #expect(bench.violations == [])
    }

    /// Before the steps of the first change are carried out.
    @Test func seek_ofAnItemThatIsFirstForAMoment_isDropped() {
        var bench = playing([1, 2])
        bench.setItems([2, 1])
        bench.seek(2, to: 5)
        bench.setItems([1, 2])
        #expect(bench.seeks.dropped == [1])
        #expect(bench.settle() == [.join(id(2))])
        #expect(bench.violations == [])
    }

    @Test func openings_thatHaveNoUse_areNamed() {
        var machine = QueueMachine()
        #expect(machine.setItems([id(1), id(2)]).unwanted == [])
        _ = machine.nextStep(nil)
        #expect(machine.setItems([id(2)]).unwanted == [id(1)])
        #expect(machine.nextStep(nil) == .open(id(2), unwanted: nil))
        // Its opening is late.
        let isOpen = machine.open(id(1))
        #expect(!isOpen)
        var bench = playing([3, 4])
        bench.feed(.sourceEnded(.complete, generation: 0))
        #expect(bench.settle() == [.tellEnd(id(3)), .open(id(4), unwanted: id(4))])
    }

    // MARK: Random scripts

    /// `AUDIOSESSION_TEST_SEED` brings a failed run back.
    private static var seeds: [UInt64] {
        let own = ProcessInfo.processInfo.environment["AUDIOSESSION_TEST_SEED"].flatMap { UInt64($0) }
        return own.map { [$0] } ?? Array(1...16)
    }

    private static let sessionEvents: [TransportEvent] = [
        .started(.output), .paused(.output, .interruption), .paused(.output, .oldDeviceUnavailable),
        .paused(.output, .refusal), .suppressed(.output, .interruption), .suppressed(.output, .noSuitableRoute),
        .playRefused, .fadeFinished,
    ]

    /// One request or fact; steps are carried out now and then, as the session thread comes to them.
    private func act(_ bench: inout QueueBench, _ random: inout Seeded) {
        let item = UInt64.random(in: 1...4, using: &random)
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1: bench.setRate([0, 1, 2].randomElement(using: &random)!)
        case 2: bench.setItems(Array([1, 2, 3, 4].shuffled(using: &random).prefix(Int(item) - 1)))
        case 3: bench.seek(item, to: 1)
        case 4: bench.setEnd(item, to: 3)
        case 5: bench.setEndAction([.advance, .advance, .pause, .stay].randomElement(using: &random)!)
        case 6, 7: if let first = bench.machine.sound.item { bench.open(first.number) }
        case 8: if Int.random(in: 0..<4, using: &random) == 0 { bench.failOpening(item) } else { bench.open(item) }
        case 9, 10: bench.join(item, file: bench.nextNumber())
        case 11: bench.keepSeparate(item)
        case 12:
            if case .joined(_, let file) = bench.machine.follower { bench.begin(file: file) }
            if case .opening = bench.machine.follower, item == 1 { bench.begin(file: bench.nextNumber()) }
        case 13: bench.feed(Self.sessionEvents.randomElement(using: &random)!)
        case 14: bench.feed(.started(.output))
        default:
            let end: SourceEnd = item == 1 ? .failed("") : .complete
            bench.feed(.sourceEnded(end, generation: bench.transport?.seekGeneration ?? 0))
        }
        if Bool.random(using: &random) { bench.settle() }
    }

    @Test func longScripts_keepTheInvariants_andMeetEveryStep() {
        var (met, seeks): (Set<String>, Int) = ([], 0)
        for seed in Self.seeds {
            var random = Seeded(seed: seed)
            var bench = QueueBench()
            for _ in 0..<4_000 where bench.violations.isEmpty { act(&bench, &random) }
            #expect(bench.violations == [], "AUDIOSESSION_TEST_SEED=\(seed)")
            #expect(bench.seeks.waiting.count <= 1, "AUDIOSESSION_TEST_SEED=\(seed)")
            seeks += bench.seeks.carriedOut.count
            met.formUnion(bench.steps.map { String("\($0)".prefix { $0 != "(" }) })
        }
        #expect(seeks > 10)
        #expect(
            met == [
                "open", "play", "pause", "seek", "setEnd", "separate", "join", "tellEnd", "tellFailure",
            ])
    }

    /// The checker can fire.
    @Test func stepThatIsNotCarriedOut_isFound() {
        var bench = playing([1, 2])
        bench.join(2, file: 1)
        bench.setItems([1])
        _ = bench.step()
        bench.settle()
        #expect(bench.violations.contains { $0.hasPrefix("a joined file was not taken away") })
    }

    @Test func speed_startsNothing_andHoldsForWhatPlaysNext() {
        var bench = playing([1, 2])
        bench.setRate(0)
        bench.settle()
        bench.setSpeed(1.5)
        #expect(bench.settle() == [])
        #expect(bench.requestedRate == 0)
        bench.setItems([2])
        bench.settle()
        bench.open(2)
        bench.settle()
        bench.setRate(1.5)
        bench.setSpeed(2)
        #expect(bench.settle() == [.play(rate: 2)])
    }
}
