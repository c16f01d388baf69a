/// `optional func f()` of an `@objc` protocol, without a result, gets an empty default in an extension; its calls lose the `?`.
///
/// The protocol is one of Swift alone then. Not in a file of a screen, whose `@objc` stays.
enum OptionalMemberRule {
    /// A protocol without optional members any more: where the keyword is, and the body.
    struct SwiftProtocol {
        fileprivate var start: Int
        fileprivate var body: Range<Int>

        /// Whether an attribute is the protocol's, or that of a member of it.
        func has(_ attribute: Range<Int>, in source: SourceText) -> Bool {
            body.contains(attribute.lowerBound)
                || start >= attribute.upperBound
                    && source.code(attribute.upperBound..<start).allSatisfy { $0.isLetter || $0.isWhitespace }
        }
    }

    /// - Parameter names: gets the members that are not optional any more.
    static func apply(to draft: inout SourceDraft, _ names: inout Set<String>) -> [SwiftProtocol] {
        let source = draft.source
        guard source.contains("optional"), draft.screen == nil else { return [] }
        var protocols: [SwiftProtocol] = []
        for scope in draft.scopes {
            guard let header = source.header(of: scope, "protocol") else { continue }
            let words = source.positions(of: "optional").filter(scope.body.contains)
            let members = words.compactMap { source.optionalMember(at: $0) }
            // With one that stays, the protocol stays one of Objective-C, which takes no defaults.
            guard !members.isEmpty, members.count == words.count else { continue }
            let access = source.lineBefore(header.start).contains("public") ? "public " : ""
            var defaults = ""
            for (word, member) in zip(words, members) {
                draft.replace(word..<member.start, with: "")
                names.insert(member.name)
                defaults += "    \(access)\(member.signature) {}\n"
            }
            draft.insert("\n\nextension \(scope.type) {\n\(defaults)}", at: scope.body.upperBound + 1)
            protocols.append(SwiftProtocol(start: header.start, body: scope.body))
        }
        return protocols
    }

    static func portCalls(of names: Set<String>, in draft: inout SourceDraft) {
        for name in names {
            for word in draft.source.positions(of: name) {
                let mark = word + name.utf8.count
                guard draft.source.code[mark...].starts(with: "?(".utf8) else { continue }
                draft.replace(mark..<mark + 1, with: "")
            }
        }
    }
}
