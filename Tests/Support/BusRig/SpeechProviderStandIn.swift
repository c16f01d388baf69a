import BusObjects
import Glibc
import SessionBus
package import TestSupport

/// A speech provider (Spiel) that says each word as 0.1 s of a level of its own, at 16 kHz.
package final class SpeechProviderStandIn: Sendable {
    package static let name = "org.example.Speech.Provider"
    /// A frame of the first word, of the second, and so on.
    package static let levels: [Int16] = [8_000, 4_000, 16_000, 12_000]
    package static let framesOfAWord = 1_600

    /// The text, the voice, the pitch, the rate and the language of each call.
    package let log = History<String>()
    private let bus: BusConnection

    /// - Parameters:
    ///   - name: on the bus; ends with ".Speech.Provider".
    ///   - voices: name, identifier, format and language of each.
    ///   - beforeVoices: called before the voices are told; may wait.
    ///   - answer: what is sent in place of the sound; nil is the sound.
    package init(
        address: String, name: String = name, voices: [(name: String, id: String, format: String, language: String)],
        answer: [UInt8]? = nil, beforeVoices: @escaping @Sendable () -> Void = {}
    ) async throws {
        bus = try BusConnection(address: address)
        let list = voices.map { voice -> BusValue in
            .structure([
                .string(voice.name), .string(voice.id), .string(voice.format), .uint64(1), .strings([voice.language]),
            ])
        }
        let synthesize = BusInterface.Method("Synthesize", ["h", "s", "s", "d", "d", "b", "s"]) {
            [weak self] arguments in
            guard case .descriptor(let file)? = arguments.first, let text = arguments[1].string,
                let voice = voices.first(where: { $0.id == arguments[2].string })
            else { return .failure(.invalidArguments("there is no such voice")) }
            self?.log.append(
                "\(text) | \(voice.id) | \(arguments[3].double ?? 0) | \(arguments[4].double ?? 0) | \(arguments[6].string ?? "")"
            )
            var bytes = answer ?? Self.sound(of: text, hasEvents: voice.format.hasPrefix("audio/x-spiel"))
            while !bytes.isEmpty {
                let count = write(file.number, bytes, bytes.count)
                guard count > 0 else { break }
                bytes.removeFirst(count)
            }
            return .success([])
        }
        bus.export(
            BusObject(
                path: "/" + name.replacing(".", with: "/"),
                interfaces: [
                    BusInterface(
                        name: "org.freedesktop.Speech.Provider", methods: [synthesize],
                        properties: [
                            .init("Name", "s") { .string("example") },
                            .init("Voices", "a(ssstas)") {
                                beforeVoices()
                                return .array(of: "(ssstas)", list)
                            },
                        ])
                ]))
        _ = await bus.owns(name)
    }

    /// Its name is free when this returns.
    package func leave() { bus.close(timeoutSeconds: 5) }

    /// Each word is announced, but the second.
    private static func sound(of text: String, hasEvents: Bool) -> [UInt8] {
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        var (bytes, start) = (hasEvents ? Array("0.01".utf8) : [], 0)
        for (index, word) in text.split(separator: " ").enumerated() {
            let level = UInt16(bitPattern: levels[index % levels.count])
            let samples = [[UInt8]](repeating: [UInt8(level & 0xff), UInt8(level >> 8)], count: framesOfAWord).flatMap(
                \.self)
            if hasEvents, index != 1 { bytes += [2, 1] + number(start) + number(start + word.count) + number(0) }
            bytes += (hasEvents ? [1] + number(samples.count) : []) + samples
            start += word.unicodeScalars.count + 1
        }
        return bytes
    }
}
