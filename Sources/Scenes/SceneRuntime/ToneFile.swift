internal import AudioFiles
internal import Foundation

/// A quiet tone, which loops without a seam: a file without a name, which ends with the process.
///
/// Quieter noise tells each of its periods from the others.
package enum ToneFile {
    /// - Throws: `Unplayable` where the directory for temporary files has no room.
    package static func path() throws -> String { try made.get() }

    /// One channel at 48 kHz, nominal ±1.
    package static let original = samples.map { Float($0) / 32768 }

    private static let made = Result { () throws(SceneFilePlayer.Unplayable) in try make() }

    /// 11 s at 48 kHz, so that a sound which begins again is not where it would be.
    private static var samples: [Int16] {
        // 11 periods.
        let tone = (0..<2400).map { sin(Double($0) * 2 * Double.pi * 220 / 48_000) * 6553 }
        var noise: UInt32 = 1
        return (0..<(221 * tone.count)).map { frame in
            noise = noise &* 1_664_525 &+ 1_013_904_223
            return Int16(tone[frame % tone.count].rounded()) + Int16(noise >> 26) - 32
        }
    }

    private static func make() throws(SceneFilePlayer.Unplayable) -> String {
        var template = Array(FileManager.default.temporaryDirectory.path.utf8CString.dropLast())
        template += Array("/audiosession-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
        let samples = samples
        var data = Data(
            WaveHeader.bytes(dataBytes: samples.count * 2, channels: 1, sampleRate: 48_000, isFloat: false))
        for sample in samples { withUnsafeBytes(of: sample.littleEndian) { data.append(contentsOf: $0) } }
        let count = data.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard descriptor >= 0, count == data.count else {
            throw SceneFilePlayer.Unplayable(
                description:
                    "cannot write a tone to \(FileManager.default.temporaryDirectory.path); make room there, or name a "
                    + "file to play")
        }
        #if os(Linux)
            return "/proc/self/fd/\(descriptor)"
        #else
            return "/dev/fd/\(descriptor)"
        #endif
    }
}
