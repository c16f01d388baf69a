import Foundation
import Synchronization
import TestSupport

@testable import OpenAudioSession
@testable import OpenSpeech

/// An engine in whose sound each word is a fifth of a second of a tone, and each passage ends with a tenth of silence.
final class SpeechDouble: SpeechEngine {
    static let wordFrames = SpokenPassage.sampleRate / 5
    let asked = History<(SpeechText.Passage, SpeechSettings)>()
    private let message: String?
    private let onSpeak: @Sendable (SpeechText.Passage) -> Void

    /// - Parameters:
    ///   - message: why it says nothing.
    ///   - onSpeak: called before the sound of a passage is made; may wait.
    init(failure message: String? = nil, onSpeak: @escaping @Sendable (SpeechText.Passage) -> Void = { _ in }) {
        self.message = message
        self.onSpeak = onSpeak
    }

    func voices() throws(SpeechError) -> [SpeechVoice] {
        [SpeechVoice(identifier: "double.en", language: "en-US", name: "Double", gender: .female)]
    }

    func speak(_ passage: SpeechText.Passage, _ settings: SpeechSettings) throws(SpeechError) -> SpokenPassage {
        asked.append((passage, settings))
        onSpeak(passage)
        if let message { throw SpeechError(message: message) }
        let count = passage.words.count * Self.wordFrames
        let tone = (0..<count).map { 0.5 * Float(sin(Double($0) * 2 * .pi / 50)) }
        return SpokenPassage(
            samples: tone + Array(repeating: 0, count: SpokenPassage.sampleRate / 10),
            wordFrames: passage.words.indices.map { $0 * Self.wordFrames })
    }
}

/// A synthesizer of a world's app, and what its delegate is told.
///
/// `@unchecked Sendable`: a synthesizer may be used on any thread.
final class Speaker: NSObject, AVSpeechSynthesizerDelegate, @unchecked Sendable {
    let synthesizer: AVSpeechSynthesizer
    let told = History<String>()
    private let session: AVAudioSession

    init(_ session: AVAudioSession, engine: any SpeechEngine = SpeechDouble()) {
        self.session = session
        synthesizer = InstalledEngine.$current.withValue(engine) { AVSpeechSynthesizer() }
        super.init()
        synthesizer.delegate = self
    }

    @discardableResult
    func speak(_ text: String, _ change: (AVSpeechUtterance) -> Void = { _ in }) -> AVSpeechUtterance {
        let utterance = AVSpeechUtterance(string: text)
        change(utterance)
        AVAudioSession.$taskSession.withValue(session) { synthesizer.speak(utterance) }
        return utterance
    }

    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didStart utterance: AVSpeechUtterance) {
        told.append("start \(utterance.speechString)")
    }
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance) {
        told.append("finish \(utterance.speechString)")
    }
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didPause utterance: AVSpeechUtterance) {
        told.append("pause \(utterance.speechString)")
    }
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didContinue utterance: AVSpeechUtterance) {
        told.append("continue \(utterance.speechString)")
    }
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didCancel utterance: AVSpeechUtterance) {
        told.append("cancel \(utterance.speechString)")
    }
    func speechSynthesizer(
        _ synthesizer: AVSpeechSynthesizer, willSpeakRangeOfSpeechString characterRange: NSRange,
        utterance: AVSpeechUtterance
    ) {
        told.append((utterance.speechString as NSString).substring(with: characterRange))
    }
}
