import Dispatch
import Foundation
import OpenAVFAudio
import OpenAVFAudioTestKit
import OpenAudioSession
import SessionCore
import TestAudio
import TestSupport
import Testing
import Threading

@testable import SessionRuntime

/// A server that takes seconds for an activation, in virtual time: decision 112.
@Suite(.serialized) struct SlowActivationTests {
    private let queue = DispatchQueue(label: "app")

    /// Returns when a call of the session waits for its answer; after 60 s in any case, and the test fails where it looks.
    private func waitForCall(of session: AVAudioSession) async {
        let deadline = ContinuousClock.now + .seconds(60)
        while session.runtime.replies.withLock({ $0.waiting.isEmpty }), ContinuousClock.now < deadline {
            await Task.yield()
        }
    }

    /// A queue of the app activates the session, which takes 4 s.
    private func beginActivation(on phone: AudioSimulator, _ answers: History<Int>) async {
        phone.setActivation(seconds: 4)
        setActive(true, phone.session, answers)
        await waitForCall(of: phone.session)
    }

    private func setActive(_ active: Bool, _ session: AVAudioSession, _ answers: History<Int>) {
        queue.async { answers.append(code { try session.setActive(active) }) }
    }

    // MARK: Who moves time

    @Test func callOfTheTest_movesTimeUntilItReturns() async throws {
        try await AudioSimulator.run(.phone) { phone in
            try phone.session.setCategory(.playback)
            phone.setActivation(seconds: 4)
            try phone.session.setActive(true)
            #expect(phone.now == 4)
            // It is active already.
            try phone.session.setActive(true)
            #expect(phone.now == 4)
            try await MainActor.run { try phone.session.setActive(false) }
            #expect(phone.now == 8)
            let player = try AVAudioPlayer(contentsOf: AudioSimulator.song)
            #expect(player.play() && phone.now == 12)
            let isInactive = try await phone.session.deactivate()
            #expect(isInactive && phone.now == 16)
            let isActive = try await phone.session.activate()
            #expect(isActive && phone.now == 20)
            phone.setActivation(seconds: 0)
            try phone.session.setActive(false)
            #expect(phone.now == 20 && phone.violations == [])
        }
    }

    /// As in XCTest, without a task.
    @Test func callOfATestWithoutATask_movesTime() async throws {
        let result = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(
                    returning: Result {
                        let phone = try AudioSimulator(.phone)
                        try phone.session.setCategory(.playback)
                        phone.setActivation(seconds: 4)
                        try phone.session.setActive(true)
                        return phone.now
                    })
            }
        }
        #expect(try result.get() == 4)
    }

    @Test func callOnAQueue_waitsForTheTest() async throws {
        for _ in 0..<20 {
            try await AudioSimulator.run(.phone) { phone in
                let answers = History<Int>()
                try phone.session.setCategory(.playback)
                await beginActivation(on: phone, answers)
                phone.advance(bySeconds: 3.99)
                #expect(answers.entries == [] && !phone.session.runtime.state.activation.isActive)
                phone.advance(bySeconds: 0.01)
                #expect(phone.session.runtime.state.activation.isActive)
                try answers.wait(for: "the answer") { $0 == [0] }
                #expect(phone.now == 4 && phone.violations == [])
            }
        }
    }

    @Test func activateInATask_waitsForTheTest() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = phone.session
            phone.setActivation(seconds: 4)
            let task = Task { try await session.activate() }
            await waitForCall(of: session)
            phone.advance(bySeconds: 3)
            #expect(!session.runtime.state.activation.isActive)
            phone.advance(bySeconds: 2)
            let isActive = try await task.value
            #expect(isActive && phone.now == 5)
        }
    }

    @Test func machineThatEnds_answersWhatWaits() async throws {
        let answers = History<Int>()
        try await AudioSimulator.run(.phone) { phone in
            await beginActivation(on: phone, answers)
        }
        try answers.wait(for: "the answer") { $0 == [AVAudioSession.ErrorCode.mediaServicesFailed.rawValue] }
    }

    // MARK: Observers and the main thread

    private enum Place: CaseIterable { case posterThread, mainThread, mainThreadOfTheTest }

    /// The test waits for the observer, and time goes on.
    @Test(arguments: Place.allCases) private func callInAnObserver_movesTime(_ place: Place) async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = phone.session
            let answers = History<Double>()
            try session.setCategory(.playback)
            try session.setActive(true)
            phone.setActivation(seconds: 4)
            let name =
                place == .posterThread
                ? AVAudioSession.routeChangeNotification : AVAudioSession.interruptionNotification
            let observer = NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) { note in
                if note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt == 1 { return }
                try? session.setActive(place != .posterThread)
                answers.append(phone.now)
            }
            defer { NotificationCenter.default.removeObserver(observer) }
            switch place {
            case .posterThread: phone.plug(.wiredHeadphones)
            case .mainThread:
                phone.receiveCall()
                phone.endCall()
            case .mainThreadOfTheTest:
                await MainActor.run {
                    phone.receiveCall()
                    phone.endCall()
                }
            }
            phone.settle()
            #expect(answers.entries == [4] && phone.now == 4)
            #expect(session.runtime.state.activation.isActive == (place != .posterThread))
            phone.advance(bySeconds: 5)
            #expect(phone.now == 9 && phone.violations == [])
        }
    }

    /// What waits for the main thread waits until it is back, and the test does not wait for that.
    @Test func mainThreadThatHangs_holdsUpItsObserversAlone() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = phone.session
            try session.setCategory(.playback)
            let video = try phone.launchApp(named: "Video")
            try video.session.setCategory(.playback)
            try video.session.setActive(true)
            let history = History<Double>()
            let observer = NotificationCenter.default.addObserver(
                forName: AVAudioSession.interruptionNotification, object: video.session, queue: nil
            ) { _ in history.append(phone.now) }
            defer { NotificationCenter.default.removeObserver(observer) }
            phone.setActivation(seconds: 4)
            let task = Task { @MainActor in try session.setActive(true) }
            await waitForCall(of: session)
            phone.settle()
            phone.advance(bySeconds: 2)
            #expect(history.entries == [] && phone.now == 2)
            phone.advance(bySeconds: 2)
            try await task.value
            phone.settle()
            #expect(history.entries == [4])
        }
    }

    // MARK: What happens meanwhile

    @Test func serverThatIsLost_inTheMiddle_endsTheActivation() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let answers = History<Int>()
            await beginActivation(on: phone, answers)
            phone.advance(bySeconds: 2)
            phone.crashMediaServices()
            try answers.wait(for: "the answer") { $0 == [AVAudioSession.ErrorCode.mediaServicesFailed.rawValue] }
            #expect(phone.now == 2)
            phone.restartMediaServices()
            phone.advance(bySeconds: 5)
            #expect(!phone.session.runtime.state.activation.isActive && phone.violations == [])
        }
    }

    @Test func otherApp_inTheMiddle_interruptsTheActivation() async throws {
        try await AudioSimulator.run(.phone) { phone in
            let answers = History<Int>()
            try phone.session.setCategory(.playback)
            await beginActivation(on: phone, answers)
            phone.advance(bySeconds: 2)
            phone.setActivation(seconds: 0)
            let video = try phone.launchApp(named: "Video")
            try video.session.setCategory(.playback)
            try video.session.setActive(true)
            phone.advance(bySeconds: 3)
            try answers.wait(for: "the answer") { $0 == [0] }
            #expect(phone.session.runtime.state.interruption != nil && video.session.runtime.state.activation.isActive)
            #expect(phone.violations == [])
        }
    }

    /// `deactivate` gives way to what comes after it (behaviour 34); `setActive(false)` is carried out, however late.
    @Test(arguments: [false, true]) func lateDeactivation_afterAnActivation(isSynchronous: Bool) async throws {
        try await AudioSimulator.run(.phone) { phone in
            let session = phone.session
            try session.setCategory(.playback)
            let player = try AVAudioPlayer(contentsOf: AudioSimulator.song)
            #expect(player.play())
            phone.setActivation(seconds: 4)
            let answers = History<Int>()
            let task = isSynchronous ? nil : Task { try await session.deactivate() }
            if isSynchronous { setActive(false, session, answers) }
            await waitForCall(of: session)
            phone.advance(bySeconds: 1)
            player.pause()
            #expect(player.play() && phone.now == 1)
            phone.advance(bySeconds: 5)
            #expect(player.isPlaying == !isSynchronous)
            if let task {
                let isDone = try await task.value
                #expect(!isDone)
            } else {
                try answers.wait(for: "the answer") { $0 == [0] }
            }
            #expect(phone.violations == [])
        }
    }

    // MARK: Anything

    /// Whatever comes in the middle of an activation: each call is answered once, and the session works at the end.
    @Test(arguments: UInt64(1)...12) func randomScript_answersEachCall(_ seed: UInt64) async throws {
        try await AudioSimulator.run(.phone) { phone in
            var random = Seeded(seed: seed)
            var (calls, isInCall, isUp, isPlugged) = (0, false, true, false)
            let session = phone.session
            let (answers, states) = (History<Int>(), History<Bool>())
            let observers = [true, false].map { isActive in
                NotificationCenter.default.addObserver(
                    forName: isActive
                        ? AVAudioSession.didBecomeActiveNotification : AVAudioSession.didBecomeInactiveNotification,
                    object: session, queue: nil
                ) { _ in states.append(isActive) }
            }
            defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
            let player = try AVAudioPlayer(contentsOf: AudioSimulator.song)
            let video = try phone.launchApp(named: "Video")
            for app in [session, video.session] { try app.setCategory(.playback) }
            for _ in 0..<40 {
                switch Int.random(in: 0..<16, using: &random) {
                case 0, 1: phone.setActivation(seconds: [0, 0.3, 2, 4].randomElement(using: &random) ?? 0)
                case 2: try? session.setActive(Bool.random(using: &random))
                case 3: _ = try? await session.deactivate()
                case 4, 5:
                    calls += 1
                    session.activate { isDone, error in answers.append(isDone == (error == nil) ? 1 : 0) }
                case 6, 7:
                    calls += 1
                    session.deactivate(options: .notifyOthersOnDeactivation) { _, _ in answers.append(1) }
                case 8, 9:
                    calls += 1
                    setActive(Bool.random(using: &random), session, answers)
                case 10: try? video.session.setActive(Bool.random(using: &random), options: .notifyOthersOnDeactivation)
                case 11:
                    if isUp { isInCall ? phone.endCall() : phone.receiveCall() }
                    if isUp { isInCall.toggle() }
                case 12:
                    if Bool.random(using: &random) {
                        isUp ? phone.crashMediaServices() : phone.restartMediaServices()
                        (isUp, isInCall) = (!isUp, false)
                    }
                case 13:
                    isPlugged ? phone.unplug(.wiredHeadphones) : phone.plug(.wiredHeadphones)
                    isPlugged.toggle()
                case 14: if Bool.random(using: &random) { player.play() } else { player.pause() }
                default: break
                }
                phone.advance(bySeconds: [0, 0.1, 1, 3].randomElement(using: &random) ?? 0)
            }
            if !isUp { phone.restartMediaServices() }
            if isInCall { phone.endCall() }
            phone.setActivation(seconds: 0)
            phone.advance(bySeconds: 5)
            // Those that wait on the queue for the one that waited for time are answered at once.
            try answers.wait(for: "each answer") { $0.count >= calls }
            phone.settle()
            #expect(answers.count == calls && phone.violations == [], "\(phone.violations)")
            try video.session.setActive(false)
            try session.setActive(true)
            #expect(session.runtime.state.activation.isActive)
            try session.setActive(false)
            phone.settle()
            let changes = states.entries
            #expect(zip(changes, changes.dropFirst()).allSatisfy { $0 != $1 } && changes.last == false, "\(changes)")
        }
    }
}
