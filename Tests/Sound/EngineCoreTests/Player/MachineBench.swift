@testable import EngineCore

/// What is around a `PlayerMachine`, without threads and samples: a source that is rendered when the test says so, items
/// that end, wait and fail, and a converter that repeats frames and holds some back.
///
/// A frame is known by its item, its number there, and which of its repetitions it is.
struct MachineBench {
    struct Frame: Hashable {
        var item: UInt64
        var number: Int64
        var repetition: Int
    }

    enum Heard: Hashable {
        case frame(Frame)
        /// What was in the source has been dropped.
        case cut
    }

    struct Item {
        /// Frames that reading finds.
        var length: Int64
        /// Of `length`, those that have come.
        var arrived: Int64
        /// Reading fails at this frame.
        var failure: Int64?
    }

    /// A change of one of the machine's states.
    struct Transition: Hashable, CustomStringConvertible {
        var description: String

        init<State>(_ from: State, _ to: State) { description = "\(from) to \(to)" }
    }

    private(set) var machine: PlayerMachine
    var items: [UInt64: Item] = [:]
    private(set) var heard: [Heard] = []
    private(set) var completed: [UInt64] = []
    private(set) var violations: [String] = []
    private(set) var transitions: Set<Transition> = []
    /// Steps that were interrupted by a request.
    private(set) var interruptedReads = 0

    // The source.
    private let readAheadFrames: Int
    private var lane: [Frame] = []
    private var position: Int64 = 0
    private var elapsed: Int64 = 0
    private var sampleTime: Int64 = 0
    private var cycleFrames = 0
    private var holds: [(position: Int64, elapsed: Int64)] = []
    private var isEndMarked = false

    // What the thread that feeds has in hand.
    private let repetitions: Int?
    private var pending: [Frame] = []
    private var converting: [Frame] = []

    private static let sampleRate = 1000.0
    private static let mostHolds = 16

    /// - Parameter repetitions: of the converter; nil: there is none.
    init(repetitions: Int?, readAheadFrames: Int) {
        self.repetitions = repetitions
        self.readAheadFrames = readAheadFrames
        machine = PlayerMachine(sampleRate: Self.sampleRate, ratio: Double(repetitions ?? 1))
    }

    private var now: PlayerMachine.Moment {
        PlayerMachine.Moment(
            sampleTime: sampleTime, cycleFrames: cycleFrames, position: position, elapsed: elapsed,
            writableFrames: max(0, readAheadFrames - lane.count))
    }

    /// Each call of the machine comes through here.
    private mutating func change<Result>(_ body: (inout PlayerMachine, PlayerMachine.Moment) -> Result) -> Result {
        let before = machine
        let result = body(&machine, now)
        note(before.work, machine.work)
        note(before.reading, machine.reading)
        note(before.conversion, machine.conversion)
        return result
    }

    private mutating func note<State: Equatable>(_ from: State, _ to: State) {
        if from != to { transitions.insert(Transition(from, to)) }
    }

    private mutating func expect(_ isTrue: Bool, _ rule: String) {
        if !isTrue { violations.append(rule) }
    }

    private mutating func check() {
        completed += machine.takeDue().map(\.item)
        guard machine.isCurrent else {
            expect(machine.endFrame == nil, "an end is marked of what was flushed")
            return
        }
        expect(
            machine.pendingFrames == pending.count,
            "\(machine.pendingFrames) frames wait for room, and there are \(pending.count)")
        expect(
            machine.firstFrame + machine.writtenFrames == position + Int64(lane.count),
            "\(machine.firstFrame) + \(machine.writtenFrames) frames were written, and the source ends at "
                + "\(position + Int64(lane.count))")
        expect(
            machine.conversion != .empty || converting.isEmpty,
            "\(converting.count) frames are forgotten in the converter")
        if let end = machine.endFrame {
            expect(
                isEndMarked && end == machine.firstFrame + machine.writtenFrames,
                "the end is said to be at \(end), and the source \(isEndMarked ? "ends elsewhere" : "goes on")")
        }
    }

    // MARK: Requests

    private mutating func carryOut(_ command: PlayerMachine.SourceCommand?) {
        switch command {
        case .flush(let frame, let keepsClock):
            (lane, holds, isEndMarked) = ([], [], false)
            position = frame
            if !keepsClock { elapsed = frame }
            heard.append(.cut)
        case .truncate(let frame):
            lane = Array(lane.prefix(max(0, Int(frame - position))))
            position = min(position, frame)
            isEndMarked = false
        case nil: break
        }
        check()
    }

    mutating func schedule(_ item: ScheduledItem, _ interruption: ScheduleInterruption = .none) {
        carryOut(change { $0.schedule(item, interrupting: interruption, at: $1) })
    }

    mutating func stop() { carryOut(change { machine, _ in machine.stop() }) }
    mutating func retire() { carryOut(change { machine, _ in machine.retire() }) }
    mutating func setLoops(_ count: Int) { change { machine, _ in machine.setLoops(count) } }
    mutating func seek(toFrame frame: Int64, generation: UInt64) {
        change { machine, _ in machine.seek(toFrame: frame, generation: generation) }
    }

    var isPlayedOut: Bool { machine.isPlayedOut(at: position, in: 0) }
    var isWaiting: Bool { machine.isWaiting(at: position) }

    // MARK: Rendering

    mutating func render(_ frames: Int) {
        for _ in 0..<frames {
            while let hold = holds.first, hold.position == position, hold.elapsed <= elapsed { holds.removeFirst() }
            elapsed += 1
            if holds.first?.position == position || lane.isEmpty { continue }
            heard.append(.frame(lane.removeFirst()))
            position += 1
        }
        sampleTime += Int64(frames)
        cycleFrames = frames
    }

    // MARK: The thread that feeds

    /// - Parameters:
    ///   - rereads: as if the converter was to be exchanged for its like.
    ///   - between: what other threads do between two steps.
    mutating func feed(minimumFrames: Int = 0, rereads: Bool = false, between: (inout MachineBench) -> Void = { _ in })
    {
        switch change({ $0.beginFeeding(at: $1, rereads: rereads) }) {
        case .retired: return
        case .here: break
        case .place(let place):
            between(&self)
            let item = items[place.item]
            if let failure = item?.failure, place.frame >= failure {
                change { machine, _ in machine.fail(place, because: ItemFailure(message: "unreadable")) }
            } else {
                let frame = min(place.frame, item?.length ?? 0)
                carryOut(change { $0.arrive(place, atFrame: frame, at: $1) })
            }
        }
        let pace = PlayerMachine.Pace(
            minimumFrames: minimumFrames, readAheadFrames: readAheadFrames, cycleFrames: cycleFrames,
            isShort: repetitions != nil)
        for _ in 0..<10_000 {
            let isDraining = machine.conversion == .draining
            let items = items
            let step = change { machine, now in
                machine.nextStep(at: now, pace, mayRead: true) { item in
                    items[item].map { $0.arrived < $0.length } ?? false
                }
            }
            switch step {
            case .source(let step):
                guard perform(step) else { return }
            case .feed(.restart):
                (pending, converting) = ([], [])
                between(&self)
                change { [repetitions] in $0.noteRestart(ratio: Double(repetitions ?? 1), at: $1) }
            case .feed(.read(let item, let from, let count)):
                expect(!isDraining, "item \(item) is read while the converter's end comes out")
                guard read(item, from, count, between) else { return check() }
            case .feed(.drain):
                drain(between)
            case .feed(.rest):
                return check()
            }
            check()
        }
        violations.append("feeding does not come to rest")
    }

    private mutating func perform(_ step: PlayerMachine.SourceStep) -> Bool {
        switch step {
        case .writePending:
            let written = write(pending)
            pending.removeFirst(written)
            change { [count = pending.count] machine, _ in machine.noteWritten(written, pendingFrames: count) }
        case .hold(let elapsed):
            guard holds.count < Self.mostHolds else { return false }
            holds.append((position + Int64(lane.count), elapsed))
            change { machine, _ in machine.noteHold() }
        case .markEnd:
            isEndMarked = true
        }
        return true
    }

    private mutating func write(_ frames: [Frame]) -> Int {
        let written = min(frames.count, max(0, readAheadFrames - lane.count))
        lane += frames.prefix(written)
        if written > 0 { isEndMarked = false }
        return written
    }

    private mutating func read(
        _ id: UInt64, _ from: Int64, _ count: Int, _ between: (inout MachineBench) -> Void
    ) -> Bool {
        let item = items[id] ?? Item(length: 0, arrived: 0)
        let end = min(item.arrived, item.failure ?? .max)
        let frames = (0..<min(Int64(count), max(0, end - from))).map {
            Frame(item: id, number: from + $0, repetition: 0)
        }
        let before = heard.count
        between(&self)
        if machine.work != .reading || heard.count > before { interruptedReads += 1 }
        let outcome: PlayerMachine.ReadOutcome =
            if !frames.isEmpty {
                .frames(frames.count)
            } else if let failure = item.failure, from >= failure {
                .failed(ItemFailure(message: "unreadable"))
            } else {
                item.arrived < item.length ? .notYet : .frames(0)
            }
        if !frames.isEmpty { pass(frames, between) }
        return change { machine, _ in machine.noteRead(outcome, of: count) } != nil
    }

    private mutating func pass(_ frames: [Frame], _ between: (inout MachineBench) -> Void) {
        guard let repetitions else {
            guard machine.isCurrent else { return }
            let written = write(frames)
            pending += frames[written...]
            change { [count = pending.count] machine, _ in machine.noteWritten(written, pendingFrames: count) }
            return
        }
        change { [pending] in $0.noteConversion(ratio: Double(repetitions), pendingFrames: pending.count, at: $1) }
        between(&self)
        converting += frames
        convert(whileMoreThan: 4, most: .max)
        change { [pending] in $0.noteConversion(ratio: Double(repetitions), pendingFrames: pending.count, at: $1) }
    }

    private mutating func convert(whileMoreThan kept: Int, most: Int) {
        for _ in 0..<max(0, min(converting.count - kept, most)) {
            let frame = converting.removeFirst()
            pending += (0..<(repetitions ?? 1)).map { Frame(item: frame.item, number: frame.number, repetition: $0) }
        }
    }

    private mutating func drain(_ between: (inout MachineBench) -> Void) {
        let before = pending.count
        convert(whileMoreThan: 0, most: 3)
        between(&self)
        let frames = pending.count - before
        change { [repetitions] in $0.noteDrain(ratio: Double(repetitions ?? 1), frames: frames, at: $1) }
    }
}
