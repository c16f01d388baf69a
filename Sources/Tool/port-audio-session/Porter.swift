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
enum Porter {
    struct Result: Sendable {
        var text: String
        /// What it cannot do.
        var remarks: [SourceDraft.Remark]
    }

    static func port(_ text: String) -> Result { port([text])[0] }

    /// - Parameter progress: gets the number of files that have been read or written, of twice as many as there are.
    static func port(_ texts: [String], progress: (Int) -> Void = { _ in }) -> [Result] {
        var drafts: [SourceDraft] = []
        for text in texts {
            drafts.append(SourceDraft(text))
            progress(drafts.count)
        }
        let sources = drafts.map(\.source)
        var names = SelectorRule.Names()
        var optionalMembers: Set<String> = []
        var protocols: [[OptionalMemberRule.SwiftProtocol]] = []
        for index in drafts.indices {
            SelectorRule.apply(to: &drafts[index], &names, all: sources)
            protocols.append(OptionalMemberRule.apply(to: &drafts[index], &optionalMembers))
        }
        ObserverRule.apply(to: &drafts)
        var results: [Result] = []
        for (var draft, protocols) in zip(drafts, protocols) {
            SelectorRule.removeTargets(in: &draft, names)
            ObserverRule.portKeyPaths(in: &draft)
            AttributeRule.remarkOverrides(in: &draft)
            OptionalMemberRule.portCalls(of: optionalMembers, in: &draft)
            AttributeRule.apply(to: &draft, names, protocols)
            ConditionRule.apply(to: &draft)
            ImportRule.apply(to: &draft)
            ImportRule.remarkMissingModules(in: &draft)
            results.append(Result(text: draft.text, remarks: draft.remarks))
            progress(drafts.count + results.count)
        }
        return results
    }

    /// What the project needs on iOS besides its own files, where none of them has it.
    static func remarks(onProject texts: [String]) -> [String] {
        let sources = texts.map { SourceText($0) }
        let usesSelector = sources.contains { source in
            source.calls(of: "Selector").contains { call in
                source.code(call.argument).first?.isUppercase == true
            }
        }
        guard usesSelector, !sources.contains(where: { $0.contains("protocol SelectorArgument") }) else { return [] }
        return [
            "for iOS, copy Sources/Session/OpenAudioSession/FoundationGaps/Selector.swift of open-avfaudio to these files: "
                + "Selector(Type.method) is declared there"
        ]
    }
}
