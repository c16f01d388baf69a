import Foundation

/// Coverage/focus.tsv: another system's table of audio focus beside ours.
package struct FocusTable: Sendable {
    package struct Kind: Hashable, Sendable {
        package let name: String
        /// Words: category, mode, options with commas between them.
        package let session: [String]
        /// `media.role`; nil for none.
        package let role: String?
        /// Its program records a microphone and plays nothing.
        package let isCapture: Bool
        /// Over before anything that plays could be lowered.
        package var isShort: Bool { name == "System sound" }
    }

    package struct Cell: Hashable, Sendable, CustomStringConvertible {
        package let playing: Kind
        package let incoming: Kind
        package let theirs: String
        package let sessions: String
        package let sessionsVerdict: String
        package let programs: String
        package let programsVerdict: String

        package var description: String { "\(incoming.name) begins while \(playing.name) sounds" }

        /// A sentence for an outcome that is not the table's; nil if it is.
        package func fault(_ actual: String, of who: String, expected: String) -> String? {
            guard actual != expected else { return nil }
            return
                "\(description): Coverage/focus.tsv says '\(expected)' for two \(who), and the machine says '\(actual)'."
        }
    }

    package let kinds: [Kind]
    package let reasons: [String: String]
    package let cells: [Cell]

    package init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "Coverage/focus.tsv"), encoding: .utf8)
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        let kinds = lines.filter { $0[0] == "kind" }.map { line in
            Kind(
                name: line[1], session: line[2].split(separator: " ").map(String.init),
                role: ["-", "capture"].contains(line[3]) ? nil : line[3], isCapture: line[3] == "capture")
        }
        let named = Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0) })
        self.kinds = kinds
        reasons = Dictionary(uniqueKeysWithValues: lines.filter { $0[0] == "reason" }.map { ($0[1], $0[2]) })
        cells = lines.filter { $0[0] == "cell" }.compactMap { line in
            guard let playing = named[line[1]], let incoming = named[line[2]], line.count == 8 else { return nil }
            return Cell(
                playing: playing, incoming: incoming, theirs: line[3], sessions: line[4], sessionsVerdict: line[5],
                programs: line[6], programsVerdict: line[7])
        }
    }
}
