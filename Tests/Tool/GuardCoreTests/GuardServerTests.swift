import AudioModel
import Testing

@testable import GuardCore

/// The session manager and the server: their absence, their rules and their speed.
struct GuardServerTests: GuardScenes {
    // MARK: The session manager and the server

    @Test func sessionManagerRestarts_heldStreamsStaySilent() {
        var machine = lost(.mpv)
        let id = machine.newestID
        machine.killManager()
        machine.settle()
        machine.startManager()
        machine.settle()
        #expect(machine.linkTarget(id) == .hold)
        #expect(machine.heard[id] == ["headphones"])
        #expect(machine.catchPriority == nil)
    }

    @Test func sessionManagerOfOtherRules_makesTheCatchTheDefault_itIsWithdrawn() {
        var machine = ModelMachine()
        machine.plug(.speaker)
        machine.plug(.headphones)
        machine.settle()
        // As if the priority were wrong.
        var guardMachine = machine.guardMachine
        var outputs = guardMachine.outputs
        outputs.defaultSink = .catch
        let start = HostTime(nanoseconds: 1)
        _ = guardMachine.apply(.fact(.outputsChanged(outputs)), at: start)
        let later = start.advanced(bySeconds: 0.2)
        #expect(guardMachine.apply(.fact(.settled), at: start) == [.host(.wake(at: later))])
        let retry = later.advanced(bySeconds: 2)
        #expect(
            guardMachine.apply(.fact(.timeReached), at: later)
                == [
                    .host(.setCatch(priority: nil)), .report(GuardReport(.cannotCatch, name: "")),
                    .host(.wake(at: retry)),
                ])
        (outputs.defaultSink, outputs.hasCatch) = (.sink("headphones"), false)
        _ = guardMachine.apply(.fact(.outputsChanged(outputs)), at: later)
        #expect(guardMachine.apply(.fact(.settled), at: later) == [])
        #expect(guardMachine.watch == .misranked)
        // The session manager may have been slow.
        #expect(guardMachine.apply(.fact(.timeReached), at: retry).first == .host(.setCatch(priority: 501)))
        outputs.hasCatch = true
        _ = guardMachine.apply(.fact(.outputsChanged(outputs)), at: retry)
        _ = guardMachine.apply(.fact(.settled), at: retry)
        #expect(guardMachine.watch == .watched)
    }

    /// A session manager that knows a rule that we do not is not tried without end.
    @Test func catchThatIsAlwaysTheDefault_isTriedFourTimes() {
        var guardMachine = machine().guardMachine
        var outputs = guardMachine.outputs
        var (now, tries) = (HostTime(nanoseconds: 1), 1)
        while tries < 10 {
            outputs.defaultSink = .catch
            _ = guardMachine.apply(.fact(.outputsChanged(outputs)), at: now)
            _ = guardMachine.apply(.fact(.settled), at: now)
            now = now.advanced(bySeconds: 0.2)
            _ = guardMachine.apply(.fact(.timeReached), at: now)
            outputs.defaultSink = .sink("headphones")
            _ = guardMachine.apply(.fact(.outputsChanged(outputs)), at: now)
            now = now.advanced(bySeconds: 100)
            guard guardMachine.apply(.fact(.timeReached), at: now).contains(.host(.setCatch(priority: 501))) else {
                break
            }
            tries += 1
        }
        #expect(tries == 4)
        #expect(guardMachine.watch == .misranked)
    }

    @Test func catchThatTheServerLoses_isMadeAgain() {
        var machine = machine()
        machine.loseCatch()
        #expect(machine.catchPriority == nil)
        machine.settle()
        #expect(machine.catchPriority == 501)
        // Some program ends it each time: not without a pause.
        machine.loseCatch()
        machine.settle()
        #expect(machine.catchPriority == nil)
        #expect(machine.guardMachine.watch == .pending)
        machine.wait(seconds: 4)
        #expect(machine.catchPriority == 501)
        #expect(machine.guardMachine.watch == .watched)
    }

    /// The session manager was too slow to name the default: the catch of the first loss serves the second too.
    @Test func outputReturnsAndLeaves_whileTheCatchEnds_itStaysForTheSecondLoss() {
        var machine = playing(.mpv)
        let new = ProgramStream(id: 99, program: .browser)
        machine.unplug("headphones")
        machine.ask(.fact(.streamChanged(new)))
        machine.settle()
        machine.wait(seconds: 0.4)
        machine.plug(.headphones)
        machine.settle()
        machine.unplug("headphones")
        machine.settle()
        machine.wait(seconds: 0.2)
        #expect(machine.catchPriority != nil)
        machine.wait(seconds: 0.4)
        #expect(machine.catchPriority == nil)
        #expect(machine.heard[1] == ["headphones"])
    }

    @Test func outputsOfEqualRank_areSaidNotToBeWatched() {
        var machine = ModelMachine()
        machine.plug(.headphones)
        machine.plug(ModelMachine.Sink(name: "card", kind: .builtInSpeaker, priority: 1500))
        machine.settle()
        #expect(machine.guardMachine.watch == .noRoom)
        machine.unplug("card")
        machine.settle()
        #expect(machine.guardMachine.watch == .watched)
        machine.unplug("headphones")
        machine.plug(.speaker)
        machine.settle()
        machine.wait(seconds: 1)
        #expect(machine.guardMachine.watch == .notNeeded)
    }
}
