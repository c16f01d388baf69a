import Foundation
import TestAudio
import Testing

@testable import AudioFiles

/// Files that others made: the sounds of two Debian packages, all of them.
struct RealInputTests {
    static let collections: [(package: String, folder: String, ending: String, format: String)] = [
        ("sound-theme-freedesktop", "/usr/share/sounds/freedesktop/stereo", ".oga", "Ogg Vorbis"),
        ("alsa-utils", "/usr/share/sounds/alsa", ".wav", "WAV, 16 bit"),
    ]

    @Test(arguments: collections, [nil, 44_100.0, 48_000])
    func file_whileMadeByOthers_isDecodedToItsEnd(
        collection: (package: String, folder: String, ending: String, format: String), rate: Double?
    ) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: collection.folder)
            .filter { $0.hasSuffix(collection.ending) }.sorted()
        try #require(!names.isEmpty, "\(collection.folder) has no sounds; apt-get install \(collection.package)")
        var decoded = 0
        for name in names {
            let reader = try AudioFileReader(path: "\(collection.folder)/\(name)", outputSampleRate: rate)
            let (samples, error) = reader.readToEnd()
            let frames = samples.count / reader.info.channels.count
            #expect(error == nil, "\(name)")
            #expect(reader.info.formatName == collection.format, "\(name)")
            #expect((1...2).contains(reader.info.channels.count), "\(name)")
            // The shortest is a click, the longest an alarm.
            #expect((0.02...30).contains(reader.info.duration), "\(name): \(reader.info.duration) s")
            #expect(abs(Double(frames) - reader.info.duration * reader.outputSampleRate) <= 1, "\(name)")
            // Loud enough to be heard, and no wrong scale: Vorbis may overshoot full scale a little.
            #expect((0.01...1.5).contains(samples.peak), "\(name): peak \(samples.peak)")
            decoded += 1
        }
        #expect(decoded == names.count)
        #expect(decoded > 0)
    }
}
