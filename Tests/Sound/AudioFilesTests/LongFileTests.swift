import Foundation
import TestAudio
import Testing

@testable import AudioFiles

struct LongFileTests {
    @Test func memory_whileFileIsTwoHoursLong_staysConstant() async {
        // In a process of its own, so that no other test's memory counts.
        await #expect(processExitsWith: .success) {
            try withTemporaryDirectory { directory in
                let path = try TestFile.sparse(seconds: 7200, in: directory)
                for rate in [48_000.0, 44_100] {
                    let before = try residentBytes()
                    let reader = try AudioFileReader(path: path, outputSampleRate: rate)
                    #expect(reader.info.duration == 7200)
                    var framesRead = 0
                    for seconds in [0, 1800, 3600.5, 7199, 60] {
                        try reader.seek(toSeconds: seconds)
                        framesRead += try reader.readFrames(Int(rate)).count / 2
                    }
                    #expect(framesRead == 5 * Int(rate))
                    let grown = try residentBytes() - before
                    // The test's own array takes 1 MB, libsoxr's tables and the libraries' pages as much again; what the
                    // address sanitizer keeps of freed memory makes it 10 MB. 16 MiB are a hundredth of the file.
                    #expect(grown < 16 << 20, "resident memory grew by \(grown) bytes at \(rate) Hz")
                }
            }
        }
    }

    /// Their header has the length without its upper bits, or a mark of an unknown one.
    @Test(arguments: [nil, 0xFFFF_FFFF, 0] as [Int?], [0, 26]) func wav_above4GB_isWhole(size: Int?, behind: Int) throws
    {
        try withTemporaryDirectory { directory in
            let frames = 1_125_000_000
            let announced = size ?? frames * 4 & 0xFFFF_FFFF
            let header = OddBytes.riff(
                OddBytes.format(1, channels: 2, bits: 16), OddBytes.chunk("data", [], size: announced), size: announced)
            let path = try TestFile.write(bytes: header, named: "big.wav", in: directory)
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.seek(toOffset: UInt64(header.count + (frames - 4) * 4))
            try file.write(contentsOf: Data(OddBytes.bytes(of: [1000, -1000, 2000, -2000, 3000, -3000, 4000, -4000])))
            if behind > 0 {
                try file.write(contentsOf: Data(OddBytes.chunk("LIST", [UInt8](repeating: 0x41, count: behind - 8))))
            }
            try file.close()
            // Behind a sound of unknown length nothing is told apart from it.
            let end = frames + (size == nil ? 0 : behind / 4)
            let reader = try AudioFileReader(path: path, outputSampleRate: nil)
            #expect(reader.info.frameCount == end)
            try reader.seek(toFrame: Int64(frames - 2))
            let rest = try reader.readFrames()
            #expect(rest.count == 2 * (end - frames + 2))
            #expect(rest.prefix(4).map { Int($0 * 32_768) } == [3000, -3000, 4000, -4000])
        }
    }

    @Test func open_whileFileIsTwoHoursLong_readsLittleOfIt() throws {
        try withTemporaryDirectory { directory in
            let path = try TestFile.sparse(seconds: 7200, in: directory)
            let before = try bytesReadByThisThread()
            let reader = try AudioFileReader(path: path, outputSampleRate: 48_000)
            let read = try bytesReadByThisThread() - before
            // The header, libsndfile's first block, our own look at the chunks; the figure does not depend on the clock.
            #expect(read < 100_000, "\(read) bytes read to open \(reader.info.frameCount) frames")
        }
    }
}

/// The second field of statm counts resident pages.
private func residentBytes() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(Int(fields[1])) * sysconf(Int32(_SC_PAGESIZE))
}

/// `rchar`: what read and its kin have returned, from the disk or from memory.
private func bytesReadByThisThread() throws -> Int {
    let lines = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8).split(separator: "\n")
    let line = try #require(lines.first { $0.hasPrefix("rchar: ") })
    return try #require(Int(line.dropFirst("rchar: ".count)))
}
