import Foundation
import TestAudio
import TestSupport
import Testing

@testable import AudioFiles

/// Damaged files are refused or played as far as they go; nothing traps, hangs or gives samples that are no numbers.
struct FuzzTests {
    static let damagesPerFormat = 200

    @Test(arguments: AudioFileFormat.allCases)
    func file_whileDamaged_isReadOrRefused(format: AudioFileFormat) throws {
        let directory = try TemporaryDirectory()
        let whole = try TestFile.write(
            .quadrature(hertz: 440), seconds: 0.3, format: format, title: "Title", in: directory)
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: whole)))
        // Every run takes the same damages; a failure names its number.
        var random = Seeded(seed: UInt64(bytes.count))
        var opened = 0
        var refused = 0
        for number in 0..<Self.damagesPerFormat {
            var damaged = Self.damage(bytes, number: number, random: &random)
            // Else the pages' checksums would keep nearly all damage from the decoders.
            if number % 8 >= 4 { OggPages.restoreChecksums(in: &damaged) }
            let path = try TestFile.write(bytes: damaged, named: "damaged.\(format.fileExtension)", in: directory)
            do throws(AudioFileError) {
                let reader = try AudioFileReader(path: path, outputSampleRate: number.isMultiple(of: 3) ? 44_100 : nil)
                opened += 1
                exercise(reader, number: number, random: &random)
            } catch {
                refused += 1
                #expect(!error.message.isEmpty)
            }
        }
        #expect(opened + refused == Self.damagesPerFormat)
        // Much of the damage is in the sound, where it must not keep the file from opening.
        #expect(opened > Self.damagesPerFormat / 10)
        #expect(refused > 0)
        withExtendedLifetime(directory) {}
    }

    /// A fourth of the damages cut the file off; half flip bytes, more in the header; the rest insert or overwrite a run.
    private static func damage(_ bytes: [UInt8], number: Int, random: inout Seeded) -> [UInt8] {
        var bytes = bytes
        switch number % 4 {
        case 0: bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
        case 1:
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<min(128, bytes.count), using: &random)
                bytes[index] = UInt8.random(in: .min ... .max, using: &random)
            }
        case 2:
            for _ in 0..<Int.random(in: 1...16, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1 ... .max, using: &random)
            }
        default:
            let start = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 0...64, using: &random))
            let length = Int.random(in: 0...64, using: &random)
            bytes.replaceSubrange(
                start..<end, with: repeatElement(Bool.random(using: &random) ? 0xFF : 0, count: length))
        }
        return bytes
    }

    private func exercise(_ reader: AudioFileReader, number: Int, random: inout Seeded) {
        let channels = reader.info.channels.count
        #expect((1...64).contains(channels), "damage \(number)")
        #expect(reader.info.frameCount >= 0, "damage \(number)")
        var block = [Float](repeating: 0, count: 4096 * channels)
        for round in 0..<3 {
            // Bounded: a header can claim years.
            for _ in 0..<50 {
                let frames = block.withUnsafeMutableBufferPointer { try? reader.read(into: $0) }
                guard let frames, frames > 0 else { break }
                // One sample that is no number makes the sum none; a clean sum is far from overflow.
                let sum = block.withUnsafeBufferPointer { $0.prefix(frames * channels).reduce(0, +) }
                #expect(sum.isFinite, "damage \(number)")
            }
            let target = Int64.random(in: 0...20_000, using: &random)
            let before = reader.position
            do throws(AudioFileError) {
                try reader.seek(toFrame: round == 1 ? .max : target)
            } catch {
                #expect(reader.position == before, "damage \(number)")
            }
        }
    }
}

/// The checksums that damage breaks. Source: RFC 3533, section 6.
extension OggPages {
    static func restoreChecksums(in bytes: inout [UInt8]) {
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
            bytes.replaceSubrange((page + 22)..<(page + 26), with: littleEndian(Int(sum), 4))
            page = end
        }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index) << 24) { sum, _ in sum << 1 ^ (sum >> 31) &* 0x04C1_1DB7 }
    }
}
