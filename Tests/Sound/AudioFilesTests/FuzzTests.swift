import AudioModel
import Foundation
import TestAudio
import TestSupport
import Testing

@testable import AudioFiles

/// Damaged files are refused or played as far as they go; nothing traps, hangs or gives samples that are no numbers.
///
/// dev/test --lane damaged-files does the same with 10 000 files of other programs.
struct FuzzTests {
    @Test(arguments: AudioFileFormat.allCases)
    func file_whileDamaged_isReadOrRefused(format: AudioFileFormat) throws {
        let directory = try TemporaryDirectory()
        let whole = try TestFile.write(
            .quadrature(hertz: 440), seconds: 0.3, format: format, title: "Title", in: directory)
        try check(whole, damages: 60, in: directory)
    }

    @Test(arguments: LibavWriterTests.types)
    func file_thatFFmpegReads_whileDamaged_isReadOrRefused(type: AudioFileType) throws {
        let directory = try TemporaryDirectory()
        let whole = directory.path("whole")
        let writer = try AudioFileWriter(
            path: whole, type: type, sampleRate: 48_000, channels: [.left, .right], title: "Title")
        try writer.write(TestSignal.quadrature(hertz: 440).samples(frames: 14_400, channels: 2, sampleRate: 48_000))
        try writer.close()
        // ADTS has no header that could be refused.
        try check(whole, damages: 60, opensAll: type.container == .adts, in: directory)
    }

    private func check(_ whole: String, damages: Int, opensAll: Bool = false, in directory: TemporaryDirectory) throws {
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: whole)))
        // Every run takes the same damages; a failure names its number.
        var random = Seeded(seed: UInt64(bytes.count))
        var opened = 0
        for number in 0..<damages {
            let damaged = FileDamage.damage(bytes, number: number, random: &random)
            let path = try TestFile.write(bytes: damaged, named: "damaged", in: directory)
            let (isOpened, faults) = FileDamage.exercise(path, number: number, random: &random)
            if isOpened { opened += 1 }
            #expect(faults.isEmpty, "damage \(number)")
        }
        // Much of the damage is in the sound, where it must not keep the file from opening.
        #expect(opened > damages / 10)
        #expect(opened < damages || opensAll)
    }
}
