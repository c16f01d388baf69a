/// Rewrites what iOS sources say about audio so that they compile on Linux and on iOS.
///
/// All files of a project together, as a selector in one may name a function in another. It changes these things and
/// leaves everything else as it is:
/// - `#selector(f)` in `addObserver`, or in a constant that only `addObserver` gets, becomes `Selector(Type.f)`.
/// - `@objc` goes from the functions that only such selectors name. Elsewhere it stays for iOS, inside `#if`.
/// - An `@objc` protocol that inherits nothing gets `AnyObject`, which `@objc` implies: `weak` needs it.
/// - `#if os(iOS)` around audio code becomes `#if os(iOS) || os(Linux)`.
/// - Modules that come through others on iOS are imported.
struct Porter {
    struct Result: Sendable {
        var text: String
        /// What it cannot do.
        var remarks: [Remark]
    }

    struct Remark: Hashable {
        var line: Int
        var text: String
    }

    /// What the selectors of all files name.
    private struct Names {
        /// Functions as `Type.function`, without the types around the type, whose selectors were rewritten.
        var rewritten: Set<String> = []
        /// Functions, without their types, whose selectors stay.
        var kept: Set<String> = []
    }

    private struct Edit {
        var range: Range<Int>
        var text: String
    }

    private let source: SourceText
    private let scopes: [SourceText.Scope]
    private var edits: [Edit] = []
    private var remarks: [Remark] = []

    static func port(_ text: String) -> Result { port([text])[0] }

    /// - Parameter progress: gets the number of files that have been read or written, of twice as many as there are.
    static func port(_ texts: [String], progress: (Int) -> Void = { _ in }) -> [Result] {
        var names = Names()
        var porters: [Porter] = []
        for text in texts {
            porters.append(Porter(source: SourceText(text)))
            progress(porters.count)
        }
        let sources = porters.map(\.source)
        for index in porters.indices { porters[index].portSelectors(&names, all: sources) }
        var results: [Result] = []
        for var porter in porters {
            porter.portAttributes(names)
            porter.portConditions()
            porter.portImports()
            porter.noteTheRest()
            results.append(Result(text: porter.editedText, remarks: porter.remarks.sorted { $0.line < $1.line }))
            progress(porters.count + results.count)
        }
        return results
    }

    private init(source: SourceText) {
        self.source = source
        scopes = source.contains("#selector") || source.contains("@objc") ? source.scopes() : []
    }

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

    /// The qualified name of the type or extension around the position.
    private func type(around position: Int) -> String? { scopes.last { $0.body.contains(position) }?.type }

    // MARK: Selectors

    private mutating func portSelectors(_ names: inout Names, all sources: [SourceText]) {
        for word in source.positions(of: "selector") where word > 0 && source.code[word - 1] == UInt8(ascii: "#") {
            let open = word + "selector".utf8.count
            guard open < source.code.count, source.code[open] == UInt8(ascii: "("),
                let end = source.end(ofParenthesisAt: open)
            else { continue }
            let argument = source.code(open + 1..<end - 1).filter { !$0.isWhitespace }
            let path = argument.split(separator: "(").first?.split(separator: ".").map(String.init) ?? []
            guard let reference = reference(argument, at: word), isForObservers(word, sources) else {
                names.kept.insert(path.last ?? "")
                let call = source.call(around: word - 1) ?? "no call"
                remark(word, "#selector(\(argument)) in \(call) stays: Linux needs a closure there")
                continue
            }
            edits.append(Edit(range: word - 1..<end, text: "Selector(\(reference))"))
            let named = reference.split(separator: "(")[0].split(separator: ".").suffix(2)
            names.rewritten.insert(named.joined(separator: "."))
        }
    }

    /// The method with its type: `handle(_:)` in `Player` is `Player.handle(_:)`.
    private func reference(_ argument: String, at position: Int) -> String? {
        guard !argument.isEmpty, !argument.hasPrefix("getter:"), !argument.hasPrefix("setter:") else { return nil }
        var method = argument
        for prefix in ["self.", "Self.", "type(of:self)."] where method.hasPrefix(prefix) {
            method.removeFirst(prefix.count)
        }
        if method.first?.isUppercase == true, method.split(separator: "(")[0].contains(".") { return method }
        return type(around: position).map { "\($0).\(method)" }
    }

    /// Whether `addObserver` gets the selector, or a constant whose every use is in `addObserver`.
    private func isForObservers(_ word: Int, _ sources: [SourceText]) -> Bool {
        if let call = source.call(around: word - 1) { return call == "addObserver" }
        let words = source.lineBefore(word - 1).split { !($0.isLetter || $0.isNumber || $0 == "_") }
        guard let keyword = words.firstIndex(of: "let"), keyword + 1 < words.endIndex else { return false }
        let name = String(words[keyword + 1])
        let isPrivate = words[..<keyword].contains { $0 == "private" || $0 == "fileprivate" }
        let places = isPrivate ? [source] : sources
        let uses = places.flatMap { source in
            source.positions(of: name).filter { !source.lineBefore($0).hasSuffix("let ") }
                .map { source.call(around: $0) }
        }
        return !uses.isEmpty && uses.allSatisfy { $0 == "addObserver" }
    }

    // MARK: Attributes

    private mutating func portAttributes(_ names: Names) {
        let screen = Self.screenModules.first { source.imports($0) }
        for (attribute, start) in ["objc", "objcMembers"].flatMap({ name in
            source.positions(ofAttribute: name).map { (name, $0) }
        }) where !source.isConditional(start) {
            var end = start + 1 + attribute.utf8.count
            if end < source.code.count, source.code[end] == UInt8(ascii: "("),
                let close = source.end(ofParenthesisAt: end)
            {
                end = close
            }
            let words = declaration(after: end)
            var next = end
            while next < source.bytes.count, source.bytes[next].isSpace { next += 1 }
            if let function = words.function, isForObservers(function, at: start, names) {
                edits.append(Edit(range: start..<next, text: ""))
            } else if let screen {
                remark(start, "@\(attribute) stays: the file imports \(screen), which Linux does not have")
            } else if let function = words.function, names.kept.contains(function) {
                remark(start, "@\(attribute) stays: a selector that stays names \(function)")
            } else if source.lineBefore(start).contains(where: { !$0.isWhitespace }) {
                remark(start, "@\(attribute) stays: put it on a line of its own inside #if canImport(ObjectiveC)")
            } else {
                let indent = source.lineBefore(start)
                let kept = source.code(start..<end)
                edits.append(
                    Edit(
                        range: start..<next,
                        text: "#if canImport(ObjectiveC)\n\(indent)\(kept)\n\(indent)#endif\n\(indent)"))
                if let place = words.endOfProtocol { edits.append(Edit(range: place..<place, text: ": AnyObject")) }
                if words.isOptional {
                    remark(start, "an optional member needs Objective-C: give it a default in an extension")
                }
            }
        }
    }

    /// What is declared behind an attribute.
    ///
    /// `endOfProtocol` is where the name of a protocol ends that inherits nothing.
    private func declaration(after end: Int) -> (function: String?, isOptional: Bool, endOfProtocol: Int?) {
        let text = source.code(end..<min(end + 200, source.code.count)).prefix { $0 != "{" && $0 != "=" && $0 != "}" }
        let words = text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        let keyword = words.firstIndex { Self.declarations.contains(String($0)) }
        let isOptional = words[..<(keyword ?? 0)].contains("optional")
        guard let keyword, keyword + 1 < words.endIndex else { return (nil, isOptional, nil) }
        if words[keyword] == "protocol", !text.contains(":") {
            let name = text[..<words[keyword + 1].endIndex]
            return (nil, isOptional, end + name.utf8.count)
        }
        return (words[keyword] == "func" ? String(words[keyword + 1]) : nil, isOptional, nil)
    }

    /// `class` comes before `func` in a method of the type, which no selector here names.
    private static let declarations: Set<String> = [
        "func", "class", "struct", "enum", "protocol", "extension", "var", "let", "init", "subscript", "static",
    ]

    private func isForObservers(_ function: String, at position: Int, _ names: Names) -> Bool {
        guard !names.kept.contains(function), let type = type(around: position)?.split(separator: ".").last else {
            return false
        }
        return names.rewritten.contains("\(type).\(function)")
    }

    // MARK: Conditions

    private static let audioNames = ["AVAudio", "AVPlayer", "AVFoundation", "AVFAudio", "AVQueuePlayer"]
    private static let screenModules = ["UIKit", "SwiftUI", "AppKit", "WatchKit"]
    private static let screenNames = ["UIKit", "UIApplication", "UIDevice", "UIView", "UIScreen", "SwiftUI", "AVKit"]

    private mutating func portConditions() {
        guard source.contains("os(iOS)") else { return }
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

    // MARK: Imports

    private mutating func portImports() {
        var missing = ""
        let importsAudio = ["AVFoundation", "AVFAudio", "OpenAVFAudio", "MediaPlayer"].contains(where: source.imports)
        if !importsAudio, ["AVAudioSession", "AVPlayer", "AVAudioPlayer", "AVAudioEngine"].contains(where: source.uses)
        {
            missing += "import AVFoundation\n"
        }
        if !source.contains("FoundationNetworking"),
            ["URLSession", "URLRequest", "HTTPURLResponse", "URLSessionDataTask"].contains(where: source.uses)
        {
            missing += "#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif\n"
        }
        guard !missing.isEmpty else { return }
        let place = source.endOfImports
        edits.append(Edit(range: place..<place, text: missing))
    }

    // MARK: The rest

    private static let rest = [
        ("observeValue", "observeValue(forKeyPath:) does not exist on Linux: use observe(\\.property)"),
        ("forKeyPath", "key paths in strings do not exist on Linux: use observe(\\.property)"),
        ("keyPath", "key paths in strings do not exist on Linux: use observe(\\.property)"),
    ]
    private static let missingModules = [
        ("Combine", "Combine does not exist on Linux: docs/porting.md has a recipe with OpenCombine"),
        ("os", "the module os does not exist on Linux: swift-log's Logger has the same calls"),
        ("OSLog", "the module OSLog does not exist on Linux: swift-log's Logger has the same calls"),
        ("Accelerate", "Accelerate does not exist on Linux: write the loop, which the compiler vectorizes"),
        ("Network", "the module Network does not exist on Linux: a failed item says that the connection is lost"),
        ("UniformTypeIdentifiers", "UniformTypeIdentifiers does not exist on Linux: use the extensions of file names"),
        ("AVKit", "AVKit does not exist on Linux: move what needs it to another file"),
    ]

    private mutating func noteTheRest() {
        for (word, text) in Self.rest {
            for position in source.positions(of: word) {
                let before = position > 0 ? source.code[position - 1] : 0
                if word == "keyPath", before != UInt8(ascii: "#") { continue }
                let remark = Remark(line: source.line(at: position), text: text)
                if !remarks.contains(remark) { remarks.append(remark) }
            }
        }
        for (module, text) in Self.missingModules {
            if let position = source.importPositions(of: module).first { remark(position, text) }
        }
    }
}

extension SourceText {
    /// The positions of a module's name in its imports.
    fileprivate func importPositions(of module: String) -> [Int] {
        positions(of: module).filter { position in
            lineBefore(position).split(separator: " ").last == "import"
        }
    }

    fileprivate func imports(_ module: String) -> Bool { !importPositions(of: module).isEmpty }

    /// Whether the line before is an `#if`.
    fileprivate func isConditional(_ position: Int) -> Bool {
        let line = position - lineBefore(position).utf8.count
        return line > 0 && lineBefore(line - 1).trimmed.hasPrefix("#if")
    }

    fileprivate func uses(_ name: String) -> Bool { !positions(of: name).isEmpty }

    /// Behind the last import that no `#if` encloses; at the first line of code where there is none.
    fileprivate var endOfImports: Int {
        var depth = 0
        var place = 0
        var end: Int?
        var firstCode: Int?
        for line in code.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let start = place
            place += line.count + 1
            let text = String(decoding: line, as: UTF8.self).drop { $0 == " " || $0 == "\t" }
            if text.isEmpty { continue }
            if firstCode == nil { firstCode = start }
            if text.hasPrefix("#if") { depth += 1 }
            if text.hasPrefix("#endif") { depth -= 1 }
            if depth == 0, text.split(separator: " ").contains("import") { end = min(place, code.count) }
        }
        return end ?? firstCode ?? 0
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
