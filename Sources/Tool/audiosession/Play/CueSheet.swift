import Foundation

/// The tracks of a CUE sheet, which divides files.
///
/// Pure. Source: CDRWIN User's Guide, appendix A, "CUE sheet commands"; what else a sheet says is left out.
struct CueSheet: Equatable {
    struct Track: Equatable {
        /// As it stands in the sheet.
        var file: String
        var part: PlayPlan.Part
    }

    private(set) var tracks: [Track] = []

    /// As a sheet has it; a track without a place is none.
    private struct Draft {
        var isAudio = false
        var place: (file: String, begin: Double)?
        var title: String?
        var performer: String?
    }

    /// - Parameter bytes: in UTF-8, else in Latin-1; anybody may have written them.
    init(_ bytes: [UInt8]) {
        let text =
            String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        var file: String?
        // The first one is of the album.
        var drafts = [Draft()]
        for line in text.utf8.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            let words = Substring(line).split(maxSplits: 1, whereSeparator: \.isWhitespace)
            guard words.count == 2 else { continue }
            let rest = words[1].trimmingCharacters(in: .whitespaces)
            let last = drafts.count - 1
            switch words[0].trimmingPrefix("\u{FEFF}").uppercased() {
            // The kind of file is its last word.
            case "FILE": file = Self.quoted(rest) ?? rest.lastIndex(of: " ").map { String(rest[..<$0]) }
            case "TRACK": drafts.append(Draft(isAudio: rest.uppercased().hasSuffix("AUDIO")))
            case "TITLE": drafts[last].title = Self.plain(Self.quoted(rest) ?? rest)
            case "PERFORMER": drafts[last].performer = Self.plain(Self.quoted(rest) ?? rest)
            case "INDEX":
                let index = rest.split(separator: " ")
                guard drafts[last].isAudio, index.count == 2, Int(index[0]) == 1, let file else { continue }
                drafts[last].place = Self.seconds(index[1]).map { (file, $0) }
            default: continue
            }
        }
        for (number, draft) in drafts.enumerated() { add(draft, number, of: drafts[0]) }
    }

    private mutating func add(_ draft: Draft, _ number: Int, of album: Draft) {
        guard let (file, begin) = draft.place else { return }
        if let last = tracks.last, last.file == file {
            guard begin > last.part.begin else { return }
            tracks[tracks.count - 1].part.end = begin
        }
        let part = PlayPlan.Part(
            begin: begin, title: draft.title ?? "Track \(number)", performer: draft.performer ?? album.performer,
            album: album.title)
        tracks.append(Track(file: file, part: part))
    }

    private static func quoted(_ text: String) -> String? {
        text.first == "\"" ? String(text.dropFirst().prefix { $0 != "\"" }) : nil
    }

    private static func plain(_ text: String) -> String? {
        text.isEmpty ? nil : String(text.unicodeScalars.prefix(200)).printable
    }

    /// Of "MM:SS:FF", with 75 frames in a second.
    private static func seconds(_ text: Substring) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { UInt32($0) }
        guard parts.count == 3, let minutes = parts[0], let seconds = parts[1], let frames = parts[2], minutes <= 6000,
            seconds < 60, frames < 75
        else { return nil }
        return Double(minutes * 60 + seconds) + Double(frames) / 75
    }
}
