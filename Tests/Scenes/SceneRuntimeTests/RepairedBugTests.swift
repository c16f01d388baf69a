import Foundation
import OpenAVFAudio
import OpenAVFAudioTestKit
import OpenAudioSession
import SceneCore
import Testing

/// Bugs that others had and repaired, in our words: with the mistake an app fails its scene, without it, it does not.
///
/// docs/testing-on-ci.md shows the pictures. `--attachments-path DIRECTORY` of `swift test` writes them again.
@Suite struct RepairedBugTests {
    @Test(arguments: [false, true]) func film_isBackAfterCalls(isRepaired: Bool) async throws {
        let history = try await AudioSimulator.run(#require(AudioScene.wellKnown("two-calls"))) { phone in
            let film = try Film(isRepaired: isRepaired)
            try await phone.perform { if $0 == .play { try film.play() } }
        }
        #expect(history.failures.map(\.line) == (isRepaired ? [] : [8, 13]), "\(history.text)")
        try compare(history, isRepaired ? "film-repaired" : "film")
    }

    private static let dictation = """
        scene 1
        title "A dictation goes on after a call, and with the headset that comes"
        link https://github.com/TypeWhisper/typewhisper-mac/issues/296
        port airpods-mic input bluetoothHFP channels 1 at 24000Hz of airpods
        port airpods-out output bluetoothHFP channels 1 at 24000Hz of airpods
        at 0s session is set to playAndRecord with allowBluetoothHFP
        at 0s recorder records
        expect recorder recording within 100ms
        at 2s call begins
        expect recorder paused within 50ms
        at 4s call ends, may resume
        expect recorder recording within 100ms
        at 6s plug airpods
        expect recorder recording from 6.2s to 8s
        at 8s end
        """

    @Test(
        arguments: [
            (nil, [], 0), (.isDeaf, [12, 14], 0), (.givesUp, [14], 0), (.keepsFormat, [], 1),
        ] as [(Dictation.Mistake?, [Int], Int)])
    func dictation_goesOn(mistake: Dictation.Mistake?, lines: [Int], punished: Int) async throws {
        let history = try await AudioSimulator.run(AudioScene(text: Self.dictation)) { phone in
            phone.strictness = .taps
            let dictation = Dictation(mistake)
            try await phone.perform { action in
                switch action {
                case .configure:
                    try AVAudioSession.sharedInstance().setCategory(.playAndRecord, options: .allowBluetoothHFP)
                case .record: try dictation.begin()
                default: break
                }
            }
        }
        #expect(history.failures.map(\.line) == lines, "\(history.text)")
        #expect(history.mistakes.count == punished, "\(history.mistakes)")
        switch mistake {
        case nil: try compare(history, "dictation-repaired")
        case .isDeaf?: try compare(history, "dictation")
        case .keepsFormat?: try compare(history, "tap")
        case .givesUp?: break
        }
    }

    private func compare(_ history: SceneHistory, _ name: String) throws {
        let file = "bug-\(name).svg"
        let picture = ScenePicture(history).svg
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        let shown = try? String(contentsOf: root.appendingPathComponent("docs/pictures/\(file)"), encoding: .utf8)
        #expect(shown == picture, "docs/pictures/\(file) shows something else")
        Attachment.record(picture, named: file)
    }
}

/// A film whose sound is another library's: the session is all that the app has of ours.
private final class Film: @unchecked Sendable {
    private let session = AVAudioSession.sharedInstance()
    private var isActivated = false
    private var observer: (any NSObjectProtocol)?

    init(isRepaired: Bool) throws {
        try session.setCategory(.playback, mode: .moviePlayback)
        guard isRepaired else { return }
        observer = NotificationCenter.default.addObserver(
            forName: AVAudioSession.interruptionNotification, object: session, queue: .main
        ) { [weak self] notification in
            // A call deactivates the session, so that what was remembered does not hold any more.
            self?.isActivated = false
            let options = notification.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt ?? 0
            if AVAudioSession.InterruptionOptions(rawValue: options).contains(.shouldResume) { try? self?.play() }
        }
    }

    deinit { if let observer { NotificationCenter.default.removeObserver(observer) } }

    func play() throws {
        guard !isActivated else { return }
        try session.setActive(true)
        isActivated = true
    }
}

/// What the microphone hears, until its user ends it.
final class Dictation: @unchecked Sendable {
    enum Mistake {
        /// No code observes the engine or the session.
        case isDeaf
        /// The engine is dropped in its own notification.
        case givesUp
        /// The tap gets the format that the kept engine had before.
        case keepsFormat
    }

    private let mistake: Mistake?
    private var engine: AVAudioEngine? = AVAudioEngine()
    private var observers: [any NSObjectProtocol] = []

    init(_ mistake: Mistake?) {
        self.mistake = mistake
        guard mistake != .isDeaf else { return }
        let center = NotificationCenter.default
        observers = [
            center.addObserver(
                forName: AVAudioSession.interruptionNotification, object: AVAudioSession.sharedInstance(), queue: nil
            ) { [weak self] notification in
                let options = notification.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt ?? 0
                if AVAudioSession.InterruptionOptions(rawValue: options).contains(.shouldResume) {
                    try? self?.engine?.start()
                }
            },
            center.addObserver(forName: .AVAudioEngineConfigurationChange, object: engine, queue: nil) {
                [weak self] _ in self?.goOn()
            },
        ]
    }

    deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }

    func begin() throws {
        guard let engine else { return }
        let format = mistake == .keepsFormat ? engine.inputNode.outputFormat(forBus: 0) : nil
        engine.inputNode.installTap(onBus: 0, bufferSize: 4800, format: format) { _, _ in }
        try engine.start()
    }

    private func goOn() {
        if mistake == .givesUp {
            engine?.stop()
            engine = nil
        } else {
            engine?.inputNode.removeTap(onBus: 0)
            try? begin()
        }
    }
}
