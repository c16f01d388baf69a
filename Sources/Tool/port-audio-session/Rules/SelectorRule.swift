/// Selectors of observers and timers become `Selector(Type.f)`, and those of remote commands closures.
enum SelectorRule {
    /// What the selectors of all files name.
    struct Names {
        /// Functions as `Type.function`, without the types around the type, whose selectors were rewritten.
        private(set) var rewritten: Set<String> = []
        /// Functions, without their types, whose selectors stay.
        fileprivate(set) var kept: Set<String> = []
        /// Whether remote commands got closures for selectors.
        fileprivate var hasCommands = false

        fileprivate mutating func note(_ reference: String) {
            rewritten.insert(reference.split(separator: "(")[0].split(separator: ".").suffix(2).joined(separator: "."))
        }
    }

    static func apply(to draft: inout SourceDraft, _ names: inout Names, all sources: [SourceText]) {
        for call in draft.source.macros("selector") {
            let argument = draft.source.code(call.argument).filter { !$0.isWhitespace }
            let path = argument.split(separator: "(").first?.split(separator: ".").map(String.init) ?? []
            let start = call.whole.lowerBound
            if let reference = reference(argument, at: start, in: draft),
                portCommand(reference, start, in: &draft, sources)
            {
                names.hasCommands = true
                names.note(reference)
            } else if let reference = reference(argument, at: start, in: draft),
                isForSelector(start, in: draft.source, sources)
            {
                draft.replace(call.whole, with: "Selector(\(reference))")
                draft.noteOwnName(at: start)
                names.note(reference)
            } else {
                names.kept.insert(path.last ?? "")
                let call = draft.source.call(around: start) ?? "no call"
                draft.remark(start, "#selector(\(argument)) in \(call) stays: Linux needs a closure there")
            }
        }
    }

    /// The method with its type: `handle(_:)` in `Player` is `Player.handle(_:)`.
    private static func reference(_ argument: String, at position: Int, in draft: SourceDraft) -> String? {
        guard !argument.isEmpty, !argument.hasPrefix("getter:"), !argument.hasPrefix("setter:") else { return nil }
        var method = argument
        for prefix in ["self.", "Self.", "type(of:self)."] where method.hasPrefix(prefix) {
            method.removeFirst(prefix.count)
        }
        if method.first?.isUppercase == true, method.split(separator: "(")[0].contains(".") { return method }
        return draft.type(around: position).map { "\($0).\(method)" }
    }

    /// The calls that take a `Selector` on Linux.
    private static let callsWithSelector: Set<String> = ["addObserver", "scheduledTimer", "Timer"]

    /// Whether a call that takes a `Selector` gets it, or a constant whose every use is in such calls.
    private static func isForSelector(_ start: Int, in source: SourceText, _ sources: [SourceText]) -> Bool {
        if let call = source.call(around: start) { return callsWithSelector.contains(call) }
        let words = source.statementBefore(start).split { !($0.isLetter || $0.isNumber || $0 == "_") }
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
        return !uses.isEmpty && uses.allSatisfy { $0.map(callsWithSelector.contains) == true }
    }

    // MARK: Remote commands

    /// `command.addTarget(self, action: #selector(f))` becomes a call with a closure, and `removeTarget` removes all of them.
    ///
    /// - Returns: false where it is no call of a remote command, or the function is not known.
    private static func portCommand(
        _ reference: String, _ start: Int, in draft: inout SourceDraft, _ sources: [SourceText]
    ) -> Bool {
        let source = draft.source
        guard let call = source.call(around: start), call == "addTarget" || call == "removeTarget",
            let open = source.parenthesis(around: start), let close = source.end(ofParenthesisAt: open),
            source.receiver(of: open - call.utf8.count).hasSuffix("ommand")
        else { return false }
        let target = source.code(open + 1..<start).split(separator: ",").first.map { String($0).trimmed } ?? ""
        guard source.code(open + 1..<close - 1).filter({ $0 == "," }).count == 1, !target.isEmpty else { return false }
        if call == "removeTarget" {
            removeAllTargets(open + 1..<close - 1, in: &draft)
            return true
        }
        guard let handler = sources.lazy.compactMap({ $0.commandHandler(reference) }).first else { return false }
        let capture = target == "self" ? "weak self" : "weak target = \(target)"
        let object = target == "self" ? "self" : "target"
        draft.replace(open..<close, with: " { [\(capture)] \(handler.closure(calling: object)) }")
        return true
    }

    /// `removeTarget(self)` names no function; a handler that is a closure is not found by its object.
    static func removeTargets(in draft: inout SourceDraft, _ names: Names) {
        guard names.hasCommands else { return }
        for call in draft.source.calls(of: "removeTarget")
        where draft.source.receiver(of: call.whole.lowerBound).hasSuffix("ommand")
            && draft.source.code(call.argument).trimmed == "self"
        {
            removeAllTargets(call.argument, in: &draft)
        }
    }

    private static func removeAllTargets(_ arguments: Range<Int>, in draft: inout SourceDraft) {
        draft.replace(arguments, with: "nil")
        draft.remark(
            arguments.lowerBound, "removeTarget(nil) removes all handlers of the command, not those of one object alone"
        )
    }
}
