import AudioModel

@testable import GuardCore

extension PatternLanguage {
    /// A pattern is a part of the text; "(" is none.
    static let test = PatternLanguage(
        fault: { $0.contains("(") ? "Unmatched (" : nil }, matches: { $1.contains($0) })
}

extension GuardConfiguration {
    /// With one rule for the program of this name.
    static func rule(_ program: String, _ actions: KeyValuePairs<String, String>) -> GuardOptions {
        func value(_ kind: ConfigurationValue.Kind) -> ConfigurationValue { ConfigurationValue(kind, line: 1) }
        func field(_ key: String, _ kind: ConfigurationValue.Kind) -> ConfigurationField {
            ConfigurationField(key: key, line: 1, value: value(kind))
        }
        let match = value(.table([field("application.name", .text(program))]))
        let change = field("update-props", .table(actions.map { field($0, .text($1)) }))
        let rule = value(.table([field("matches", .list([match])), field("actions", .table([change]))]))
        var configuration = GuardConfiguration()
        configuration.add("test.conf", [field("guard.programs.rules", .list([rule]))], .test)
        precondition(configuration.problems.isEmpty, "\(configuration.problems)")
        return configuration.options
    }
}

extension Program {
    static func test(_ name: String, _ process: UInt32) -> Program {
        Program(identity: .process(process), name: name, binary: name)
    }

    static let dictation = test("dictation", 9)
    static let mpv = test("mpv", 1)
    static let browser = test("firefox", 2)
    static let phone = test("linphone", 3)
    static let radio = test("radio", 4)
}

extension ModelMachine.Sink {
    static let speaker = Self(name: "speaker", kind: .builtInSpeaker, priority: 500)
    static let headphones = Self(name: "headphones", kind: .headphones, priority: 1500)
    static let card = Self(name: "card", kind: .headphones, priority: 1000, hasJack: true)
}
