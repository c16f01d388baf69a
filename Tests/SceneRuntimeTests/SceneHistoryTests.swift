import AudioModel
import AudioRuntime
import Foundation
import SceneCore
import SessionCore
import Synchronization
import TestSupport
import Testing

@testable import SceneRuntime

@Suite struct SceneHistoryTests {
    private func history(_ text: String) throws -> SceneHistory {
        try SceneFilePlayer().run(AudioScene(text: "scene 1\n" + text))
    }

    @Test func history_hasTheCauses() throws {
        let history = try history(
            """
            plugged headphones
            at 0s player plays
            at 2s unplug headphones
            at 3s plug headphones
            at 4s player plays
            at 5s call begins
            at 6s call ends, may resume
            at 6.5s app Video takes audio for playback
            at 7s app Video is killed
            at 8s end
            """)
        let players = history.text.split(separator: "\n").filter { $0.contains("player 1") }.map(String.init)
        #expect(
            players == [
                "    0.000000s  player 1    plays",
                "    2.000000s  player 1    paused because headphones left; will not resume by itself",
                "    4.000000s  player 1    plays",
                "    5.000000s  player 1    waits because of a call; goes on by itself when it may",
                "    6.000000s  player 1    plays again, because the interruption is over",
                "    6.500000s  player 1    waits because Video took the sound; goes on by itself when it may",
                "    7.000000s  player 1    paused because the interruption ended without the advice to resume; "
                    + "will not resume by itself",
            ])
    }

    @Test func expectationsThatAreNotMet_sayWhatWasTheCase() throws {
        let history = try history(
            """
            plugged headphones
            at 0s player plays
            expect speaker heard from 0s to 1s
            expect player paused within 1s
            expect session interrupted within 1s
            expect headphones silent from 1s to 2s
            expect headphones level below -60dB from 1s to 2s
            expect route speaker within 1s
            expect interruption begins within 1s
            at 2s unplug headphones
            expect no interruption
            expect no route change oldDeviceUnavailable
            at 3s end
            """)
        #expect(
            history.failures.map(\.description) == [
                "line 4: expected speaker heard from 0s to 1s, but it was silent",
                "line 5: expected player paused within 1s, but the player was playing from 0s",
                "line 6: expected session interrupted within 1s, but the session was active from 0s",
                "line 7: expected headphones silent from 1s to 2s, but headphones played from 1s",
                "line 8: expected headphones level below -60dB from 1s to 2s, but its level was -17.0 dBFS",
                "line 9: expected route speaker within 1s, but the route was headphones",
                "line 10: expected interruption begins within 1s, but it did not come; the app was told nothing then",
                "line 12: expected no interruption, but at 2s: interrupted because headphones left",
                "line 13: expected no route change oldDeviceUnavailable, but at 2s: changed (oldDeviceUnavailable): "
                    + "headphones -> speaker",
            ])
    }

    /// 60 scenes here; `Benchmarks` has the 1 000.
    @Test func randomScene_onEightThreads_hasTheSameHistory() async throws {
        let scenes = (0..<60).map { seed in
            var random = SceneRandom(seed: UInt64(seed))
            return random.scene()
        }
        let first = try scenes.map { try SceneFilePlayer().run($0).text }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await onThread {
                        for (scene, text) in zip(scenes, first) {
                            let again = try SceneFilePlayer().run(scene).text
                            #expect(again == text, "\(scene.text)\n\(text)\n\(again)")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    // MARK: From the field

    /// Keeps what a session saw.
    private final class Collector: SessionRecorder {
        let events = Mutex<[SessionEvent]>([])
        func begin(on host: String, _ state: SessionState) {}
        func record(_ event: SessionEvent, _ effects: [SessionEffect], _ state: SessionState) {
            events.withLock { $0.append(event) }
        }
        func end() {}
    }

    @Test(arguments: AudioScene.wellKnownNames) func traceOfAWellKnownScene_givesTheSameEvents(_ name: String) throws {
        let scene = try #require(AudioScene.wellKnown(name))
        let collector = Collector()
        let first = try SceneFilePlayer().run(scene, recorders: [collector])
        let trace = TraceScene.scene(of: collector.events.withLock { $0 })
        let second = try SceneFilePlayer().run(AudioScene(text: trace.text))
        // The trace begins before the scene does, whose devices are plugged in by then.
        let (seen, expected) = (notices(second), notices(first))
        #expect(seen.dropLast(expected.count).allSatisfy { $0.hasPrefix("0.0 routeChange") })
        #expect(seen.suffix(expected.count) == expected[...], "\(trace.text)\n\(first.text)\n\(second.text)")
    }

    /// What the app was told and what its players did, with the causes, without the names of devices.
    private func notices(_ history: SceneHistory) -> [String] {
        history.entries.compactMap { entry in
            if let notice = entry.what.notice { return "\(entry.time.seconds) \(notice)" }
            guard case .player(let number, _, let state, _) = entry.what else { return nil }
            return "\(entry.time.seconds) player \(number) \(state.rawValue)"
        }
    }
}

/// Runs blocking work on a thread of its own.
private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        Thread { continuation.resume(with: Result { try body() }) }.start()
    }
}
