import AudioModel
import Testing

@testable import GuardCore

/// A stream that is on its way to a sink of the guard is moved back when it has arrived: WirePlumber 0.5 can leave it without a link
/// otherwise.
struct ReturnTests {
    private static let holder = FocusHolder.ID.bus(cookie: 1)

    private static func focus(_ kind: FocusHolder.Kind, _ id: FocusHolder.ID = holder) -> GuardEvent {
        .fact(.holderChanged(FocusHolder(id: id, kind: kind, program: .dictation)))
    }

    /// mpv has just been sent to the holding sink, and the server has not told of it.
    private static func underWay(target: String? = nil) -> ModelMachine {
        var machine = ModelMachine()
        machine.plug(.speaker)
        machine.plug(.headphones)
        machine.play(.mpv, target: target)
        machine.settle()
        machine.ask(focus(.pause))
        return machine
    }

    private static func returns(_ machine: ModelMachine) -> [GuardCommand] {
        machine.commands.filter { if case .release = $0 { true } else { $0 == .duck(stream: 1) } }
    }

    private static var excluded: GuardOptions {
        var options = GuardOptions()
        options.excluded = ["mpv"]
        return options
    }

    /// Everything that ends a hold.
    @Test(
        arguments: [
            .fact(.holderLeft(holder)), .releaseRequested(program: nil), .releaseRequested(program: "mpv"),
            .playerStarted(Program.mpv.identity), .optionsChanged(excluded), .fact(.descriptorsRanOut),
        ] as [GuardEvent])
    func holdEnds_whileItsStreamIsOnItsWay_itIsMovedBackOnItsArrival(event: GuardEvent) {
        var machine = Self.underWay()
        machine.ask(event)
        #expect(machine.heldIDs == [])
        #expect(Self.returns(machine) == [])
        machine.settle()
        #expect(Self.returns(machine) == [.release(stream: 1, target: nil)])
        #expect(machine.linkTarget(1) == .sink("headphones"))
        #expect(machine.hurried == [])
        machine.wait(seconds: 5)
        #expect(machine.log.count { if case .released = $0.kind { true } else { false } } == 1)
        #expect(Self.returns(machine).count == 1)
    }

    @Test func guardEnds_whileAStreamIsOnItsWay_itStaysUntilTheArrival() {
        var machine = Self.underWay()
        machine.ask(.endRequested)
        #expect(machine.guardMachine.mustStay)
        machine.settle()
        #expect(!machine.guardMachine.mustStay)
        machine.ask(.releaseRequested(program: nil))
        #expect(Self.returns(machine) == [.release(stream: 1, target: nil)])
        #expect(machine.hurried == [])
    }

    @Test func guardEnds_whileAReleasedStreamIsOnItsWay_itStaysUntilTheArrival() {
        var machine = Self.underWay()
        machine.ask(.fact(.holderLeft(Self.holder)))
        machine.ask(.endRequested)
        #expect(machine.guardMachine.mustStay)
        machine.settle()
        #expect(!machine.guardMachine.mustStay)
        #expect(machine.linkTarget(1) == .sink("headphones"))
        #expect(machine.hurried == [])
    }

    @Test func guardHandsOver_whileAReleasedStreamIsOnItsWay_itIsMovedBackBefore() {
        var machine = Self.underWay()
        machine.ask(.fact(.holderLeft(Self.holder)))
        machine.ask(.handoverRequested)
        #expect(Self.returns(machine) == [.release(stream: 1, target: nil)])
    }

    @Test func guardFails_whileAReleasedStreamIsOnItsWay_itIsMovedBackBefore() {
        var machine = Self.underWay()
        machine.ask(.fact(.holderLeft(Self.holder)))
        machine.ask(.fact(.guardsChanged(.failed("no"))))
        #expect(Self.returns(machine) == [.release(stream: 1, target: nil)])
    }

    /// The second holder came for what plays: what is about to play again does.
    @Test func anotherHolderComes_whileAReleasedStreamIsOnItsWay_itIsHeld_withItsFormerTarget() {
        var machine = Self.underWay(target: "speaker")
        machine.ask(.fact(.holderLeft(Self.holder)))
        machine.ask(Self.focus(.pause, .bus(cookie: 2)))
        machine.settle()
        #expect(machine.heldIDs == [1])
        #expect(machine.linkTarget(1) == .hold)
        #expect(Self.returns(machine) == [])
        machine.ask(.fact(.holderLeft(.bus(cookie: 2))))
        machine.settle()
        #expect(machine.linkTarget(1) == .sink("speaker"))
        #expect(machine.streams[1]?.target == "speaker")
    }

    @Test func headphonesLeave_whileAReleasedStreamIsOnItsWay_speakerHearsNothing() {
        var machine = Self.underWay()
        machine.ask(.fact(.holderLeft(Self.holder)))
        machine.unplug("headphones")
        machine.wait(seconds: 2)
        #expect(machine.linkTarget(1) == .hold)
        #expect(machine.heard[1] == ["headphones"])
    }

    // MARK: Ducking

    @Test func duckEnds_whileItsStreamIsOnItsWay_itIsMovedBackOnItsArrival() {
        var machine = ModelMachine()
        machine.plug(.speaker)
        machine.play(.mpv)
        machine.settle()
        machine.ask(Self.focus(.duck(decibels: 14)))
        while !machine.commands.contains(.duck(stream: 1)) { machine.step() }
        machine.ask(.fact(.holderLeft(Self.holder)))
        #expect(Self.returns(machine) == [.duck(stream: 1)])
        machine.settle()
        #expect(Self.returns(machine) == [.duck(stream: 1), .release(stream: 1, target: nil)])
        #expect(machine.linkTarget(1) == .sink("speaker"))
        #expect(machine.hurried == [])
    }

    @Test(arguments: [true, false])
    func pauseAboveADuck_endsAtOnce_streamIsLowAgain_orFree(duckEndsToo: Bool) {
        var machine = ModelMachine()
        machine.plug(.speaker)
        machine.play(.mpv)
        machine.settle()
        machine.ask(Self.focus(.duck(decibels: 14)))
        machine.wait(seconds: 1)
        machine.ask(Self.focus(.pause, .bus(cookie: 2)))
        machine.ask(.fact(.holderLeft(.bus(cookie: 2))))
        if duckEndsToo { machine.ask(.optionsChanged(Self.excluded)) }
        #expect(Self.returns(machine) == [.duck(stream: 1)])
        machine.settle()
        #expect(machine.linkTarget(1) == (duckEndsToo ? .sink("speaker") : .duck))
        #expect(machine.hurried == [])
    }

    // MARK: Streams that do not arrive

    private static func apply(_ machine: inout GuardMachine, _ event: GuardEvent, _ seconds: Double) -> [GuardEffect] {
        machine.apply(event, at: HostTime.zero.advanced(bySeconds: seconds))
    }

    /// mpv has been sent to the holding sink, and its holder has left 0.2 s later.
    private static func released() -> (machine: GuardMachine, effects: [GuardEffect]) {
        var machine = GuardMachine()
        for event in [
            GuardEvent.fact(.guardsChanged(.granted(serial: 1))), .fact(.streamChanged(stream(on: "speaker"))),
            .fact(.settled), focus(.pause),
        ] { _ = apply(&machine, event, 1) }
        let effects = apply(&machine, .fact(.holderLeft(holder)), 1.2)
        return (machine, effects)
    }

    private static func stream(on sink: String, chosenTarget: String? = nil) -> ProgramStream {
        ProgramStream(
            id: 1, program: .mpv, isRunning: true, linkTarget: .sink(sink), chosenTarget: chosenTarget)
    }

    @Test func streamThatDoesNotArrive_isMovedBackHalfASecondAfterItWasSent() {
        var (machine, effects) = Self.released()
        let release = GuardEffect.host(.release(stream: 1, target: nil))
        #expect(!effects.contains(release) && effects.contains(.resumePlayer(.mpv)))
        effects = Self.apply(&machine, .fact(.timeReached), 1.49)
        #expect(!effects.contains(release))
        #expect(effects.contains(.host(.wake(at: HostTime.zero.advanced(bySeconds: 1.5)))))
        let retiresEarly = machine.retireIfUnused()
        #expect(!retiresEarly)
        effects = Self.apply(&machine, .fact(.timeReached), 1.5)
        #expect(effects.contains(release))
        let retires = machine.retireIfUnused()
        #expect(retires)
    }

    @Test func mixerMovesAReleasedStream_whileItIsOnItsWay_theMixerWins() {
        var (machine, effects) = Self.released()
        effects += Self.apply(&machine, .fact(.streamChanged(Self.stream(on: "hdmi", chosenTarget: "hdmi"))), 1.3)
        effects += Self.apply(&machine, .fact(.timeReached), 2)
        #expect(!effects.contains { if case .host(.release) = $0 { true } else { false } })
        #expect(!machine.book.isReturning)
    }
}
