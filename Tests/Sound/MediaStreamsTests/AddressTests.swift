import AudioFiles
import Foundation
import TestAudio
import TestSupport
import Testing

@testable import MediaStreams

/// Sounds from a server on the loopback interface.
@Suite
struct AddressTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func file(_ codec: String, _ ending: String, seconds: Double = 3) throws -> (path: String, bytes: [UInt8]) {
        let path = try EncodedFile.write(
            .sine(hertz: 440), seconds: seconds, sampleRate: 48_000, channels: 2, codec: codec, ending: ending,
            in: directory
        ).path
        return (path, [UInt8](try Data(contentsOf: URL(filePath: path))))
    }

    private func wave(_ seconds: Double) throws -> (path: String, bytes: [UInt8], frames: [Float]) {
        let path = try TestFile.write(.ramp, seconds: seconds, in: directory)
        return (
            path, [UInt8](try Data(contentsOf: URL(filePath: path))),
            try AudioFileReader(path: path, outputSampleRate: nil).readFrames()
        )
    }

    private func open(
        _ server: HTTPServer, outputSampleRate: Double? = nil, aheadSeconds: Double = 10,
        cancellation: Cancellation = Cancellation()
    ) throws(AudioFileError) -> AudioFileReader {
        try AudioFileReader(
            location: server.address, outputSampleRate: outputSampleRate, aheadSeconds: aheadSeconds,
            cancellation: cancellation)
    }

    private func refusal(_ address: String, _ cancellation: Cancellation = Cancellation()) -> AudioFileError? {
        do {
            _ = try AudioFileReader(location: address, outputSampleRate: nil, cancellation: cancellation)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [("alac", "m4a"), ("flac", "flac"), ("aac", "m4a"), ("libmp3lame", "mp3"), ("libvorbis", "ogg")])
    func sound_isThatOfTheFile(codec: String, ending: String) throws {
        let (path, bytes) = try file(codec, ending)
        let server = try HTTPServer(body: bytes)
        defer { server.stop() }
        let reader = try open(server)
        let local = try AudioFileReader(path: path, outputSampleRate: nil)
        // FFmpeg tells an MP3 file's frames with the padding.
        #expect(abs(reader.info.frameCount - local.info.frameCount) <= (codec == "libmp3lame" ? 1152 : 0))
        #expect(reader.info.tags.title == "Tone")
        #expect(reader.info.channels == local.info.channels)
        #expect(reader.streamBuffer?.reach == .anywhere)
        let (heard, expected) = (try reader.readStream(), try local.readFrames())
        #expect(heard.count == expected.count)
        // FFmpeg and libsndfile decode what is lossy to the last bits of 16.
        #expect(largestDifference(heard, expected) < (["alac", "flac"].contains(codec) ? 1e-9 : 0.001))
    }

    @Test func conversion_isThatOfTheFile() throws {
        let (path, bytes, _) = try wave(2)
        let server = try HTTPServer(body: bytes)
        defer { server.stop() }
        let reader = try open(server, outputSampleRate: 44_100)
        let expected = try AudioFileReader(path: path, outputSampleRate: 44_100).readFrames()
        #expect(try reader.readStream() == expected)
    }

    @Test func seek_landsOnTheFrame_nearAndFar() throws {
        let (_, bytes, frames) = try wave(60)
        let server = try HTTPServer(body: bytes)
        defer { server.stop() }
        let reader = try open(server)
        for frame in [0, 48_000, 40_000, 2_500_000, 100, 2_879_990] {
            try reader.seek(toFrame: Int64(frame))
            #expect(reader.position == Int64(frame))
            #expect(try reader.readStream(1000) == Array(frames[(frame * 2)...].prefix(2000)), "\(frame)")
        }
        try reader.seek(toFrame: .max)
        #expect(reader.position == 2_880_000)
        #expect(try reader.readStream(10).isEmpty)
        try reader.seek(toFrame: 10)
        #expect(try reader.readStream(1000) == Array(frames[20...].prefix(2000)))
    }

    @Test func cutConnection_isMadeAgain_whereItWas() throws {
        let (_, bytes, frames) = try wave(10)
        let server = try HTTPServer(
            body: bytes,
            answers: [
                HTTPServer.Answer(), HTTPServer.Answer(byteLimit: 500_000), HTTPServer.Answer(byteLimit: 300_000),
            ])
        defer { server.stop() }
        #expect(try open(server).readStream() == frames)
        // First the header, and what is behind the sound.
        #expect(server.log.entries.filter { $0 != "closed" } == ["GET 0", "GET 44", "GET 500044", "GET 800044"])
    }

    /// Some servers close each connection after so much.
    @Test(arguments: [65_536, 20_000]) func serverThatClosesAgainAndAgain_isPlayedToTheEnd(after bytes: Int) throws {
        let (_, body, frames) = try wave(10)
        let answers = [HTTPServer.Answer](repeating: HTTPServer.Answer(byteLimit: bytes), count: 200)
        let server = try HTTPServer(body: body, answers: answers)
        defer { server.stop() }
        #expect(try open(server).readStream() == frames)
        #expect(server.log.entries.count { $0.hasPrefix("GET") } >= body.count / bytes)
    }

    @Test func reconnection_isSlowAfterLittle_andEndsAfterNothing() {
        func delays(_ bytes: Int64, _ count: Int, isLive: Bool = false) -> [Double?] {
            var reconnection = Reconnection()
            return (0..<count).map { _ in reconnection.delay(after: bytes, isLive: isLive) }
        }
        #expect(delays(4096, 100) == [Double?](repeating: 0, count: 100))
        #expect(delays(1, 100) == [0, 0.25, 0.5] + [Double?](repeating: 1, count: 97))
        #expect(delays(0, 9) == [0, 0.25, 0.5, 1, 2, 4, 8, nil, nil])
        #expect(delays(4095, 8, isLive: true) == delays(0, 8), "a station that never begins")
        var reconnection = Reconnection()
        for _ in 0..<7 { _ = reconnection.delay(after: 0, isLive: false) }
        #expect(reconnection.delay(after: 4096, isLive: false) == 0, "it is there again")
    }

    /// The file takes the place of another while it is played.
    private func change(_ before: [String], _ after: [String]) throws -> (error: AudioFileError?, log: [String]) {
        let (_, bytes, _) = try wave(10)
        let server = try HTTPServer(
            body: bytes,
            answers: [
                HTTPServer.Answer(headers: before), HTTPServer.Answer(byteLimit: 500_000, headers: before),
                HTTPServer.Answer(headers: after),
            ])
        defer { server.stop() }
        let reader = try open(server)
        var error: (any Error)?
        do { _ = try reader.readStream() } catch let failure { error = failure }
        return (error as? AudioFileError, server.log.entries.filter { $0 != "closed" })
    }

    @Test(arguments: [
        (["ETag: \"a\""], ["ETag: \"b\""], " if \"a\""),
        (
            ["Last-Modified: Sat, 28 Nov 2026 10:00:00 GMT"], ["Last-Modified: Sat, 28 Nov 2026 11:00:00 GMT"],
            " if Sat, 28 Nov 2026 10:00:00 GMT"
        ),
        (["ETag: W/\"a\""], ["ETag: W/\"b\""], ""),
    ])
    func soundThatChangesOnItsServer_isAnError(before: [String], after: [String], condition: String) throws {
        let (error, log) = try change(before, after)
        #expect(error?.message.contains("the file on the server is not the one that was begun") == true)
        #expect(error?.message.contains("Play it again") == true)
        #expect(log == ["GET 0", "GET 44\(condition)", "GET 500044\(condition)"])
    }

    @Test(arguments: [["ETag: \"a\""], ["ETag: W/\"a\""], ["Last-Modified: Sat, 28 Nov 2026 10:00:00 GMT"], []])
    func soundThatStaysOnItsServer_isPlayedOn(headers: [String]) throws {
        #expect(try change(headers, headers).error == nil)
        #expect(try change(headers, []).error == nil, "what is not said decides nothing")
    }

    /// Of another length, and as the whole: what a server answers to a condition that does not hold.
    @Test func soundThatChangesItsLength_isAnError() throws {
        let (_, bytes, _) = try wave(10)
        let whole = Array("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n".utf8) + bytes
        for third in [
            HTTPServer.Answer(toldLength: bytes.count + 2), HTTPServer.Answer(raw: whole),
            HTTPServer.Answer(toldLength: bytes.count - 2),
        ] {
            let server = try HTTPServer(
                body: bytes,
                answers: [
                    HTTPServer.Answer(headers: ["ETag: \"a\""]),
                    HTTPServer.Answer(byteLimit: 500_000, headers: ["ETag: \"a\""]), third,
                ])
            defer { server.stop() }
            let reader = try open(server)
            let error = #expect(throws: AudioFileError.self) { try reader.readStream() }
            #expect(error?.message.contains("not the one that was begun") == true)
        }
    }

    @Test func serverThatStalls_isWaitedFor() throws {
        let (_, bytes, frames) = try wave(10)
        let gate = Gate()
        let server = try HTTPServer(
            body: bytes, answers: [HTTPServer.Answer(), HTTPServer.Answer(stall: (600_000, gate))])
        defer { server.stop() }
        let reader = try open(server)
        var heard = try reader.readStream(48_000)
        gate.waitUntilReached()
        // What came is read, and then there is nothing, which is no end.
        heard += try reader.readFrames()
        #expect(reader.isWaiting)
        #expect((96_000...310_000).contains(heard.count))
        gate.open()
        heard += try reader.readStream()
        #expect(heard == frames)
    }

    /// The first answer's, which the others take back.
    @Test(arguments: [[], ["ETag: \"a\""], ["Last-Modified: Sat, 28 Nov 2026 10:00:00 GMT"]])
    func lengthThatIsTooLong_endsWithTheSound(headers: [String]) throws {
        let (_, bytes, frames) = try wave(2)
        let server = try HTTPServer(
            body: bytes,
            answers: [HTTPServer.Answer(toldLength: bytes.count + 1_000_000, headers: headers)]
                + [HTTPServer.Answer](repeating: HTTPServer.Answer(headers: headers), count: 20))
        defer { server.stop() }
        #expect(try open(server).readStream() == frames)
    }

    @Test(arguments: [100_000, 5_000_000]) func lengthThatIsNotThatOfTheSound_playsWhatThereIs(length: Int) throws {
        let (_, bytes, frames) = try wave(2)
        // The file says 2 s; there is 1 s, whatever the server says.
        let half = Array(bytes.prefix(bytes.count / 2))
        let lie = HTTPServer.Answer(toldLength: length)
        let server = try HTTPServer(body: half, answers: [lie, lie, lie, lie])
        defer { server.stop() }
        let reader = try open(server)
        var heard: [Float] = []
        do {
            while case let more = try reader.readStream(1000, least: 1), !more.isEmpty { heard += more }
        } catch {
            #expect((error as? AudioFileError)?.kind == .truncated)
        }
        #expect(heard == Array(frames.prefix(heard.count)))
        #expect(heard.count >= min(length, half.count) / 2 - 2048)
    }

    @Test func serverWithoutPartsAndLength_playsToItsEnd() throws {
        let (path, bytes) = try file("flac", "flac")
        let server = try HTTPServer(.whole, body: bytes)
        defer { server.stop() }
        let reader = try open(server)
        #expect(reader.streamBuffer?.reach == .forward)
        #expect(try reader.readStream() == AudioFileReader(path: path, outputSampleRate: nil).readFrames())
    }

    /// `AVPlayerItem.preferredForwardBufferDuration` is any number of the app's.
    @Test(arguments: [.infinity, .greatestFiniteMagnitude, 1e18, -.infinity, .nan] as [Double])
    func aheadSeconds_ofAnyNumber_areLimited(seconds: Double) throws {
        let (_, bytes, frames) = try wave(1)
        let server = try HTTPServer(.whole, body: bytes)
        defer { server.stop() }
        #expect(try open(server, aheadSeconds: seconds).readStream() == frames)
    }

    /// It reads through to the place; the way back is as long as what is at hand.
    @Test func serverWithoutParts_isSoughtForwardByReading() throws {
        let (_, bytes, frames) = try wave(60)
        let server = try HTTPServer(.whole, body: bytes)
        defer { server.stop() }
        let reader = try open(server, aheadSeconds: 4)
        for frame in [48_000, 1_000_000, 2_500_000] {
            try reader.seek(toFrame: Int64(frame))
            #expect(reader.position == Int64(frame))
            #expect(try reader.readStream(1000) == Array(frames[(frame * 2)...].prefix(2000)), "\(frame)")
        }
        try reader.seek(toFrame: 0)
        #expect((2_200_000...2_501_000).contains(reader.position))
        #expect(try reader.readStream(1000) == Array(frames[Int((reader.position - 1000) * 2)...].prefix(2000)))
        try reader.seek(toFrame: .max)
        #expect(try reader.readStream(10).isEmpty)
        #expect(server.log.entries.filter { $0 != "closed" } == ["GET 0"])
    }

    @Test(arguments: [
        ("#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:10,\na.ts\n", "HLS"), ("#EXTM3U\nsong.mp3\n", "is a playlist"),
        ("[playlist]\nFile1=http://127.0.0.1/a.mp3\n", "is a playlist"),
    ])
    func playlist_isRefused_withItsReason(body: String, reason: String) throws {
        let server = try HTTPServer(body: Array(body.utf8))
        defer { server.stop() }
        let error = try #require(refusal(server.address))
        #expect(error.kind == .notAudio)
        #expect(error.message.contains(reason), "\(error.message)")
        // Nothing that it names is opened.
        #expect(server.log.entries.filter { $0 != "closed" } == ["GET 0"])
    }

    @Test func station_hasNoLength_andBoundedMemory() throws {
        let (_, bytes) = try file("libmp3lame", "mp3", seconds: 5)
        let server = try HTTPServer(.station, body: bytes, answers: [HTTPServer.Answer(byteLimit: 1_000_000)])
        defer { server.stop() }
        let reader = try open(server, aheadSeconds: 4)
        let buffer = try #require(reader.streamBuffer)
        #expect((reader.info.frameCount, buffer.reach) == (0, .nowhere))
        #expect(reader.outputFrameCount == nil)
        // Longer than one connection, which is made again.
        for second in 1...60 {
            #expect(try reader.readStream(48_000).count == 96_000)
            let range = buffer.status.range
            #expect(range.count <= 48_000 * 6 + 4096)
            #expect(range.upperBound <= Int64(second + 6) * 48_000)
        }
        #expect(server.log.entries.filter { $0 == "GET 0" }.count >= 2)
        // What the system holds, and a minute.
        #expect(server.sentBytes < 12_000_000)
        // A short way back is possible, and a long one is not.
        let (now, last) = (reader.position, try reader.readStream(1000))
        try reader.seek(toFrame: now)
        #expect(reader.position == now)
        #expect(try reader.readStream(1000) == last)
        try reader.seek(toFrame: 0)
        #expect(reader.position >= now - 48_000 * 6 - 4096)
    }

    @Test func refusal_saysWhy() throws {
        func server(_ status: Int) throws -> HTTPServer {
            try HTTPServer(body: [], answers: [HTTPServer.Answer(status: status)])
        }
        for (status, kind) in [(404, AudioFileError.Kind.notFound), (403, .notReadable), (500, .unreachable)] {
            let server = try server(status)
            defer { server.stop() }
            let error = try #require(refusal(server.address))
            #expect(error.kind == kind)
            #expect(error.message.contains("127.0.0.1:\(server.port)"))
        }
        let page = try HTTPServer(body: Array("<html>No sound</html>".utf8))
        defer { page.stop() }
        #expect(refusal(page.address)?.kind == .notAudio)
        // No server is at this port any more.
        let gone = try HTTPServer(body: [])
        gone.stop()
        let error = try #require(refusal("http://user:secret@127.0.0.1:\(gone.port)/a?b=c@d"))
        #expect(error.kind == .unreachable)
        #expect(!error.message.contains("secret"))
        #expect(error.message.contains("http://127.0.0.1:\(gone.port)/a?b=c@d"))
    }

    @Test func cancellation_endsAWaitForAServer() throws {
        let server = try HTTPServer(body: [], answers: [HTTPServer.Answer(isMute: true)])
        defer { server.stop() }
        let cancellation = Cancellation()
        let (log, address) = (server.log, server.address)
        let thread = TestThread {
            _ = try? log.wait(for: "a request") { !$0.isEmpty }
            cancellation.cancel()
        }
        #expect(refusal(address, cancellation)?.kind == .cancelled)
        thread.join()
        try log.wait(for: "the end of the connection") { $0.contains("closed") }
    }

    @Test func released_endsItsConnection() throws {
        let (_, bytes) = try file("libmp3lame", "mp3")
        let gate = Gate()
        let server = try HTTPServer(.station, body: bytes, answers: [HTTPServer.Answer(stall: (200_000, gate))])
        defer { server.stop() }
        var reader: AudioFileReader? = try open(server)
        reader?.streamBuffer?.start()
        gate.waitUntilReached()
        // Its thread waits for the server.
        withExtendedLifetime(reader) {}
        reader = nil
        gate.open()
        try server.log.wait(for: "the end of the connection") { $0.contains("closed") }
    }
}

extension AudioFileReader {
    /// The next frames; waits for the server where they have not come yet.
    ///
    /// - Parameter least: fewer are given only at the end.
    func readStream(_ frames: Int = .max, least: Int? = nil) throws -> [Float] {
        let channels = info.channels.count
        let came = DispatchSemaphore(value: 0)
        streamBuffer?.onChange { came.signal() }
        var all: [Float] = []
        while all.count / channels < least ?? frames {
            let got = try readFrames(frames - all.count / channels)
            all += got
            guard got.isEmpty else { continue }
            guard isWaiting else { break }
            // What came before `onChange` was set is seen by the next read.
            if came.wait(timeout: .now() + 20) == .timedOut { throw Waited() }
        }
        return all
    }

    private struct Waited: Error {}
}
