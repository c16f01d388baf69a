internal import AudioFiles
import Foundation
import MediaTags

/// Damage to sound files, and what they must stand.
package enum FileDamage {
    /// Numbers that make lengths and offsets wrong.
    private static let extremes: [UInt32] = [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0xFFFF_FFF0]

    /// Damage of six kinds in turn: the file is cut off, bytes near its beginning are changed, bytes anywhere, a run is
    /// inserted or overwritten, bytes near its end are changed, a number of four bytes becomes an extreme one.
    ///
    /// - Parameter number: chooses the kind; every other six, the checksums of Ogg pages are made right again.
    package static func damage(_ bytes: [UInt8], number: Int, random: inout some RandomNumberGenerator) -> [UInt8] {
        var bytes = bytes
        func change(_ range: Range<Int>, _ count: ClosedRange<Int>, _ random: inout some RandomNumberGenerator) {
            for _ in 0..<Int.random(in: count, using: &random) {
                bytes[Int.random(in: range, using: &random)] ^= UInt8.random(in: 1 ... .max, using: &random)
            }
        }
        switch number % 6 {
        case 0: bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
        case 1: change(0..<min(128, bytes.count), 1...4, &random)
        case 2: change(0..<bytes.count, 1...16, &random)
        case 3:
            let start = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 0...64, using: &random))
            let length = Int.random(in: 0...64, using: &random)
            bytes.replaceSubrange(
                start..<end, with: repeatElement(Bool.random(using: &random) ? 0xFF : 0, count: length))
        case 4: change(max(0, bytes.count - 2048)..<bytes.count, 1...4, &random)
        default:
            let isAtEnd = Bool.random(using: &random)
            let range = isAtEnd ? max(0, bytes.count - 2048)..<bytes.count - 4 : 0..<min(2048, bytes.count - 4)
            let value = extremes[Int.random(in: 0..<extremes.count, using: &random)]
            let at = Int.random(in: range, using: &random)
            bytes.replaceSubrange(at..<at + 4, with: (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) })
        }
        // Else the pages' checksums would keep nearly all damage from the decoders.
        if number / 6 % 2 == 1 { restoreOggChecksums(in: &bytes) }
        return bytes
    }

    /// Opens a file, reads from several places, and reads its picture and its chapters.
    ///
    /// - Returns: whether it opened, and what it did that no file may do.
    package static func exercise(
        _ path: String, number: Int, random: inout some RandomNumberGenerator
    ) -> (isOpened: Bool, faults: [String]) {
        if number.isMultiple(of: 7) { _ = TrackArtwork(path: path) }
        if number.isMultiple(of: 5) { _ = Chapter.list(path: path) }
        if number.isMultiple(of: 3) { _ = TagFact.list(path: path) }
        do throws(AudioFileError) {
            let reader = try AudioFileReader(path: path, outputSampleRate: number.isMultiple(of: 3) ? 44_100 : nil)
            return (true, exercise(reader, random: &random))
        } catch {
            return (false, error.message.isEmpty ? ["it is refused without a reason"] : [])
        }
    }

    private static func exercise(_ reader: AudioFileReader, random: inout some RandomNumberGenerator) -> [String] {
        var faults: [String] = []
        let channels = reader.info.channels.count
        if !(1...64).contains(channels) { faults.append("\(channels) channels") }
        if reader.info.frameCount < 0 { faults.append("\(reader.info.frameCount) frames") }
        var block = [Float](repeating: 0, count: 4096 * channels)
        for round in 0..<3 {
            // Bounded: a header can claim years.
            for _ in 0..<50 {
                let frames = block.withUnsafeMutableBufferPointer { try? reader.read(into: $0) }
                guard let frames, frames > 0 else { break }
                // One sample that is no number makes the sum none; a clean sum is far from overflow.
                let sum = block.withUnsafeBufferPointer { $0.prefix(frames * channels).reduce(0, +) }
                if !sum.isFinite { faults.append("samples that are no numbers") }
            }
            let target = Int64.random(in: 0...20_000, using: &random)
            let before = reader.position
            do throws(AudioFileError) {
                try reader.seek(toFrame: round == 1 ? .max : target)
            } catch {
                if reader.position != before { faults.append("a seek that failed moved the position") }
            }
        }
        return faults
    }
}

/// The checksums that damage breaks.
///
/// Source: RFC 3533, section 6.
extension FileDamage {
    package static func restoreOggChecksums(in bytes: inout [UInt8]) {
        let capture = Array("OggS".utf8)
        var page = 0
        while page + 27 <= bytes.count {
            guard bytes[page] == capture[0], bytes[page..<page + 4] == capture[...] else {
                page += 1
                continue
            }
            let segments = Int(bytes[page + 26])
            guard page + 27 + segments <= bytes.count else { return }
            let payload = bytes[(page + 27)..<(page + 27 + segments)].reduce(0) { $0 + Int($1) }
            let end = page + 27 + segments + payload
            guard end <= bytes.count else { return }
            bytes.replaceSubrange((page + 22)..<(page + 26), with: [0, 0, 0, 0])
            let sum = bytes[page..<end].reduce(UInt32(0)) { $0 << 8 ^ table[Int($0 >> 24) ^ Int($1)] }
            bytes.replaceSubrange(
                (page + 22)..<(page + 26), with: (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) })
            page = end
        }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index) << 24) { sum, _ in sum << 1 ^ (sum >> 31) &* 0x04C1_1DB7 }
    }
}
