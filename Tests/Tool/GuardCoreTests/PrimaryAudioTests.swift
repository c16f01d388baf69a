import AudioModel
import Testing

@testable import GuardCore

/// What plays music now.
struct PrimaryAudioTests {
    private static let holder = FocusHolder.ID.bus(cookie: 1)

    private static func machine(_ options: GuardOptions = GuardOptions()) -> ModelMachine {
        var machine = ModelMachine(options: options)
        machine.plug(.speaker)
        machine.plug(.headphones)
        machine.settle()
        return machine
    }

    private static func playing(_ machine: ModelMachine) -> [String] {
        machine.guardMachine.primaryAudio.map(\.program.name)
    }

    @Test func music_isThereAfterATenthOfASecond_untilHalfASecondAfterItStops() {
        var machine = Self.machine()
        machine.play(.mpv, role: "Music")
        machine.wait(seconds: 0.09)
        #expect(Self.playing(machine) == [])
        let since = machine.guardMachine.book.streams[1]?.heardSince
        machine.wait(seconds: 0.01)
        #expect(Self.playing(machine) == ["mpv"])
        #expect(machine.guardMachine.primaryAudio.map(\.role) == ["Music"])
        machine.wait(seconds: 60)
        #expect(machine.guardMachine.primaryAudio.map(\.since) == [since])
        machine.setPlaying(false, 1)
        machine.wait(seconds: 0.49)
        #expect(Self.playing(machine) == ["mpv"])
        machine.wait(seconds: 0.01)
        #expect(Self.playing(machine) == [])
    }

    @Test func whatIsNoMusic_orNotHeard_isNotThere() {
        var machine = Self.machine()
        for role in ["Communication", "Alarm", "Accessibility", "Game", "Test"] { machine.play(.radio, role: role) }
        machine.play(.browser, isPlaying: false)
        machine.play(.browser, isSilent: true)
        machine.wait(seconds: 1)
        let roles = machine.guardMachine.primaryAudio.map(\.role)
        #expect(
            roles
                == ["Communication", "Alarm", "Accessibility", "Game", "Test"].filter {
                    machine.guardMachine.options.roles.effect(ofRole: $0) == .plays
                })
        #expect(
            !roles.contains("Communication") && !roles.contains("Alarm") && !Self.playing(machine).contains("firefox"))
    }

    /// A mute leaves at once; a new stream of the same program is one more.
    @Test func mutedStream_isNotThere_andTwoStreamsAreTwo() {
        var machine = Self.machine()
        machine.play(.mpv)
        machine.play(.mpv)
        machine.wait(seconds: 1)
        #expect(Self.playing(machine) == ["mpv", "mpv"])
        machine.setSilent(true, 1)
        machine.settle()
        #expect(machine.guardMachine.primaryAudio.map(\.stream) == [2])
        machine.end(2)
        machine.settle()
        #expect(Self.playing(machine) == [])
    }

    @Test func heldStream_isNotThere_untilItPlaysOn_andALoweredOneIs() {
        var machine = Self.machine()
        machine.play(.mpv)
        machine.wait(seconds: 1)
        machine.ask(.fact(.holderChanged(FocusHolder(id: Self.holder, kind: .pause, program: .dictation))))
        #expect(Self.playing(machine) == [])
        machine.wait(seconds: 5)
        #expect(Self.playing(machine) == [])
        machine.ask(.fact(.holderLeft(Self.holder)))
        machine.wait(seconds: 1)
        #expect(Self.playing(machine) == ["mpv"])
        let duck = FocusHolder(id: Self.holder, kind: .duck(decibels: 14), program: .dictation)
        machine.ask(.fact(.holderChanged(duck)))
        machine.wait(seconds: 1)
        #expect(machine.linkTarget(1) == .duck)
        #expect(Self.playing(machine) == ["mpv"])
    }

    /// A stream that the guard must not move may still be music; an effect or a loopback plays what others do.
    @Test(arguments: [
        (ProgramStream.Standing.movable, true), (.session, true), (.leftAlone, false),
    ])
    func streamsOfSessions_areThere_andLoopbacksAreNot(standing: ProgramStream.Standing, isShown: Bool) {
        var machine = GuardMachine()
        let stream = ProgramStream(id: 1, program: .mpv, isRunning: true, linkTarget: .sink("a"), standing: standing)
        var effects: [GuardEffect] = []
        for event in [
            GuardEvent.fact(.guardsChanged(.granted(serial: 1))), .fact(.settled), .fact(.streamChanged(stream)),
        ] { effects += machine.apply(event, at: .zero) }
        #expect(!effects.contains { if case .primaryAudioChanged = $0 { true } else { false } })
        effects = machine.apply(.fact(.timeReached), at: HostTime.zero.advanced(bySeconds: 0.1))
        let told = effects.compactMap { if case .primaryAudioChanged(let audio) = $0 { audio } else { nil } }
        #expect(told.map { $0.map(\.stream) } == (isShown ? [[1]] : []))
        // Nothing is known of a server that is gone.
        effects = machine.apply(.fact(.connectionLost), at: HostTime.zero.advanced(bySeconds: 1))
        #expect(effects.contains(.primaryAudioChanged([])) == isShown)
    }

    @Test func programThatOpensManyStreams_isBounded() {
        var machine = Self.machine()
        for _ in 0..<100 { machine.play(.mpv) }
        machine.wait(seconds: 1)
        #expect(machine.guardMachine.primaryAudio.count == PrimaryAudio.mostStreams)
    }
}
