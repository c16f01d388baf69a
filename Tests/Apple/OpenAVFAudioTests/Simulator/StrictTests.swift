import Dispatch
import Foundation
import OpenAVFAudio
import OpenAVFAudioTestKit
import OpenAudioSession
import TestAudio
import TestSupport
import Testing

/// What iOS punishes fails a strict test, and goes on as in other tests: decision 102.
@Suite struct StrictTests {
    /// An engine that a handler on another thread lets go of.
    ///
    /// `@unchecked`: the test waits for the handler.
    private final class Holder: @unchecked Sendable {
        var engine: AVAudioEngine?

        init(_ engine: AVAudioEngine) { self.engine = engine }
    }

    private func isOneMistake(_ texts: [String], with words: [String]) -> Bool {
        texts.count == 1 && words.allSatisfy { texts[0].contains($0) }
    }

    // MARK: Taps

    /// What an app does with its input node after the microphone has another rate.
    enum TapCase: CaseIterable {
        case retained, installedBefore, stopped, stoppedOnAMac, reset, prepared, newEngine, noFormat, hardwareFormat
        case changedBack

        var isMistake: Bool { self == .retained || self == .installedBefore || self == .stoppedOnAMac }
    }

    @Test(arguments: TapCase.allCases) func tap_afterTheMicrophonesRateChanged(_ tap: TapCase) async throws {
        try await AudioSimulator.run(tap == .stoppedOnAMac ? .laptop : .phone) { phone in
            phone.strictness = [.taps]
            try phone.session.setCategory(.playAndRecord)
            var engine = AVAudioEngine()
            let heard = History<Double>()
            func install(_ format: AVAudioFormat?) {
                engine.inputNode.installTap(onBus: 0, bufferSize: 4800, format: format) { buffer, _ in
                    heard.append(buffer.format.sampleRate)
                }
            }
            let before = engine.inputNode.outputFormat(forBus: 0)
            if tap == .installedBefore { install(before) }
            phone.setSampleRate(of: .builtInMic, to: 16_000)
            #expect(engine.inputNode.outputFormat(forBus: 0).sampleRate == 48_000)
            #expect(engine.inputNode.inputFormat(forBus: 0).sampleRate == 16_000)
            switch tap {
            case .installedBefore: break
            case .retained: install(engine.inputNode.outputFormat(forBus: 0))
            case .stopped, .stoppedOnAMac:
                engine.stop()
                install(engine.inputNode.outputFormat(forBus: 0))
            case .reset:
                engine.reset()
                install(engine.inputNode.outputFormat(forBus: 0))
            case .prepared:
                engine.prepare()
                install(engine.inputNode.outputFormat(forBus: 0))
            case .newEngine:
                engine = AVAudioEngine()
                install(engine.inputNode.outputFormat(forBus: 0))
            case .noFormat: install(nil)
            case .hardwareFormat: install(engine.inputNode.inputFormat(forBus: 0))
            case .changedBack:
                phone.setSampleRate(of: .builtInMic, to: 48_000)
                install(before)
            }
            try engine.start()
            phone.advance(bySeconds: 1)
            let call = tap == .installedBefore ? "start()" : "installTap(onBus: 0)"
            if tap.isMistake {
                #expect(phone.mistakes.count == 1, "\(phone.mistakes)")
                #expect(phone.mistakes.first?.hasPrefix("\(call) with a tap of 1 channel at 48000.0 Hz") == true)
            } else {
                #expect(phone.mistakes == [])
            }
            // It goes on: what was asked for is what is heard.
            #expect(heard.entries.last == (tap.isMistake || tap == .changedBack ? 48_000 : 16_000))
        }
    }

    @Test func outputFormat_unlessStrict_isTheMicrophones() async throws {
        try await AudioSimulator.run(.phone) { phone in
            try phone.session.setCategory(.playAndRecord)
            let engine = AVAudioEngine()
            let stale = engine.inputNode.outputFormat(forBus: 0)
            phone.setSampleRate(of: .builtInMic, to: 16_000)
            #expect(engine.inputNode.outputFormat(forBus: 0).sampleRate == 16_000)
            engine.inputNode.installTap(onBus: 0, bufferSize: 4800, format: stale) { _, _ in }
            try engine.start()
            #expect(phone.mistakes == [])
        }
    }

    // MARK: Releases

    /// Where a handler of the configuration change lets go of the engine.
    enum ReleaseCase: CaseIterable {
        case inTheHandler, inTheHandlerOnTheMainQueue, afterIt, afterItOnTheMainQueue, never

        var isMistake: Bool { self == .inTheHandler || self == .inTheHandlerOnTheMainQueue }
        var queue: OperationQueue? {
            self == .inTheHandlerOnTheMainQueue || self == .afterItOnTheMainQueue ? .main : nil
        }
    }

    @Test(arguments: ReleaseCase.allCases) func engine_releasedAroundItsConfigurationChange(_ release: ReleaseCase)
        async throws
    {
        for _ in 0..<20 {
            try await AudioSimulator.run(.phone) { phone in
                phone.strictness = [.releases]
                let holder = Holder(AVAudioEngine())
                let observer = NotificationCenter.default.addObserver(
                    forName: .AVAudioEngineConfigurationChange, object: holder.engine, queue: release.queue
                ) { _ in
                    holder.engine?.stop()
                    switch release {
                    case .inTheHandler, .inTheHandlerOnTheMainQueue: holder.engine = nil
                    case .afterIt, .afterItOnTheMainQueue: DispatchQueue.main.async { holder.engine = nil }
                    case .never: break
                    }
                }
                _ = holder.engine?.mainMixerNode
                try holder.engine?.start()
                phone.setSampleRate(of: .builtInSpeaker, to: 44_100)
                await MainActor.run {}
                #expect((holder.engine == nil) == (release != .never))
                let isBlamed = isOneMistake(phone.mistakes, with: ["was released while", "DispatchQueue.main.async"])
                #expect(release.isMistake ? isBlamed : phone.mistakes == [], "\(phone.mistakes)")
                NotificationCenter.default.removeObserver(observer)
            }
        }
    }

    /// An engine that only listens, and is dropped as its microphone changes.
    @Test func listener_releasedInItsConfigurationChange_isAMistake() async throws {
        for _ in 0..<20 {
            try await AudioSimulator.run(.phone) { phone in
                phone.strictness = [.releases]
                try phone.session.setCategory(.playAndRecord)
                let holder = Holder(AVAudioEngine())
                let observer = NotificationCenter.default.addObserver(
                    forName: .AVAudioEngineConfigurationChange, object: holder.engine, queue: nil
                ) { _ in
                    holder.engine?.stop()
                    holder.engine = nil
                }
                holder.engine?.inputNode.installTap(onBus: 0, bufferSize: 4800, format: nil) { _, _ in }
                try holder.engine?.start()
                phone.advance(bySeconds: 0.5)
                phone.setSampleRate(of: .builtInMic, to: 16_000)
                #expect(holder.engine == nil)
                #expect(isOneMistake(phone.mistakes, with: ["was released while"]), "\(phone.mistakes)")
                NotificationCenter.default.removeObserver(observer)
            }
        }
    }

    /// Nothing hangs: the handler waits for the main queue, which waits for the handler only for a moment.
    @Test func handlerThatWaitsForTheMainQueue_isCalled() async throws {
        try await AudioSimulator.run(.phone) { phone in
            phone.strictness = true
            let holder = Holder(AVAudioEngine())
            let observer = NotificationCenter.default.addObserver(
                forName: .AVAudioEngineConfigurationChange, object: holder.engine, queue: nil
            ) { _ in
                DispatchQueue.main.sync {}
                holder.engine = nil
            }
            _ = holder.engine?.mainMixerNode
            try holder.engine?.start()
            phone.setSampleRate(of: .builtInSpeaker, to: 44_100)
            #expect(holder.engine == nil && phone.mistakes == [])
            NotificationCenter.default.removeObserver(observer)
        }
    }

    // MARK: Starts

    private func engineWithPlayer() -> (AVAudioEngine, AVAudioPlayerNode) {
        let (engine, player) = (AVAudioEngine(), AVAudioPlayerNode())
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: nil)
        return (engine, player)
    }

    @Test func playerNode_inAnEngineThatDoesNotRun_isAMistake() async throws {
        try await AudioSimulator.run(.phone) { phone in
            phone.strictness = [.starts]
            let (engine, player) = engineWithPlayer()
            player.play()
            #expect(
                isOneMistake(
                    phone.mistakes, with: ["does not run: iOS", "_engine->IsRunning()", "Start the engine first."]))
            try engine.start()
            #expect(player.isPlaying)
        }
    }

    @Test func playerNode_whileInterrupted_isAMistake_andNotAfterTheNextStart() async throws {
        try await AudioSimulator.run(.phone) { phone in
            phone.strictness = [.starts]
            let (engine, player) = engineWithPlayer()
            try engine.start()
            player.play()
            #expect(phone.mistakes == [])
            phone.receiveCall()
            player.play()
            #expect(isOneMistake(phone.mistakes, with: ["as the session is interrupted: iOS", "has ended."]))
            phone.endCall()
            try engine.start()
            player.play()
            #expect(phone.mistakes.count == 1)
        }
    }

    @Test func playerNode_inManualRendering_isNoMistake() async throws {
        try await AudioSimulator.run(.phone) { phone in
            phone.strictness = true
            let (engine, player) = engineWithPlayer()
            let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2))
            try engine.enableManualRenderingMode(.offline, format: format, maximumFrameCount: 4096)
            player.play()
            try engine.start()
            #expect(phone.mistakes == [])
        }
    }

    @Test func audioPlayer_duringACall_isAMistake_andNotUnderAnotherApp() async throws {
        try await AudioSimulator.run(.phone) { phone in
            phone.strictness = [.starts]
            try phone.session.setCategory(.playback)
            let player = try AVAudioPlayer(contentsOf: AudioSimulator.song)
            #expect(player.play())
            let video = try phone.launchApp(named: "Video")
            try video.session.setCategory(.playback)
            try video.session.setActive(true)
            #expect(!player.isPlaying && player.play())
            #expect(phone.mistakes == [])
            phone.receiveCall()
            #expect(!player.play())
            #expect(isOneMistake(phone.mistakes, with: ["AVAudioPlayer.play() while a call", "560557684"]))
        }
    }

    // MARK: The main thread

    @Test func setActive_onTheMainThread_isAMistake_andElsewhereNot() async throws {
        try await AudioSimulator.run(.phone) { phone in
            phone.strictness = true
            let session = phone.session
            let queue = DispatchQueue(label: "activation")
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                queue.async { continuation.resume(with: Result { try session.setActive(true) }) }
            }
            try await session.activate()
            #expect(phone.mistakes == [])
            for _ in 0..<2 { try await MainActor.run { try session.setActive(true) } }
            #expect(isOneMistake(phone.mistakes, with: ["setActive(true) on the main thread", "activate()"]))
            phone.strictness = [.taps, .releases, .starts]
            try await MainActor.run { try session.setActive(false) }
            #expect(phone.mistakes.count == 1)
        }
    }

    @Test func callThatKeepsTheMainThread_isAMistake_andNotForAMoment() async throws {
        try await AudioSimulator.run(.phone) { phone in
            phone.strictness = [.hangs]
            let session = phone.session
            phone.setActivation(seconds: 0.9)
            for isActive in [true, false] { try await MainActor.run { try session.setActive(isActive) } }
            phone.setActivation(seconds: 4)
            try await session.activate()
            let queue = DispatchQueue(label: "deactivation")
            let task = Task {
                await withCheckedContinuation { continuation in
                    queue.async { continuation.resume(returning: Result { try session.setActive(false) }) }
                }
            }
            while phone.now < 20 {
                phone.advance(bySeconds: 1)
                await Task.yield()
            }
            try await task.value.get()
            #expect(phone.mistakes == [])
            try await MainActor.run { try session.setActive(true) }
            #expect(isOneMistake(phone.mistakes, with: ["waited 4.0 s", "0x8BADF00D", "activate()"]))
        }
    }

    // MARK: Reporting

    @Test func mistake_failsTheTestOfTheTrait() async throws {
        let test = try #require(Test.current)
        for (strict, count) in [(AudioSimulator.Strictness.starts, 1), (false, 0), (.taps, 0)] {
            let trait = SimulatorTrait.simulated(.phone, strict: strict)
            let issues = History<String>()
            try await withKnownIssue(isIntermittent: true) {
                try await trait.provideScope(for: test, testCase: Test.Case.current) {
                    let (engine, player) = engineWithPlayer()
                    player.play()
                    withExtendedLifetime(engine) {}
                }
            } matching: { issue in
                issues.append("\(issue.comments)")
                return true
            }
            #expect(issues.entries.count == count && issues.entries.allSatisfy { $0.contains("IsRunning") })
        }
    }

    @Test func mistakeInAScene_isALineOfItsHistory_andAnIssue() async throws {
        let scene = try AudioScene(
            text: "scene 1\nat 0s player plays\nat 2s call begins\nat 3s player plays\nat 4s end\n")
        let history = try await AudioSimulator.run(scene) { phone in
            phone.strictness = true
            let player = try AVAudioPlayer(contentsOf: AudioSimulator.song)
            try await phone.perform { action in if action == .play { player.play() } }
        }
        #expect(isOneMistake(history.mistakes, with: ["while a call has the sound"]))
        #expect(history.failures == [] && history.objections == [])
        #expect(
            history.text.contains("    3.000000s  app         AVAudioPlayer.play() while a call"), "\(history.text)")
        #expect(ScenePicture(history).html.contains("✗ Not as expected"))
        let issues = History<String>()
        withKnownIssue {
            history.recordIssues(inFile: nil, orAt: #_sourceLocation)
        } matching: { issue in
            issues.append("\(issue.comments)")
            return true
        }
        #expect(issues.entries.count == 1)
    }
}
