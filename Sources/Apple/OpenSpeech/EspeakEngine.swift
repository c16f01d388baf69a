import AudioModel
import Foundation
import Synchronization

/// Speaks with the program `espeak-ng`, which reads the text from its standard input and writes a WAV file.
final class EspeakEngine: SpeechEngine {
    static let installed = EspeakEngine()

    private let program: String
    private let listing = Mutex(Listing.unknown)

    /// The result of the request for the list of voices.
    private enum Listing {
        /// Legal exits: known, hanging.
        case unknown
        /// Final.
        case known([SpeechVoice])
        /// The program did not answer in time and was stopped. It is not asked again. Final.
        case hanging(SpeechError)
    }

    /// - Parameter program: looked up in PATH.
    init(program: String = "espeak-ng") { self.program = program }

    // MARK: Voices

    func voices() throws(SpeechError) -> [SpeechVoice] {
        switch listing.withLock({ $0 }) {
        case .known(let voices): return voices
        case .hanging(let error): throw error
        case .unknown: break
        }
        let list: [UInt8]
        do throws(EngineProcess.EngineFailure) {
            // The program takes about 10 ms.
            list = try EngineProcess.run([program, "--voices"], byteLimit: 1 << 20, timeoutSeconds: 5)
        } catch {
            let message = self.error(error)
            if case .tookTooLong = error { listing.withLock { $0 = .hanging(message) } }
            throw message
        }
        let voices = Self.voices(inList: String(decoding: list, as: UTF8.self))
        if !voices.isEmpty { listing.withLock { $0 = .known(voices) } }
        return voices
    }

    static let prefix = "espeak-ng."

    /// - Parameter list: the output of `espeak-ng --voices`: a line of titles, then a line for each voice with its
    ///   priority, language, age and gender, name and file, separated by blanks.
    static func voices(inList list: String) -> [SpeechVoice] {
        let lines: [Substring] = list.split(whereSeparator: \.isNewline)
        return lines.dropFirst().prefix(1000).compactMap { line -> SpeechVoice? in
            let columns: [Substring] = line.split(separator: " ")
            // The language becomes an argument of the program.
            guard columns.count >= 5, SpeechVoice.isTag(columns[1]) else { return nil }
            return SpeechVoice(
                identifier: prefix + columns[1], language: SpeechVoice.language(of: String(columns[1])),
                name: String(columns[3].replacing("_", with: " ")).printable,
                gender: columns[2].hasSuffix("M") ? .male : columns[2].hasSuffix("F") ? .female : .unspecified)
        }
    }

    // MARK: Sound

    func speak(_ passage: SpeechText.Passage, _ settings: SpeechSettings) throws(SpeechError) -> SpokenPassage {
        let plain = try render(passage, settings) { _ in WordMarks.level(ofWord: 0) }
        let marked = passage.words.count > 1 ? try render(passage, settings, WordMarks.level) : plain
        return SpokenPassage(
            samples: plain,
            wordFrames: WordMarks.frames(plain: plain, marked: marked, wordCount: passage.words.count))
    }

    private func render(
        _ passage: SpeechText.Passage, _ settings: SpeechSettings, _ level: (Int) -> Int
    ) throws(SpeechError) -> [Float] {
        let words = passage.words.enumerated().map { "\u{1}\(level($0))A\(Self.plain($1.text))" }
        let input = Array(words.joined(separator: " ").utf8)
        let file = try run(Self.arguments(for: settings), input: input, byteLimit: SpokenPassage.greatestAnswer)
        return try SpokenPassage.samples(ofFile: file, by: program)
    }

    /// The word without what the program reads as a command: control characters, and "[[", which begins phonemes.
    private static func plain(_ word: String) -> String {
        String(String.UnicodeScalarView(word.unicodeScalars.filter { $0.properties.generalCategory != .control }))
            .replacing("[[", with: "[ [")
    }

    private static func arguments(for settings: SpeechSettings) -> [String] {
        // Reads UTF-8 from the standard input to its end, and writes a WAV file to the standard output.
        var arguments = ["--stdin", "--stdout", "-b", "1"]
        arguments += ["-s", "\(wordsPerMinute(settings.rate))", "-p", "\(pitch(settings.pitch))"]
        if let voice = settings.voice { arguments += ["-v", String(voice.identifier.dropFirst(prefix.count))] }
        return arguments
    }

    /// The program's slowest speed (80) at 0, its usual speed (175) at 0.5, its fastest speed (450) at 1.
    static func wordsPerMinute(_ rate: Float) -> Int {
        Int((rate < 0.5 ? 80 + rate * 2 * 95 : 175 + (rate - 0.5) * 2 * 275).rounded())
    }

    /// The program's values 0, 50 and 99 are half the voice's pitch, the voice's pitch, and twice the voice's pitch.
    static func pitch(_ multiplier: Float) -> Int { min(99, Int((50 + 50 * log2(multiplier)).rounded())) }

    private func run(_ arguments: [String], input: [UInt8], byteLimit: Int) throws(SpeechError) -> [UInt8] {
        do throws(EngineProcess.EngineFailure) {
            return try EngineProcess.run([program] + arguments, input: input, byteLimit: byteLimit)
        } catch {
            throw self.error(error)
        }
    }

    private func error(_ failure: EngineProcess.EngineFailure) -> SpeechError {
        switch failure {
        case .notInstalled:
            SpeechError(
                message: "There is no speech: \(program) is not installed. Install it: "
                    + SystemPackage.installCommand(.espeakNG))
        case .failed, .tookTooLong:
            SpeechError(
                message: "\(program) could not be run: \(failure). Try it in a terminal: \(program) hello")
        }
    }
}
