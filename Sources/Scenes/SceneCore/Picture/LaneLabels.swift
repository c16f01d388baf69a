/// Where the labels of a lane stand: in their bars where they fit, else in rows below the bars.
///
/// None is cut, and none is over another. Measured for the narrowest picture; a wider one only has more room between them.
struct LaneLabels {
    /// In pixels.
    static let narrowest = 640.0
    /// Further labels are counted only.
    static let maximumRows = 8
    /// A label that is longer comes from no rule of the library: a name, for one.
    private static let maximumLength = 400
    private static let gap = 12.0

    struct Line: Hashable {
        var text: String
        /// Where its bar begins.
        var start: AudioScene.Time
        /// It ends at the right edge, as there is no room for it behind its start.
        var endsAtEdge: Bool
        var row: Int
    }

    /// The segments whose labels are in their bars, by index.
    private(set) var inside: Set<Int> = []
    private(set) var lines: [Line] = []
    var rowCount: Int { lines.map { $0.row + 1 }.max() ?? 0 }

    /// - Parameter seconds: of the whole picture.
    init(_ segments: [ScenePicture.Lane.Segment], seconds: Double) {
        /// Where each row is free from, in pixels.
        var free = [Double](repeating: 0, count: Self.maximumRows)
        var left = 0
        for (index, segment) in segments.enumerated() {
            let length = segment.length.seconds / seconds * Self.narrowest
            if Self.width(segment.label) + Self.gap <= length {
                inside.insert(index)
                continue
            }
            let text = "\(segment.start.spelling): \(segment.label.prefix(Self.maximumLength))"
            let start = segment.start.seconds / seconds * Self.narrowest
            let pieces = Self.pieces(of: text).map { piece in
                (text: piece, width: Self.width(piece), x: max(0, min(start, Self.narrowest - Self.width(piece))))
            }
            let row = free.indices.first { first in
                first + pieces.count <= free.count && pieces.indices.allSatisfy { free[first + $0] <= pieces[$0].x }
            }
            guard let row else {
                left += 1
                continue
            }
            for (offset, piece) in pieces.enumerated() {
                free[row + offset] = piece.x + piece.width + Self.gap
                lines.append(
                    Line(text: piece.text, start: segment.start, endsAtEdge: piece.x < start, row: row + offset))
            }
        }
        if left > 0 { lines.append(Line(text: "and \(left) more", start: .zero, endsAtEdge: false, row: rowCount)) }
    }

    /// Broken between words where it is wider than the picture.
    static func pieces(of text: String) -> [String] {
        var pieces: [String] = []
        for word in text.split(separator: " ") {
            for part in parts(of: word) {
                if let last = pieces.last, width(last + " " + part) <= narrowest - gap {
                    pieces[pieces.count - 1] += " " + part
                } else {
                    pieces.append(String(part))
                }
            }
        }
        return pieces
    }

    /// A word that is wider than the picture has no better place to be broken.
    private static func parts(of word: Substring) -> [Substring] {
        let most = Int((narrowest - gap) / wideCharacter)
        guard word.count > most else { return [word] }
        return stride(from: 0, to: word.count, by: most).map { word.dropFirst($0).prefix(most) }
    }

    private static let wideCharacter = 13.0

    /// At most, in pixels of the picture's font; it cannot be asked.
    static func width(_ text: String) -> Double {
        text.unicodeScalars.reduce(0) { $0 + ($1.value < 0x1100 ? 6.8 : wideCharacter) }
    }
}
