/// Rewrites what iOS sources say about audio so that they compile on Linux and on iOS.
///
/// All files of a project together, as a selector in one may name a function in another. It changes these things and
/// leaves everything else as it is:
/// - `#selector(f)` for an observer or a timer, or in a constant that only those get, becomes `Selector(Type.f)`.
/// - `@objc` goes from the functions that only such selectors name. Elsewhere it stays for iOS, inside `#if`.
/// - `addTarget(self, action: #selector(f))` of a remote command becomes `addTarget { [weak self] … }`.
/// - A class that overrides `observeValue(forKeyPath:…)`, or its root class, inherits `KeyValueObserver` in place of
///   `NSObject`, and `#keyPath(AVPlayer.rate)` becomes `"rate"`.
/// - An optional member of an `@objc` protocol gets a default in an extension, and its calls lose the `?`.
/// - An `@objc` protocol that inherits nothing gets `AnyObject`, which `@objc` implies: `weak` needs it.
/// - `import UIKit` in a file that uses no name of it goes inside `#if canImport(UIKit)`.
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
        /// Members of protocols that are not optional any more.
        var optional: Set<String> = []
        /// Whether remote commands got closures for selectors.
        var hasCommands = false

        mutating func note(_ reference: String) {
            rewritten.insert(reference.split(separator: "(")[0].split(separator: ".").suffix(2).joined(separator: "."))
        }
    }

    private struct Edit {
        var range: Range<Int>
        var text: String
    }

    private let source: SourceText
    private let scopes: [SourceText.Scope]
    /// A module of Apple's screens whose names the file uses.
    private let screen: String?
    private var edits: [Edit] = []
    private var remarks: [Remark] = []
    /// Where it writes a name that comes with AVFoundation.
    private var ownNames: [Int] = []
    /// Whether a class here overrides `observeValue`, and inherits it from ours.
    private var isObserving = false
    /// Protocols without optional members any more: where the keyword is, and the body.
    private var swiftProtocols: [(start: Int, body: Range<Int>)] = []

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
        for index in porters.indices {
            porters[index].portSelectors(&names, all: sources)
            porters[index].portOptionalMembers(&names)
        }
        portObservers(&porters)
        var results: [Result] = []
        for var porter in porters {
            porter.portRemovals(names)
            porter.portKeyPaths()
            porter.portOverrides()
            porter.portCallsOfOptionalMembers(names)
            porter.portAttributes(names)
            porter.portConditions()
            porter.portImports()
            porter.noteTheRest()
            results.append(Result(text: porter.editedText, remarks: porter.remarks.sorted { $0.line < $1.line }))
            progress(porters.count + results.count)
        }
        return results
    }

    /// What the project needs on iOS besides its own files, where none of them has it.
    static func remarks(onProject texts: [String]) -> [String] {
        let sources = texts.map { SourceText($0) }
        let usesSelector = sources.contains { source in
            source.positions(of: "Selector").contains { word in
                let open = word + "Selector".utf8.count
                guard open + 1 < source.code.count, source.code[open] == UInt8(ascii: "(") else { return false }
                return Character(UnicodeScalar(source.code[open + 1])).isUppercase
            }
        }
        guard usesSelector, !sources.contains(where: { $0.contains("protocol SelectorArgument") }) else { return [] }
        return [
            "for iOS, copy Sources/Session/OpenAudioSession/FoundationGaps/Selector.swift of open-avfaudio to these files: "
                + "Selector(Type.method) is declared there"
        ]
    }

    private init(source: SourceText) {
        self.source = source
        screen = ScreenImports.needed(by: source)
        let needsScopes = ["#selector", "@objc", "override"].contains(where: source.contains)
        scopes = needsScopes ? source.scopes() : []
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
            if let reference = reference(argument, at: word), portCommand(reference, word, sources) {
                names.hasCommands = true
                names.note(reference)
                continue
            }
            guard let reference = reference(argument, at: word), isForSelector(word, sources) else {
                names.kept.insert(path.last ?? "")
                let call = source.call(around: word - 1) ?? "no call"
                remark(word, "#selector(\(argument)) in \(call) stays: Linux needs a closure there")
                continue
            }
            edits.append(Edit(range: word - 1..<end, text: "Selector(\(reference))"))
            ownNames.append(word)
            names.note(reference)
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

    /// The calls that take a `Selector` on Linux.
    private static let callsWithSelector: Set<String> = ["addObserver", "scheduledTimer", "Timer"]

    /// Whether a call that takes a `Selector` gets it, or a constant whose every use is in such calls.
    private func isForSelector(_ word: Int, _ sources: [SourceText]) -> Bool {
        if let call = source.call(around: word - 1) { return Self.callsWithSelector.contains(call) }
        let words = source.statementBefore(word - 1).split { !($0.isLetter || $0.isNumber || $0 == "_") }
        guard let keyword = words.firstIndex(of: "let"), keyword + 1 < words.endIndex else { return false }
        let name = String(words[keyword + 1])
        let isPrivate = words[..<keyword].contains { $0 == "private" || $0 == "fileprivate" }
        let places = isPrivate ? [source] : sources
        let uses = places.flatMap { source in
            source.positions(of: name).filter { place in
                let end = place + name.utf8.count
                // A function may have the same name.
                return !["let ", "func "].contains { source.lineBefore(place).hasSuffix($0) }
                    && !source.code[end...].starts(with: "(".utf8)
            }
            .map { source.call(around: $0) }.filter { $0 != "selector" }
        }
        return !uses.isEmpty && uses.allSatisfy { $0.map(Self.callsWithSelector.contains) == true }
    }

    // MARK: Remote commands

    /// `command.addTarget(self, action: #selector(f))` becomes a call with a closure, and `removeTarget` removes all of them.
    ///
    /// - Returns: false where it is no call of a remote command, or the function is not known.
    private mutating func portCommand(_ reference: String, _ word: Int, _ sources: [SourceText]) -> Bool {
        guard let call = source.call(around: word - 1), call == "addTarget" || call == "removeTarget",
            let open = source.parenthesis(around: word - 1), let close = source.end(ofParenthesisAt: open),
            source.receiver(of: open - call.utf8.count).hasSuffix("ommand")
        else { return false }
        let target = source.code(open + 1..<word - 1).split(separator: ",").first.map { String($0).trimmed } ?? ""
        guard source.code(open + 1..<close - 1).filter({ $0 == "," }).count == 1, !target.isEmpty else { return false }
        if call == "removeTarget" {
            removeAllTargets(open + 1..<close - 1, at: word)
            return true
        }
        guard let handler = sources.lazy.compactMap({ $0.commandHandler(reference) }).first else { return false }
        let capture = target == "self" ? "weak self" : "weak target = \(target)"
        let object = target == "self" ? "self" : "target"
        edits.append(Edit(range: open..<close, text: " { [\(capture)] \(handler.closure(calling: object)) }"))
        return true
    }

    /// `removeTarget(self)` names no function; a handler that is a closure is not found by its object.
    private mutating func portRemovals(_ names: Names) {
        guard names.hasCommands else { return }
        for word in source.positions(of: "removeTarget") {
            let open = word + "removeTarget".utf8.count
            guard open < source.code.count, source.code[open] == UInt8(ascii: "("),
                let close = source.end(ofParenthesisAt: open), source.receiver(of: word).hasSuffix("ommand"),
                source.code(open + 1..<close - 1).trimmed == "self"
            else { continue }
            removeAllTargets(open + 1..<close - 1, at: word)
        }
    }

    private mutating func removeAllTargets(_ arguments: Range<Int>, at word: Int) {
        edits.append(Edit(range: arguments, text: "nil"))
        remark(word, "removeTarget(nil) removes all handlers of the command, not those of one object alone")
    }

    // MARK: Key-value observing

    /// Observers' classes inherit what has the method, also where their root class is in another file.
    private static func portObservers(_ porters: inout [Porter]) {
        for index in porters.indices {
            for word in porters[index].observers {
                if let screen = porters[index].screen {
                    porters[index].remark(
                        word, "observeValue stays: the file imports \(screen), which Linux does not have")
                } else {
                    portObserver(at: word, of: index, &porters)
                }
            }
        }
    }

    private static func portObserver(at word: Int, of index: Int, _ porters: inout [Porter]) {
        var (file, scope) = (index, porters[index].classScope(around: word))
        var seen: Set<String> = []
        while let current = scope, seen.insert(current.type).inserted {
            let porter = porters[file]
            let bases = porter.source.bases(of: current)
            if let base = bases.first(where: { $0.name == "NSObject" }), porter.screen == nil {
                let place = base.place..<base.place + base.name.utf8.count
                if !porter.ownNames.contains(base.place) {
                    porters[file].edits.append(Edit(range: place, text: "KeyValueObserver"))
                    porters[file].ownNames.append(base.place)
                }
                porters[index].isObserving = true
                return
            }
            if bases.contains(where: { observers.contains($0.name) }) {
                porters[index].isObserving = true
                return
            }
            scope = nil
            for (other, porter) in porters.enumerated() where scope == nil {
                (file, scope) = (other, bases.first.flatMap { porter.classScope(named: $0.name) })
            }
        }
        porters[index].remark(
            word, "the class that overrides observeValue has to inherit KeyValueObserver instead of NSObject")
    }

    /// The overrides of `observeValue(forKeyPath:…)`.
    private var observers: [Int] {
        source.positions(of: "observeValue").filter { word in
            let line = source.lineBefore(word)
            return line.trimmed.hasSuffix("func") && line.contains("override")
        }
    }

    /// The class around a position; around an extension, its class in the same file.
    private func classScope(around position: Int) -> SourceText.Scope? {
        scopes.last { $0.body.contains(position) }.flatMap { around in
            source.bases(of: around).isEmpty
                ? scopes.first { $0.type == around.type && !source.bases(of: $0).isEmpty } : around
        }
    }

    private func classScope(named name: String) -> SourceText.Scope? {
        let last = name.split(separator: ".").last.map(String.init) ?? name
        guard source.contains("class \(last)") else { return nil }
        return (scopes.isEmpty ? source.scopes() : scopes).first {
            $0.type.split(separator: ".").last.map(String.init) == last && !source.bases(of: $0).isEmpty
        }
    }

    private mutating func portKeyPaths() {
        for word in source.positions(of: "keyPath") where word > 0 && source.code[word - 1] == UInt8(ascii: "#") {
            let open = word + "keyPath".utf8.count
            guard open < source.code.count, source.code[open] == UInt8(ascii: "("),
                let end = source.end(ofParenthesisAt: open)
            else { continue }
            let path = source.code(open + 1..<end - 1).trimmed.split(separator: ".").map(String.init)
            guard path.count > 1, Self.observables.contains(path[0]) else {
                remark(
                    word, "#keyPath(\(path.joined(separator: "."))) does not exist on Linux: write the name as a string"
                )
                continue
            }
            let name = path.dropFirst().map(\.objectiveCName).joined(separator: ".")
            edits.append(Edit(range: word - 1..<end, text: "\"\(name)\""))
        }
        if isObserving {
            remark(
                source.positions(of: "observeValue").first ?? 0,
                "for iOS, add typealias KeyValueObserver = NSObject in #if canImport(ObjectiveC)")
        }
    }

    private static let observers: Set<String> = ["KeyValueObserver", "AVPlayer", "AVQueuePlayer", "AVPlayerItem"]
    private static let observables: Set<String> = [
        "AVPlayer", "AVQueuePlayer", "AVPlayerItem", "AVPlayerLooper", "AVAudioSession",
    ]

    // MARK: Overrides

    /// An extension overrides only what Objective-C finds.
    private mutating func portOverrides() {
        guard screen == nil else { return }
        for word in source.positions(of: "override") {
            guard let scope = scopes.last(where: { $0.body.contains(word) }),
                source.header(of: scope, "extension") != nil
            else { continue }
            remark(word, "an override in an extension needs Objective-C: move it into the class \(scope.type)")
        }
    }

    // MARK: Attributes

    private mutating func portAttributes(_ names: Names) {
        for attributes in source.objectiveCAttributes() where !source.isConditional(attributes.lowerBound) {
            let (start, end) = (attributes.lowerBound, attributes.upperBound)
            let attribute = source.code(attributes)
            let words = declaration(after: end)
            var next = end
            while next < source.bytes.count, source.bytes[next].isSpace { next += 1 }
            if let function = words.function, isForObservers(function, at: start, names) {
                edits.append(Edit(range: start..<next, text: ""))
            } else if isOfSwiftProtocol(start..<end) {
                edits.append(Edit(range: start..<next, text: ""))
                if let place = words.endOfProtocol { edits.append(Edit(range: place..<place, text: ": AnyObject")) }
            } else if let screen {
                remark(start, "\(attribute) stays: the file imports \(screen), which Linux does not have")
            } else if let function = words.function, names.kept.contains(function) {
                remark(start, "\(attribute) stays: a selector that stays names \(function)")
            } else if source.lineBefore(start).contains(where: { !$0.isWhitespace }) {
                remark(start, "\(attribute) stays: put it on a line of its own inside #if canImport(ObjectiveC)")
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

    // MARK: Optional members

    /// `optional func f()` of an `@objc` protocol, without a result, gets an empty default in an extension; its calls lose the `?`.
    ///
    /// The protocol is one of Swift alone then. Not in a file of a screen, whose `@objc` stays.
    private mutating func portOptionalMembers(_ names: inout Names) {
        guard source.contains("optional"), screen == nil else { return }
        for scope in scopes {
            guard let header = source.header(of: scope, "protocol") else { continue }
            let words = source.positions(of: "optional").filter(scope.body.contains)
            let members = words.compactMap { source.optionalMember(at: $0) }
            // With one that stays, the protocol stays one of Objective-C, which takes no defaults.
            guard !members.isEmpty, members.count == words.count else { continue }
            let access = source.lineBefore(header.start).contains("public") ? "public " : ""
            var defaults = ""
            for (word, member) in zip(words, members) {
                edits.append(Edit(range: word..<member.start, text: ""))
                names.optional.insert(member.name)
                defaults += "    \(access)\(member.signature) {}\n"
            }
            let end = scope.body.upperBound + 1
            edits.append(Edit(range: end..<end, text: "\n\nextension \(scope.type) {\n\(defaults)}"))
            swiftProtocols.append((header.start, scope.body))
        }
    }

    /// Whether an attribute is of a protocol that is none of Objective-C any more, or of a member of it.
    private func isOfSwiftProtocol(_ attribute: Range<Int>) -> Bool {
        swiftProtocols.contains { start, body in
            body.contains(attribute.lowerBound)
                || start >= attribute.upperBound
                    && source.code(attribute.upperBound..<start).allSatisfy { $0.isLetter || $0.isWhitespace }
        }
    }

    private mutating func portCallsOfOptionalMembers(_ names: Names) {
        for name in names.optional {
            for word in source.positions(of: name) {
                let mark = word + name.utf8.count
                guard mark + 1 < source.code.count, source.code[mark] == UInt8(ascii: "?"),
                    source.code[mark + 1] == UInt8(ascii: "(")
                else { continue }
                edits.append(Edit(range: mark..<mark + 1, text: ""))
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
                port(open.condition, open.start..<open.end, body: open.body..<start)
                if directive.hasPrefix("#else") {
                    // The other branches are those of other systems.
                    stack.append(Open(start: start, end: start, condition: "", body: place))
                }
            }
        }
    }

    private mutating func port(_ condition: String, _ range: Range<Int>, body place: Range<Int>) {
        let body = source.code(place)
        guard condition.contains("os(iOS)"), !condition.contains("os(Linux)"),
            Self.audioNames.contains(where: body.contains) || ownNames.contains(where: place.contains)
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
        if !importsAudio, !ownNames.isEmpty || Self.namesOfAVFoundation.contains(where: source.uses) {
            missing += "import AVFoundation\n"
        }
        for place in Self.networkNames.flatMap({ source.positions(of: $0) }) {
            let prefix = "Foundation."
            let start = place - prefix.utf8.count
            if start >= 0, source.code(start..<place) == prefix { edits.append(Edit(range: start..<place, text: "")) }
        }
        if !source.contains("FoundationNetworking"), Self.networkNames.contains(where: source.uses) {
            missing += "#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif\n"
        }
        let screens = ScreenImports.unneeded(in: source)
        if !screens.isEmpty, !importsAudio, missing.isEmpty, !source.imports("Foundation") {
            missing += "import Foundation\n"
        }
        for (module, line) in screens {
            let text = String(decoding: source.bytes[line], as: UTF8.self)
            edits.append(Edit(range: line, text: "#if canImport(\(module))\n\(text)\n#endif"))
        }
        for part in source.submodules(of: Self.modulesOfOneOnLinux) {
            edits.append(Edit(range: part, text: ""))
        }
        guard !missing.isEmpty else { return }
        let place = source.endOfImports
        let endsLine = place == 0 || source.bytes[place - 1] == UInt8(ascii: "\n")
        edits.append(Edit(range: place..<place, text: (endsLine ? "" : "\n") + missing))
    }

    /// Clang's modules have parts on Apple's systems: `import AVFoundation.AVPlayerItem` imports all of it there too.
    private static let modulesOfOneOnLinux = [
        "AVFoundation", "AVFAudio", "AudioToolbox", "CoreAudio", "CoreMedia", "MediaPlayer", "MediaToolbox",
        "Foundation",
    ]

    /// Those that files use which have the import through another one.
    private static let namesOfAVFoundation = [
        "AVAudioSession", "AVPlayer", "AVPlayerItem", "AVAudioPlayer", "AVAudioRecorder", "AVAudioEngine", "AVAsset",
        "AVURLAsset", "AVSpeechSynthesizer",
    ]

    /// Of a module of their own on Linux.
    private static let networkNames = ["URLSession", "URLRequest", "HTTPURLResponse", "URLSessionDataTask"]

    // MARK: The rest

    private static let missingModules = [
        ("Combine", "Combine does not exist on Linux: docs/porting.md has a recipe with OpenCombine"),
        ("os", "the module os does not exist on Linux: swift-log's Logger has the same calls"),
        ("OSLog", "the module OSLog does not exist on Linux: swift-log's Logger has the same calls"),
        ("Accelerate", "Accelerate does not exist on Linux: write the loop, which the compiler vectorizes"),
        ("Network", "the module Network does not exist on Linux: a failed item says that the connection is lost"),
        ("UniformTypeIdentifiers", "UniformTypeIdentifiers does not exist on Linux: use the extensions of file names"),
        ("AVKit", "AVKit does not exist on Linux: move what needs it to another file"),
        ("CoreMIDI", "CoreMIDI does not exist on Linux: use an ALSA or PipeWire MIDI library"),
        ("CryptoKit", "CryptoKit does not exist on Linux: swift-crypto's module Crypto has the same calls"),
        ("Darwin", "the module Darwin does not exist on Linux: Foundation brings the C library on both"),
    ]

    private mutating func noteTheRest() {
        for (module, text) in Self.missingModules {
            let positions = source.importPositions(of: module)
            // A condition says already what to do without the module.
            let isMissed = { (position: Int) in !source.isConditional(position, with: " canImport(\(module)") }
            if let position = positions.first(where: isMissed) { remark(position, text) }
        }
    }
}

extension SourceText {
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
    /// The name of a property in Objective-C: `isMuted` is `muted`.
    fileprivate var objectiveCName: String {
        guard hasPrefix("is"), let third = dropFirst(2).first, third.isUppercase else {
            return self == "ioBufferDuration" ? "IOBufferDuration" : self
        }
        return third.lowercased() + dropFirst(3)
    }

    var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
