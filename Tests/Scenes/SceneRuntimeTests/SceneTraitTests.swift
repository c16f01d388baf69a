import Foundation
import OpenAVFAudio
import OpenAVFAudioTestKit
import OpenAudioSession
import SceneCore
import Synchronization
import TestAudio
import Testing

@Suite struct SceneTraitTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func press(_ action: AudioScene.Action, on player: AVAudioPlayer) {
        switch action {
        case .play: player.play()
        case .pause: player.pause()
        default: break
        }
    }

    @Test(.scene("headphones-leave")) func audioPlayer_whenTheHeadphonesLeave_isSilentInTheRoom() async throws {
        let song = try TestFile.write(.quadrature(hertz: 440), seconds: 9, in: directory)
        let player = try AVAudioPlayer(contentsOf: URL(fileURLWithPath: song))
        try AVAudioSession.sharedInstance().setCategory(.playback)
        let history = try await AudioSimulator.performScene { press($0, on: player) }
        #expect(history.failures == [])
        let phone = try #require(AudioSimulator.current)
        #expect(phone.sound(of: .builtInSpeaker).isSilent(from: 0, to: 7))
        let sound = phone.sound(of: .wiredHeadphones)
        #expect(sound.isHeard(from: 1, to: 2) && sound.channelsHeard(from: 1, to: 2) == [1, 2])
        #expect(sound.decibels(from: 1, to: 2) > -20)
    }

    /// The main thread, which performs the scene, runs the handlers that the poster thread waits for.
    @MainActor @Test(.scene("headphones-leave")) func appOnTheMainActor_observesOnItsQueue() async throws {
        let song = try TestFile.write(.quadrature(hertz: 440), seconds: 9, in: directory)
        let player = try AVAudioPlayer(contentsOf: URL(fileURLWithPath: song))
        try AVAudioSession.sharedInstance().setCategory(.playback)
        let reasons = Mutex<[UInt]>([])
        let observer = NotificationCenter.default.addObserver(
            forName: AVAudioSession.routeChangeNotification, object: AVAudioSession.sharedInstance(), queue: .main
        ) { notification in
            MainActor.assumeIsolated {}
            let reason = notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? NSNumber
            reasons.withLock { $0.append(reason?.uintValue ?? 0) }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let history = try await AudioSimulator.performScene { press($0, on: player) }
        #expect(history.failures == [])
        // The headphones are plugged, leave, and come back.
        #expect(reasons.withLock { $0 } == [1, 2, 1])
    }

    @Test func position_isThatOfWhatTheAppPlays() async throws {
        let song = try AudioSimulator.song
        let samples = AudioSimulator.songSamples
        for (original, fault) in [(samples, nil), ([], "what the app plays is not known")] as [([Float], String?)] {
            let scene = try AudioScene(
                text: """
                    scene 1
                    at 0s player plays
                    at 2s player pauses
                    at 4s player plays
                    expect position continues within 1s
                    """)
            let history = try await AudioSimulator.run(scene) { phone in
                let player = try AVAudioPlayer(contentsOf: song)
                try await phone.perform(playing: original) { action in
                    if action == .play { player.play() } else { player.pause() }
                }
            }
            #expect(
                history.failures.map { $0.message.hasPrefix(fault ?? "-") } == (fault == nil ? [] : [true]),
                "\(history.text)")
        }
    }

    @Test(arguments: AudioScene.wellKnown) func sceneAsAnArgument_hasItsTitle(_ scene: AudioScene) {
        #expect(scene.testDescription == scene.title && !scene.title.isEmpty)
    }

    @Test func sceneWithoutATitle_hasItsText() throws {
        let scene = try AudioScene(text: "scene 1\nat 1s end\n")
        #expect(scene.testDescription == scene.text)
    }

    @Test func expectationThatIsNotMet_isAnIssueAtItsLine() async throws {
        let scene = try AudioScene(text: "scene 1\nat 0s player plays\nexpect speaker heard within 1s\n")
        let history = try await AudioSimulator.run(scene) { try await $0.perform() }
        #expect(history.failures.map(\.line) == [3])
        let lines = Mutex<[Int]>([])
        withKnownIssue {
            history.recordIssues(inFile: "/a/quiet.scene", orAt: #_sourceLocation)
        } matching: { issue in
            lines.withLock { $0.append(issue.sourceLocation?.line ?? 0) }
            return true
        }
        #expect(lines.withLock { $0 } == [3])
    }

    @Test func test_looksAtTheApp_atTheTimeOfTheScene() async throws {
        let scene = try AudioScene(text: "scene 1\nat 1s test looks\nat 2.5s test looks\nat 3s end\n")
        var times: [Double] = []
        try await AudioSimulator.run(scene) { phone in
            try await phone.perform { action in
                #expect(action == .testLooks)
                times.append(phone.now)
            }
        }
        #expect(times == [1, 2.5])
    }

    @Test func sceneThatIsNotPerformed_isAnError() async throws {
        await #expect(throws: AudioSimulator.SceneFault.self) {
            try await AudioSimulator.run(AudioScene()) { _ in }
        }
        await #expect(throws: AudioSimulator.SceneFault.self) { try await AudioSimulator.performScene() }
    }

    @Test func capturedSound_findsClicksAndPositions() {
        var state: UInt32 = 1
        let noise: [Float] = (0..<48_000).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return Float(state >> 8) / Float(1 << 25) - 0.25
        }
        var played = [Float](repeating: 0, count: 96_000)
        for frame in 0..<24_000 { played[frame] = noise[frame] * min(1, Float(24_000 - frame) / 240) }
        for frame in 24_000..<48_000 { played[frame + 24_000] = noise[frame] }
        let sound = CapturedSound(samples: [played])
        #expect(sound.continues(noise))
        #expect(sound.isSilent(from: 0.51, to: 0.99))
        #expect(sound.positions(in: noise).count == 2)
        let square = CapturedSound(samples: [[0, 0, 0.9, 0.9, 0.9] + [Float](repeating: 0, count: 480)])
        #expect(square.clicks.count == 2)
    }
}
