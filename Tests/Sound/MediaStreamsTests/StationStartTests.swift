import AudioFiles
import Foundation
import TestAudio
import TestSupport
import Testing

@testable import MediaStreams

/// Radio stations that are joined in the middle of a frame.
struct StationStartTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// MP3 and AAC as stations send them.
    enum Sound: String, CaseIterable {
        case mp3, slowMP3, mp2, aac, slowAAC

        var codec: String { self == .mp2 ? "mp2" : rawValue.contains("3") || self == .slowMP3 ? "libmp3lame" : "aac" }
        var ending: String { self == .mp2 ? "mp2" : codec == "aac" ? "aac" : "mp3" }
        var rate: Int { self == .slowMP3 ? 22_050 : 44_100 }
        /// Bits a second.
        var bits: Int { [.slowMP3, .slowAAC].contains(self) ? 32_000 : 128_000 }
    }

    private func bytes(_ sound: Sound, seconds: Double = 4) throws -> [UInt8] {
        let path = try EncodedFile.write(
            .sine(hertz: 440), seconds: seconds, sampleRate: sound.rate, channels: 2, codec: sound.codec,
            ending: sound.ending, options: ["-b:a", "\(sound.bits)"], in: directory
        ).path
        return [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    /// The frames from the middle on, without tags.
    private func middle(_ sound: Sound) throws -> [UInt8] {
        let all = try bytes(sound)
        return Array(all[(all.count / 2)...])
    }

    @Test(arguments: Sound.allCases) func start_isTheNextFrame_whereverItIsJoined(sound: Sound) throws {
        let middle = try middle(sound)
        let first = try #require(StationStart.start(of: middle))
        let length = try #require(StationStart.Frame(middle[first..<first + 7])).length
        for skipped in 0..<2 * length {
            let expected = skipped <= first ? first : skipped <= first + length ? first + length : nil
            guard let expected else { continue }
            let found = StationStart.start(of: Array(middle[skipped...].prefix(6000)))
            // By chance, a frame may hold what looks like three frames.
            #expect(found == expected - skipped, "\(skipped)")
        }
    }

    /// What comes out is all from that frame on, in whatever pieces it came.
    @Test(arguments: Sound.allCases) func bytes_passFromTheFirstFrameOn(sound: Sound) throws {
        let middle = Array(try middle(sound).dropFirst(5))
        let first = try #require(StationStart.start(of: middle))
        for piece in [1, 7, 1000, 100_000] {
            var start = StationStart()
            var output: [UInt8] = []
            var room = [UInt8](repeating: 0, count: 500)
            for at in stride(from: 0, to: middle.count, by: piece) {
                middle[at..<min(at + piece, middle.count)].withUnsafeBytes { start.put($0) }
                while case let count = room.withUnsafeMutableBytes({ start.take(into: $0) }), count > 0 {
                    output += room[..<count]
                }
            }
            #expect(start.isDone)
            #expect(output == Array(middle[first...]))
        }
    }

    @Test func otherBytes_passAsTheyAre_afterABound() {
        var random = Seeded(seed: 7)
        let noise = (0..<20_000).map { _ in UInt8.random(in: 0...0xFE, using: &random) }
        var start = StationStart()
        noise.prefix(16_000).withUnsafeBytes { start.put($0) }
        var room = [UInt8](repeating: 0, count: 30_000)
        #expect(room.withUnsafeMutableBytes { start.take(into: $0) } == 0)
        noise.dropFirst(16_000).withUnsafeBytes { start.put($0) }
        #expect(room.withUnsafeMutableBytes { start.take(into: $0) } == 20_000)
        #expect(Array(room.prefix(20_000)) == noise)
        start = StationStart()
        noise.prefix(3).withUnsafeBytes { start.put($0) }
        start.end()
        #expect(room.withUnsafeMutableBytes { start.take(into: $0) } == 3, "what has ended is given")
    }

    @Test(arguments: ["OggS", "fLaC", "RIFF", "ID3"]) func file_beginsWhereItBegins(mark: String) throws {
        #expect(StationStart.start(of: Array(mark.utf8) + (try bytes(.mp3))) == 0)
    }

    /// Few bytes have come, and no more come before it is open.
    @Test(arguments: Sound.allCases, [0, 1, 200]) func station_opensWithItsFirstBytes(sound: Sound, at: Int) throws {
        let body = Array(try middle(sound).dropFirst(at))
        let gate = Gate()
        // 0.75 s at 128 kbit/s; FFmpeg looks at 7 frames of MP3 at least.
        let server = try HTTPServer(.station, body: body, answers: [HTTPServer.Answer(stall: (12_000, gate))])
        defer {
            gate.open()
            server.stop()
        }
        let reader = try AudioFileReader(location: server.address, outputSampleRate: nil)
        #expect(reader.info.sampleRate == Double(sound.rate))
        #expect(reader.info.channels.count == 2)
        #expect(reader.streamBuffer?.reach == .nowhere)
        #expect(server.sentBytes <= 12_000)
    }
}
