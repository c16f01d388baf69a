import AudioModel
import HostInterface
import HostSimulated
import SimulatedControls
import Testing
import Threading

@Suite struct SimulatedSleepTests {
    let speaker = SimulatedDevice.builtInSpeaker.output

    @Test func machineSleeps_onceEveryAppHasAllowedIt() throws {
        let music = try Bench(.bare, appName: "Music")
        let other = try music.anotherApp(named: "Other")
        music.host.sleep()
        music.host.allowSleep()
        #expect(!music.host.isAsleep)
        other.host.allowSleep()
        #expect(music.host.isAsleep)
        other.host.wakeUp()
        #expect(!music.host.isAsleep)
        for bench in [music, other] { #expect(bench.takeEvents() == ["ports ", "sleep", "woke"]) }
        #expect(
            music.host.timeline.suffix(5) == [
                TimelineEntry(0, .sleepAnnounced), TimelineEntry(0, app: "Music", .sleepAllowed),
                TimelineEntry(0, app: "Other", .sleepAllowed), TimelineEntry(0, .fellAsleep), TimelineEntry(0, .wokeUp),
            ])
        #expect(music.host.violations.isEmpty)
    }

    @Test func nothingRenders_whileTheMachineSleeps() throws {
        let bench = try Bench()
        let stream = try bench.play(on: .builtInSpeaker, probe: .counting())
        bench.host.advance(frames: 2)
        bench.host.sleep(seconds: 0.03)
        bench.host.allowSleep()
        bench.host.advance(frames: 5)
        #expect(bench.host.capture(of: speaker)[0] == [1, 2, 0, 0, 0, 3, 4])
        #expect(bench.takeEvents().suffix(2) == ["sleep", "woke"])
        #expect(bench.host.violations.isEmpty)
        stream.close()
    }

    @Test func sleepDoesNotWait_longerThanFiveSeconds() throws {
        let music = try Bench(appName: "Music")
        let other = try music.anotherApp(named: "Other")
        music.host.sleep()
        other.host.allowSleep()
        music.host.advance(frames: 499)
        #expect(!music.host.isAsleep)
        music.host.advance(frames: 1)
        #expect(music.host.isAsleep)
        #expect(music.host.violations == ["Music: sleep was not allowed within 5 s of its announcement"])
    }

    @Test func appsThatLeaveOrDie_areNotWaitedFor() throws {
        let music = try Bench(.bare, appName: "Music")
        let second = try music.anotherApp(named: "Second")
        let third = try music.anotherApp(named: "Third")
        music.host.sleep()
        music.host.allowSleep()
        second.host.shutdown()
        #expect(!music.host.isAsleep)
        third.host.kill()
        #expect(music.host.isAsleep)
        #expect(music.host.violations.isEmpty)
    }

    @Test func answerToASleepThatWasCalledOff_doesNotAllowTheNext() throws {
        let bench = try Bench(.bare)
        bench.host.sleep()
        bench.host.wakeUp()
        bench.host.sleep()
        bench.host.allowSleep()
        #expect(!bench.host.isAsleep)
        bench.host.allowSleep()
        #expect(bench.host.isAsleep)
        bench.host.wakeUp()
        bench.host.advance(seconds: 6)
        #expect(bench.takeEvents() == ["ports ", "sleep", "woke", "sleep", "woke"])
        #expect(bench.host.violations.isEmpty)
    }

    @Test func fadeMayEndAfterTheAnswer_butWhatSoundsOnIsAViolation() throws {
        let music = try Bench(appName: "Music")
        let slow = try music.anotherApp(named: "Slow")
        let stream = try music.play(on: .builtInSpeaker, probe: .constant(1))
        music.host.sleep()
        music.host.allowSleep()
        // 0.1 s of grace is 10 frames here; the cycle that begins after it is the fourth of 4 frames.
        music.host.advance(frames: 12)
        #expect(music.host.violations.isEmpty)
        music.host.advance(frames: 4)
        #expect(music.host.violations == ["Music: stream 1 sounds although its session has allowed sleep"])
        stream.close()
        slow.host.allowSleep()
        #expect(music.host.isAsleep)
    }

    @Test func streamThatRendersSilence_isNoViolation() throws {
        let music = try Bench(appName: "Music")
        let slow = try music.anotherApp(named: "Slow")
        let stream = try music.play(on: .builtInSpeaker, probe: .constant(0))
        music.host.sleep()
        music.host.allowSleep()
        music.host.advance(frames: 40)
        #expect(music.host.violations.isEmpty)
        stream.close()
        #expect(!slow.host.isAsleep, "it was awake all the time")
    }

    @Test func mistakes() throws {
        let bench = try Bench(.bare)
        bench.host.wakeUp()
        bench.host.allowSleep()
        bench.host.sleep()
        bench.host.sleep()
        #expect(
            bench.host.violations == [
                "script: the machine wakes while it is awake",
                "allowSleep was called though no sleep is announced; it answers sleepAnnounced",
                "script: the machine sleeps while it sleeps, or is about to",
            ])
    }

    // MARK: Timers

    func time(_ milliseconds: UInt64) -> HostTime { HostTime(nanoseconds: milliseconds * 1_000_000) }

    @Test func timersComeInOrder_eachOnItsFrame() throws {
        let bench = try Bench(.bare)
        let other = try bench.anotherApp(named: "Other")
        for bench in [bench, other] { _ = bench.takeEvents() }
        bench.host.wake(at: time(50))
        bench.host.wake(at: time(15))
        other.host.wake(at: time(50))
        let frames = Monitor<[Int]>([])
        bench.host.schedule(Scenario().at(0.02) { host in frames.withLock { $0.append(host.frame) } })
        bench.host.advance(frames: 1)
        #expect(bench.takeEvents() == [])
        // 15 ms is between two frames of 10 ms; the later one is the first that is not before it.
        bench.host.advance(frames: 1)
        #expect(bench.takeEvents() == ["time 0.015"])
        bench.host.advance(frames: 2)
        #expect(bench.takeEvents() == [])
        bench.host.advance(frames: 8)
        #expect(bench.takeEvents() == ["time 0.05"])
        #expect(other.takeEvents() == ["time 0.05"])
        #expect(bench.host.violations.isEmpty)
    }

    @Test func timerCutsTheCycle() throws {
        let bench = try Bench()
        let probe = Probe.counting()
        let stream = try bench.play(on: .builtInSpeaker, probe: probe)
        bench.host.wake(at: time(60))
        bench.host.advance(frames: 8)
        #expect(probe.cycles.map(\.frames) == [4, 2, 2])
        stream.close()
    }

    @Test func timeThatIsPast_comesAtOnce() throws {
        let bench = try Bench(.bare)
        bench.host.advance(frames: 2)
        bench.host.wake(at: time(20))
        bench.host.wake(at: .zero)
        #expect(bench.takeEvents() == ["ports ", "time 0.02", "time 0.0"])
    }

    @Test func timersDoNotOutlive_theConnection() throws {
        let bench = try Bench(.bare)
        let other = try bench.anotherApp(named: "Other")
        other.host.wake(at: time(10))
        other.host.shutdown()
        try other.host.start { _ in }
        bench.host.wake(at: time(10))
        bench.host.crashServer()
        bench.host.wake(at: time(10))
        bench.host.restartServer()
        bench.host.advance(frames: 4)
        #expect(bench.takeEvents() == ["ports ", "lost", "restored", "ports "])
        #expect(other.takeEvents() == ["ports "])
        #expect(bench.host.violations.isEmpty)
        other.host.shutdown()
    }

    @Test func timersWait_whileTheMachineSleeps() throws {
        let bench = try Bench(.bare)
        bench.host.wake(at: time(20))
        bench.host.wake(at: HostTime(nanoseconds: .max))
        bench.host.sleep(seconds: 0.1)
        bench.host.allowSleep()
        bench.host.wake(at: time(10))
        bench.host.advance(frames: 20)
        #expect(bench.takeEvents() == ["ports ", "sleep", "woke", "time 0.01", "time 0.02"])
    }

    @Test func timerWithoutAConnection_isAViolation() {
        let host = SimulatedHost(.bare)
        host.wake(at: .zero)
        #expect(host.violations == ["wake was called while the session is not connected; call start first"])
    }
}
