import AudioModel
import TestSupport
import Testing

@testable import GuardCore

/// The speaker of a card with a jack is muted while the headphones are in, and at no other time.
struct JackArmingTests {
    private func machine(
        arms: Bool = true, muted: Set<String> = [], rules: SinkRanking.Rules = .wirePlumber05,
        _ change: (inout ModelMachine.Sink) -> Void = { _ in }
    ) -> ModelMachine {
        var options = GuardOptions()
        options.armsJacks = arms
        var machine = ModelMachine(options: options, muted: muted)
        machine.ranking.rules = rules
        var card = ModelMachine.Sink.card
        change(&card)
        machine.plug(card)
        machine.settle()
        return machine
    }

    /// The same, where something plays and the guard has done what it does.
    private func playing(
        arms: Bool = true, muted: Set<String> = [], rules: SinkRanking.Rules = .wirePlumber05,
        _ change: (inout ModelMachine.Sink) -> Void = { _ in }
    ) -> ModelMachine {
        var machine = machine(arms: arms, muted: muted, rules: rules, change)
        machine.play(.mpv, role: "Music")
        machine.wait(seconds: 2)
        return machine
    }

    private func card(_ machine: ModelMachine) -> ModelMachine.Sink { machine.sinks[0] }
    private static let speaker = "card/speaker"

    @Test func armed_jackPulled_speakerHearsNothing() {
        var machine = playing()
        #expect(card(machine).isRememberedAsMuted)
        #expect(machine.mutedPorts == [Self.speaker])
        #expect(!card(machine).isOnSpeaker)
        machine.setJack(of: "card", isPlugged: false)
        machine.wait(seconds: 2)
        #expect(machine.heard[1] == ["card/jack"])
        #expect(machine.heldIDs == [1])
        #expect(!card(machine).isMuted)
        #expect(!card(machine).isRememberedAsMuted)
        #expect(machine.mutedPorts == [])
        let new = machine.play(.browser)
        machine.settle()
        #expect(machine.heard[new] == [Self.speaker])
    }

    /// A busy session manager moves what is held later than the guard would take the mute back.
    @Test(arguments: 1...3) func armed_jackPulled_heldStreamIsMovedLate_speakerHearsNothing(linksToForget: Int) {
        var machine = playing()
        machine.linksToForget = linksToForget
        machine.setJack(of: "card", isPlugged: false)
        machine.wait(seconds: 1)
        #expect(machine.heard[1] == ["card/jack"])
        #expect(machine.heldIDs == [1])
        machine.wait(seconds: 3)
        #expect(!card(machine).isMuted)
        #expect(!card(machine).isRememberedAsMuted)
    }

    /// What the first one would see without the option.
    @Test func notArmed_jackPulled_speakerHearsWhatIsOnItsWay() {
        var machine = playing(arms: false)
        machine.setJack(of: "card", isPlugged: false)
        machine.wait(seconds: 2)
        #expect(machine.heard[1] == ["card/jack", Self.speaker])
    }

    @Test func arming_whileSomethingPlays_isHeardByNoPersonAndToldToNoPlayer() {
        let machine = playing()
        #expect(machine.heard[1] == ["card/jack"])
        #expect(machine.linkTarget(1) == .sink("card"))
        #expect(machine.players == [])
        #expect(machine.log == [GuardReport(.portMuted, name: Self.speaker)])
    }

    @Test func headphonesReturn_speakerIsMutedAgain() {
        var machine = playing()
        for _ in 0..<3 {
            machine.setJack(of: "card", isPlugged: false)
            machine.wait(seconds: 2)
            #expect(!card(machine).isRememberedAsMuted)
            machine.setJack(of: "card", isPlugged: true)
            machine.wait(seconds: 2)
            #expect(card(machine).isRememberedAsMuted)
        }
        #expect(machine.heard[1] == ["card/jack"])
    }

    @Test(arguments: (0..<30).map { Double($0) * 0.02 })
    func headphonesReturnSoon_andLeaveAgain_speakerHearsNothing(seconds: Double) {
        var machine = playing()
        machine.setJack(of: "card", isPlugged: false)
        machine.wait(seconds: seconds)
        machine.setJack(of: "card", isPlugged: true)
        machine.wait(seconds: 2)
        #expect(card(machine).isRememberedAsMuted)
        #expect(!card(machine).isOnSpeaker)
        machine.setJack(of: "card", isPlugged: false)
        machine.wait(seconds: 2)
        #expect(machine.heard[1] == ["card/jack"])
        #expect(!card(machine).isMuted)
        #expect(machine.mutedPorts == [])
    }

    @Test(arguments: (0..<30).map { Double($0) * 0.02 })
    func jackPulledWhileItIsArmed_streamIsHeld_andTheSpeakerIsAudibleAfterwards(seconds: Double) {
        var machine = machine()
        machine.play(.mpv)
        machine.wait(seconds: seconds)
        machine.setJack(of: "card", isPlugged: false)
        machine.wait(seconds: 5)
        #expect(machine.heldIDs == [1])
        #expect(machine.players == ["pause mpv"])
        #expect(!card(machine).isMuted)
        #expect(!card(machine).isRememberedAsMuted)
        #expect(machine.mutedPorts == [])
    }

    @Test func end_takesTheMuteBack_andTheSpeakerHearsNothing() {
        var machine = playing()
        machine.ask(.endRequested)
        #expect(machine.guardMachine.mustStay)
        machine.wait(seconds: 2)
        #expect(!machine.guardMachine.mustStay)
        #expect(!card(machine).isRememberedAsMuted)
        #expect(!card(machine).isOnSpeaker)
        #expect(machine.linkTarget(1) == .sink("card"))
        #expect(machine.heard[1] == ["card/jack"])
        #expect(machine.mutedPorts == [])
    }

    @Test func portsOfAnEarlierGuard_withoutTheOption_areTakenBack() {
        let machine = playing(arms: false, muted: [Self.speaker]) { $0.isRememberedAsMuted = true }
        #expect(!card(machine).isRememberedAsMuted)
        #expect(machine.mutedPorts == [])
        #expect(machine.heard[1] == ["card/jack"])
    }

    @Test func portsOfAnEarlierGuard_withTheOption_stayMuted_andAreTakenBackAtTheEnd() {
        var machine = playing(muted: [Self.speaker]) { $0.isRememberedAsMuted = true }
        #expect(card(machine).isRememberedAsMuted)
        machine.ask(.endRequested)
        machine.wait(seconds: 2)
        #expect(!card(machine).isRememberedAsMuted)
        #expect(machine.mutedPorts == [])
    }

    @Test func portThatItsUserHasMuted_staysMuted() {
        var machine = playing { $0.isRememberedAsMuted = true }
        #expect(machine.mutedPorts == [])
        machine.setJack(of: "card", isPlugged: false)
        machine.wait(seconds: 2)
        #expect(card(machine).isMuted)
        machine.ask(.endRequested)
        machine.wait(seconds: 2)
        #expect(card(machine).isRememberedAsMuted)
    }

    /// What its user has muted is known from then on: nothing is tried, and nothing stands still for it.
    @Test func portThatWasSeenMuted_isNotTried() {
        var machine = playing { ($0.isRememberedAsMuted, $0.isPlugged, $0.isMuted) = (true, false, true) }
        machine.setJack(of: "card", isPlugged: true)
        machine.wait(seconds: 3)
        #expect(!machine.commands.contains { if case .switchPort = $0 { true } else { false } })
        #expect(card(machine).isRememberedAsMuted)
    }

    /// The guard's own mute, not replaced yet, is no mute of the user's.
    @Test(arguments: [0.15, 0.5, 1.5])
    func slowSessionManager_speakerThatWasAudible_isArmed(seconds: Double) {
        var machine = playing { ($0.isPlugged, $0.isSlow) = (false, true) }
        machine.setJack(of: "card", isPlugged: true)
        machine.wait(seconds: 0.2 + seconds)
        machine.finishSwitch("card")
        machine.wait(seconds: 3)
        #expect(machine.guardMachine.armedPorts.map(\.uid) == [Self.speaker])
        #expect(card(machine).isRememberedAsMuted)
        #expect(machine.log.map(\.kind) == [.portMuted])
    }

    @Test func slowSessionManager_speakerOfWhichNothingIsKnown_isArmed() {
        var machine = machine { $0.isSlow = true }
        machine.wait(seconds: 0.7)
        machine.finishSwitch("card")
        machine.wait(seconds: 3)
        #expect(machine.guardMachine.armedPorts.map(\.uid) == [Self.speaker])
    }

    @Test func userChoosesTheSpeakerBesideTheHeadphones_itIsHeard() {
        var machine = playing()
        machine.switchCard("card", toSpeaker: true)
        machine.wait(seconds: 2)
        #expect(!card(machine).isMuted)
        #expect(!card(machine).isRememberedAsMuted)
        #expect(card(machine).isOnSpeaker)
        #expect(machine.heldIDs == [])
    }

    @Test func streamThatMayNotBeHeld_cardIsLeftAloneUntilItEnds() {
        var options = GuardOptions()
        options.armsJacks = true
        options.excluded = ["firefox"]
        var machine = ModelMachine(options: options)
        machine.play(.browser)
        machine.plug(.card)
        machine.wait(seconds: 5)
        #expect(!card(machine).isRememberedAsMuted)
        #expect(!machine.commands.contains(.switchPort(uid: Self.speaker, isMuted: true)))
        machine.end(1)
        machine.wait(seconds: 2)
        #expect(card(machine).isRememberedAsMuted)
    }

    /// WirePlumber 0.5.18 with a card that calls its speaker unavailable.
    @Test func muteThatIsNotRemembered_isNotPromised_andTriedOnce() {
        var machine = playing(rules: .wirePlumber0518) { $0.isRemembered = false }
        #expect(machine.log.map(\.kind) == [.portMuted, .portForgotten, .portUnmuted])
        #expect(machine.guardMachine.armedPorts == [])
        #expect(machine.mutedPorts == [])
        #expect(machine.linkTarget(1) == .sink("card"))
        #expect(machine.heard[1] == ["card/jack"])
        let count = machine.commands.count
        machine.wait(seconds: 60)
        #expect(machine.commands.count == count)
        machine.setJack(of: "card", isPlugged: false)
        machine.wait(seconds: 2)
        #expect(!card(machine).isMuted)
        #expect(machine.heldIDs == [1])
        machine.setJack(of: "card", isPlugged: true)
        machine.wait(seconds: 2)
        #expect(machine.log.filter { $0.kind == .portMuted }.count == 1)
        #expect(!card(machine).isOnSpeaker)
    }

    @Test func muteIsPromised_onceItWasSeenToComeBack() {
        var machine = machine(rules: .wirePlumber0518)
        machine.play(.mpv)
        while machine.guardMachine.armedPorts.isEmpty { machine.wait(seconds: 0.05) }
        #expect(machine.commands.contains(.switchPort(uid: Self.speaker, isMuted: false, isRemembered: false)))
        #expect(card(machine).isRememberedAsMuted)
    }

    @Test func cardThatDoesNotAnswer_isLeftAlone_andWhatPlayedPlaysOn() {
        var machine = playing { $0.answers = false }
        machine.wait(seconds: 10)
        #expect(machine.linkTarget(1) == .sink("card"))
        #expect(machine.heldIDs == [])
        #expect(!card(machine).isOnSpeaker)
        let count = machine.commands.count
        machine.wait(seconds: 60)
        #expect(machine.commands.count == count)
    }

    /// Whatever happens in whatever order, a speaker that is switched to is audible soon, and everything is as it was at the
    /// end.
    @Test(arguments: UInt64(1)...40)
    func anyScript_leavesNoMute(seed: UInt64) {
        var random = Seeded(seed: seed)
        var machine = machine()
        var armed = 0
        for step in 0..<200 {
            let ids = machine.streams.keys.sorted()
            let id = ids.randomElement(using: &random)
            switch Int.random(in: 0..<9, using: &random) {
            case 0...2: machine.setJack(of: "card", isPlugged: !card(machine).isPlugged)
            case 3: machine.switchCard("card", toSpeaker: Bool.random(using: &random))
            case 4: if ids.count < 4 { machine.play([Program.mpv, .browser, .radio][ids.count % 3]) }
            case 5: if let id { machine.setPlaying(Bool.random(using: &random), id) }
            case 6: if ids.count > 2, let id { machine.end(id) }
            case 7: machine.ask(.releaseRequested(program: nil))
            default: for _ in 0..<Int.random(in: 1...6, using: &random) { machine.step() }
            }
            machine.wait(seconds: [0, 0.01, 0.05, 0.1, 0.2, 5].randomElement(using: &random)!)
            guard Bool.random(using: &random) else { continue }
            machine.wait(seconds: 6)
            let card = card(machine)
            if card.isOnSpeaker {
                #expect(!card.isMuted && !card.isRememberedAsMuted, "seed \(seed), step \(step)")
            } else {
                #expect(card.isRememberedAsMuted, "seed \(seed), step \(step)")
                armed += 1
            }
            let parked = machine.streams.values.filter { $0.linkTarget == .hold }.map(\.id).sorted()
            #expect(parked == machine.heldIDs.sorted(), "seed \(seed), step \(step)")
        }
        #expect(armed > 0, "a script that mutes nothing proves nothing")
        machine.ask(.endRequested)
        machine.wait(seconds: 10)
        #expect(!card(machine).isRememberedAsMuted && machine.mutedPorts == [], "seed \(seed)")
        #expect(!machine.guardMachine.mustStay)
    }

    @Test func cardLeavesAndReturnsWhileArmed_isStillArmed_andTakenBackAtTheEnd() {
        var machine = playing()
        let left = card(machine)
        machine.unplug("card")
        machine.wait(seconds: 5)
        #expect(machine.mutedPorts == [Self.speaker])
        machine.plug(left)
        machine.wait(seconds: 5)
        machine.ask(.endRequested)
        machine.wait(seconds: 2)
        #expect(!card(machine).isRememberedAsMuted)
        #expect(machine.mutedPorts == [])
    }
}
