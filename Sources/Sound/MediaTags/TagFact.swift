internal import AudioFiles

/// One fact of a file's tags, as the file has it; `TrackTags` has what all kinds of files share.
///
/// Untrusted text, with whatever control characters the file has.
package struct TagFact: Hashable, Sendable {
    /// Whose names the keys are.
    package enum Space: Hashable, Sendable {
        case id3, iTunes, quickTime
    }

    /// What the fact says.
    package enum Value: Hashable, Sendable {
        case text(String)
        /// A number of its kind, and how many there are: track 3 of 12; nil where the file has one number only.
        case number(Int, of: Int?)
        case data([UInt8])
        /// The first bytes of the data say what it is: see `TrackArtwork`.
        case picture([UInt8], mediaType: String)
    }

    package var space: Space
    /// "TIT2", "©nam", "com.apple.quicktime.title"; of ID3 the name of version 3, whatever the file's version.
    package var key: String
    package var value: Value
    /// What ID3 says of a comment, a lyric, an own text and a picture.
    package var label: String?

    /// Longer tags are not read; a picture counts.
    private static let longest = 16 << 20
    /// More than any honest file has.
    private static let most = 1024

    /// The facts in the ID3 tags of an MP3, WAV or AIFF file and in the tags of an MPEG-4 or QuickTime file, in their order.
    ///
    /// Any thread; waits for the disk.
    ///
    /// - Returns: none for other files, and for a file that cannot be read.
    package static func list(path: String) -> [TagFact] {
        guard let file = try? RegularFile(path: path) else { return [] }
        let facts =
            file.bytes(at: 4, count: 4) == Array("ftyp".utf8) ? mpeg4(file) : id3(file)
        return Array(facts.prefix(most))
    }
}

// MARK: ID3

extension TagFact {
    /// The names of version 2 that later versions have too.
    private static let oldNames = [
        "BUF": "RBUF", "CNT": "PCNT", "COM": "COMM", "GEO": "GEOB", "IPL": "IPLS", "MCI": "MCDI", "PIC": "APIC",
        "POP": "POPM", "REV": "RVRB", "SLT": "SYLT", "STC": "SYTC", "TAL": "TALB", "TBP": "TBPM", "TCM": "TCOM",
        "TCO": "TCON", "TCP": "TCMP", "TCR": "TCOP", "TDA": "TDAT", "TDY": "TDLY", "TEN": "TENC", "TFT": "TFLT",
        "TIM": "TIME", "TKE": "TKEY", "TLA": "TLAN", "TLE": "TLEN", "TMT": "TMED", "TOA": "TOPE", "TOF": "TOFN",
        "TOL": "TOLY", "TOR": "TORY", "TOT": "TOAL", "TP1": "TPE1", "TP2": "TPE2", "TP3": "TPE3", "TP4": "TPE4",
        "TPA": "TPOS", "TPB": "TPUB", "TRC": "TSRC", "TRD": "TRDA", "TRK": "TRCK", "TS2": "TSO2", "TSA": "TSOA",
        "TSC": "TSOC", "TSI": "TSIZ", "TSP": "TSOP", "TSS": "TSSE", "TST": "TSOT", "TT1": "TIT1", "TT2": "TIT2",
        "TT3": "TIT3", "TXT": "TEXT", "TXX": "TXXX", "TYE": "TYER", "UFI": "UFID", "ULT": "USLT", "WAF": "WOAF",
        "WAR": "WOAR", "WAS": "WOAS", "WCM": "WCOM", "WCP": "WCOP", "WPB": "WPUB", "WXX": "WXXX",
    ]

    private static let names: Set<String> = {
        let others = [
            "AENC", "ASPI", "COMR", "ENCR", "EQU2", "EQUA", "ETCO", "GRID", "LINK", "MLLT", "MVNM", "MVIN", "OWNE",
            "PCST", "POSS", "PRIV", "RVA2", "RVAD", "SEEK", "SIGN", "TCAT", "TDEN", "TDES", "TDOR", "TDRC", "TDRL",
            "TDTG", "TGID", "TIPL", "TKWD", "TMCL", "TMOO", "TOWN", "TPRO", "TRSN", "TRSO", "TSST", "USER", "WFED",
            "WORS", "WPAY",
        ]
        return Set(oldNames.keys).union(oldNames.values).union(others)
    }()

    private static func id3(_ file: borrowing RegularFile) -> [TagFact] {
        guard let start = ID3Tag.start(in: file) else { return [] }
        return ID3Tag.frames(named: names, in: file, at: start, limit: Int64(longest)).compactMap(fact)
    }

    /// Source: ID3v2.3.0 and ID3v2.4.0, "Declared ID3v2 frames" (id3.org).
    private static func fact(of frame: ID3Tag.Frame) -> TagFact? {
        let key = oldNames[frame.name] ?? frame.name
        switch key {
        case "APIC":
            guard let picture = TrackArtwork.Picture(frame), let type = TrackArtwork.mediaType(of: picture.bytes)
            else { return nil }
            return TagFact(
                space: .id3, key: key, value: .picture(picture.bytes, mediaType: type), label: picture.label)
        case "TXXX", "WXXX", "COMM", "USLT": return labelled(frame, key)
        case "USER":
            // A language comes before the text.
            var rest = frame.contents
            guard let encoding = rest.number(1), rest.take(3) != nil else { return nil }
            return TagFact(space: .id3, key: key, value: .text(rest.lastID3Text(encoding: encoding)))
        case _ where key.hasPrefix("T"):
            return frame.text.flatMap { $0.isEmpty ? nil : TagFact(space: .id3, key: key, value: .text($0)) }
        case _ where key.hasPrefix("W"):
            var address = frame.contents
            return TagFact(space: .id3, key: key, value: .text(address.lastID3Text(encoding: 0)))
        default:
            return TagFact(space: .id3, key: key, value: .data(Array(frame.contents.bytes)))
        }
    }

    /// A description comes before the text, and before it a language for people's texts.
    private static func labelled(_ frame: ID3Tag.Frame, _ key: String) -> TagFact? {
        var rest = frame.contents
        guard let encoding = rest.number(1), key.hasSuffix("XXX") || rest.take(3) != nil,
            let label = rest.id3Text(encoding: encoding)
        else { return nil }
        let value = rest.lastID3Text(encoding: key == "WXXX" ? 0 : encoding)
        return TagFact(space: .id3, key: key, value: .text(value), label: label.isEmpty ? nil : label)
    }
}

// MARK: MPEG-4 and QuickTime

extension TagFact {
    /// A box within bytes: its name as numbers, as keys of QuickTime are counted, and its contents.
    private static func boxes(in bytes: ArraySlice<UInt8>) -> [(name: Int, contents: ArraySlice<UInt8>)] {
        var (rest, boxes): (ByteReader, [(Int, ArraySlice<UInt8>)]) = (ByteReader(bytes), [])
        while boxes.count < most, let length = rest.number(4), let name = rest.number(4),
            let contents = rest.take(length - 8)
        { boxes.append((name, contents)) }
        return boxes
    }

    private static func contents(
        of names: [String], in file: borrowing RegularFile
    ) -> ArraySlice<UInt8>? {
        guard let range = MPEG4Box.contents(of: names, in: file), range.count <= longest else { return nil }
        return file.bytes(at: range.lowerBound, count: range.count)[...]
    }

    /// The list of iTunes has four letters for each key, that of QuickTime a number of a table.
    ///
    /// Source: QuickTime File Format Specification, "Metadata"; FFmpeg 5.1, libavformat/mov.c and movenc.c.
    private static func mpeg4(_ file: borrowing RegularFile) -> [TagFact] {
        var facts: [TagFact] = []
        for place in [["moov", "meta"], ["moov", "udta", "meta"]] {
            guard let list = contents(of: place + ["ilst"], in: file) else { continue }
            let keys = contents(of: place + ["keys"], in: file).map(quickTimeKeys)
            facts += boxes(in: list).compactMap { keys == nil ? iTunes($0, $1) : quickTime($0, $1, keys ?? []) }
        }
        return facts
    }

    private static func iTunes(_ name: Int, _ contents: ArraySlice<UInt8>) -> TagFact? {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: name >> $0) }
        // The first byte of most names is ©, of one byte.
        let key = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        // What is an app's own ("----") has its name in two more boxes.
        guard key != "----", let value = value(of: contents, key) else { return nil }
        return TagFact(space: .iTunes, key: key, value: value)
    }

    private static func quickTime(_ index: Int, _ contents: ArraySlice<UInt8>, _ keys: [String]) -> TagFact? {
        guard index >= 1, index <= keys.count, let value = value(of: contents, nil) else { return nil }
        return TagFact(space: .quickTime, key: keys[index - 1], value: value)
    }

    private static func quickTimeKeys(_ table: ArraySlice<UInt8>) -> [String] {
        var (rest, keys): (ByteReader, [String]) = (ByteReader(table), [])
        guard rest.take(4) != nil, let count = rest.number(4) else { return [] }
        // A length, which counts itself, and the word "mdta" come before each key.
        while keys.count < min(count, most), let length = rest.number(4), rest.take(4) != nil,
            let key = rest.take(length - 8)
        { keys.append(String(decoding: key, as: UTF8.self)) }
        return keys
    }

    /// Of the first box "data": a type and a language of four bytes each come before it.
    private static func value(of box: ArraySlice<UInt8>, _ key: String?) -> Value? {
        guard let data = boxes(in: box).first(where: { $0.name == 0x6461_7461 })?.contents else { return nil }
        var rest = ByteReader(data)
        guard let type = rest.number(4), rest.take(4) != nil else { return nil }
        let bytes = Array(rest.bytes)
        if key == "trkn" || key == "disk" {
            // Two empty bytes, the number, and how many there are.
            guard rest.take(2) != nil, let number = rest.number(2), let count = rest.number(2) else { return nil }
            return .number(number, of: count > 0 ? count : nil)
        }
        switch type & 0xFF_FFFF {
        case 1: return .text(String(decoding: bytes, as: UTF8.self))
        case 2: return .text(String(utf16: bytes[...], isBigEndian: true))
        case 21, 22, 65...67, 75...78:
            guard (1...4).contains(bytes.count), let number = rest.number(bytes.count) else { return .data(bytes) }
            let bits = bytes.count * 8
            let isNegative = type != 22 && type < 75 && number >> (bits - 1) == 1
            return .number(isNegative ? number - 1 << bits : number, of: nil)
        default:
            return TrackArtwork.mediaType(of: bytes).map { .picture(bytes, mediaType: $0) } ?? .data(bytes)
        }
    }
}
