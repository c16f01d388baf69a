internal import AudioModel

/// The guard's options from files and the command line, the origin of each, and the faults in them.
///
/// Pure. A faulty entry is left out, and the rest stays in force. Later entries win: add the files in the order of their names,
/// the system's before the user's, and the command line last.
package struct GuardConfiguration: Hashable, Sendable {
    /// A key of "guard.settings".
    package enum Setting: String, CaseIterable, Hashable, Sendable {
        case onReturn = "on-return"
        case returnWithin = "return-within"
        case calls, alerts
        case whileRecording = "while-recording"
        case oneAtATime = "one-at-a-time"
        case armJack = "arm-jack"
        case headset, tray
    }

    /// The sections of a file.
    private enum Section: String, CaseIterable {
        case settings = "guard.settings"
        case programs = "guard.programs.rules"
        case outputs = "guard.outputs.rules"
    }

    /// One setting, as `guard config` shows it.
    package struct Line: Hashable, Sendable {
        package let setting: Setting
        package let text: String
        /// Where the setting was set; nil if it has its default.
        package let origin: String?
    }

    /// The most rules of each kind, and the most matches in a rule.
    package static let mostRules = 256
    package static let mostMatches = 64
    /// The most problems that are listed; a last line says that there are more.
    package static let mostProblems = 32
    private static let longestPattern = 256

    package private(set) var options: GuardOptions
    /// "FILE:LINE: KEY: what is wrong", printable.
    package private(set) var problems: [String] = []
    private var texts: [Setting: String] = [:]
    private var origins: [Setting: String] = [:]
    private var resumes = true
    private var returnSeconds = GuardOptions.OnReturn.usualSeconds

    /// - Parameter options: the defaults.
    package init(options: GuardOptions = GuardOptions()) { self.options = options }

    package var lines: [Line] {
        Setting.allCases.map { Line(setting: $0, text: texts[$0] ?? standard($0), origin: origins[$0]) }
    }

    private func standard(_ setting: Setting) -> String {
        switch setting {
        case .onReturn: "resume"
        case .returnWithin: "\(Int(GuardOptions.OnReturn.usualSeconds))"
        case .calls, .alerts: "on"
        case .whileRecording, .oneAtATime, .armJack: "off"
        case .headset: "switch"
        case .tray: GuardOptions.Tray.held.rawValue
        }
    }

    // MARK: Words

    /// The fault in a value.
    package struct Fault: Error, Hashable, Sendable {
        /// "is soon, and must be ...".
        package let words: String
    }

    /// - Parameter origin: where the value was set: "FILE:LINE", or the command line.
    package mutating func set(_ setting: Setting, to text: String, origin: String) throws(Fault) {
        switch setting {
        case .onReturn: resumes = try Self.choice(text, ["resume": true, "stay": false])
        case .returnWithin: returnSeconds = try Self.seconds(text)
        case .calls: options.holdsForCalls = try Self.isOn(text)
        case .alerts: options.lowersForAlerts = try Self.isOn(text)
        case .whileRecording:
            options.whileRecording = try Self.choice(
                text, ["pause": .pause, "duck": .duck(decibels: FocusHolder.standardDecibels), "off": nil])
        case .oneAtATime: options.oneAtATime = try Self.isOn(text)
        case .armJack: options.armsJacks = try Self.isOn(text)
        case .headset: options.keepsHeadset = try Self.choice(text, ["keep": true, "switch": false])
        case .tray: options.tray = try Self.named(text)
        }
        options.onReturn = resumes ? .resume(withinSeconds: returnSeconds) : .stay
        (texts[setting], origins[setting]) = (text, origin)
    }

    /// - Parameter names: names or binaries of programs to leave alone; no rule can undo this.
    package mutating func exclude(_ names: [String]) { options.excluded.formUnion(names.map { $0.lowercased() }) }

    private static func isOn(_ text: String) throws(Fault) -> Bool {
        try choice(text, ["on": true, "true": true, "off": false, "false": false])
    }

    private static func choice<Value>(_ text: String, _ values: [String: Value]) throws(Fault) -> Value {
        guard let value = values[text] else { throw wrong("'\(text.printable)'", values.keys.sorted()) }
        return value
    }

    private static func wrong(_ value: String, _ allowed: [String]) -> Fault {
        Fault(words: "is \(value), and must be \(allowed.listed)")
    }

    fileprivate static func seconds(_ text: String) throws(Fault) -> Double {
        if text == "always" { return .infinity }
        guard let seconds = Double(text), (0...86_400).contains(seconds) else {
            throw wrong("'\(text.printable)'", ["a number of seconds from 0 to 86400", "always"])
        }
        return seconds
    }

    // MARK: Files

    /// - Parameters:
    ///   - name: the file's path.
    ///   - fields: the file's contents.
    ///   - patterns: checks regular expressions.
    package mutating func add(_ name: String, _ fields: [ConfigurationField], _ patterns: PatternLanguage) {
        for field in fields {
            // An unknown section is for another version or another program; this version cannot apply it and reports that.
            guard let section = Section(rawValue: field.key) else {
                note(name, field.line, field.key, Self.unknownKey(Section.allCases.map(\.rawValue)))
                continue
            }
            switch section {
            case .settings: addSettings(name, field)
            case .programs: addRules(name, field, to: \.programRules, patterns)
            case .outputs: addRules(name, field, to: \.outputRules, patterns)
            }
        }
    }

    /// Adds a problem of a file that cannot be read.
    package mutating func note(_ name: String, line: Int? = nil, _ words: String) {
        append("\(name)\(line.map { ":\($0)" } ?? ""): \(words)")
    }

    private mutating func note(_ name: String, _ line: Int, _ key: String, _ words: String) {
        append("\(name):\(line): \(key) \(words)")
    }

    private mutating func append(_ text: String) {
        guard problems.count < Self.mostProblems else { return }
        problems.append(String(text.printable.prefix(512)))
        if problems.count == Self.mostProblems { problems[Self.mostProblems - 1] = "there are more such faults" }
    }

    private static func unknownKey(_ known: [String]) -> String { "is not known; the keys are \(known.listed)" }

    fileprivate static func named<Value: RawRepresentable<String> & CaseIterable>(_ text: String) throws(Fault) -> Value
    {
        guard let value = Value(rawValue: text) else {
            throw wrong("'\(text.printable)'", Value.allCases.map(\.rawValue))
        }
        return value
    }

    private mutating func addSettings(_ name: String, _ field: ConfigurationField) {
        guard case .table(let fields) = field.value.kind else {
            return note(name, field.line, field.key, "is \(field.value.words), and must be { on-return = resume ... }")
        }
        for field in fields {
            guard let setting = Setting(rawValue: field.key) else {
                note(name, field.line, field.key, Self.unknownKey(Setting.allCases.map(\.rawValue)))
                continue
            }
            guard case .text(let text) = field.value.kind else {
                note(name, field.line, field.key, "is \(field.value.words), and must be one word")
                continue
            }
            do {
                try set(setting, to: text, origin: "\(name):\(field.line)")
            } catch {
                note(name, field.line, field.key, error.words)
            }
        }
    }

    // MARK: Rules

    private mutating func addRules<Property, Change>(
        _ name: String, _ field: ConfigurationField,
        to rules: WritableKeyPath<GuardOptions, [GuardRule<Property, Change>]>, _ patterns: PatternLanguage
    ) {
        guard case .list(let values) = field.value.kind else {
            return note(name, field.line, field.key, "is \(field.value.words), and must be a list: [ { ... } ]")
        }
        for value in values {
            guard options[keyPath: rules].count < Self.mostRules else {
                return note(
                    name, value.line, field.key,
                    "has more than \(Self.mostRules) rules, with those before; they are left out")
            }
            guard let parts = ruleParts(name, field.key, value) else { continue }
            var change = Change()
            var isComplete = true
            for action in parts.actions {
                guard case .text(let text) = action.value.kind else {
                    note(name, action.line, action.key, "is \(action.value.words), and must be one word")
                    isComplete = false
                    continue
                }
                guard let key = Change.Key(rawValue: action.key) else {
                    note(name, action.line, action.key, Self.unknownKey(Change.Key.allCases.map(\.rawValue)))
                    isComplete = false
                    continue
                }
                do {
                    try change.set(key, to: text)
                } catch {
                    note(name, action.line, action.key, error.words)
                    isComplete = false
                }
            }
            guard let matches: [[GuardCondition<Property>]] = conditions(name, parts.matches, patterns), isComplete
            else { continue }
            options[keyPath: rules].append(
                GuardRule(
                    matches: matches, change: change, text: Self.text(parts), origin: "\(name):\(value.line)"))
        }
    }

    private typealias RuleParts = (matches: [ConfigurationValue], actions: [ConfigurationField])

    private mutating func ruleParts(_ name: String, _ key: String, _ value: ConfigurationValue) -> RuleParts? {
        guard case .table(let fields) = value.kind else {
            note(
                name, value.line, key,
                "has \(value.words), and must have rules: { matches = [ ... ] actions = { ... } }")
            return nil
        }
        var (matches, actions): ([ConfigurationValue]?, [ConfigurationField]?)
        for field in fields {
            switch (field.key, field.value.kind) {
            case ("matches", .list(let values)): matches = values
            case ("actions", .table(let all)):
                for action in all {
                    if case (.table(let properties), "update-props") = (action.value.kind, action.key) {
                        actions = properties
                    } else {
                        note(name, action.line, action.key, "is not known here; write update-props = { ... }")
                        return nil
                    }
                }
            case ("matches", _), ("actions", _):
                note(
                    name, field.line, field.key,
                    "is \(field.value.words); write matches = [ { ... } ] actions = { update-props = { ... } }")
                return nil
            default: note(name, field.line, field.key, Self.unknownKey(["matches", "actions"]))
            }
        }
        guard let matches, let actions, !matches.isEmpty, matches.count <= Self.mostMatches else {
            note(
                name, value.line, key,
                "has a rule without matches or actions, or with more than \(Self.mostMatches) matches")
            return nil
        }
        return (matches, actions)
    }

    /// A rule with a fault is left out as a whole: without one of its conditions, it would apply to more streams.
    private mutating func conditions<Property: GuardProperty>(
        _ name: String, _ matches: [ConfigurationValue], _ patterns: PatternLanguage
    ) -> [[GuardCondition<Property>]]? {
        var all: [[GuardCondition<Property>]] = []
        for match in matches {
            guard case .table(let fields) = match.kind, !fields.isEmpty else {
                note(name, match.line, "matches", "has \(match.words), and must have properties: { KEY = \"VALUE\" }")
                return nil
            }
            var conditions: [GuardCondition<Property>] = []
            for field in fields {
                guard let property = Property(rawValue: field.key) else {
                    note(name, field.line, field.key, Self.unknownKey(Property.allCases.map(\.rawValue)))
                    return nil
                }
                do {
                    conditions.append(try Self.condition(property, field.value, patterns))
                } catch {
                    note(name, field.line, field.key, error.words)
                    return nil
                }
            }
            all.append(conditions)
        }
        return all
    }

    private static func condition<Property: GuardProperty>(
        _ property: Property, _ value: ConfigurationValue, _ patterns: PatternLanguage
    ) throws(Fault) -> GuardCondition<Property> {
        var text: Substring
        switch value.kind {
        case .null: return GuardCondition(property: property, comparison: .absent)
        case .text(let all): text = all[...]
        case .list, .table: throw wrong(value.words, ["a text", "a regular expression after ~", "null"])
        }
        guard text.utf8.count <= longestPattern else { throw Fault(words: "has more than \(longestPattern) bytes") }
        let isNegated = text.first == "!"
        if isNegated { text.removeFirst() }
        var comparison = GuardCondition<Property>.Comparison.equals(String(text))
        if text.first == "~" {
            let pattern = String(text.dropFirst())
            if let fault = patterns.fault(pattern) {
                throw Fault(
                    words: "has the regular expression '\(pattern.printable)', which cannot be used: "
                        + fault.printable)
            }
            comparison = .matches(pattern: pattern)
        } else if isNegated, text == "null" {
            comparison = .absent
        }
        return GuardCondition(property: property, comparison: comparison, isNegated: isNegated)
    }

    // MARK: Texts

    private static func text(_ parts: RuleParts) -> String {
        "\(parts.matches.map(text).joined(separator: " or ")): \(parts.actions.map(text).joined(separator: " "))"
    }

    private static func text(_ field: ConfigurationField) -> String { "\(field.key.printable) = \(text(field.value))" }

    private static func text(_ value: ConfigurationValue) -> String {
        switch value.kind {
        case .text(let text): text.printable
        case .null: "null"
        case .list(let values): "[ \(values.map(text).joined(separator: " ")) ]"
        case .table(let fields): "{ \(fields.map(text).joined(separator: " ")) }"
        }
    }
}

extension ProgramChange: GuardChange {
    package enum Key: String, CaseIterable {
        case action = "guard.action"
        case whileRecording = "guard.while-recording"
    }

    package mutating func set(_ key: Key, to text: String) throws(GuardConfiguration.Fault) {
        switch key {
        case .action: action = try GuardConfiguration.named(text)
        case .whileRecording: whileRecording = try GuardConfiguration.named(text)
        }
    }
}

extension OutputChange: GuardChange {
    package enum Key: String, CaseIterable {
        case onLoss = "guard.on-loss"
        case returnWithin = "guard.return-within"
    }

    package mutating func set(_ key: Key, to text: String) throws(GuardConfiguration.Fault) {
        switch key {
        case .onLoss: onLoss = try GuardConfiguration.named(text)
        case .returnWithin: returnWithinSeconds = try GuardConfiguration.seconds(text)
        }
    }
}

extension [String] {
    /// "a, b or c".
    fileprivate var listed: String {
        count > 1 ? dropLast().joined(separator: ", ") + " or " + self[count - 1] : first ?? ""
    }
}
