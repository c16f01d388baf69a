/// `#if os(iOS)` around audio code becomes `#if os(iOS) || os(Linux)`.
enum ConditionRule {
    private static let audioNames = ["AVAudio", "AVPlayer", "AVFoundation", "AVFAudio", "AVQueuePlayer"]
    private static let screenNames = ["UIKit", "UIApplication", "UIDevice", "UIView", "UIScreen", "SwiftUI", "AVKit"]

    static func apply(to draft: inout SourceDraft) {
        guard draft.source.contains("os(iOS)") else { return }
        struct Open { var start: Int; var end: Int; var condition: String; var body: Int }
        var stack: [Open] = []
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
                port(open.condition, open.start..<open.end, body: open.body..<start, in: &draft)
                if directive.hasPrefix("#else") {
                    // The other branches are those of other systems.
                    stack.append(Open(start: start, end: start, condition: "", body: place))
                }
            }
        }
    }

    private static func port(
        _ condition: String, _ range: Range<Int>, body place: Range<Int>, in draft: inout SourceDraft
    ) {
        let body = draft.source.code(place)
        guard condition.contains("os(iOS)"), !condition.contains("os(Linux)"),
            audioNames.contains(where: body.contains) || draft.ownNames.contains(where: place.contains)
        else { return }
        if condition.contains("!") || condition.contains("&&") {
            draft.remark(
                range.lowerBound, "\"#if \(condition)\" around audio code stays: add os(Linux) where it belongs")
        } else if let name = screenNames.first(where: body.contains) {
            draft.remark(range.lowerBound, "\"#if \(condition)\" around audio code stays: it also needs \(name)")
        } else {
            draft.replace(range, with: condition + " || os(Linux)")
        }
    }
}
