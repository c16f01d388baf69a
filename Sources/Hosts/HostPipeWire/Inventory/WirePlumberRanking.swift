package import AudioModel
internal import Threading

/// The data for WirePlumber's choice of the default that its metadata does not contain.
///
/// Only reads files; if a file is missing, no sinks are stored and the rules are those of 0.5.
package enum WirePlumberRanking {
    /// The rules of the running version, which no program publishes: the library loaded by the process shows it.
    package static func rules(ofProcess id: UInt32) -> SinkRanking.Rules {
        guard id != 0, let maps = text(ofFile: "/proc/\(id)/maps") else { return .wirePlumber05 }
        return rules(ofMaps: maps)
    }

    /// The rules by the version in the library's file name.
    package static func rules(ofMaps maps: String) -> SinkRanking.Rules {
        guard !maps.contains("/libwireplumber-0.4.so") else { return .wirePlumber04 }
        return switch number05(ofMaps: maps) ?? 0 {
        case ..<511: .wirePlumber05
        case ..<518: .wirePlumber0511
        default: .wirePlumber0518
        }
    }

    /// 518 for 0.5.18, from the library's file name `libwireplumber-0.5.so.0.518.0`; nil for 0.4.
    package static func number05(ofMaps maps: String) -> Int? {
        maps.split(separator: "/libwireplumber-0.5.so.0.", maxSplits: 1).dropFirst().first
            .flatMap { Int($0.prefix { $0.isNumber }) }
    }

    /// The sinks that the user has configured, the newest first, as this process has stored them.
    package static func storedSinks(_ rules: SinkRanking.Rules, ofProcess id: UInt32) -> [String] {
        guard let directory = stateDirectory(ofProcess: id),
            let text = text(ofFile: directory + "/wireplumber/default-nodes")
        else { return [] }
        return storedSinks(rules, inFile: text)
    }

    /// Source: WirePlumber 0.4.13 module-default-nodes.c, load_state; 0.5.8 and 0.5.18 state-default-nodes.lua, collectStored.
    package static func storedSinks(_ rules: SinkRanking.Rules, inFile text: String) -> [String] {
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            values[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
        let key = "default.configured.audio.sink"
        var stored: [String] = []
        // 0.5 ranks the configured sink first; 0.4 also has it in the list.
        if rules != .wirePlumber04, let configured = values[key] { stored.append(configured) }
        var index = 0
        while let value = values["\(key).\(index)"] {
            stored.append(value)
            index += 1
        }
        return stored
    }

    /// The state directory from the process' environment; from ours if that cannot be read.
    private static func stateDirectory(ofProcess id: UInt32) -> String? {
        let environment = id == 0 ? nil : text(ofFile: "/proc/\(id)/environ")
        func value(_ name: String) -> String? {
            guard let environment, !environment.isEmpty else { return getenv(name).map { String(cString: $0) } }
            return environment.split(separator: "\0").first { $0.hasPrefix("\(name)=") }
                .map { String($0.dropFirst(name.count + 1)) }
        }
        // Source: XDG Base Directory Specification 0.8: an empty variable counts as none.
        if let directory = value("XDG_STATE_HOME"), !directory.isEmpty { return directory }
        return value("HOME").map { $0 + "/.local/state" }
    }
}
