import AudioModel
import Testing

@testable import GuardCore

/// What the guard does for programs that hold the focus.
struct FocusTests {
    private static let first = FocusHolder.ID.bus(cookie: 1)
    private static let second = FocusHolder.ID.claim(serial: 2)

    private static func machine(_ programs: Program...) -> ModelMachine {
        var machine = ModelMachine()
        machine.plug(.speaker)
        machine.plug(.headphones)
        for program in programs { machine.play(program) }
        machine.settle()
        return machine
    }

    private static func holder(
        _ kind: FocusHolder.Kind = .pause, _ id: FocusHolder.ID = first, only: Set<String> = [],
        except: Set<String> = []
    ) -> FocusHolder {
        FocusHolder(id: id, kind: kind, program: .dictation, reason: "dictation", only: only, except: except)
    }

    /// A guard that is there for them alone would stay without end.
    @Test func serverLeaves_itsHoldersAreGone_andThatIsTold() {
        var machine = GuardMachine()
        _ = machine.apply(.fact(.guardsChanged(.granted(serial: 1))), at: .zero)
        _ = machine.apply(.fact(.holderChanged(Self.holder(.pause, Self.second))), at: .zero)
        let effects = machine.apply(.fact(.connectionLost), at: .zero)
        #expect(effects.contains(.holdersChanged([])) && machine.holders.isEmpty)
    }

    // MARK: Pause

    @Test func pause_whileAProgramPlays_itIsHeldUntilTheHolderLeaves() {
        var machine = Self.machine(.mpv)
        machine.ask(.fact(.holderChanged(Self.holder())))
        machine.settle()
        #expect(machine.linkTarget(1) == .hold)
        #expect(machine.players == ["pause mpv"])
        machine.ask(.fact(.holderLeft(Self.first)))
        machine.settle()
        #expect(machine.linkTarget(1) == .sink("headphones"))
        #expect(machine.players == ["pause mpv", "resume mpv"])
        let reason = Hold.Reason.focus(Self.first, name: "dictation", reason: "dictation")
        #expect(
            machine.log.map(\.kind) == [
                .focusBegan(Self.holder()), .held(reason), .focusEnded, .released(.focusEnded),
            ])
    }

    @Test func pause_whileNothingPlays_nothingIsStartedAtItsEnd() {
        var machine = Self.machine(.mpv)
        machine.setPlaying(false, 1)
        machine.wait(seconds: 2)
        machine.ask(.fact(.holderChanged(Self.holder())))
        machine.wait(seconds: 2)
        machine.ask(.fact(.holderLeft(Self.first)))
        machine.wait(seconds: 2)
        #expect(machine.players == [])
        #expect(machine.streams[1]?.isPlaying == false)
        #expect(machine.linkTarget(1) == .sink("headphones"))
    }

    @Test(arguments: [true, false])
    func twoHolders_inEitherOrder_programIsHeldUntilBothHaveLeft(firstLeavesFirst: Bool) {
        var machine = Self.machine(.mpv)
        machine.ask(.fact(.holderChanged(Self.holder())))
        machine.ask(.fact(.holderChanged(Self.holder(.pause, Self.second))))
        machine.settle()
        let order = firstLeavesFirst ? [Self.first, Self.second] : [Self.second, Self.first]
        machine.ask(.fact(.holderLeft(order[0])))
        machine.settle()
        #expect(machine.linkTarget(1) == .hold)
        machine.ask(.fact(.holderLeft(order[1])))
        machine.settle()
        #expect(machine.linkTarget(1) == .sink("headphones"))
        #expect(machine.players == ["pause mpv", "resume mpv"])
    }

    @Test func userPressesPlay_whileHeld_programPlaysAndTheHolderDoesNotStartItAgain() {
        var machine = Self.machine(.mpv)
        machine.ask(.fact(.holderChanged(Self.holder())))
        machine.wait(seconds: 2)
        machine.setPlaying(false, 1)
        machine.wait(seconds: 2)
        machine.setPlaying(true, 1)
        machine.settle()
        #expect(machine.linkTarget(1) == .sink("headphones"))
        machine.ask(.fact(.holderLeft(Self.first)))
        machine.settle()
        #expect(machine.players == ["pause mpv"])
    }

    @Test func holdersOwnPrograms_playOn() {
        var machine = Self.machine(.dictation)
        let child = machine.play(Program(identity: .process(30), name: "prompt", ancestors: [20, 9]))
        machine.settle()
        machine.ask(.fact(.holderChanged(Self.holder())))
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.linkTarget(child) == .sink("headphones"))
    }

    @Test func onlyAndExcept_nameWhatIsHeld() {
        var machine = Self.machine(.mpv, .browser, .radio)
        machine.ask(.fact(.holderChanged(Self.holder(only: ["mpv", "radio"], except: ["radio"]))))
        machine.settle()
        #expect(machine.heldIDs == [1])
        #expect(machine.focusClaim == nil)
    }

    @Test func callsAndAlarms_areNotHeld() {
        var machine = Self.machine()
        for role in ["Communication", "Alarm", "Accessibility"] { machine.play(.radio, role: role) }
        machine.play(.browser, role: "Game")
        machine.settle()
        machine.ask(.fact(.holderChanged(Self.holder())))
        machine.settle()
        #expect(machine.heldIDs == [4])
    }

    @Test func pauseSpeech_holdsWhatSpeaks() {
        var machine = Self.machine(.mpv)
        let podcast = machine.play(.radio, role: "Podcast")
        machine.settle()
        machine.ask(.fact(.holderChanged(Self.holder(.pauseSpeech))))
        machine.settle()
        #expect(machine.heldIDs == [podcast])
    }

    @Test func headphonesLeave_whileTheFocusIsHeld_bothReasonsHaveToGo() {
        var machine = Self.machine(.mpv)
        machine.ask(.fact(.holderChanged(Self.holder())))
        machine.settle()
        machine.unplug("headphones")
        machine.settle()
        machine.ask(.fact(.holderLeft(Self.first)))
        machine.settle()
        #expect(machine.linkTarget(1) == .hold)
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.linkTarget(1) == .sink("headphones"))
        #expect(machine.heard[1] == ["headphones"])
    }

    @Test func retiredGuard_obeysNobody_andAGuardThatIsNeededDoesNotRetire() {
        var machine = GuardMachine()
        let holder = Self.holder()
        _ = machine.apply(.fact(.holderChanged(holder)), at: .zero)
        let retiresEarly = machine.retireIfUnused()
        _ = machine.apply(.fact(.holderLeft(holder.id)), at: .zero)
        let retires = machine.retireIfUnused()
        #expect(!retiresEarly && retires)
        _ = machine.apply(.fact(.holderChanged(holder)), at: .zero)
        #expect(machine.holders == [])
    }

    // MARK: Duck

    private static func ducked() -> ModelMachine {
        var machine = machine(.mpv)
        machine.ask(.fact(.holderChanged(holder(.duck(decibels: 14)))))
        machine.wait(seconds: 1)
        return machine
    }

    @Test func duck_lowersWhatPlays_atFullGainFirst() {
        var machine = Self.ducked()
        #expect(machine.linkTarget(1) == .duck)
        #expect(machine.levels[1] == [0, 14])
        #expect(machine.heldIDs == [])
        machine.ask(.fact(.holderLeft(Self.first)))
        machine.wait(seconds: Ducking.riseSeconds)
        #expect(machine.levels[1] == [0, 14, 0])
        machine.wait(seconds: 5)
        #expect(machine.linkTarget(1) == .sink("headphones"))
        #expect(machine.levels[1] == [0, 14, 0])
        #expect(machine.duckOutput == nil)
        #expect(machine.heard[1] == ["headphones"])
    }

    /// WirePlumber 0.4 would lose a stream that it is about to link there.
    @Test func duck_thatEndsBeforeItsStreamHasArrived_keepsItsSinkForAWhile() {
        var machine = Self.machine(.mpv)
        machine.ask(.fact(.holderChanged(Self.holder(.duck(decibels: 14)))))
        while !machine.commands.contains(.duck(stream: 1)) { machine.step() }
        machine.ask(.fact(.holderLeft(Self.first)))
        machine.wait(seconds: 1)
        #expect(machine.duckOutput != nil)
        machine.wait(seconds: 2)
        #expect(machine.duckOutput == nil)
        #expect(machine.linkTarget(1) == .sink("headphones"))
    }

    @Test func duck_newProgram_isLoweredToo() {
        var machine = Self.ducked()
        let new = machine.play(.browser)
        machine.wait(seconds: 1)
        #expect(machine.linkTarget(new) == .duck)
    }

    @Test func twoDucks_theLowerOneCounts() {
        var machine = Self.ducked()
        machine.ask(.fact(.holderChanged(Self.holder(.duck(decibels: 20), Self.second))))
        machine.wait(seconds: 1)
        machine.ask(.fact(.holderLeft(Self.second)))
        machine.wait(seconds: 1)
        #expect(machine.levels[1] == [0, 14, 20, 14])
    }

    @Test func pauseAboveADuck_programIsHeld_andLowAgainAfterwards() {
        var machine = Self.ducked()
        machine.ask(.fact(.holderChanged(Self.holder(.pause, Self.second))))
        machine.wait(seconds: 1)
        #expect(machine.linkTarget(1) == .hold)
        machine.ask(.fact(.holderLeft(Self.second)))
        machine.wait(seconds: 1)
        #expect(machine.linkTarget(1) == .duck)
        machine.ask(.fact(.holderLeft(Self.first)))
        machine.wait(seconds: 3)
        #expect(machine.linkTarget(1) == .sink("headphones"))
    }

    @Test func headphonesLeave_whileDucked_nothingReachesTheSpeaker() {
        var machine = Self.ducked()
        machine.unplug("headphones")
        machine.wait(seconds: 2)
        #expect(machine.linkTarget(1) == .hold)
        machine.ask(.fact(.holderLeft(Self.first)))
        machine.wait(seconds: 2)
        machine.plug(.headphones)
        machine.wait(seconds: 2)
        #expect(machine.linkTarget(1) == .sink("headphones"))
        #expect(machine.heard[1] == ["headphones"])
    }

    /// A guard of its own where two programs play on the headphones, and what it asks for in order.
    private static func ducking() -> (
        machine: GuardMachine, apply: (inout GuardMachine, GuardEvent, Double) -> [GuardCommand]
    ) {
        func apply(_ machine: inout GuardMachine, _ event: GuardEvent, _ seconds: Double) -> [GuardCommand] {
            machine.apply(event, at: HostTime.zero.advanced(bySeconds: seconds)).compactMap { effect in
                if case .host(let command) = effect { command } else { nil }
            }
        }
        var machine = GuardMachine()
        let output = GuardOutput(sink: "speaker", uid: "speaker", name: "speaker", kind: .builtInSpeaker, priority: 500)
        for event in [
            GuardEvent.fact(.guardsChanged(.granted(serial: 1))),
            .fact(.outputsChanged(GuardOutputs(outputs: [output], defaultSink: .sink("speaker")))),
            .fact(.streamChanged(stream(1, at: .sink("speaker")))),
            .fact(.streamChanged(stream(2, at: .sink("speaker")))), .fact(.settled),
            .fact(.holderChanged(holder(.duck(decibels: 14)))),
        ] { _ = apply(&machine, event, 1) }
        return (machine, apply)
    }

    private static func stream(_ id: UInt64, at target: ProgramStream.LinkTarget) -> ProgramStream {
        ProgramStream(id: id, program: id == 1 ? .mpv : .browser, isRunning: true, linkTarget: target)
    }

    /// A fade that began with the first would lower the others in one step.
    @Test func fade_beginsWithTheLastLoweredStream() {
        var (machine, apply) = Self.ducking()
        let asked = apply(&machine, .fact(.duckReady), 1)
        #expect(asked.filter { $0 == .duck(stream: 1) || $0 == .duck(stream: 2) }.count == 2)
        let fade = GuardCommand.fadeDuck(decibels: 14, seconds: Ducking.fallSeconds)
        #expect(!apply(&machine, .fact(.streamChanged(Self.stream(1, at: .duck))), 1.1).contains(fade))
        #expect(!apply(&machine, .fact(.settled), 1.2).contains(fade))
        #expect(apply(&machine, .fact(.streamChanged(Self.stream(2, at: .duck))), 1.3).contains(fade))
    }

    @Test func fade_beginsHalfASecondLater_whereOneDoesNotArrive() {
        var (machine, apply) = Self.ducking()
        _ = apply(&machine, .fact(.duckReady), 1)
        let fade = GuardCommand.fadeDuck(decibels: 14, seconds: Ducking.fallSeconds)
        #expect(!apply(&machine, .fact(.timeReached), 1.49).contains(fade))
        #expect(apply(&machine, .fact(.timeReached), 1.5).contains(fade))
    }

    /// A mixer that has lifted the guard's choice shows as a stream at its output: for a second that may be what was before.
    @Test(arguments: [(0.9, true), (1.1, false)])
    func loweredStreamThatIsLinkedElsewhere_isLeftThere_afterASecond(seconds: Double, isRaised: Bool) {
        var (machine, apply) = Self.ducking()
        _ = apply(&machine, .fact(.duckReady), 1)
        for id in [UInt64(1), 2] { _ = apply(&machine, .fact(.streamChanged(Self.stream(id, at: .duck))), 1.1) }
        _ = apply(&machine, .fact(.streamChanged(Self.stream(1, at: .sink("speaker")))), 1 + seconds)
        let ends = apply(&machine, .fact(.holderLeft(Self.first)), 3) + apply(&machine, .fact(.timeReached), 5)
        #expect(ends.contains(.release(stream: 1, target: nil)) == isRaised)
        #expect(ends.contains(.release(stream: 2, target: nil)))
    }

    /// It would be heard on the ducking sink's output.
    @Test func streamWithAnotherOutput_isNotLowered_whereItIsLinkedThere_andWhereItsUserHasChosenIt() {
        for (target, chosen) in [
            (ProgramStream.LinkTarget.sink("hdmi"), nil), (.sink("hdmi"), "speaker"), (.sink("speaker"), "hdmi"),
            (.nowhere, nil),
        ] {
            var (machine, apply) = Self.ducking()
            var other = Self.stream(3, at: target)
            other.chosenTarget = chosen
            _ = apply(&machine, .fact(.streamChanged(other)), 1)
            let asked = apply(&machine, .fact(.duckReady), 1) + apply(&machine, .fact(.settled), 1.1)
            #expect(asked.contains(.duck(stream: 1)))
            #expect(!asked.contains(.duck(stream: 3)), "\(target), \(chosen ?? "nothing chosen")")
        }
    }

    @Test func mixerMovesADuckedStream_theMixerWins() {
        var machine = Self.ducked()
        machine.move(1, to: "speaker")
        machine.wait(seconds: 3)
        #expect(machine.linkTarget(1) == .sink("speaker"))
        machine.ask(.fact(.holderLeft(Self.first)))
        machine.wait(seconds: 2)
        #expect(machine.streams[1]?.target == "speaker")
    }

    @Test func duckedStream_withATargetOfItsUsers_hasItAgain() {
        var machine = Self.machine()
        machine.play(.mpv, target: "headphones")
        machine.settle()
        machine.ask(.fact(.holderChanged(Self.holder(.duck(decibels: 14)))))
        machine.wait(seconds: 1)
        #expect(machine.linkTarget(1) == .duck)
        machine.ask(.fact(.holderLeft(Self.first)))
        machine.wait(seconds: 3)
        #expect(machine.streams[1]?.target == "headphones")
    }

    @Test func streamOnAnotherOutput_isNotLowered() {
        var machine = Self.machine()
        machine.play(.mpv, target: "speaker")
        machine.settle()
        machine.ask(.fact(.holderChanged(Self.holder(.duck(decibels: 14)))))
        machine.wait(seconds: 1)
        #expect(machine.linkTarget(1) == .sink("speaker"))
        #expect(machine.duckOutput == nil)
    }

    @Test func managerDies_whileDucked_streamIsAsBefore() {
        var machine = Self.ducked()
        machine.killManager()
        machine.settle()
        machine.startManager()
        machine.wait(seconds: 2)
        machine.ask(.fact(.holderLeft(Self.first)))
        machine.wait(seconds: 5)
        #expect(machine.linkTarget(1) == .sink("headphones"))
        #expect(machine.duckOutput == nil)
    }

    // MARK: Sessions

    @Test func holdersOfTheBus_areSaidToTheSessions_theStrongestOfThem() {
        var machine = Self.machine(.mpv)
        machine.ask(.fact(.holderChanged(Self.holder(.duck(decibels: 14)))))
        #expect(machine.focusClaim == .duck)
        machine.ask(.fact(.holderChanged(Self.holder(.pause, .bus(cookie: 7)))))
        #expect(machine.focusClaim == .pause)
        machine.ask(.fact(.holderLeft(.bus(cookie: 7))))
        #expect(machine.focusClaim == .duck)
        machine.ask(.fact(.holderLeft(Self.first)))
        #expect(machine.focusClaim == nil)
    }

    @Test func holderWithAClaimOfItsOwn_needsNone() {
        var machine = Self.machine(.mpv)
        machine.ask(.fact(.holderChanged(Self.holder(.pause, Self.second))))
        #expect(machine.focusClaim == nil)
    }

    // MARK: Recordings

    private static func recording(_ kind: FocusHolder.Kind?, _ options: GuardOptions = GuardOptions()) -> ModelMachine {
        var options = options
        options.whileRecording = kind
        var machine = ModelMachine(options: options)
        machine.plug(.speaker)
        machine.play(.mpv)
        machine.settle()
        machine.ask(.fact(.captureChanged(CaptureStream(id: 90, program: .dictation, hearsMicrophone: true))))
        return machine
    }

    @Test func recording_holdsTheOthers_onceItHasLasted() {
        var machine = Self.recording(.pause)
        machine.wait(seconds: 0.6)
        #expect(machine.heldIDs == [])
        machine.wait(seconds: 0.2)
        #expect(machine.heldIDs == [1])
        machine.ask(.fact(.captureChanged(CaptureStream(id: 90, program: .dictation, hearsMicrophone: false))))
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.guardMachine.holders == [])
    }

    @Test func shortRecording_holdsNothing() {
        var machine = Self.recording(.pause)
        machine.wait(seconds: 0.6)
        machine.ask(.fact(.captureEnded(90)))
        machine.wait(seconds: 2)
        #expect(machine.players == [])
    }

    @Test func recording_whileItIsOff_holdsNothing() {
        var machine = Self.recording(nil)
        machine.wait(seconds: 2)
        #expect(machine.heldIDs == [])
    }

    @Test func recordingOfAnExcludedProgram_holdsNothing() {
        var options = GuardOptions()
        options.excluded = ["dictation"]
        var machine = Self.recording(.pause, options)
        machine.wait(seconds: 2)
        #expect(machine.heldIDs == [])
    }

    @Test func recording_lowersSessionsOnly() {
        var machine = Self.recording(.pause)
        machine.wait(seconds: 2)
        #expect(machine.focusClaim == .duck)
    }

    // MARK: Requests

    @Test(arguments: [
        FocusRequest(), FocusRequest(kind: .duck(decibels: 9.5), reason: "two words"),
        FocusRequest(
            kind: .pauseSpeech, isCall: true, isForParent: true, only: ["mpv", "a=b"], except: ["VLC media player"]),
    ])
    func request_isReadAsItWasWritten(request: FocusRequest) { #expect(FocusRequest(text: request.text) == request) }

    @Test(arguments: ["", "reason=x", "duck", "duck=nan", "duck=0.5", "duck=1e9", "stop"])
    func request_withoutAKind_isNone(text: String) { #expect(FocusRequest(text: text) == nil) }

    @Test func request_ofAStranger_isBounded() {
        let text = "pause\nreason=" + String(repeating: "x", count: 5_000) + String(repeating: "\nonly=a", count: 5_000)
        let request = FocusRequest(text: text)
        #expect(request?.reason?.count == FocusRequest.longestText)
        #expect(request.map { $0.only.count <= FocusRequest.mostNames } == true)
    }
}
