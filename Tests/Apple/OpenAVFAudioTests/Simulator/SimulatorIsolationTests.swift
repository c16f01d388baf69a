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
                    try await gate.pass(.ownMachine) {
                        running.counts.withLock { $0.own += 1 }
                        arrived.yield()
                        for await _ in permits { break }
                        // A suite and a test with a trait.
                        try await gate.pass(.process) { #expect(running.counts.withLock { $0.process } == 0) }
                        running.counts.withLock { $0.own -= 1 }
                    }
                }
            }
            for _ in 0..<20 {
                group.addTask {
                    try await gate.pass(.process) {
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
