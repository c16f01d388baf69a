@testable import AudioFiles
import Foundation
import TestAudio
import Testing

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
                    // One second of samples in the test's own array is 0.4 MB and doubles as it grows; libsoxr's tables and
                    // first-touched pages of the libraries take the rest. The file has 1.4 GB, one hundredth of it 14 MB.
                    #expect(grown < 8 << 20, "resident memory grew by \(grown) bytes at \(rate) Hz")
                }
            }
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
