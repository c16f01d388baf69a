/// Rewrites what an iOS source says about audio sessions so that it compiles on Linux and on iOS.
///
/// It changes three things and leaves everything else as it is:
/// - `#selector(f)` in `addObserver` becomes `Selector(Type.f)`.
/// - `@objc` goes from the functions that only such selectors name.
/// - `#if os(iOS)` around audio code becomes `#if os(iOS) || os(Linux)`.
struct Porter {
    struct Result {
        var text: String
        /// What it cannot do.
        var remarks: [Remark]
    }

    struct Remark: Hashable {
        var line: Int
        var text: String
    }

    private struct Edit {
        var range: Range<Int>
        var text: String
    }

    private let source: SourceText
    private var edits: [Edit] = []
    private var remarks: [Remark] = []
    /// Names of functions that selectors name which stay.
    private var objectiveCNames: Set<String> = []

    static func port(_ text: String) -> Result {
        var porter = Porter(source: SourceText(text))
        porter.portSelectors()
        porter.portAttributes()
        porter.portConditions()
        porter.noteTheRest()
        return Result(text: porter.editedText, remarks: porter.remarks.sorted { $0.line < $1.line })
    }

    private init(source: SourceText) { self.source = source }

    private var editedText: String {
        var bytes = source.bytes
        for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            bytes.replaceSubrange(edit.range, with: edit.text.utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func remark(_ position: Int, _ text: String) {
        remarks.append(Remark(line: source.line(at: position), text: text))
    }

    private mutating func portSelectors() {
        for word in source.positions(of: "selector") where word > 0 && source.code[word - 1] == UInt8(ascii: "#") {
            let open = word + "selector".utf8.count
            guard open < source.code.count, source.code[open] == UInt8(ascii: "("),
                let end = source.end(ofParenthesisAt: open)
            else { continue }
            let argument = source.code(open + 1..<end - 1).filter { !$0.isWhitespace }
            let name = argument.split(separator: "(")[0].split(separator: ".").last.map(String.init) ?? ""
            let call = source.call(around: word - 1)
            guard call == "addObserver", !argument.hasPrefix("getter:"), !argument.hasPrefix("setter:"),
                let reference = reference(argument, at: word)
            else {
                objectiveCNames.insert(name)
                remark(word, "#selector(\(argument)) in \(call ?? "no call") stays: Linux needs a closure there")
                continue
            }
            edits.append(Edit(range: word - 1..<end, text: "Selector(\(reference))"))
        }
    }

    /// The method with its type: `handle(_:)` in `Player` is `Player.handle(_:)`.
    private func reference(_ argument: String, at position: Int) -> String? {
        var method = argument
        for prefix in ["self.", "Self.", "type(of:self)."] where method.hasPrefix(prefix) {
            method.removeFirst(prefix.count)
        }
        if method.first?.isUppercase == true, method.split(separator: "(")[0].contains(".") { return method }
        return source.type(around: position).map { "\($0).\(method)" }
    }

    private mutating func portAttributes() {
        for word in source.positions(of: "objc") where word > 0 && source.code[word - 1] == UInt8(ascii: "@") {
            var end = word + "objc".utf8.count
            if end < source.code.count, source.code[end] == UInt8(ascii: "("),
                let close = source.end(ofParenthesisAt: end)
            {
                end = close
            }
            let declaration = source.code(end..<min(end + 200, source.code.count)).prefix { $0 != "{" && $0 != "=" }
            let words = declaration.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
            guard let function = words.firstIndex(of: "func"), function + 1 < words.endIndex,
                !words[..<function].contains(where: { ["class", "protocol", "var", "extension"].contains($0) }),
                !objectiveCNames.contains(String(words[function + 1]))
            else {
                remark(word, "@objc stays: remove it where nothing of Objective-C needs the declaration")
                continue
            }
            while end < source.bytes.count, source.bytes[end].isSpace { end += 1 }
            edits.append(Edit(range: word - 1..<end, text: ""))
        }
    }

    private static let audioNames = ["AVAudio", "AVPlayer", "AVFoundation", "AVFAudio", "AVQueuePlayer"]
    private static let screenNames = ["UIKit", "UIApplication", "UIDevice", "UIView", "UIScreen", "SwiftUI", "AVKit"]

    private mutating func portConditions() {
        struct Open { var start: Int; var end: Int; var condition: String; var body: Int }
        var stack: [Open] = []
        var place = 0
        for line in source.code.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
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
                port(open.condition, open.start..<open.end, body: source.code(open.body..<start))
                if directive.hasPrefix("#else") {
                    // The other branches are those of other systems.
                    stack.append(Open(start: start, end: start, condition: "", body: place))
                }
            }
        }
    }

    private mutating func port(_ condition: String, _ range: Range<Int>, body: String) {
        guard condition.contains("os(iOS)"), !condition.contains("os(Linux)"),
            Self.audioNames.contains(where: body.contains)
        else { return }
        if condition.contains("!") || condition.contains("&&") {
            remark(range.lowerBound, "\"#if \(condition)\" around audio code stays: add os(Linux) where it belongs")
        } else if let name = Self.screenNames.first(where: body.contains) {
            remark(range.lowerBound, "\"#if \(condition)\" around audio code stays: it also needs \(name)")
        } else {
            edits.append(Edit(range: range, text: condition + " || os(Linux)"))
        }
    }

    private mutating func noteTheRest() {
        let code = source.code(0..<source.code.count)
        let imports = ["AVFoundation", "AVFAudio", "OpenAVFAudio"].contains { code.contains("import \($0)") }
        if !imports,
            let name = ["AVAudioSession", "AVPlayer", "AVAudioPlayer"].first(where: {
                !source.positions(of: $0).isEmpty
            })
        {
            remark(
                source.positions(of: name)[0], "\(name) comes through another module on iOS: add import AVFoundation")
        }
        let rest = [
            ("observeValue", "observeValue(forKeyPath:) does not exist on Linux: use observe(\\.property)"),
            ("forKeyPath", "key paths in strings do not exist on Linux: use observe(\\.property)"),
            ("keyPath", "key paths in strings do not exist on Linux: use observe(\\.property)"),
            ("Combine", "Combine does not exist on Linux: docs/porting.md has a recipe with OpenCombine"),
            ("objcMembers", "@objcMembers does not exist on Linux: remove it"),
        ]
        for (word, text) in rest {
            for position in source.positions(of: word) {
                let before = position > 0 ? source.code[position - 1] : 0
                if word == "keyPath", before != UInt8(ascii: "#") { continue }
                if word == "Combine", !source.code(max(0, position - 7)..<position).hasSuffix("import ") { continue }
                remark(position, text)
            }
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
