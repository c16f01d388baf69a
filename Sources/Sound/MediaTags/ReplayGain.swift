package import AudioFiles
internal import Glibc

/// By how much a file's tags want it louder, so that all files are as loud as each other.
///
/// Source: ReplayGain 2.0, "Metadata format" (wiki.hydrogenaudio.org); RFC 7845, section 5.2.1.
package struct ReplayGain: Hashable, Sendable {
    package struct Level: Hashable, Sendable {
        /// Above 0 is louder.
        package var decibels: Double
        /// The greatest sample, where 1 is full scale; nil: it may be full scale.
        package var peak: Double?

        package init(decibels: Double, peak: Double? = nil) { (self.decibels, self.peak) = (decibels, peak) }

        /// What samples are multiplied by, so that none is beyond full scale.
        package var factor: Float { Float(min(pow(10, decibels / 20), 1 / (peak ?? 1))) }
    }

    /// Of the file alone, and of the album that it belongs to.
    package var track: Level?, album: Level?

    package init() {}

    /// Any thread; waits for the disk.
    ///
    /// - Parameters:
    ///   - path: of the file; nil for one that comes from a server.
    ///   - tags: as the file was opened.
    package init(path: String?, tags: TrackTags) {
        guard tags.gains.isEmpty, let path, let file = try? RegularFile(path: path) else {
            self.init(tags.gains.map { ($0.key, $0.value) })
            return
        }
        let comments = VorbisComments.all(in: file)
        let texts = TagFact.list(path: path).compactMap(Self.text) + APETag.texts(in: file)
        self.init(comments.isEmpty ? texts : comments)
    }

    private static func text(_ fact: TagFact) -> (String, String)? {
        guard fact.key == "TXXX", let label = fact.label, case .text(let text) = fact.value else { return nil }
        return (label, text)
    }

    /// - Parameter texts: untrusted; what no program writes is left out.
    init(_ texts: [(key: String, value: String)]) {
        let short = texts.filter { $0.key.utf8.count < 32 && $0.value.utf8.count < 32 }
        let texts = Dictionary(short.map { ($0.key.uppercased(), $0.value) }) { first, _ in first }
        func level(_ name: String) -> Level? {
            // In 256ths, to 5 dB less than ReplayGain's loudness.
            let opus = texts["R128_\(name)_GAIN"].flatMap { Int16($0) }.map { Double($0) / 256 + 5 }
            let decibels = opus ?? Self.number(texts["REPLAYGAIN_\(name)_GAIN"])
            let peak = Self.number(texts["REPLAYGAIN_\(name)_PEAK"]).flatMap { (0.0001...100).contains($0) ? $0 : nil }
            return decibels.flatMap { (-60...60).contains($0) ? Level(decibels: $0, peak: peak) : nil }
        }
        (track, album) = (level("TRACK"), level("ALBUM"))
    }

    /// Of "-6.20 dB", also with a comma.
    private static func number(_ text: String?) -> Double? {
        text?.replacing(",", with: ".").split(separator: " ").first.flatMap {
            Double($0.lowercased().hasSuffix("db") ? $0.dropLast(2) : $0)
        }
    }
}
