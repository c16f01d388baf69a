import AudioModel
import Testing

@testable import GuardCore

/// What calls, and music that is one at a time, hold.
struct GuardCallTests: GuardScenes {
    // MARK: Calls

    @Test func call_holdsMusicOfOthersAndReleasesItWhenItEnds() {
        var machine = machine()
        let music = machine.play(.mpv, role: "Music")
        let tab = machine.play(.browser)
        let ownMusic = machine.play(.phone, role: "Music")
        let game = machine.play(.radio, role: "Game")
        machine.wait(seconds: 1)
        let call = machine.play(.phone, role: "Communication")
        machine.settle()
        #expect(machine.heldIDs == [music, tab])
        #expect(machine.linkTarget(ownMusic) == .sink("headphones"))
        #expect(machine.linkTarget(game) == .sink("headphones"))
        machine.end(call)
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.log.last == GuardReport(.released(.callEnded), name: "firefox"))
    }

    @Test func callThatIsSilentFromItsStart_holdsWhenItIsHeard_andUntilItEnds() {
        var machine = playing(.mpv)
        let music = machine.newestID
        let call = machine.play(.phone, role: "Communication", isSilent: true)
        machine.wait(seconds: 2)
        #expect(machine.heldIDs == [] && machine.log == [])
        machine.setSilent(false, call)
        machine.settle()
        #expect(machine.heldIDs == [music])
        // A person mutes the others in the middle of it.
        machine.setSilent(true, call)
        machine.wait(seconds: 2)
        #expect(machine.heldIDs == [music])
        machine.end(call)
        machine.settle()
        #expect(machine.heldIDs == [])
    }

    /// Programs and session managers set the volume of a stream as soon as it runs.
    @Test func callWhoseVolumeIsSetAsItBegins_holdsNobody() {
        var machine = playing(.mpv)
        let call = machine.play(.phone, role: "Communication", isPlaying: false)
        machine.settle()
        machine.setPlaying(true, call)
        machine.wait(seconds: 0.05)
        machine.setSilent(true, call)
        machine.wait(seconds: 2)
        #expect(machine.heldIDs == [])
        let other = machine.play(.radio, role: "Communication", isPlaying: false)
        machine.settle()
        machine.setPlaying(true, other)
        machine.wait(seconds: 0.2)
        #expect(machine.heldIDs == [1])
    }

    @Test func descriptorsRanOut_whatIsHeldIsLetGoInItsOrder() {
        var machine = playing(.mpv)
        machine.play(.browser)
        machine.wait(seconds: 1)
        machine.unplug("headphones")
        machine.settle()
        let held = machine.heldIDs
        #expect(held.count == 2)
        machine.ask(.fact(.descriptorsRanOut))
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(
            machine.log.suffix(3).map(\.kind) == [
                .descriptorsRanOut, .released(.descriptorsRanOut(isHeard: true)),
                .released(.descriptorsRanOut(isHeard: true)),
            ])
        // As at the end of the guard: a player that shows a pause stays paused.
        #expect(!machine.players.contains { $0.hasPrefix("resume") })
    }

    @Test func nameOfTheFocusService_thatAnotherProgramHas_isTold_andItsReturnOnce() {
        var machine = GuardMachine()
        func reports(_ owner: String?) -> [GuardReport] {
            machine.apply(.focusNameChanged(owner: owner), at: .zero).compactMap {
                if case .report(let report) = $0 { report } else { nil }
            }
        }
        #expect(reports(nil) == [])
        #expect(reports("squatter") == [GuardReport(.focusNameTaken, name: "squatter")])
        #expect(reports(nil) == [GuardReport(.focusNameReturned, name: "")])
        #expect(reports(nil) == [])
    }

    @Test func callIsPaused_musicGoesOnAfterTheBlip() {
        var machine = playing(.mpv)
        let music = machine.newestID
        let call = machine.play(.phone, role: "phone")
        machine.settle()
        machine.setPlaying(false, call)
        machine.wait(seconds: 0.4)
        #expect(machine.heldIDs == [music])
        machine.wait(seconds: 0.2)
        #expect(machine.heldIDs == [])
    }

    @Test func callAndLoss_musicWaitsForBoth() {
        var machine = playing(.mpv)
        let music = machine.newestID
        let call = machine.play(.phone, role: "Communication")
        machine.settle()
        machine.unplug("headphones")
        machine.settle()
        #expect(machine.heldIDs == [music, call])
        machine.end(call)
        machine.wait(seconds: 1)
        #expect(machine.heldIDs == [music])
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.heard[music] == ["headphones"])
    }

    @Test(arguments: ["Alarm", "Notification", "Music", "Accessibility"])
    func otherSounds_holdNobody(role: String) {
        var machine = playing(.mpv)
        machine.play(.radio, role: role)
        machine.settle()
        #expect(machine.heldIDs == [])
    }

    @Test func callsOff_holdsNobody() {
        var options = GuardOptions()
        options.holdsForCalls = false
        var machine = playing(.mpv, options)
        machine.play(.phone, role: "Communication")
        machine.settle()
        #expect(machine.heldIDs == [])
    }

    // MARK: One at a time

    @Test func oneAtATime_newestMusicHoldsTheOlderUntilItEnds() {
        var options = GuardOptions()
        options.oneAtATime = true
        var machine = machine(options)
        let old = machine.play(.mpv)
        machine.wait(seconds: 1)
        let new = machine.play(.radio, role: "Music")
        machine.settle()
        #expect(machine.heldIDs == [old])
        machine.setPlaying(false, new)
        machine.wait(seconds: 2)
        #expect(machine.heldIDs == [old])
        machine.end(new)
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(machine.log.last == GuardReport(.released(.newerEnded), name: "mpv"))
    }
}
