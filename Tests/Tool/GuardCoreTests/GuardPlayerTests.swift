import AudioModel
import Testing

@testable import GuardCore

/// How players are paused and resumed with their streams.
struct GuardPlayerTests: GuardScenes {
    // MARK: Players

    @Test func player_isPausedOnceAndResumedWithTheLastStream() {
        var machine = playing(.mpv)
        machine.play(.mpv)
        machine.settle()
        machine.unplug("headphones")
        machine.settle()
        #expect(machine.players == ["pause mpv"])
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.players == ["pause mpv", "resume mpv"])
    }

    @Test func playerClosesItsStreamWhileItIsHeld_andIsResumedAllTheSame() {
        var machine = lost(.browser, after: 5)
        machine.end(machine.newestID)
        machine.settle()
        #expect(machine.heldIDs == [])
        #expect(!machine.guardMachine.needsWatching)
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.players == ["pause firefox", "resume firefox"])
        machine.unplug("headphones")
        machine.settle()
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.players == ["pause firefox", "resume firefox"])
    }

    @Test func playerClosesItsStreamDuringACall_andIsResumedAfterIt() {
        var machine = playing(.browser)
        let music = machine.newestID
        let call = machine.play(.phone, role: "Communication")
        machine.settle()
        machine.end(music)
        machine.settle()
        machine.end(call)
        machine.settle()
        #expect(machine.players == ["pause firefox", "resume firefox"])
    }

    @Test func playerThatHasClosedItsStream_andPlaysAgain_isNotResumed() {
        var machine = lost(.browser, after: 5)
        machine.end(machine.newestID)
        machine.settle()
        machine.ask(.playerStarted(.process(2)))
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.players == ["pause firefox"])
    }

    @Test func playerThatHasClosedItsStream_isForgottenWhenTheHeadphonesReturnTooLate() {
        var machine = lost(.browser, after: 5)
        machine.end(machine.newestID)
        machine.wait(seconds: 601)
        machine.plug(.headphones)
        machine.settle()
        #expect(machine.players == ["pause firefox"])
    }
}
