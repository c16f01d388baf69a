import Dispatch
import Foundation
import OpenAVFAudio
import OpenAVFAudioTestKit
import OpenAudioSession
import SceneCore
import SceneRuntime
import SessionCore
import Synchronization
import Testing

@testable import SessionRuntime

/// Scenes in which an activation takes seconds: decision 112.
@Suite(.serialized) struct SlowActivationSceneTests {
    private static let text = """
        scene 1
        at 0s player plays
        at 1s activation takes 4s
        at 2s session deactivates
        at 3s plug headphones and player plays
        at 4s unplug headphones
        at 5.5s call begins
        at 7s call ends, may resume
        at 7.5s activation takes 0s
        at 12s end
        """

    /// While the app hangs, the machine goes on, and the app's user gets an answer when the app is back.
    @Test(arguments: [false, true]) func callThatWaits_letsTheMachineGoOn_andNotTheApp(ofSimulate: Bool) async throws {
        let scene = try AudioScene(text: Self.text)
        let history: SceneHistory
        if ofSimulate {
            history = try SceneFilePlayer().run(scene)
        } else {
            history = try await AudioSimulator.run(scene) { phone in
                let player = try AVAudioPlayer(contentsOf: AudioSimulator.song)
                try AVAudioSession.sharedInstance().setCategory(.playback)
                try await phone.perform { action in
                    switch action {
                    case .play: player.play()
                    case .deactivate: try AVAudioSession.sharedInstance().setActive(false)
                    default: break
                    }
                }
            }
        }
        let events = history.text.split(separator: "\n").filter { $0.contains("  scene  ") }
        let times = events.map { $0.split(separator: " ").first.map(String.init) ?? "" }
        #expect(
            times == [
                "0.000000s", "1.000000s", "2.000000s", "3.000000s", "4.000000s", "5.500000s", "6.000000s", "7.000000s",
                "7.500000s", "12.000000s",
            ], "\(history.text)")
        #expect(events.count > 6 && events[3].hasSuffix("plug headphones") && events[6].hasSuffix("player plays"))
        #expect(history.entries.map(\.time) == history.entries.map(\.time).sorted())
        #expect(history.objections == [])
        #expect(ScenePicture(history).svg.contains("activations"))
    }

    /// A call in an observer, in the middle of an advance, moves time that the test has begun to move.
    @Test func observersThatActivate_whileHeadphonesFlap_doNotHang() async throws {
        let scene = try AudioScene(
            text: "scene 1\nat 1s activation takes 300ms\nat 2s flap headphones 4 times in 4s\nat 12s end\n")
        for _ in 0..<10 {
            let calls = Atomic(0)
            let history = try await AudioSimulator.run(scene) { phone in
                let session = AVAudioSession.sharedInstance()
                try session.setCategory(.playback)
                let observer = NotificationCenter.default.addObserver(
                    forName: AVAudioSession.routeChangeNotification, object: session, queue: nil
                ) { _ in
                    try? session.setActive(false)
                    try? session.setActive(true)
                    calls.add(1, ordering: .sequentiallyConsistent)
                }
                defer { NotificationCenter.default.removeObserver(observer) }
                try await phone.perform()
            }
            #expect(calls.load(ordering: .sequentiallyConsistent) == 8)
            #expect(history.objections == [] && history.duration == .init(seconds: 12))
            #expect(history.entries.map(\.time) == history.entries.map(\.time).sorted(), "\(history.text)")
        }
    }

    @Test func timesOfMoreThanAMinute_areRefused() throws {
        let history = try SceneFilePlayer().run(
            AudioScene(text: "scene 1\nat 0s activation takes 61s\nat 1s player plays\nat 2s end\n"))
        #expect(history.objections == ["an activation takes 61s; allowed are 0s to 60s"])
        #expect(history.verdict == "Not all that the scene asks for could be done: see its objections.")
        #expect(history.duration == .init(seconds: 2))
    }

    // MARK: A late deactivation

    @Test(arguments: Song.Deactivation.allCases) func lateDeactivation_endsTheSongThatWasStartedAfterIt(
        _ deactivation: Song.Deactivation
    ) async throws {
        let scene = try #require(AudioScene.wellKnown("late-deactivation"))
        let history = try await AudioSimulator.run(scene) { phone in
            phone.strictness = true
            let song = try Song(deactivation)
            try await phone.perform { action in
                switch action {
                case .play: await song.play()
                case .pause: await song.pause()
                case .testLooks: await song.settleLast()
                default: break
                }
            }
        }
        let isRed = deactivation == .detached
        #expect(history.failures.isEmpty == !isRed, "\(history.text)")
        #expect(history.objections == [])
        let hangs = history.mistakes.filter { $0.contains("0x8BADF00D") }
        // Twice 3 s, which is one text.
        #expect(hangs.count == (deactivation == .onTheMainThread ? 1 : 0), "\(history.mistakes)")
    }
}

/// An app that deactivates its session when it pauses.
final class Song: @unchecked Sendable {
    /// How it does so, and what comes first when its user presses play again.
    enum Deactivation: CaseIterable {
        /// On another thread, for which nothing waits.
        case detached
        /// Where it plays: the app hangs, and nothing comes in between.
        case onTheMainThread
        /// Behind each other on one queue, with the activations.
        case onOneQueue
        /// With iOS 27's function, which a later activation cancels.
        case asynchronous
    }

    private let deactivation: Deactivation
    private let session = AVAudioSession.sharedInstance()
    private let player: AVAudioPlayer
    private let queue = DispatchQueue(label: "session")
    private let queued = Atomic(0)
    private let begun = Atomic(0)
    private let done = Atomic(0)

    init(_ deactivation: Deactivation) throws {
        self.deactivation = deactivation
        try session.setCategory(.playback)
        player = try AVAudioPlayer(contentsOf: AudioSimulator.song)
    }

    func play() async {
        switch deactivation {
        case .detached, .asynchronous: player.play()
        case .onTheMainThread: await MainActor.run { _ = player.play() }
        case .onOneQueue:
            enqueue { [self] in
                try? session.setActive(true)
                player.play()
            }
            // Otherwise the next change of the scene can come before the queue's thread has called.
            await settle()
        }
    }

    func pause() async {
        player.pause()
        switch deactivation {
        case .detached: Thread.detachNewThread { [session] in try? session.setActive(false) }
        case .onTheMainThread: await MainActor.run { try? session.setActive(false) }
        case .onOneQueue: enqueue { [session] in try? session.setActive(false) }
        case .asynchronous: session.deactivate { _, _ in }
        }
        guard deactivation != .onTheMainThread else { return }
        // Time must not go on before the thread has called; 60 s are far more than it needs.
        let deadline = ContinuousClock.now + .seconds(60)
        while session.runtime.replies.withLock({ $0.waiting.isEmpty }), ContinuousClock.now < deadline {
            await Task.yield()
        }
    }

    private func enqueue(_ work: @escaping @Sendable () -> Void) {
        queued.add(1, ordering: .sequentiallyConsistent)
        queue.async { [self] in
            begun.add(1, ordering: .sequentiallyConsistent)
            work()
            done.add(1, ordering: .sequentiallyConsistent)
        }
    }

    /// The queue has done what it can do at this time of the scene.
    private func settle() async { await wait { !isWaiting } }

    /// The same, when the answers to all but the last have come.
    func settleLast() async { await wait { !isWaiting || count(begun) != count(queued) } }

    private var isWaiting: Bool { session.runtime.replies.withLock { !$0.waiting.isEmpty } }
    private func count(_ number: borrowing Atomic<Int>) -> Int { number.load(ordering: .sequentiallyConsistent) }

    private func wait(while isLate: () -> Bool) async {
        while count(done) != count(queued), isLate() { await Task.yield() }
    }
}
