/// `#if os(iOS)` around audio code becomes `#if os(iOS) || os(Linux)`.
enum ConditionRule {
    private static let audioNames = ["AVAudio", "AVPlayer", "AVFoundation", "AVFAudio", "AVQueuePlayer"]
    private static let screenNames = ["UIKit", "UIApplication", "UIDevice", "UIView", "UIScreen", "SwiftUI", "AVKit"]

    static func apply(to draft: inout SourceDraft) {
        guard draft.source.contains("os(iOS)") else { return }
        struct Open { var start: Int; var end: Int; var condition: String; var body: Int }
        var stack: [Open] = []
        var blocks: [(condition: String, place: Range<Int>, body: Range<Int>)] = []
        var place = 0
        for line in draft.source.code.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let start = place
            place += line.count + 1
            let text = String(decoding: line, as: UTF8.self)
            let directive = text.drop { $0 == " " || $0 == "\t" }
            if directive.hasPrefix("#if ") {
                let indent = text.utf8.count - directive.utf8.count
                let condition = directive.dropFirst(4)
                stack.append(
                    Open(
                        start: start + indent + 4, end: start + line.count,
                        condition: String(condition).trimmed, body: place))
            } else if directive.hasPrefix("#else") || directive.hasPrefix("#endif") {
                guard let open = stack.popLast() else { continue }
                blocks.append((open.condition, open.start..<open.end, open.body..<start))
                if directive.hasPrefix("#else") {
                    // The other branches are those of other systems.
                    stack.append(Open(start: start, end: start, condition: "", body: place))
                }
            }
        }
        // The outer ones first: all that is inside of audio code belongs to it, as a call of a function that is declared there.
        var audio: [Range<Int>] = []
        for block in blocks.sorted(by: { $0.place.lowerBound < $1.place.lowerBound }) {
            let isInside = audio.contains { $0.contains(block.place.lowerBound) }
            if port(block.condition, block.place, body: block.body, isInside, in: &draft) { audio.append(block.body) }
        }
    }

    /// - Returns: whether Linux has the code now.
    private static func port(
        _ condition: String, _ range: Range<Int>, body place: Range<Int>, _ isInside: Bool, in draft: inout SourceDraft
    ) -> Bool {
        let body = draft.source.code(place)
        guard condition.contains("os(iOS)"), !condition.contains("os(Linux)"),
            isInside || audioNames.contains(where: body.contains) || draft.ownNames.contains(where: place.contains)
        else { return false }
        if condition.contains("!") || condition.contains("&&") {
            draft.remark(
                range.lowerBound, "\"#if \(condition)\" around audio code stays: add os(Linux) where it belongs")
        } else if let name = screenNames.first(where: body.contains) {
            draft.remark(range.lowerBound, "\"#if \(condition)\" around audio code stays: it also needs \(name)")
        } else {
            draft.replace(range, with: condition + " || os(Linux)")
            return true
        }
        return false
    }
}
