import AudioModel
import Foundation
import TestAudio
import TestSupport
import Testing

@testable import AudioFiles

/// A table of files that are not as the specification has them: each is read to the same frame as by the `ffmpeg` program, or
/// its row says what is right instead.
///
/// Each length is told once: by a player's reader, by `AVAudioFile`'s, and by the frames that come.
@Suite struct OddFileTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func wave_isReadAsItsBytesAre() throws { try check(OddTables.wave(), atLeast: 90) }
    @Test func aiff_isReadAsItsBytesAre() throws { try check(OddTables.aiff(), atLeast: 65) }
    @Test func au_caf_dsf_areReadAsTheirBytesAre() throws { try check(OddTables.others(), atLeast: 35) }

    @Test func compressed_isReadAsByFFmpeg() throws {
        let encodings = try OddEncodings(in: directory)
        try check(encodings.whole() + encodings.wave(), atLeast: 45)
    }

    @Test func mpeg_isReadToItsLastFrame() throws { try check(OddEncodings(in: directory).mpeg(), atLeast: 50) }
    @Test func ogg_flac_areReadToTheirLastFrame() throws { try check(OddEncodings(in: directory).xiph(), atLeast: 20) }

    /// Parts of files, and headers that are read here, are as hostile as any.
    @Test func oddFile_whileDamaged_isReadOrRefused() throws {
        let encodings = try OddEncodings(in: directory)
        let rows = try encodings.xiph() + encodings.mpeg() + OddTables.wave() + OddTables.aiff()
        var (random, opened, count) = (Seeded(seed: 66), 0, 0)
        for (index, row) in rows.enumerated() where index % 3 == 0 && row.bytes.count < 200_000 {
            for number in [index % 6, (index + 1) % 6 + 6] {
                let damaged = FileDamage.damage(row.bytes, number: number, random: &random)
                let path = try TestFile.write(bytes: damaged, named: "damaged", in: directory)
                let (isOpened, faults) = FileDamage.exercise(path, number: number, random: &random)
                if isOpened { opened += 1 }
                count += 1
                #expect(faults.isEmpty, "\(row.name), damage \(number)")
            }
        }
        #expect(count > 100)
        #expect((count / 10..<count).contains(opened))
    }

    // MARK: A table

    private func check(_ rows: [OddFile], atLeast count: Int) throws {
        #expect(rows.count >= count)
        var paths: [String] = []
        for (index, row) in rows.enumerated() {
            paths.append(try TestFile.write(bytes: row.bytes, named: "row\(index)", in: directory))
        }
        let byProgram = rows.indices.filter { if case .ffmpeg = rows[$0].right { true } else { false } }
        let decoded = try FFmpegProgram.decode(byProgram.map { paths[$0] }, in: directory)
        let program = Dictionary(uniqueKeysWithValues: zip(byProgram, decoded))
        for (index, row) in rows.enumerated() { check(row, paths[index], program[index] ?? []) }
    }

    private func check(_ row: OddFile, _ path: String, _ program: [Float]) {
        guard let reader = try? AudioFileReader(path: path, outputSampleRate: nil) else {
            if case .refused = row.right { return }
            Issue.record("\(row.name): refused: \(openError(path)?.message ?? "")")
            return
        }
        let channels = reader.info.channels.count
        let (samples, error) = reader.readToEnd()
        #expect(error == nil || row.isCut, "\(row.name): \(error?.message ?? "")")
        switch row.right {
        case .ffmpeg(let tolerance):
            // libmpg123 leaves out the frame that is cut.
            let missing = row.isCut ? (program.count - samples.count) / channels : 0
            let right = (0...1152).contains(missing) ? Array(program.prefix(samples.count)) : program
            compare(samples, row.isCut ? right : program, tolerance, row.name, channels)
        case .literal(let right, let tolerance): compare(samples, right, tolerance, row.name, channels)
        case .frames(let frames, _):
            #expect(frames.contains(samples.count / channels), "\(row.name): \(samples.count / channels) frames")
            #expect(samples.isEmpty || samples.peak > 0.2, "\(row.name)")
        case .refused: Issue.record("\(row.name): opened")
        }
        guard !row.isCut else { return }
        let frames = samples.count / channels
        let measured = try? FrameReader(path: path).info.frameCount
        #expect(measured == Int64(frames), "\(row.name): AVAudioFile says \(measured ?? -1) of \(frames)")
        if !row.hasCoarseLength {
            #expect(
                reader.info.frameCount == frames, "\(row.name): a player says \(reader.info.frameCount) of \(frames)")
        }
        seek(reader, samples, row.name)
    }

    private func compare(_ samples: [Float], _ right: [Float], _ tolerance: Float, _ name: String, _ channels: Int) {
        #expect(
            samples.count == right.count, "\(name): \(samples.count) of \(right.count) samples, \(channels) channels")
        let difference = largestDifference(samples, right)
        #expect(difference <= tolerance, "\(name): differs by \(difference)")
    }

    /// Behind a seek, once a decoder has settled, is what is there without one.
    private func seek(_ reader: AudioFileReader, _ samples: [Float], _ name: String) {
        let channels = reader.info.channels.count
        let frames = samples.count / channels
        guard frames > 2 else { return }
        do {
            try reader.seek(toFrame: Int64(frames / 2))
            let rest = try reader.readFrames()
            #expect(rest.count / channels == frames - frames / 2, "\(name): behind a seek")
            let settled = min(4800 * channels, rest.count)
            let difference = largestDifference(rest[settled...], samples[(frames / 2 * channels + settled)...])
            #expect(difference < 0.012, "\(name): behind a seek, differs by \(difference)")
        } catch {
            Issue.record("\(name): \(error)")
        }
    }
}
