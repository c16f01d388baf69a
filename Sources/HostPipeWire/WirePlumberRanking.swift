package import GuardCore
internal import SessionBus

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What WirePlumber's choice of the default rests on and its metadata does not tell.
///
/// Only read; where a file is missing, nothing is stored, and the rules are those of 0.5.
package enum WirePlumberRanking {
    /// No program publishes the version: the library that its process has loaded tells.
    package static func rules(ofProcess id: UInt32) -> SinkRanking.Rules {
        guard id != 0, let maps = text(ofFile: "/proc/\(id)/maps") else { return .wirePlumber05 }
        return maps.contains("/libwireplumber-0.4.so") ? .wirePlumber04 : .wirePlumber05
    }

    /// The sinks that the user has configured, the newest first.
    package static func storedSinks(_ rules: SinkRanking.Rules) -> [String] {
        guard let directory = stateDirectory, let text = text(ofFile: directory + "/wireplumber/default-nodes")
        else { return [] }
        return storedSinks(rules, inFile: text)
    }

    /// Source: WirePlumber 0.4.13 module-default-nodes.c, load_state; 0.5.8 state-default-nodes.lua, collectStored.
    package static func storedSinks(_ rules: SinkRanking.Rules, inFile text: String) -> [String] {
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            values[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
        let key = "default.configured.audio.sink"
        var stored: [String] = []
        // 0.5 counts the configured one as the first; 0.4 has it in the list too.
        if rules == .wirePlumber05, let configured = values[key] { stored.append(configured) }
        var index = 0
        while let value = values["\(key).\(index)"] {
            stored.append(value)
            index += 1
        }
        return stored
    }

    private static var stateDirectory: String? {
        if let directory = getenv("XDG_STATE_HOME") { return String(cString: directory) }
        return getenv("HOME").map { String(cString: $0) + "/.local/state" }
    }
}
