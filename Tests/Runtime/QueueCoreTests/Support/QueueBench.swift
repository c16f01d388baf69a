import AudioModel
import QueueCore
import TransportCore

/// A queue machine with the transport of its sound, and what every step must keep.
///
/// It carries the steps out as `QueuePlayer` does; a test says when an item is open, and what the session does.
struct QueueBench {
    private(set) var machine = QueueMachine()
    /// Nil while no sound is open.
    private(set) var transport: TransportMachine?
    private(set) var steps: [QueueMachine.Step] = []
    private(set) var violations: [String] = []
    /// Carried out or dropped, and those that wait.
    private(set) var seeks: (carriedOut: [UInt64], dropped: [UInt64], waiting: Set<UInt64>) = ([], [], [])
    /// What the sound has joined.
    private var joinedFile: UInt64?
    private var lastNumber: UInt64 = 0

    var status: TransportStatus? { transport?.status }
    var phase: QueueMachine.Phase { machine.phase(status, lack: nil) }
    var requestedRate: Float { machine.requestedRate(status) }

    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Requests, without their steps

    mutating func setRate(_ rate: Float) { change { $0.setRate(rate) } }

    mutating func setSpeed(_ speed: Float) { change { $0.setSpeed(speed) } }

    mutating func setItems(_ numbers: [UInt64]) {
        let dropped = change { $0.setItems(numbers.map(QueueItemID.init(number:))).dropped }
        drop(dropped)
    }

    mutating func seek(_ item: UInt64, to seconds: Double) {
        let seek = QueueSeek(number: nextNumber(), item: QueueItemID(number: item), seconds: seconds)
        seeks.waiting.insert(seek.number)
        drop(change { $0.add(seek) })
    }

    mutating func setEnd(_ item: UInt64, to seconds: Double?) {
        change { $0.setEnd(of: QueueItemID(number: item), seconds: seconds) }
    }

    mutating func setEndAction(_ action: QueueMachine.EndAction) { change { $0.endAction = action } }

    // MARK: Facts

    mutating func open(_ item: UInt64) {
        guard change({ $0.open(QueueItemID(number: item)) }) else { return }
        var transport = TransportMachine(.player)
        _ = transport.apply(.streamOpened(.output))
        self.transport = transport
        joinedFile = nil
    }

    mutating func failOpening(_ item: UInt64) { drop(change { $0.failOpening(QueueItemID(number: item)).dropped }) }

    mutating func join(_ item: UInt64, file: UInt64) {
        if change({ $0.join(QueueItemID(number: item), file: file) }) { joinedFile = file }
    }

    mutating func keepSeparate(_ item: UInt64) { change { $0.keepSeparate(QueueItemID(number: item)) } }

    mutating func begin(file: UInt64) {
        guard let (_, _, dropped) = change({ $0.begin(file: file) }) else { return }
        joinedFile = nil
        drop(dropped)
    }

    /// What the session or the source does to the open sound.
    mutating func feed(_ event: TransportEvent) { _ = transport?.apply(event) }

    /// An output leaves: the session pauses the open sound, which is linked to it, and the owner learns of the loss.
    mutating func loseOutput() {
        change { $0.loseOutput() }
        feed(.paused(.output, .oldDeviceUnavailable))
    }

    // MARK: Steps

    /// Carries out what is to be done; returns these steps.
    @discardableResult
    mutating func settle() -> [QueueMachine.Step] {
        let count = steps.count
        while let step = step() {
            carryOut(step)
            guard steps.count - count < 30 else {
                violations.append("no end of steps: \(steps.suffix(4))")
                break
            }
        }
        checkSettled()
        return Array(steps[count...])
    }

    /// The next step, which is not carried out yet.
    mutating func step() -> QueueMachine.Step? {
        let status = status
        let step = change { $0.nextStep(status) }
        if let step { steps.append(step) }
        return step
    }

    mutating func carryOut(_ step: QueueMachine.Step) {
        switch step {
        case .open: (transport, joinedFile) = (nil, nil)
        case .play(let rate):
            check(transport != nil, "\(step) without a sound")
            feed(.playRequested())
            change { $0.carriedOut(.play(rate: rate)) }
        case .pause:
            check(transport != nil, "\(step) without a sound")
            feed(.paused(.output, .user))
            change { $0.carriedOut(.pause) }
        case .seek(let seek):
            check(transport != nil, "\(step) without a sound")
            check(seek.item == machine.items.first, "\(step) of an item that is not the first one")
            feed(.seekRequested(toSeconds: seek.seconds))
            change { $0.carriedOut(seek) }
            if seeks.waiting.remove(seek.number) != nil { seeks.carriedOut.append(seek.number) }
        case .setEnd: check(transport != nil, "\(step) without a sound")
        case .separate:
            check(joinedFile != nil, "\(step) of a sound without a joined file")
            joinedFile = nil
        case .join: check(transport != nil && joinedFile == nil, "\(step) to a sound that has joined one")
        case .tellEnd: break
        case .tellFailure(_, let dropped): drop(dropped)
        }
    }

    // MARK: What it keeps

    private mutating func drop(_ number: UInt64?) {
        guard let number else { return }
        check(seeks.waiting.remove(number) != nil, "seek \(number) is over twice")
        seeks.dropped.append(number)
    }

    private mutating func check(_ holds: Bool, _ rule: @autoclosure () -> String) {
        if !holds { violations.append("\(rule()) after \(steps.suffix(3)): \(machine)") }
    }

    @discardableResult
    private mutating func change<Result>(_ body: (inout QueueMachine) -> Result) -> Result {
        let before = machine
        let result = body(&machine)
        let isSameSound = before.sound.item == machine.sound.item && before.sound.name == machine.sound.name
        let exit = "\(before.sound.name) -> \(machine.sound.name)"
        check(Self.soundExits.contains(exit) || isSameSound, "the exit \(exit) is not documented")
        let next = "\(before.follower.name) -> \(machine.follower.name)"
        let isSameNext = before.follower == machine.follower
        check(Self.followerExits.contains(next) || isSameNext, "the exit \(next) is not documented")
        check(machine.seek.map { seeks.waiting.contains($0.number) } ?? true, "a seek that is over waits")
        check(machine.follower == .none || machine.sound.item != nil, "an item follows nothing")
        return result
    }

    private mutating func checkSettled() {
        check(machine.items.first == machine.sound.item, "the first item has no sound")
        switch machine.sound {
        case .open(_, let request):
            check(request == .none && machine.seek == nil, "a request of an open sound waits")
            check(transport.map { !$0.status.isOver } ?? false, "a sound that is over is open")
            let wanted = machine.endAction == .advance ? machine.items.dropFirst().first : nil
            check(machine.follower.itemOfAny == wanted, "another item follows than the second one")
        case .ended(_, let rest):
            check(rest != .asked && machine.seek == nil, "a request of a sound at its end waits")
        case .failed: check(machine.seek == nil, "a seek of a failed item waits")
        case .none: check(transport == nil && machine.seek == nil, "there is a sound without an item")
        case .opening: check(transport == nil, "two sounds")
        }
        if case .joined(_, let file) = machine.follower {
            check(joinedFile == file, "the sound has joined another file")
        } else {
            check(joinedFile == nil, "a joined file was not taken away")
        }
        check(phase == .paused || requestedRate != 0, "it does something at rate 0")
    }

    /// As `QueueMachine.Sound` documents them.
    private static let soundExits: Set<String> = [
        "none -> opening", "opening -> open", "opening -> failed", "opening -> opening", "opening -> none",
        "open -> ended", "open -> failed", "open -> open", "open -> opening", "open -> none", "ended -> open",
        "ended -> opening", "ended -> none", "failed -> opening", "failed -> none",
    ]

    private static let followerExits: Set<String> = [
        "none -> opening", "opening -> joined", "opening -> separate", "opening -> none", "opening -> opening",
        "joined -> none", "separate -> none", "separate -> opening",
    ]
}

extension TransportStatus {
    fileprivate var isOver: Bool { state == .finished || state == .failed }
}

extension QueueMachine.Sound {
    fileprivate var name: String { String("\(self)".prefix { $0 != "(" }) }
}

extension QueueMachine.Follower {
    fileprivate var name: String { String("\(self)".prefix { $0 != "(" }) }

    fileprivate var itemOfAny: QueueItemID? {
        switch self {
        case .none: nil
        case .opening(let item), .joined(let item, _), .separate(let item): item
        }
    }
}
