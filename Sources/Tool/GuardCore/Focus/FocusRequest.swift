/// A program's request for the focus, as the claim of `audiosession focus` carries it.
package struct FocusRequest: Hashable, Sendable {
    /// The most names in a list, and the most characters of a text.
    package static let mostNames = 64
    package static let longestText = 128

    package var kind: FocusHolder.Kind
    /// The program that asks, if it is not this process.
    package var program: String?
    package var isCall: Bool
    /// The program that holds is the one that has started the process that asks.
    package var isForParent: Bool
    /// Untrusted text.
    package var reason: String?
    /// Names or binaries of programs.
    package var only: [String]
    package var except: [String]

    package init(
        kind: FocusHolder.Kind = .pause, program: String? = nil, isCall: Bool = false, isForParent: Bool = false,
        reason: String? = nil, only: [String] = [], except: [String] = []
    ) {
        self.isForParent = isForParent
        self.program = program
        self.kind = kind
        self.isCall = isCall
        self.reason = reason
        self.only = only
        self.except = except
    }

    /// Reads one field a line, such as "duck=14"; ignores unknown lines.
    ///
    /// - Parameter text: untrusted; the result is nil if the text names no kind, or a "duck" without a number in `decibelRange`.
    package init?(text: String) {
        self.init()
        var hasKind = false
        for line in text.split(separator: "\n", maxSplits: 2 * Self.mostNames + 8) {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = String((parts.count > 1 ? parts[1] : "").prefix(Self.longestText))
            switch parts[0] {
            case "pause": (kind, hasKind) = (.pause, true)
            case "pause-speech": (kind, hasKind) = (.pauseSpeech, true)
            case "duck":
                guard let decibels = Double(value), FocusHolder.decibelRange.contains(decibels) else { return nil }
                (kind, hasKind) = (.duck(decibels: decibels), true)
            case "call": isCall = true
            case "parent": isForParent = true
            case "reason": reason = value
            case "only": if only.count < Self.mostNames { only.append(value) }
            case "except": if except.count < Self.mostNames { except.append(value) }
            default: break
            }
        }
        guard hasKind else { return nil }
    }

    package var text: String {
        func line(_ key: String, _ value: String) -> String {
            "\(key)=\(value.split(whereSeparator: \.isNewline).joined(separator: " "))"
        }
        let first =
            switch kind {
            case .pause: "pause"
            case .pauseSpeech: "pause-speech"
            case .duck(let decibels): "duck=\(decibels)"
            }
        return
            ([first] + (isCall ? ["call"] : []) + (isForParent ? ["parent"] : [])
            + (reason.map { [line("reason", $0)] } ?? [])
            + only.map { line("only", $0) } + except.map { line("except", $0) }).joined(separator: "\n")
    }

    /// The claim on the sessions of this library, which arbitrate among themselves.
    ///
    /// A program's name cannot tell sessions apart, so a request that names programs makes no claim on sessions.
    package var claim: FocusClaim? {
        only.isEmpty && except.isEmpty ? FocusClaim(kind, isCall: isCall) : nil
    }

    package func holder(_ id: FocusHolder.ID, of program: Program) -> FocusHolder {
        FocusHolder(
            id: id, kind: kind, program: program, reason: reason, isCall: isCall,
            only: Set(only.map { $0.lowercased() }), except: Set(except.map { $0.lowercased() }))
    }
}
