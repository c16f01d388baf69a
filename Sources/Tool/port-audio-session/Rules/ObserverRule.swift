/// Observers by name inherit `KeyValueObserver`, and `#keyPath` becomes a string.
enum ObserverRule {
    private static let observers: Set<String> = ["KeyValueObserver", "AVPlayer", "AVQueuePlayer", "AVPlayerItem"]
    private static let observables: Set<String> = [
        "AVPlayer", "AVQueuePlayer", "AVPlayerItem", "AVPlayerLooper", "AVAudioSession",
    ]

    /// Observers' classes inherit what has the method, also where their root class is in another file.
    static func apply(to drafts: inout [SourceDraft]) {
        for index in drafts.indices {
            var isObserving = false
            for word in drafts[index].source.overridesOfObserveValue {
                if let screen = drafts[index].screen {
                    drafts[index].remark(
                        word, "observeValue stays: the file imports \(screen), which Linux does not have")
                } else if inheritObserver(at: word, of: index, &drafts) {
                    isObserving = true
                }
            }
            guard isObserving else { continue }
            drafts[index].remark(
                drafts[index].source.positions(of: "observeValue").first ?? 0,
                "for iOS, add typealias KeyValueObserver = NSObject in #if canImport(ObjectiveC)")
        }
    }

    /// Has the root class of an observer inherit `KeyValueObserver`; a remark says where that cannot be.
    ///
    /// - Returns: whether it inherits it.
    private static func inheritObserver(at word: Int, of index: Int, _ drafts: inout [SourceDraft]) -> Bool {
        var (file, scope) = (index, drafts[index].classScope(around: word))
        var seen: Set<String> = []
        while let current = scope, seen.insert(current.type).inserted {
            let bases = drafts[file].source.bases(of: current)
            if let base = bases.first(where: { $0.name == "NSObject" }), drafts[file].screen == nil {
                if !drafts[file].ownNames.contains(base.place) {
                    drafts[file].replace(base.place..<base.place + base.name.utf8.count, with: "KeyValueObserver")
                    drafts[file].noteOwnName(at: base.place)
                }
                return true
            }
            if bases.contains(where: { observers.contains($0.name) }) { return true }
            scope = nil
            for (other, draft) in drafts.enumerated() where scope == nil {
                (file, scope) = (other, bases.first.flatMap { draft.classScope(named: $0.name) })
            }
        }
        drafts[index].remark(
            word, "the class that overrides observeValue has to inherit KeyValueObserver instead of NSObject")
        return false
    }

    static func portKeyPaths(in draft: inout SourceDraft) {
        for call in draft.source.macros("keyPath") {
            let path = draft.source.code(call.argument).trimmed.split(separator: ".").map(String.init)
            guard path.count > 1, observables.contains(path[0]) else {
                draft.remark(
                    call.whole.lowerBound,
                    "#keyPath(\(path.joined(separator: "."))) does not exist on Linux: write the name as a string")
                continue
            }
            let name = path.dropFirst().map(\.objectiveCName).joined(separator: ".")
            draft.replace(call.whole, with: "\"\(name)\"")
        }
    }
}

extension SourceText {
    fileprivate var overridesOfObserveValue: [Int] {
        positions(of: "observeValue").filter { word in
            let line = lineBefore(word)
            return line.trimmed.hasSuffix("func") && line.contains("override")
        }
    }
}

extension SourceDraft {
    /// The class around a position; around an extension, its class in the same file.
    fileprivate func classScope(around position: Int) -> SourceText.Scope? {
        scopes.last { $0.body.contains(position) }.flatMap { around in
            source.bases(of: around).isEmpty
                ? scopes.first { $0.type == around.type && !source.bases(of: $0).isEmpty } : around
        }
    }

    fileprivate func classScope(named name: String) -> SourceText.Scope? {
        let last = name.split(separator: ".").last.map(String.init) ?? name
        guard source.contains("class \(last)") else { return nil }
        return (scopes.isEmpty ? source.scopes() : scopes).first {
            $0.type.split(separator: ".").last.map(String.init) == last && !source.bases(of: $0).isEmpty
        }
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
}
