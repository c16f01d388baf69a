import AudioModel
import AudioRuntime
import Foundation
import RuntimeTestSupport
import SceneCore
import SceneTestSupport
import SessionCore
import SessionRuntime
import TestAudio
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

    // MARK: Positions

    @Test(arguments: [
        "at 2.1s call begins\nat 4s call ends, may resume", "at 2s player pauses\nat 4s player plays",
        "at 2s unplug headphones\nat 4s player plays", "at 2s server crashes\nat 3s server returns\nat 4s player plays",
    ])
    func positionContinues_afterASilence(_ events: String) throws {
        let history = try history(
            "plugged headphones\nat 0s player plays\n\(events)\nexpect position continues within 1s\nat 6s end")
        #expect(history.failures == [] && history.sounds.contains { $0.positions?.stretches.last?.begin != nil })
        #expect(history.sounds.map { $0.positions?.stretches.count ?? 0 }.reduce(0, +) == 2, "\(history.text)")
    }

    @Test func positionContinues_afterASeekWhilePaused_isNotMet() throws {
        let history = try history(
            """
            at 1s player plays
            at 3.5s player pauses
            at 4s player seeks to 1.5s
            at 5s player plays
            expect position continues on speaker
            expect position continues from 1.5s to 3s
            expect position continues from 3.6s to 4.9s
            at 6s end
            """)
        // The fade out plays 5 ms after the pause.
        #expect(
            history.failures.map(\.description) == [
                "line 6: expected position continues on speaker, but speaker went on at 1.5s of the sound, and 2.504979s was next, "
                    + "at 5s",
                "line 8: expected position continues from 3.6s to 4.9s, but it was silent",
            ])
    }

    @Test func positionContinues_ofTwoFiles_isThatOfBothTogether() throws {
        let directory = try TemporaryDirectory()
        let files = [
            try TestFile.write(.noise, seconds: 8, in: directory),
            try TestFile.write(.quadrature(hertz: 440, level: 0.2), seconds: 6, in: directory),
        ]
        let scene = try AudioScene(
            text: """
                scene 1
                at 0s player plays
                at 2s player pauses
                at 3s player plays
                expect position continues within 1s
                at 4s player pauses
                at 4.5s player seeks to 1.5s
                at 5s player plays
                expect position continues within 1s
                at 6s end
                """)
        let history = try SceneFilePlayer(files: files).run(scene)
        #expect(
            history.failures.map(\.description) == [
                "line 9: expected position continues within 1s, but speaker went on at 1.5s of the sound, and 3.009979s was next, "
                    + "at 5s"
            ])
    }

    @Test func eventBetweenTwoFrames_comesBeforeWhatFollows() throws {
        let history = try history("at 10us player plays\nat 1.000011s player pauses\nat 2s end")
        let times = history.entries.dropFirst().map(\.time)
        #expect(times == times.sorted(), "\(history.text)")
        #expect(times.contains { $0.microseconds == 1_000_011 })
    }

    /// 40 scenes here, each on two of the threads; `Benchmarks` has the 1 000.
    @Test func randomScene_onEightThreads_hasTheSameHistory() async throws {
        // Both the session and the next action of a moment have something to say.
        let moments = (1...40).map { "at \($0)s machine sleeps and program \"x\" stops and app y waits" }
        let busy = try AudioScene(text: (["scene 1", "at 0s events come twice"] + moments).joined(separator: "\n"))
        let scenes =
            [busy]
            + (0..<40).map { seed in
                var random = SceneRandom(seed: UInt64(seed))
                return random.scene()
            }
        let first = try scenes.map { try SceneFilePlayer().run($0).text }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    try await onThread {
                        for (index, scene) in scenes.enumerated() where index == 0 || index % 4 == thread % 4 {
                            let text = first[index]
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

    /// A session does not see how slow a server is.
    private static let tracedNames = AudioScene.wellKnownNames.filter { name in
        [" item takes ", " activation takes "].allSatisfy { AudioScene.wellKnown(name)?.text.contains($0) == false }
    }

    @Test(arguments: tracedNames) func traceOfAWellKnownScene_givesTheSameEvents(_ name: String) throws {
        let scene = try #require(AudioScene.wellKnown(name))
        let events = SessionEvents()
        let first = try SceneFilePlayer().run(scene, recorders: [events])
        let trace = TraceScene.scene(of: events.all)
        let second = try SceneFilePlayer().run(AudioScene(text: trace.text))
        // The trace begins before the scene does, whose devices are plugged in by then, and ends when the player is closed.
        let (seen, expected) = (notices(second), notices(first))
        let range = try #require(seen.firstRange(of: expected), "\(trace.text)\n\(first.text)\n\(second.text)")
        #expect(seen[..<range.lowerBound].allSatisfy { $0.hasPrefix("0.0 routeChange") })
        #expect(seen[range.upperBound...].allSatisfy { $0.hasSuffix(" paused") })
    }

    /// Traces of `audiosession play` in guests with a real kernel (dev/vm), whose devices and servers leave and return.
    ///
    /// The scene of each gives what the traced session told its app, in that order and with those causes.
    @Test(arguments: GuestTrace.allNames) func traceFromAGuest_givesTheSameEvents(_ name: String) throws {
        let path = GuestTrace.path(name)
        let reader = try TraceReader(path: path)
        #expect(reader.divergentSteps().isEmpty && reader.ending == .end(dropped: 0) && !reader.format.hasNames)
        let session = try #require(reader.session)
        var machine = SessionMachine(roles: session.roles, multiRouteSpeaker: session.multiRouteSpeaker)
        let recorder = SceneRecorder()
        for step in reader.steps { recorder.record(step.event, machine.apply(step.event), machine.state) }
        let scene = try SceneImport.scene(String(contentsOfFile: path, encoding: .utf8))
        let history = try SceneFilePlayer().run(AudioScene(text: scene.text))
        let (seen, expected) = (history.entries.told, recorder.takeEntries().told)
        #expect(expected.count > 3 && seen == expected, "\(scene.text)\n\(history.text)")
        #expect(history.objections == [])
    }

    /// What the app was told and what its players did, with times, without the names of devices.
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

/// The files of `Tests/Support/GuestTraces`.
private enum GuestTrace {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Support/GuestTraces")

    static let allNames = ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).sorted()

    static func path(_ name: String) -> String { directory.appending(path: name).path }
}
