import AudioModel
import Dispatch
import Glibc
import HostInterface
import HostSimulated
import SimulatedControls
import Synchronization
import TestSupport
import Testing
import Threading

/// Several threads at once; most of the proof is ThreadSanitizer's.
@Suite struct SimulatedThreadTests {
    let receiver = SimulatedDevice.builtInReceiver.output
    let headphones = SimulatedDevice.wiredHeadphones.output

    @Test(.timeLimit(.minutes(30))) func stopReturnsAfterTheLastCallOfTheRenderer() throws {
        try expectToWaitForTheRenderer { _, stream in stream.stop() }
    }

    @Test(.timeLimit(.minutes(30))) func killReturnsAfterTheLastCallOfTheRenderer() throws {
        try expectToWaitForTheRenderer { host, _ in host.kill() }
    }

    @Test(.timeLimit(.minutes(30))) func shutdownReturnsAfterTheLastCallOfTheRenderer() throws {
        try expectToWaitForTheRenderer { host, _ in host.shutdown() }
    }

    private func expectToWaitForTheRenderer(
        _ leave: @escaping @Sendable (SimulatedHost, any HostStream) -> Void
    ) throws {
        let bench = try Bench()
        let isInside = DispatchSemaphore(value: 0)
        let mayReturn = DispatchSemaphore(value: 0)
        let hasReturned = Atomic<Bool>(false)
        let probe = Probe { cycle in
            cycle.fill { _, _ in 0 }
            isInside.signal()
            mayReturn.wait()
            hasReturned.store(true, ordering: .relaxed)
        }
        let stream = try bench.play(on: .builtInReceiver, probe: probe)
        let host = bench.host
        let advancing = TestThread { host.advance(frames: 4) }
        isInside.wait()
        let isStopping = DispatchSemaphore(value: 0)
        let isStopped = DispatchSemaphore(value: 0)
        let wasLate = Atomic<Bool>(false)
        let stopping = TestThread {
            isStopping.signal()
            leave(host, stream)
            wasLate.store(hasReturned.load(ordering: .relaxed), ordering: .relaxed)
            isStopped.signal()
        }
        isStopping.wait()
        // Gives a call that does not wait the time to show it. One that does wait cannot be early, however long this takes.
        #expect(isStopped.wait(timeout: .now() + .milliseconds(20)) == .timedOut)
        mayReturn.signal()
        stopping.join()
        advancing.join()
        let isInOrder = wasLate.load(ordering: .relaxed)
        #expect(isInOrder)
        #expect(probe.cycles.count == 1)
        #expect(bench.host.violations.isEmpty)
    }

    @Test(.timeLimit(.minutes(30))) func plugAndUnplugDuringCycles_leakNothing() throws {
        let bench = try Bench(quantum: 3)
        let host = bench.host
        let stream = try bench.open(probe: .constant(1))
        stream.start()
        let isOver = Atomic<Bool>(false)
        let advancing = TestThread {
            while !isOver.load(ordering: .relaxed) { host.advance(frames: 5) }
        }
        for _ in 0..<200 {
            host.plug(.wiredHeadphones)
            do { try stream.link(to: [headphones]) } catch { Issue.record(error) }
            _ = host.now()
            host.unplug(.wiredHeadphones)
        }
        isOver.store(true, ordering: .relaxed)
        advancing.join()
        #expect(host.loudFrames(of: receiver, aboveDecibels: -.infinity) == 0)
        #expect(host.loudFrames(of: SimulatedDevice.builtInSpeaker.output, aboveDecibels: -.infinity) == 0)
        #expect(bench.takeEvents().filter { $0.hasPrefix("lost ") }.count == 200)
        #expect(host.violations.isEmpty)
        stream.close()
    }

    @Test(.timeLimit(.minutes(30))) func eventsArriveInTheOrderOfTheChanges_fromManyThreads() throws {
        let bench = try Bench(.bare)
        let host = bench.host
        let isBusy = Atomic<Bool>(false)
        let overlaps = Atomic<Int>(0)
        let last = Monitor<Inventory?>(nil)
        host.shutdown()
        try host.start { event in
            if isBusy.exchange(true, ordering: .sequentiallyConsistent) {
                overlaps.add(1, ordering: .sequentiallyConsistent)
            }
            // Lets the others have a try at being here at the same time.
            sched_yield()
            if case .inventoryChanged(let inventory, losses: _) = event { last.withLock { $0 = inventory } }
            isBusy.store(false, ordering: .sequentiallyConsistent)
        }
        TestThread.run(4) { index in
            let device = SimulatedDevice.output(uid: "device \(index)", name: "", kind: .hdmi)
            for _ in 0..<50 {
                host.plug(device)
                host.unplug(device)
            }
            host.plug(device)
        }
        let overlapCount = overlaps.load(ordering: .sequentiallyConsistent)
        #expect(overlapCount == 0, "one after the other")
        #expect(last.withLock { $0 } == host.inventory)
        #expect(host.inventory.ports.count == 4)
        #expect(host.violations.isEmpty)
    }

    @Test(.timeLimit(.minutes(30))) func threadsAdvanceInTurns() throws {
        let bench = try Bench()
        let host = bench.host
        let probe = Probe { cycle in
            cycle.fill { _, _ in 1 }
            // Lets the others have a try at rendering at the same time.
            sched_yield()
        }
        let stream = try bench.play(on: .builtInReceiver, probe: probe)
        TestThread.run(4) { _ in
            for _ in 0..<50 { host.advance(frames: 7) }
        }
        #expect(host.frame == 4 * 50 * 7)
        #expect(probe.cycles.map(\.frames).reduce(0, +) == 4 * 50 * 7)
        #expect(host.capture(of: receiver) == [[Float](repeating: 1, count: 4 * 50 * 7)])
        #expect(host.violations.isEmpty)
        stream.close()
    }

    // MARK: Real time

    @Test(.timeLimit(.minutes(30))) func machineRunsInRealTime_untilStopped() throws {
        let bench = try Bench(sampleRate: 48000, quantum: 480)
        let host = bench.host
        let reached = DispatchSemaphore(value: 0)
        let before = Atomic<Int>(0)
        let stream = try bench.open(
            beforeVirtualCycle: { before.add(1, ordering: .relaxed) }, probe: .constant(0.5))
        try stream.link(to: [receiver])
        stream.start()
        host.schedule(Scenario().at(0.05) { _ in reached.signal() })
        let clock = ContinuousClock()
        let start = clock.now
        #expect(host.runInRealTime())
        #expect(host.runInRealTime())
        reached.wait()
        // The fifth quantum begins 40 ms after the first; sooner would not be real time. Later is the machine's load.
        #expect(clock.now - start >= .milliseconds(40))
        host.advance(frames: 1)
        host.stopRunning()
        host.stopRunning()
        let frame = host.frame
        #expect(frame >= 2400)
        #expect(frame % 480 == 0)
        let prepared = before.load(ordering: .relaxed)
        #expect(prepared == frame / 480)
        #expect(host.loudFrames(of: receiver) == frame)
        #expect(host.violations == ["script: advance while the machine runs in real time; call stopRunning first"])
        host.advance(frames: 10)
        #expect(host.frame == frame + 10)
        stream.close()
    }

    @Test(.timeLimit(.minutes(30))) func lateQuantaAreDropped_beyondFour() throws {
        let host = SimulatedHost(.bare, sampleRate: 48000, quantum: 48)
        let reached = DispatchSemaphore(value: 0)
        host.schedule(
            Scenario()
                // Not to wait for anything: this is the lateness itself.
                .at(0.002) { _ in usleep(100_000) }
                .at(0.020) { _ in reached.signal() })
        let clock = ContinuousClock()
        let start = clock.now
        host.runInRealTime()
        reached.wait()
        // 100 ms late at 2 ms, 4 ms of which are caught up: the quantum that ends at 20 ms begins 113 ms after the start
        // or later. Without dropping it would begin at once, after 100 ms.
        #expect(clock.now - start >= .milliseconds(113))
        host.stopRunning()
        #expect(host.violations.isEmpty)
    }

    @Test(.timeLimit(.minutes(30))) func stepStopsRealTime_fromTheMachinesOwnThread() throws {
        let host = SimulatedHost(.bare, sampleRate: 48000, quantum: 48)
        let stopped = DispatchSemaphore(value: 0)
        host.schedule(
            Scenario().at(0.002) { host in
                host.stopRunning()
                stopped.signal()
            })
        host.runInRealTime()
        stopped.wait()
        host.stopRunning()
        #expect(host.frame == 96)
        #expect(host.violations.isEmpty)
    }

    @Test(.timeLimit(.minutes(30))) func machineThatNobodyHolds_stopsByItself() {
        final class Token: Sendable {}
        weak var machine: Token?
        do {
            let host = SimulatedHost(.bare, sampleRate: 48000, quantum: 48)
            let token = Token()
            machine = token
            // Never due; the machine holds it, and so the token.
            host.schedule(Scenario().at(1e6) { _ in withExtendedLifetime(token) {} })
            host.runInRealTime()
        }
        // Far above what a loaded machine needs.
        let deadline = ContinuousClock.now + .seconds(20)
        while machine != nil, ContinuousClock.now < deadline { sched_yield() }
        #expect(machine == nil)
    }

    // MARK: Several apps

    @Test(.timeLimit(.minutes(30))) func appsClaimAtOnce_andAllSeeOneOrder() throws {
        let count = 4
        let rounds: UInt64 = 50
        let first = try Bench(.bare)
        let benches = try [first] + (1..<count).map { try first.anotherApp(named: "app \($0)") }
        for bench in benches { _ = bench.takeEvents() }
        TestThread.run(count) { index in
            for number in 1...rounds {
                benches[index].claim(number)
                benches[index].release(number, notifyingOthers: true)
            }
        }
        for bench in benches {
            let events = bench.takeEvents()
            let appeared = events.compactMap { $0.hasPrefix("peer ") ? Int($0.split(separator: " ")[1]) : nil }
            let left = events.compactMap { $0.hasPrefix("left ") ? Int($0.split(separator: " ")[1]) : nil }
            #expect(appeared == appeared.sorted(), "in the order of their serials")
            #expect(appeared.count == (count - 1) * Int(rounds))
            #expect(Set(appeared) == Set(left), "none is left behind")
        }
        #expect(first.host.violations.isEmpty)
    }

    @Test(.timeLimit(.minutes(30))) func appsDieInTheMiddleOfCycles() throws {
        let host = SimulatedHost(.phone, sampleRate: 100, quantum: 4)
        let isOver = Atomic<Bool>(false)
        let advancing = TestThread {
            while !isOver.load(ordering: .relaxed) { host.advance(frames: 5) }
        }
        let late = Atomic<Int>(0)
        for round in 0..<100 {
            let app = try Bench(host: host.anotherApp(named: "app \(round)"))
            let isDead = Atomic<Bool>(false)
            let probe = Probe { cycle in
                cycle.fill { _, _ in 1 }
                if isDead.load(ordering: .sequentiallyConsistent) { late.add(1, ordering: .relaxed) }
            }
            app.claim()
            let stream = try app.play(on: .builtInReceiver, probe: probe)
            app.host.kill()
            isDead.store(true, ordering: .sequentiallyConsistent)
            stream.close()
        }
        isOver.store(true, ordering: .relaxed)
        advancing.join()
        let lateCount = late.load(ordering: .relaxed)
        #expect(lateCount == 0)
        #expect(host.facts.filter { $0 == .killed }.count == 100)
        #expect(host.violations.isEmpty)
    }
}
