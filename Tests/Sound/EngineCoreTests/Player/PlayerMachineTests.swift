import Foundation
import TestSupport
import Testing

@testable import EngineCore

/// Scripts at random for the machine alone: requests come between any two steps of the thread that feeds.
struct PlayerMachineTests {
    private typealias Transition = MachineBench.Transition
    private typealias Work = PlayerMachine.Work
    private typealias Reading = PlayerMachine.Reading
    private typealias Conversion = PlayerMachine.Conversion

    /// `AUDIOSESSION_TEST_SEED` brings a failed run back.
    private static var seeds: [UInt64] {
        let own = ProcessInfo.processInfo.environment["AUDIOSESSION_TEST_SEED"].flatMap { UInt64($0) }
        return own.map { [$0] } ?? Array(1...60)
    }

    /// What the states document.
    private static let legal: Set<Transition> = [
        Transition(Work.ready, Work.reading), Transition(Work.ready, Work.outdated),
        Transition(Work.ready, Work.retired),
        Transition(Work.reading, Work.ready), Transition(Work.reading, Work.outdated),
        Transition(Work.outdated, Work.ready), Transition(Work.outdated, Work.retired),
        Transition(Reading.flowing, Reading.waiting), Transition(Reading.flowing, Reading.atPassEnd),
        Transition(Reading.waiting, Reading.flowing), Transition(Reading.waiting, Reading.atPassEnd),
        Transition(Reading.atPassEnd, Reading.flowing),
        Transition(Conversion.empty, Conversion.streaming), Transition(Conversion.streaming, Conversion.draining),
        Transition(Conversion.streaming, Conversion.empty), Transition(Conversion.draining, Conversion.empty),
    ]

    /// A queue of items of known length.
    private struct Queue {
        var random: Seeded
        var bench: MachineBench
        var scheduled: UInt64 = 0
        private let repetitions: Int?

        init(seed: UInt64) {
            random = Seeded(seed: seed)
            repetitions = [nil, 1, 2][Int(seed % 3)]
            bench = MachineBench(repetitions: repetitions, readAheadFrames: .random(in: 16...200, using: &random))
        }

        mutating func schedule(_ interruption: ScheduleInterruption = .none, loops: Int = 0, at time: Int64? = nil) {
            scheduled += 1
            let length = Int64.random(in: 0...40, using: &random)
            bench.items[scheduled] = MachineBench.Item(length: length, arrived: length)
            let callbacks: [ScheduledItem.Callback] = [.dataConsumed, .dataRendered, .dataPlayedBack]
            bench.schedule(
                ScheduledItem(
                    id: scheduled, frames: length, time: time, loops: loops,
                    callback: callbacks.randomElement(using: &random) ?? .dataRendered), interruption)
        }

        mutating func request() {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: bench.stop()
            case 1: schedule(.atOnce, loops: .random(in: -1...2, using: &random))
            case 2: schedule(.atLoopEnd, loops: .random(in: -1...2, using: &random))
            case 3: schedule(at: .random(in: -10...400, using: &random))
            case 4: schedule(loops: .random(in: -1...2, using: &random))
            default: schedule()
            }
        }

        /// - Parameter share: of the gaps between two steps that something is asked for in, in percent.
        mutating func feed(interruptedIn share: Int) {
            var own = self
            bench.feed(minimumFrames: .random(in: 0...24, using: &random)) { bench in
                guard Int.random(in: 0..<100, using: &own.random) < share else { return }
                own.bench = bench
                own.request()
                bench = own.bench
            }
            (random, scheduled) = (own.random, own.scheduled)
        }
    }

    @Test func queue_withoutInterruptions_isHeardWhole_andCompletedInOrder() {
        for seed in Self.seeds {
            var queue = Queue(seed: seed)
            for _ in 0..<200 {
                if Int.random(in: 0..<3, using: &queue.random) == 0 { queue.schedule() }
                queue.feed(interruptedIn: 0)
                queue.bench.render(.random(in: 0...24, using: &queue.random))
            }
            for _ in 0..<2000 where !(queue.bench.machine.nextPump == .onceChanged && queue.bench.isPlayedOut) {
                queue.feed(interruptedIn: 0)
                queue.bench.render(8)
            }
            queue.feed(interruptedIn: 0)
            #expect(queue.bench.violations == [], "AUDIOSESSION_TEST_SEED=\(seed)")
            let frames = (1...queue.scheduled).flatMap { item in
                (0..<(queue.bench.items[item]?.length ?? 0)).map { [item, UInt64($0)] }
            }
            let heard = queue.bench.heard.compactMap { heard -> [UInt64]? in
                guard case .frame(let frame) = heard, frame.repetition == 0 else { return nil }
                return [frame.item, UInt64(frame.number)]
            }
            #expect(heard == frames, "AUDIOSESSION_TEST_SEED=\(seed)")
            #expect(queue.bench.completed.sorted() == Array(1...queue.scheduled), "AUDIOSESSION_TEST_SEED=\(seed)")
        }
    }

    /// One item whose end only reading finds, as a file player has it.
    private struct File {
        var random: Seeded
        var bench: MachineBench
        var generation: UInt64 = 0

        init(seed: UInt64) {
            random = Seeded(seed: seed)
            bench = MachineBench(
                repetitions: [nil, 1, 2][Int(seed % 3)], readAheadFrames: .random(in: 16...400, using: &random))
            let length = Int64.random(in: 0...600, using: &random)
            bench.items[1] = MachineBench.Item(
                length: length, arrived: .random(in: 0...length, using: &random),
                failure: Int.random(in: 0..<4, using: &random) == 0 ? .random(in: 0...length, using: &random) : nil)
            bench.schedule(ScheduledItem(id: 1, frames: nil))
        }

        mutating func request() {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                generation += 1
                bench.seek(toFrame: .random(in: 0...700, using: &random), generation: generation)
            case 1: bench.setLoops(.random(in: -1...3, using: &random))
            default:
                guard let item = bench.items[1] else { return }
                bench.items[1]?.arrived = .random(in: item.arrived...item.length, using: &random)
            }
        }

        mutating func feed() {
            var own = self
            bench.feed(rereads: Int.random(in: 0..<20, using: &random) == 0) { bench in
                guard Int.random(in: 0..<20, using: &own.random) == 0 else { return }
                own.bench = bench
                own.request()
                bench = own.bench
            }
            (random, generation) = (own.random, own.generation)
        }
    }

    @Test func file_thatWaitsFailsAndIsSought_keepsItsRules_andComesToItsEnd() {
        var transitions: Set<Transition> = []
        var (ends, waits) = (0, 0)
        for seed in Self.seeds {
            var file = File(seed: seed)
            for _ in 0..<300 {
                if Int.random(in: 0..<10, using: &file.random) == 0 { file.request() }
                file.feed()
                file.bench.render(.random(in: 0...24, using: &file.random))
                if file.bench.isWaiting { waits += 1 }
            }
            file.bench.setLoops(0)
            let length = file.bench.items[1]?.length ?? 0
            file.bench.items[1]?.arrived = length
            file.bench.seek(toFrame: 0, generation: file.generation + 1)
            for _ in 0..<200 {
                file.bench.feed()
                file.bench.render(24)
            }
            #expect(file.bench.violations == [], "AUDIOSESSION_TEST_SEED=\(seed)")
            #expect(file.bench.machine.seekGeneration == file.generation + 1, "AUDIOSESSION_TEST_SEED=\(seed)")
            #expect(!file.bench.isWaiting, "AUDIOSESSION_TEST_SEED=\(seed)")
            if file.bench.isPlayedOut { ends += 1 }
            file.bench.retire()
            file.feed()
            #expect(file.bench.machine.work == .retired && file.bench.machine.nextPump == .onceChanged)
            transitions.formUnion(file.bench.transitions)
        }
        #expect(transitions.isSubset(of: Self.legal), "\(transitions.subtracting(Self.legal))")
        // Else nothing was tested.
        #expect(ends > 0 && waits > 0)
        #expect(transitions.contains(Transition(Reading.waiting, Reading.atPassEnd)))
    }

    @Test func interruption_whileTheFirstFramesAreRead_dropsThem() {
        var bench = MachineBench(repetitions: nil, readAheadFrames: 64)
        bench.items = [1: .init(length: 50, arrived: 50), 2: .init(length: 5, arrived: 5)]
        bench.schedule(ScheduledItem(id: 1, frames: 50))
        var isFirst = true
        bench.feed { bench in
            if isFirst { bench.schedule(ScheduledItem(id: 2, frames: 5), .atOnce) }
            isFirst = false
        }
        bench.render(64)
        #expect(bench.violations == [])
        #expect(bench.heard.dropFirst() == (0..<5).map { .frame(.init(item: 2, number: $0, repetition: 0)) }[...])
    }
}
