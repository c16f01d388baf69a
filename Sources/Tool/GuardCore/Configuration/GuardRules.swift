/// A rule with "matches" and "actions", as in PipeWire and WirePlumber.
package struct GuardRule<Property: GuardProperty, Change: GuardChange>: Hashable, Sendable {
    /// The rule applies if all conditions of any inner list hold.
    var matches: [[GuardCondition<Property>]]
    var change: Change
    /// The rule on one line, and where it was read.
    package var text: String
    package var origin: String

    func applies(to value: (Property) -> String?, _ patterns: PatternLanguage) -> Bool {
        matches.contains { $0.allSatisfy { $0.holds(of: value($0.property), patterns) } }
    }
}

package typealias ProgramRule = GuardRule<ProgramProperty, ProgramChange>
package typealias OutputRule = GuardRule<OutputProperty, OutputChange>

/// What a rule's "update-props" sets.
package protocol GuardChange: Hashable, Sendable {
    associatedtype Key: RawRepresentable<String> & CaseIterable

    /// A change that sets nothing.
    init()
    mutating func set(_ key: Key, to text: String) throws(GuardConfiguration.Fault)
}

/// A property that rules can compare.
package protocol GuardProperty: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

package enum ProgramProperty: String, GuardProperty {
    /// The name that `guard status` shows.
    case name = "application.name"
    case binary = "application.process.binary"
    /// The stream's role.
    case role = "media.role"
}

package enum OutputProperty: String, GuardProperty {
    case name = "node.name"
    /// The readable name.
    case description = "node.description"
    case bus = "device.bus"
}

/// A comparison with one property: "text", "~regular expression", null for a missing property, and "!" to negate.
///
/// Source: PipeWire 1.6 src/pipewire/conf.c, pw_conf_find_match.
struct GuardCondition<Property: GuardProperty>: Hashable, Sendable {
    enum Comparison: Hashable, Sendable {
        case absent
        case equals(String)
        case matches(pattern: String)
    }

    var property: Property
    var comparison: Comparison
    var isNegated = false

    func holds(of value: String?, _ patterns: PatternLanguage) -> Bool {
        let holds =
            switch (comparison, value) {
            case (.absent, let value): value == nil
            case (_, nil): false
            case (.equals(let text), let value?): text == value
            case (.matches(let pattern), let value?): patterns.matches(pattern, value)
            }
        return holds != isNegated
    }
}

/// What a rule sets for a program; nil properties are unchanged.
package struct ProgramChange: Hashable, Sendable {
    var action: ProgramPolicy.Action?
    var whileRecording: ProgramPolicy.WhileRecording?

    package init() {}
}

/// What the guard does with a program.
package struct ProgramPolicy: Hashable, Sendable {
    package enum Action: String, CaseIterable, Hashable, Sendable {
        case hold
        /// The program is not held, and its recordings, calls and alerts hold and lower no other program.
        case leaveAlone = "leave-alone"
        /// The guard tells the program's player to pause, and does not touch its streams.
        case mprisOnly = "mpris-only"
    }

    package enum WhileRecording: String, CaseIterable, Hashable, Sendable {
        /// The setting decides.
        case yield
        /// No recording holds or lowers the program.
        case never
    }

    package var action = Action.hold
    package var whileRecording = WhileRecording.yield
}

/// What a rule sets for an output; nil properties are unchanged.
package struct OutputChange: Hashable, Sendable {
    var onLoss: OutputPolicy.OnLoss?
    var returnWithinSeconds: Double?

    package init() {}
}

/// What the guard does when an output leaves.
package struct OutputPolicy: Hashable, Sendable {
    package enum OnLoss: String, CaseIterable, Hashable, Sendable {
        case hold
        /// Streams that sounded there play on where the session manager moves them.
        case `continue`
    }

    package var onLoss: OnLoss
    package var onReturn: GuardOptions.OnReturn
}

extension GuardOptions {
    /// The last rule that sets a value wins; the names excluded on the command line override all rules.
    package func policy(of program: Program, role: String?, _ patterns: PatternLanguage) -> ProgramPolicy {
        var policy = ProgramPolicy()
        func value(_ property: ProgramProperty) -> String? {
            switch property {
            case .name: program.name
            case .binary: program.binary
            case .role: role
            }
        }
        for rule in programRules where rule.applies(to: value, patterns) {
            policy.action = rule.change.action ?? policy.action
            policy.whileRecording = rule.change.whileRecording ?? policy.whileRecording
        }
        if excluded.contains(where: program.answers) { policy.action = .leaveAlone }
        return policy
    }

    /// As `policy(of:role:_:)`.
    package func policy(of output: GuardOutput, _ patterns: PatternLanguage) -> OutputPolicy {
        // Sound from an output in the room is meant for the people there.
        var policy = OutputPolicy(onLoss: output.isPrivate ? .hold : .continue, onReturn: onReturn)
        func value(_ property: OutputProperty) -> String? {
            switch property {
            case .name: output.sink
            case .description: output.name
            case .bus: output.bus
            }
        }
        for rule in outputRules where rule.applies(to: value, patterns) {
            policy.onLoss = rule.change.onLoss ?? policy.onLoss
            if let seconds = rule.change.returnWithinSeconds { policy.onReturn = .resume(withinSeconds: seconds) }
        }
        return policy
    }
}
