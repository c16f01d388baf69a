/// `@objc` goes where nothing needs it on Linux, and stays for iOS inside `#if`.
enum AttributeRule {
    static func apply(
        to draft: inout SourceDraft, _ names: SelectorRule.Names, _ protocols: [OptionalMemberRule.SwiftProtocol]
    ) {
        let source = draft.source
        for attributes in source.objectiveCAttributes() where !source.isConditional(attributes.lowerBound) {
            let start = attributes.lowerBound
            let attribute = source.code(attributes)
            let words = declaration(after: attributes.upperBound, in: source)
            var next = attributes.upperBound
            while next < source.bytes.count, source.bytes[next].isSpace { next += 1 }
            if let function = words.function, isForObservers(function, of: draft.type(around: start), names) {
                draft.replace(start..<next, with: "")
            } else if protocols.contains(where: { $0.has(attributes, in: source) }) {
                draft.replace(start..<next, with: "")
                if let place = words.endOfProtocol { draft.insert(": AnyObject", at: place) }
            } else if let screen = draft.screen {
                draft.remark(start, "\(attribute) stays: the file imports \(screen), which Linux does not have")
            } else if let function = words.function, names.kept.contains(function) {
                draft.remark(start, "\(attribute) stays: a selector that stays names \(function)")
            } else if source.lineBefore(start).contains(where: { !$0.isWhitespace }) {
                draft.remark(
                    start, "\(attribute) stays: put it on a line of its own inside #if canImport(ObjectiveC)")
            } else {
                let indent = source.lineBefore(start)
                draft.replace(
                    start..<next, with: "#if canImport(ObjectiveC)\n\(indent)\(attribute)\n\(indent)#endif\n\(indent)")
                if let place = words.endOfProtocol { draft.insert(": AnyObject", at: place) }
                if words.isOptional {
                    draft.remark(start, "an optional member needs Objective-C: give it a default in an extension")
                }
            }
        }
    }

    /// What is declared behind an attribute.
    ///
    /// `endOfProtocol` is where the name of a protocol ends that inherits nothing.
    private static func declaration(
        after end: Int, in source: SourceText
    ) -> (function: String?, isOptional: Bool, endOfProtocol: Int?) {
        let text = source.code(end..<min(end + 200, source.code.count)).prefix { $0 != "{" && $0 != "=" && $0 != "}" }
        let words = text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        let keyword = words.firstIndex { declarations.contains(String($0)) }
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

    private static func isForObservers(_ function: String, of type: String?, _ names: SelectorRule.Names) -> Bool {
        guard !names.kept.contains(function), let type = type?.split(separator: ".").last else { return false }
        return names.rewritten.contains("\(type).\(function)")
    }

    /// An extension overrides only what Objective-C finds.
    static func remarkOverrides(in draft: inout SourceDraft) {
        guard draft.screen == nil else { return }
        for word in draft.source.positions(of: "override") {
            guard let scope = draft.scopes.last(where: { $0.body.contains(word) }),
                draft.source.header(of: scope, "extension") != nil
            else { continue }
            draft.remark(word, "an override in an extension needs Objective-C: move it into the class \(scope.type)")
        }
    }
}
