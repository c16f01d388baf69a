import TestSupport
import Testing

@testable import OpenSpeech

struct SpeechStreamTests {
    private static let spiel = SpeechStream.Format("audio/x-spiel,format=S16LE,channels=1,rate=22050")!
    private static let raw = SpeechStream.Format("audio/x-raw, format=(string)S16LE, channels=(int)1, rate=(int)16000")!

    private static func number(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    private static func word(_ start: UInt32, kind: UInt8 = 1, mark: String = "") -> [UInt8] {
        [2, kind] + number(start) + number(start + 2) + number(UInt32(mark.utf8.count)) + Array(mark.utf8)
    }
    private static func sound(_ bytes: [UInt8]) -> [UInt8] { [1] + number(UInt32(bytes.count)) + bytes }
    private static let stream =
        Array("0.01".utf8) + word(0) + sound([1, 2, 3, 4]) + word(4, kind: 2) + word(5, kind: 4, mark: "m") + word(9)
        + sound([5, 6])

    @Test func chunks_areSamplesAndTheFramesOfWords() throws {
        let read = try #require(SpeechStream(Self.stream, Self.spiel))
        #expect(read.samples == [1, 2, 3, 4, 5, 6])
        #expect(read.words == [.init(textStart: 0, frame: 0), .init(textStart: 9, frame: 2)])
    }

    @Test func raw_isSamplesAlone() throws {
        #expect(Self.raw.sampleRate == 16_000 && !Self.raw.hasEvents)
        #expect(SpeechStream([1, 2, 3], Self.raw)?.samples == [1, 2])
    }

    @Test(arguments: [
        "nuthin", "audio/x-raw", "audio/x-raw,format=F32LE,channels=1,rate=22050",
        "audio/mpeg,format=S16LE,channels=1,rate=22050",
        "audio/x-raw,format=S16LE,channels=2,rate=22050", "audio/x-raw,format=S16LE,channels=1,rate=1",
        "audio/x-raw,format=S16LE,channels=1,rate=99999999999999999999",
    ])
    func otherFormats_areNone(text: String) { #expect(SpeechStream.Format(text) == nil) }

    @Test func anotherStream_isRefused() {
        #expect(SpeechStream(Array("9.99".utf8), Self.spiel) == nil)
        #expect(SpeechStream(Array("0.01".utf8) + [7], Self.spiel) == nil)
        #expect(SpeechStream([], Self.spiel) == nil)
    }

    @Test func cutOff_isWhatIsThereOfIt() throws {
        let whole = try #require(SpeechStream(Self.stream, Self.spiel))
        for count in 4...Self.stream.count {
            let part = try #require(SpeechStream(Array(Self.stream.prefix(count)), Self.spiel))
            #expect(whole.samples.starts(with: part.samples) && whole.words.starts(with: part.words))
        }
    }

    /// Sizes are the provider's word.
    @Test func damaged_neverIsMoreThanWasSent() {
        var random = Seeded(seed: 25)
        for _ in 0..<5_000 {
            var bytes = Self.stream
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: 4..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            guard let read = SpeechStream(bytes, Self.spiel) else { continue }
            #expect(read.samples.count <= bytes.count && read.words.allSatisfy { $0.frame * 2 <= bytes.count })
        }
    }
}
