import Dispatch
import Foundation
import SessionRuntime
import Synchronization
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAVFAudioTestKit
@testable import OpenAudioSession

/// Tests of apps that run side by side.
@Suite struct SimulatorIsolationTests {
    private final class Listener: Sendable {
        let objects = Mutex<[ObjectIdentifier]>([])
        func hear(_ notification: Notification) {
            guard let object = notification.object as? AVAudioSession else { return }
            objects.withLock { $0.append(ObjectIdentifier(object)) }
        }
    }

    private final class Running: Sendable {
        let counts = Mutex((own: 0, process: 0))
    }

    // Behaviour 98
    @Test(.simulated(.phone)) func simulatedTestsHearOnlyTheirMachine() async throws {
        let phone = try #require(AudioSimulator.current)
        let name = AVAudioSession.routeChangeNotification
        let notes = NotificationCenter.default.notifications(named: name)
        let listener = Listener()
        NotificationCenter.default.addObserver(listener, selector: Selector(Listener.hear), name: name, object: nil)
        let otherSession = try await AudioSimulator.run(.phone) { other in
            let theirs = NotificationCenter.default.notifications(named: name)
            other.plug(.wiredHeadphones)
            #expect(await theirs.first { _ in true }?.object as? AVAudioSession === other.session)
            return ObjectIdentifier(other.session)
        }
        phone.plug(.wiredHeadphones)
        #expect(await notes.first { _ in true }?.object as? AVAudioSession === phone.session)
        #expect(listener.objects.withLock { $0 } == [ObjectIdentifier(phone.session)])
        #expect(otherSession != ObjectIdentifier(phone.session))
        NotificationCenter.default.removeObserver(listener)
    }

    @Test(.simulated(.phone)) func notifications_ofAnotherAppOfTheMachine_areReceived() async throws {
        let phone = try #require(AudioSimulator.current)
        let app = try phone.launchApp(named: "Other")
        let notes = NotificationCenter.default.notifications(named: AVAudioSession.routeChangeNotification)
        phone.plug(.wiredHeadphones)
        var objects: Set<ObjectIdentifier> = []
        for await note in notes {
            objects.insert(ObjectIdentifier(try #require(note.object as? AVAudioSession)))
            if objects.count == 2 { break }
        }
        #expect(objects == [ObjectIdentifier(phone.session), ObjectIdentifier(app.session)])
    }

    @Test func gate_letsMachinesOfTheirOwnInTogether_andAProcessAlone() async throws {
        let gate = SimulatorGate()
        let running = Running()
        // Both are inside before either goes on.
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let (permits, permitted) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    try await gate.pass(.ownMachine, at: #_sourceLocation) {
                        running.counts.withLock { $0.own += 1 }
                        arrived.yield()
                        for await _ in permits { break }
                        // A suite and a test with a trait.
                        try await gate.pass(.process, at: #_sourceLocation) {
                            #expect(running.counts.withLock { $0.process } == 0)
                        }
                        running.counts.withLock { $0.own -= 1 }
                    }
                }
            }
            for _ in 0..<20 {
                group.addTask {
                    try await gate.pass(.process, at: #_sourceLocation) {
                        running.counts.withLock { $0.process += 1 }
                        await Task.yield()
                        #expect(running.counts.withLock { $0.own == 0 && $0.process == 1 })
                        running.counts.withLock { $0.process -= 1 }
                    }
                }
            }
            var count = 0
            for await _ in arrivals {
                count += 1
                if count == 2 { break }
            }
            #expect(running.counts.withLock { $0.own } == 2)
            permitted.finish()
            try await group.waitForAll()
        }
    }
}

/// Code that leaves the task of its test.
@Suite struct StrayCallTests {
    private func issues(
        _ kind: SimulatorGate.Kind, _ body: @escaping @Sendable (SimulatorGate) async -> Void
    ) async throws -> Int {
        let gate = SimulatorGate()
        let count = Mutex(0)
        try await withKnownIssue(isIntermittent: true) {
            try await gate.pass(kind, at: #_sourceLocation) { await body(gate) }
        } matching: { issue in
            count.withLock { $0 += "\(issue.comments)".contains(".simulated(.phone, alone: true)") ? 1 : 10 }
            return true
        }
        return count.withLock { $0 }
    }

    @Test func strayCall_failsTheTestsBesideIt_once() async throws {
        let ofTask = try await issues(.ownMachine) { gate in await Task.detached { gate.noteStrayCall() }.value }
        let ofThread = try await issues(.ownMachine) { gate in
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    for _ in 0..<2 { gate.noteStrayCall() }
                    continuation.resume()
                }
            }
        }
        #expect(ofTask == 1 && ofThread == 1)
        let alone = try await issues(.process) { gate in await Task.detached { gate.noteStrayCall() }.value }
        let inTest = try await issues(.ownMachine) { gate in gate.noteStrayCall() }
        let inItsTask = try await issues(.ownMachine) { gate in await Task { gate.noteStrayCall() }.value }
        let none = try await issues(.ownMachine) { _ in }
        #expect(alone == 0 && inTest == 0 && inItsTask == 0 && none == 0)
    }

    /// In a process of its own, so that no other test fails for it.
    @Test func sharedInstance_outsideOfATask_isAStrayCall_andIsTheProgramsSession() async {
        await #expect(processExitsWith: .success) {
            setenv("AUDIOSESSION_HOST", "simulated", 1)
            let calls = Mutex(0)
            AVAudioSession.strayCalls.withLock { $0 = .init { calls.withLock { $0 += 1 } } }
            try await AudioSimulator.run(.phone) { phone in
                let inTask = AVAudioSession.sharedInstance() === phone.session
                let isStray = await Task.detached { AVAudioSession.sharedInstance() !== phone.session }.value
                let counts = calls.withLock { $0 }
                exit(inTask && isStray && counts == 1 ? 0 : 1)
            }
        }
    }

    @Test(.simulated(.phone), arguments: [true, false]) func observerWithAQueue_keepsTheMachine(_ isMain: Bool)
        async throws
    {
        let phone = try #require(AudioSimulator.current)
        let sessions = Mutex<[Bool]>([])
        let observer = NotificationCenter.default.addObserver(
            forName: AVAudioSession.routeChangeNotification, object: nil, queue: isMain ? .main : OperationQueue()
        ) { _ in
            let isOurs = AVAudioSession.sharedInstance() === phone.session
            sessions.withLock { $0.append(isOurs) }
        }
        phone.plug(.wiredHeadphones)
        #expect(sessions.withLock { $0 } == [true])
        NotificationCenter.default.removeObserver(observer)
    }

    /// `@unchecked`: the task that makes it is over.
    private struct HeldPlayer: @unchecked Sendable { let player: AVAudioPlayer }

    @Test(.scene("headphones-leave", alone: true)) func sceneAlone_isTheMachineOfEveryThread() async throws {
        let phone = try #require(AudioSimulator.current)
        let held = try await Task.detached {
            try AVAudioSession.sharedInstance().setCategory(.playback)
            return HeldPlayer(player: try AVAudioPlayer(contentsOf: AudioSimulator.song))
        }.value
        let history = try await AudioSimulator.performScene { action in
            if action == .play { held.player.play() } else { held.player.pause() }
        }
        #expect(history.failures == [] && phone.session.category == .playback)
    }
}

/// The machine of a whole process.
@Suite(.simulatedProcess(.phone)) struct ProcessSimulatorTests {
    private static let running = Mutex(0)

    private static func begin() {
        let count = running.withLock { count in
            count += 1
            return count
        }
        #expect(count == 1, "one test at a time")
    }

    private static func end() { running.withLock { $0 -= 1 } }

    @Test(arguments: 0..<4) func session_ofEveryThread_isTheSimulators(_: Int) async throws {
        Self.begin()
        defer { Self.end() }
        let phone = try #require(AudioSimulator.current)
        let expected = ObjectIdentifier(phone.session)
        let onQueue = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: ObjectIdentifier(AVAudioSession.sharedInstance()))
            }
        }
        let onThread = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: ObjectIdentifier(AVAudioSession.sharedInstance())) }
        }
        let inTask = await Task.detached { ObjectIdentifier(AVAudioSession.sharedInstance()) }.value
        #expect([onQueue, onThread, inTask] == [expected, expected, expected])
    }

    @Test func engine_madeOnAQueue_playsOnTheMachine() async throws {
        Self.begin()
        defer { Self.end() }
        let phone = try #require(AudioSimulator.current)
        let isRunning = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Bool, any Error>) in
            DispatchQueue.global().async {
                let engine = AVAudioEngine()
                _ = engine.mainMixerNode
                continuation.resume(
                    with: Result {
                        try engine.start()
                        return engine.isRunning
                    })
            }
        }
        #expect(isRunning)
        #expect(phone.session.runtime.state.activation.isActive)
    }
}
