import AudioModel
import HostInterface
import HostSimulated
import SimulatedControls
import Testing
import Threading

@Suite struct SimulatedTimeTests {
    @Test func timeStandsStill_whileNobodyAdvances() throws {
        let bench = try Bench()
        bench.host.plug(.wiredHeadphones)
        #expect(bench.host.frame == 0)
        #expect(bench.host.now() == .zero)
    }

    @Test func nowIsExact_afterManyOddSteps() {
        let host = SimulatedHost(.bare, sampleRate: 44100)
        for _ in 0..<1000 { host.advance(frames: 44) }
        host.advance(frames: 100)
        // 44 100 frames at 44 100 Hz: no step has lost a nanosecond.
        #expect(host.now() == HostTime(nanoseconds: 1_000_000_000))
        host.advance(frames: 1)
        #expect(host.now() == HostTime(nanoseconds: 1_000_022_675))
    }

    @Test func secondsAreRoundedToFrames() {
        let host = SimulatedHost(.bare, sampleRate: 10)
        host.advance(seconds: 0.26)
        #expect(host.frame == 3)
        host.advance(seconds: 0)
        #expect(host.frame == 3)
        #expect(host.violations.isEmpty)
    }

    @Test func cyclesAreQuanta_andAShorterOneAtTheEnd() throws {
        let bench = try Bench()
        let probe = Probe.counting()
        let stream = try bench.play(on: .builtInReceiver, probe: probe)
        bench.host.advance(frames: 10)
        bench.host.quantum = 3
        bench.host.advance(frames: 4)
        #expect(
            probe.cycles == [
                .init(frames: 4, channels: 1, isGated: false, nanoseconds: 0),
                .init(frames: 4, channels: 1, isGated: false, nanoseconds: 40_000_000),
                .init(frames: 2, channels: 1, isGated: false, nanoseconds: 80_000_000),
                .init(frames: 3, channels: 1, isGated: false, nanoseconds: 100_000_000),
                .init(frames: 1, channels: 1, isGated: false, nanoseconds: 130_000_000),
            ])
        #expect(bench.host.capture(of: SimulatedDevice.builtInReceiver.output) == [(1...14).map { Float($0) }])
        #expect(stream.latencyFrames == 3)
        #expect(bench.host.violations.isEmpty)
    }

    @Test func cyclesStayWithinAStreamsLongest() throws {
        let bench = try Bench(quantum: 100)
        let probe = Probe.counting()
        let stream = try bench.open(maximumFrames: 30, probe: probe)
        stream.start()
        bench.host.advance(frames: 70)
        #expect(probe.cycles.map(\.frames) == [30, 30, 10])
    }

    @Test func readAheadRunsBeforeEachCycle_andSeesItsTime() throws {
        let bench = try Bench()
        let log = Monitor<[String]>([])
        let host = bench.host
        let probe = Probe { cycle in
            cycle.fill { _, _ in 0 }
            log.withLock { $0.append("render \(cycle.host_time_ns)") }
        }
        let stream = try bench.open(
            beforeVirtualCycle: { log.withLock { $0.append("before \(host.now().nanoseconds)") } }, probe: probe)
        host.advance(frames: 4)
        stream.start()
        host.advance(frames: 8)
        #expect(
            log.withLock { $0 } == [
                "before 40000000", "render 40000000", "before 80000000", "render 80000000",
            ])
    }

    @Test func stepsLandOnTheirExactFrame_andSplitTheCycle() throws {
        let bench = try Bench()
        let probe = Probe.counting()
        let stream = try bench.play(on: .builtInReceiver, probe: probe)
        let seen = Monitor<[String]>([])
        bench.host.advance(frames: 1)
        bench.host.schedule(
            Scenario()
                .at(0.05) { host in seen.withLock { $0.append("b \(host.frame)") } }
                .at(0) { host in seen.withLock { $0.append("a \(host.frame)") } }
                .at(0.05) { host in seen.withLock { $0.append("c \(host.frame)") } }
                .at(0.09) { host in seen.withLock { $0.append("d \(host.frame)") } }
                .at(0.10) { host in seen.withLock { $0.append("e \(host.frame)") } })
        bench.host.advance(frames: 9)
        #expect(seen.withLock { $0 } == ["a 1", "b 6", "c 6", "d 10"])
        #expect(probe.cycles.map(\.frames) == [1, 4, 1, 4])
        bench.host.advance(frames: 1)
        #expect(seen.withLock { $0 }.last == "e 11")
        #expect(bench.host.violations.isEmpty)
        stream.close()
    }

    @Test func stepsMayScheduleMore_forTheSameInstant() {
        let host = SimulatedHost(.bare, sampleRate: 100)
        host.schedule(
            Scenario().at(0.02) { $0.schedule(Scenario().at(0) { $0.plug(.hdmi) }.at(0.01) { $0.plug(.usbAudio) }) })
        host.advance(frames: 3)
        #expect(
            host.timeline.map(\.description).filter { $0.contains("plugged") } == [
                "2: plugged(\"simulated.hdmi\")", "3: plugged(\"simulated.usb-audio\")",
            ])
    }

    @Test func newsStopTheClock_untilTheSessionsHaveDealtWithThem() throws {
        let bench = try Bench(.bare)
        let other = try bench.anotherApp(named: "Other")
        for bench in [bench, other] { _ = bench.takeEvents() }
        let host = bench.host
        host.wake(at: HostTime(nanoseconds: 30_000_000))
        host.schedule(Scenario().at(0) { $0.plug(.hdmi) }.at(0.05) { $0.unplug(.hdmi) })
        var story: [String] = []
        host.advance(frames: 9) {
            story.append("\(host.frame): \(bench.takeEvents().joined(separator: ", "))")
            // What an app does then reaches the other app at the same instant.
            if host.frame == 3 { other.claim() }
        }
        #expect(story == ["0: ports hdmi*", "3: time 0.03", "5: peer 1 Other, ports "])
        #expect(other.takeEvents() == ["ports hdmi*", "granted 1", "ports "])
        #expect(host.violations.isEmpty)
    }

    @Test func timelineTellsTheWholeHistory() throws {
        let bench = try Bench()
        let headphones = SimulatedDevice.wiredHeadphones.output
        let speaker = SimulatedDevice.builtInSpeaker.output
        let id = StreamID(number: 7)
        bench.host.plug(.wiredHeadphones)
        bench.host.advance(frames: 5)
        let stream = try bench.play(7, on: .wiredHeadphones, probe: .counting())
        bench.host.advance(frames: 5)
        bench.host.unplug(.wiredHeadphones)
        stream.stop()
        bench.host.advance(frames: 1)
        stream.close()
        #expect(
            bench.host.timeline == [
                TimelineEntry(0, .connected),
                TimelineEntry(0, .plugged(headphones)),
                TimelineEntry(0, .defaultOutputChanged(headphones)),
                TimelineEntry(5, .streamOpened(id)),
                TimelineEntry(5, .streamLinked(id, [headphones])),
                TimelineEntry(5, .streamStarted(id)),
                TimelineEntry(10, .unplugged(headphones)),
                TimelineEntry(10, .streamGated(id)),
                TimelineEntry(10, .defaultOutputChanged(speaker)),
                TimelineEntry(10, .streamStopped(id)),
                TimelineEntry(11, .streamClosed(id)),
            ])
        #expect(bench.host.violations.isEmpty)
    }
}
