import AudioFiles
import AudioModel
import Foundation
import Glibc
import SessionBus
import Synchronization
import Threading

/// Speaks with the speech providers of the session bus (Spiel), which send samples and the starts of words.
///
/// Source: org.freedesktop.Speech.Provider.xml of libspeechprovider 1.0.
final class SpielEngine: SpeechEngine {
    static let installed = SpielEngine()

    private static let interface = "org.freedesktop.Speech.Provider"
    private static let suffix = ".Speech.Provider"
    private static let mostProviders = 16
    private static let mostVoices = 1000

    private struct Voice {
        let voice: SpeechVoice
        let provider: String
        let id: String
        let language: String
        let format: SpeechStream.Format
    }

    private struct Link {
        let bus: BusConnection
        /// Raised on the bus's thread when the connection ends.
        ///
        /// That thread must not release the connection.
        let end: Latch
    }

    private struct State {
        var link: Link?
        /// The providers whose voices are in `voices`.
        var providers: Set<String> = []
        var voices: [Voice] = []
    }

    private let address: String?
    private let state = Mutex(State())

    /// - Parameter address: the address of a bus; nil for the session bus.
    init(address: String? = nil) { self.address = address }

    func voices() throws(SpeechError) -> [SpeechVoice] { try known().map(\.voice) }

    // MARK: Voices

    private func known() throws(SpeechError) -> [Voice] {
        let bus = try connection()
        let providers = try names(bus)
        let old = state.withLock { $0.providers == providers ? $0.voices : nil }
        if let old { return old }
        // All providers are asked at once. A provider that does not answer within the bus's 5 s has no voices.
        let answers = providers.sorted().map { provider in
            let answer = Promise<BusValue?>()
            bus.getProperty("Voices", of: Self.interface, Self.path(of: provider), at: provider) {
                answer.fulfil(try? $0.get())
            }
            return (provider, answer)
        }
        let voices = answers.flatMap { provider, answer in Self.voices(answer.wait(), of: provider) }
        state.withLock { ($0.providers, $0.voices) = (providers, voices) }
        return voices
    }

    private static func path(of provider: String) -> String { "/" + provider.replacing(".", with: "/") }

    private func connection() throws(SpeechError) -> BusConnection {
        let old = state.withLock { $0.link }
        if let old, !old.end.wait(timeoutSeconds: 0) { return old.bus }
        do throws(BusConnection.Unavailable) {
            let end = Latch()
            let bus = try BusConnection(address: address, threadName: "oav-speech") { _ in end.raise() }
            state.withLock { $0 = State(link: Link(bus: bus, end: end)) }
            return bus
        } catch {
            throw SpeechError(message: "There are no speech providers: \(error.reason)")
        }
    }

    /// The names of the providers that run, and of those that the bus can start.
    private func names(_ bus: BusConnection) throws(SpeechError) -> Set<String> {
        var names: Set<String> = []
        for member in ["ListNames", "ListActivatableNames"] {
            names.formUnion(try ask(bus, .bus(member)).first?.strings ?? [])
        }
        return Set(names.filter { $0.hasSuffix(Self.suffix) }.sorted().prefix(Self.mostProviders))
    }

    private func ask(_ bus: BusConnection, _ call: BusConnection.Call) throws(SpeechError) -> [BusValue] {
        let answer = Promise<Result<[BusValue], BusError>>()
        bus.call(call) { answer.fulfil($0) }
        do throws(BusError) {
            return try answer.wait().get()
        } catch {
            throw SpeechError(message: "The session bus does not answer: \(error.message)")
        }
    }

    /// - Parameter value: the name, identifier, format, features and languages of each voice.
    private static func voices(_ value: BusValue?, of provider: String) -> [Voice] {
        (value?.members ?? []).prefix(mostVoices).compactMap { value in
            guard let fields = value.members, fields.count == 5, let name = fields[0].string, let id = fields[1].string,
                let format = fields[2].string.flatMap({ SpeechStream.Format($0) }),
                let language = fields[4].strings?.first, name.utf8.count <= 200, id.utf8.count <= 200,
                SpeechVoice.isTag(language)
            else { return nil }
            let voice = SpeechVoice(
                identifier: "\(provider)/\(id)".printable, language: SpeechVoice.language(of: language),
                name: name.printable, gender: .unspecified)
            return Voice(voice: voice, provider: provider, id: id, language: language, format: format)
        }
    }

    // MARK: Sound

    func speak(_ passage: SpeechText.Passage, _ settings: SpeechSettings) throws(SpeechError) -> SpokenPassage {
        let known = try known()
        guard let voice = known.first(where: { $0.voice == settings.voice }) else {
            throw SpeechError(
                message:
                    "The voice \(settings.voice?.name ?? "of Spiel") is not there any more; its provider has left the "
                    + "session bus. Choose another of AVSpeechSynthesisVoice.speechVoices().")
        }
        let bytes = try synthesize(passage.words.map(\.text).joined(separator: " "), voice, settings)
        guard let stream = SpeechStream(bytes, voice.format) else {
            throw SpeechError(message: "\(voice.provider) has sent no sound of the format that it has announced.")
        }
        let samples = try SpokenPassage.samples(
            ofFile: Self.file(of: stream, voice.format), by: voice.provider)
        return SpokenPassage(samples: samples, wordFrames: Self.frames(of: passage, stream, voice, samples.count))
    }

    private static func file(of stream: SpeechStream, _ format: SpeechStream.Format) -> [UInt8] {
        WaveHeader.bytes(
            dataBytes: stream.samples.count, channels: 1, sampleRate: format.sampleRate, isFloat: false)
            + stream.samples
    }

    /// The longest answer for one passage (500 characters), in bytes.
    private static let greatestAnswer = 64 << 20

    private func synthesize(
        _ text: String, _ voice: Voice, _ settings: SpeechSettings
    ) throws(SpeechError) -> [UInt8] {
        let bus = try connection()
        let ends: (own: Int32, other: Int32)
        do throws(EngineProcess.EngineFailure) {
            ends = try EngineProcess.pair()
        } catch {
            throw SpeechError(message: "There is no speech: \(error). End other programs and try again.")
        }
        defer { close(ends.own) }
        let reply = Promise<BusError?>()
        // The provider's rate is 1 at the usual speed.
        let rate = Double(EspeakEngine.wordsPerMinute(settings.rate)) / Double(EspeakEngine.wordsPerMinute(0.5))
        bus.call(
            BusConnection.Call(
                voice.provider, Self.path(of: voice.provider), Self.interface, "Synthesize",
                [
                    // After the call, only the provider has this end open, so reading ends when the provider closes it.
                    .descriptor(BusDescriptor(owning: ends.other)), .string(text), .string(voice.id),
                    .double(Double(settings.pitch)), .double(rate), .bool(false), .string(voice.language),
                ]), timeoutSeconds: 30
        ) { result in
            if case .failure(let error) = result { reply.fulfil(error) } else { reply.fulfil(nil) }
        }
        let answer = Result { () throws(EngineProcess.EngineFailure) in
            try EngineProcess.readAll(ends.own, byteLimit: Self.greatestAnswer, timeoutSeconds: 30)
        }
        switch answer {
        case .success(let bytes) where !bytes.isEmpty: return bytes
        case .success:
            let reason = reply.wait()?.message ?? "it has sent nothing"
            throw SpeechError(message: "\(voice.provider.printable) does not speak: \(reason)")
        case .failure(let error): throw SpeechError(message: "\(voice.provider.printable) does not speak: \(error)")
        }
    }

    /// Returns one frame for each word; words without an event lie between their neighbours.
    private static func frames(
        of passage: SpeechText.Passage, _ stream: SpeechStream, _ voice: Voice, _ frameCount: Int
    ) -> [Int] {
        var (starts, start) = ([Int](), 0)
        for word in passage.words {
            starts.append(start)
            start += word.text.unicodeScalars.count + 1
        }
        var found = [Int?](repeating: nil, count: starts.count)
        var last = -1
        for event in stream.words {
            guard let word = starts.lastIndex(where: { $0 <= event.textStart }), word > last else { continue }
            found[word] = min(event.frame * SpokenPassage.sampleRate / voice.format.sampleRate, frameCount)
            last = word
        }
        return WordMarks.spread(found, frameCount: frameCount)
    }
}
