import AudioFiles
import Foundation
import TestAudio
import TestSupport
import Testing

@testable import MediaStreams

/// Servers that lie, wait and send without end.
@Suite
struct HostileServerTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func refusal(_ server: HTTPServer, _ limits: ServerLimits = ServerLimits()) -> AudioFileError? {
        do {
            let reader = try AudioFileReader(location: server.address, outputSampleRate: nil, limits: limits)
            // Some are found out only on the way.
            _ = try reader.readStream()
            return nil
        } catch {
            return error as? AudioFileError
        }
    }

    private func wave(seconds: Double = 0.5) throws -> (bytes: [UInt8], frames: [Float]) {
        let path = try TestFile.write(.ramp, seconds: seconds, in: directory)
        return (
            [UInt8](try Data(contentsOf: URL(filePath: path))),
            try AudioFileReader(path: path, outputSampleRate: nil).readFrames()
        )
    }

    private func encoded(_ codec: String, _ ending: String, seconds: Double) throws -> [UInt8] {
        let path = try EncodedFile.write(
            .sine(hertz: 440), seconds: seconds, sampleRate: 48_000, channels: 2, codec: codec, ending: ending,
            in: directory
        ).path
        return [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    // MARK: Without end

    /// The beginning of a file, and what may follow in it any number of times before its sound.
    enum Container: CaseIterable {
        case id3, flac, wave, aiff, mpeg4, matroska, windowsMedia

        var start: [UInt8] {
            switch self {
            // A tag of 256 MB.
            case .id3: Array("ID3".utf8) + [4, 0, 0, 127, 127, 127, 127]
            case .flac:
                Array("fLaC".utf8) + [0, 0, 0, 34, 16, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0x0B, 0xB8, 0x02, 0xF0]
                    + [UInt8](repeating: 0, count: 20)
            case .wave: Array("RIFF".utf8) + [255, 255, 255, 127] + Array("WAVE".utf8)
            case .aiff: Array("FORM".utf8) + [127, 255, 255, 255] + Array("AIFF".utf8)
            case .mpeg4:
                [0, 0, 0, 16] + Array("ftypM4A ".utf8) + [0, 0, 0, 0] + [127, 255, 255, 255] + Array("moov".utf8)
            case .matroska:
                [0x1A, 0x45, 0xDF, 0xA3, 0x80, 0x18, 0x53, 0x80, 0x67, 0x01, 255, 255, 255, 255, 255, 255, 255]
            case .windowsMedia:
                [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C]
                    + [255, 255, 255, 127, 0, 0, 0, 0, 255, 255, 0, 0, 1, 2]
            }
        }

        var repeated: [UInt8] {
            let text = [UInt8](repeating: 0x61, count: 65_536)
            return switch self {
            case .id3: Array("TXXX".utf8) + [0, 4, 0, 1, 0, 0, 3] + text
            case .flac: [4, 1, 0, 16] + [4, 0, 0, 0] + Array("test".utf8) + [0, 0, 0, 0] + [0, 0, 0, 0] + text
            case .wave: Array("junk".utf8) + [0, 0, 1, 0] + text
            case .aiff: Array("ANNO".utf8) + [0, 1, 0, 0] + text
            case .mpeg4: [0, 1, 0, 8] + Array("free".utf8) + text
            case .matroska: [0xEC, 0x21, 0, 0] + text
            case .windowsMedia: [UInt8](repeating: 0x42, count: 16) + [24, 0, 1, 0, 0, 0, 0, 0] + text
            }
        }
    }

    /// Counted where the server sends it, not in memory.
    @Test(arguments: Container.allCases)
    func tagsWithoutEnd_areRefused_after16MB(container: Container) throws {
        let server = try HTTPServer(.endless(from: container.start.count), body: container.start + container.repeated)
        defer { server.stop() }
        let error = try #require(refusal(server))
        #expect(error.message.contains("Download it"), "\(error.message)")
        // What is read, and what the system holds of a connection; the server counts a block when the system has it.
        #expect((15 << 20...24 << 20).contains(server.sentBytes), "\(server.sentBytes)")
    }

    @Test func tagOf6MB_plays() throws {
        let sound = try encoded("libmp3lame", "mp3", seconds: 1)
        let picture = [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0x55, count: 6 << 20)
        func sizes(_ count: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(count >> $0 & 0x7F) } }
        let frame = [0] + Array("image/jpeg".utf8) + [0, 3, 0] + picture
        let tag = Array("APIC".utf8) + sizes(frame.count) + [0, 0] + frame
        let file = Array("ID3".utf8) + [4, 0, 0] + sizes(tag.count) + tag + sound
        let server = try HTTPServer(body: file)
        defer { server.stop() }
        let reader = try AudioFileReader(location: server.address, outputSampleRate: nil)
        #expect(try reader.readStream().count >= 96_000)
    }

    /// A few bytes that promise 80 million packets, each of which takes 24 bytes of memory.
    @Test func tableWithoutEnd_isRefused() throws {
        let count: UInt32 = 80_000_000
        func number(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }
        func box(_ name: String, _ contents: [UInt8]...) -> [UInt8] {
            let contents = contents.flatMap { $0 }
            return number(UInt32(contents.count + 8)) + Array(name.utf8) + contents
        }
        let zero = [UInt8](repeating: 0, count: 4)
        let sound =
            [0, 0, 0, 0, 0, 0, 0, 1] + zero + zero + [0, 2, 0, 16, 0, 0, 0, 0, 0xBB, 0x80, 0, 0]
        let table = box(
            "stbl", box("stsd", zero, number(1), box("sowt", sound)),
            box("stts", zero, number(1), number(count), number(2)),
            box("stsc", zero, number(1), number(1), number(count), number(1)),
            box("stsz", zero, number(4), number(count)), box("stco", zero, number(1), number(1000)))
        let media = box(
            "mdia", box("mdhd", zero, zero, zero, number(48_000), number(2 * count), zero),
            box("hdlr", zero, zero, Array("soun".utf8), zero, zero, zero, [0]), box("minf", table))
        let path = try TestFile.write(
            bytes: box("ftyp", Array("M4A ".utf8), zero) + box("moov", box("trak", media))
                + box("mdat", [UInt8](repeating: 0x21, count: 4096)), named: "table.m4a", in: directory)
        #expect(openError(path)?.kind == .notAudio)
    }

    /// FFmpeg looks for all fragments before the first one plays.
    @Test func fragmentsBeyondTheLimit_playInTheirOrder() throws {
        let path = directory.path("fragments.m4a")
        let writer = try AudioFileWriter(
            path: path, type: AudioFileType(container: .mpeg4, coding: .appleLossless(bits: 16)), sampleRate: 48_000,
            channels: [.left, .right])
        try writer.write(TestSignal.quadrature(hertz: 440).samples(frames: 480_000, channels: 2, sampleRate: 48_000))
        try writer.close()
        let frames = try AudioFileReader(path: path, outputSampleRate: nil).readFrames()
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let server = try HTTPServer(body: bytes)
        defer { server.stop() }
        let whole = try AudioFileReader(location: server.address, outputSampleRate: nil)
        #expect(whole.streamBuffer?.reach == .anywhere)
        var limits = ServerLimits()
        limits.openingBytes = 300_000
        let reader = try AudioFileReader(location: server.address, outputSampleRate: nil, limits: limits)
        let withoutParts = try HTTPServer(.whole, body: bytes)
        defer { withoutParts.stop() }
        let other = try AudioFileReader(location: withoutParts.address, outputSampleRate: nil)
        for reader in [reader, other] {
            #expect(reader.streamBuffer?.reach == .forward)
            #expect(reader.outputFrameCount == nil)
            let heard = try reader.readStream()
            #expect(heard.count == frames.count)
            #expect(largestDifference(heard, frames) == 0)
        }
    }

    @Test func headWithoutEnd_isRefused() throws {
        let answer = HTTPServer.Answer(
            headers: ["icy-name: " + String(repeating: "a", count: 500)], hasEndlessHead: true)
        let server = try HTTPServer(body: [], answers: [answer])
        defer { server.stop() }
        let error = try #require(refusal(server))
        #expect(error.kind == .unreachable)
        #expect(error.message.contains("its headers have more than 65536 bytes"), "\(error.message)")
        try server.log.wait(for: "the end of the connection") { $0.contains("closed") }
        #expect(server.sentBytes < 1 << 23)
    }

    @Test func lineWithoutEnd_isRefused() throws {
        let server = try HTTPServer(body: [], answers: [.init(raw: [UInt8](repeating: 0x61, count: 1 << 20))])
        defer { server.stop() }
        #expect(refusal(server)?.message.contains("the server's answer is invalid") == true)
    }

    /// Interim answers count like the head of the last one.
    @Test func headsWithoutEnd_areRefused() throws {
        let heads = String(repeating: "HTTP/1.1 100 Continue\r\nA: b\r\n\r\n", count: 10_000)
        let server = try HTTPServer(body: [], answers: [.init(raw: Array(heads.utf8))])
        defer { server.stop() }
        #expect(refusal(server)?.message.contains("its headers have more than 65536 bytes") == true)
    }

    @Test(arguments: ["", "\r\n", "HTTP/1.1", "HTTP/1.1 20 OK", "HTTP/1.1 -20 OK", "HTTP/1.1 2000", "SSH-2.0"])
    func head_whileItIsNoAnswer_isRefused(text: String) throws {
        let server = try HTTPServer(body: [], answers: [.init(raw: Array((text + "\r\n\r\n").utf8))])
        defer { server.stop() }
        #expect(refusal(server)?.kind == .unreachable)
    }

    // MARK: Without haste

    @Test func serverWithoutAnAnswer_isAnError_afterItsTime() throws {
        let server = try HTTPServer(body: [], answers: [.init(isMute: true)])
        defer { server.stop() }
        var limits = ServerLimits()
        limits.answerSeconds = 0.01
        let error = try #require(refusal(server, limits))
        #expect(error.kind == .unreachable)
        #expect(error.message.contains("the server did not answer within 0.01 s"), "\(error.message)")
    }

    @Test func soundThatDoesNotBegin_isAnError_afterItsTime() throws {
        let gate = Gate()
        let server = try HTTPServer(body: try wave().bytes, answers: [.init(stall: (1000, gate))])
        defer { server.stop() }
        defer { gate.open() }
        var limits = ServerLimits()
        limits.openingSeconds = 0.01
        let error = try #require(refusal(server, limits))
        #expect(error.kind == .unreachable)
        #expect(error.message.contains("its beginning did not come within 0.01 s"), "\(error.message)")
    }

    // MARK: Without truth

    @Test(arguments: ["gzip", "br", "x-gzip, identity"])
    func packedSound_isRefused_withItsPacking(encoding: String) throws {
        let server = try HTTPServer(
            body: try wave().bytes, answers: [.init(headers: ["Content-Encoding: \(encoding)"])])
        defer { server.stop() }
        let error = try #require(refusal(server))
        #expect(error.kind == .unreachable)
        #expect(error.message.contains("packed (Content-Encoding: \(encoding))"), "\(error.message)")
    }

    @Test func partsThatAreNotSent_areNamed() throws {
        let (bytes, _) = try wave(seconds: 20)
        let head = "HTTP/1.1 200 OK\r\nAccept-Ranges: bytes\r\nContent-Length: \(bytes.count)\r\n\r\n"
        let whole = HTTPServer.Answer(raw: Array(head.utf8) + bytes)
        let server = try HTTPServer(body: bytes, answers: Array(repeating: whole, count: 20))
        defer { server.stop() }
        let error = try #require(refusal(server))
        #expect(
            error.message.contains(
                "says that it sends parts of a file, and does not send the part that it is asked for"),
            "\(error.message)")
    }

    @Test func partThatIsAnother_isNamed() throws {
        let (bytes, _) = try wave(seconds: 20)
        let head = "HTTP/1.1 206 Partial\r\nContent-Range: bytes 0-\(bytes.count - 1)/\(bytes.count)\r\n\r\n"
        let server = try HTTPServer(
            body: bytes, answers: Array(repeating: .init(raw: Array(head.utf8) + bytes), count: 20))
        defer { server.stop() }
        #expect(refusal(server)?.message.contains("does not send the part") == true)
    }

    @Test func indexAtTheEnd_whileTheServerSendsNoParts_isNamed() throws {
        let server = try HTTPServer(.whole, body: try encoded("alac", "m4a", seconds: 20))
        defer { server.stop() }
        let error = try #require(refusal(server))
        #expect(error.message.contains("sends it from its beginning only"), "\(error.message)")
        #expect(error.message.contains("Download it, and play the file"), "\(error.message)")
    }

    // MARK: In chunks

    @Test func chunks_areJoined() throws {
        let (bytes, frames) = try wave()
        var body: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 7001) {
            let chunk = bytes[start..<min(start + 7001, bytes.count)]
            body += Array("\(String(chunk.count, radix: 16));a=b\r\n".utf8) + chunk + Array("\r\n".utf8)
        }
        let head = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let server = try HTTPServer(
            body: [], answers: [.init(raw: Array(head.utf8) + body + Array("0\r\nA: b\r\n\r\n".utf8))])
        defer { server.stop() }
        let reader = try AudioFileReader(location: server.address, outputSampleRate: nil)
        #expect(try reader.readStream() == frames)
    }

    @Test(arguments: ["", "zz\r\n", "-5\r\n", "FFFFFFFFFFFFFFFF\r\n", "5\r\nabc", "3\r\nabcdef\r\n"])
    func chunks_whileDamaged_areAnError(body: String) throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let server = try HTTPServer(body: [], answers: [.init(raw: Array((head + body).utf8))])
        defer { server.stop() }
        #expect(refusal(server)?.kind == .unreachable)
    }
}
