import GuardRuntime

/// The priorities that `--prefer` gives to outputs, in files of WirePlumber's configuration.
///
/// Priorities, and no choices: choices add more than lies between outputs and microphones, and would leave the guard's sink no
/// room (docs/decisions/0059-outputs-in-order.md).
struct OutputRules: Hashable, Sendable {
    /// By the sink's `node.name`.
    private(set) var priorities: [String: Int] = [:]

    /// Above what WirePlumber gives to any output, and below every microphone: a sink's monitor counts as one.
    ///
    /// Source: WirePlumber 0.4.13 and 0.5.8, scripts/monitors/alsa.lua and bluez.lua: outputs have 1509 at most, and microphones
    /// 1600 at least, but for the tenth device of a card and later ones.
    private static let highest = 1590
    /// The guard's sink finds room in between.
    private static let step = 2
    /// More than these would be below an output that is not in the list.
    static let mostSinks = (highest - 1509) / step

    init() {}

    /// - Parameter sinks: the first is to be the first; `mostSinks` at most, each one that `takes` accepts.
    init(_ sinks: [String]) {
        for (index, sink) in sinks.enumerated() { priorities[sink] = Self.highest - index * Self.step }
    }

    /// The session manager gives priorities to cards and Bluetooth devices, whose names have letters of ASCII, digits, `_`, `-`
    /// and `.` alone: they are not escaped.
    static func takes(_ sink: String) -> Bool {
        sink.wholeMatch(of: /(alsa|bluez)_output\.[A-Za-z0-9_.\-]{1,200}/) != nil
    }

    // MARK: Files

    /// Of one version's configuration, by their paths in its folder.
    func files(_ version: OutputChoice.Rules) -> [String: String] {
        let ranked = priorities.sorted { $0.value > $1.value }
        var files: [String: String] = [:]
        for (monitor, folder) in [("alsa", "main"), ("bluez", "bluetooth")] {
            let rules = ranked.filter { $0.key.hasPrefix(monitor) }
            guard !rules.isEmpty else { continue }
            switch version {
            case .wirePlumber04:
                let lines = rules.map { name, priority in
                    "table.insert(\(monitor)_monitor.rules, { matches = {{{ \"node.name\", \"equals\", \"\(name)\" }}}, "
                        + "apply_properties = { [\"priority.session\"] = \(priority) } })\n"
                }
                files["\(folder).lua.d/\(Self.name).lua"] = "-- \(Self.comment)\n" + lines.joined()
            case .wirePlumber05, .wirePlumber0511, .wirePlumber0518:
                let lines = rules.map { name, priority in
                    "  { matches = [ { node.name = \"\(name)\" } ] "
                        + "actions = { update-props = { priority.session = \(priority) } } }\n"
                }
                files["wireplumber.conf.d/\(Self.name).conf", default: "# \(Self.comment)\n"] +=
                    "monitor.\(monitor).rules = [\n\(lines.joined())]\n"
            }
        }
        return files
    }

    private static let name = "60-audiosession-outputs"
    private static let comment =
        "Written by 'audiosession outputs --prefer'; 'audiosession outputs --reset' removes it."
    private static var folder: String { UserFile.folder("XDG_CONFIG_HOME", ".config") + "/wireplumber/" }
    private static let allFiles = [
        "main.lua.d/\(name).lua", "bluetooth.lua.d/\(name).lua", "wireplumber.conf.d/\(name).conf",
    ]

    /// What `store` has written, as far as it can be read.
    static var stored: OutputRules {
        var rules = OutputRules()
        for file in allFiles { rules.add(UserFile.text(folder + file) ?? "") }
        return rules
    }

    mutating func add(_ text: String) {
        for line in text.split(separator: "\n").prefix(100) {
            guard let match = line.firstMatch(of: /"([a-z]+_output\.[^"]+)".*priority\.session\W+(\d{1,4})\b/),
                let priority = Int(match.2), Self.takes(String(match.1))
            else { continue }
            priorities[String(match.1)] = priority
        }
    }

    /// - Throws: `BackendError` for a file that cannot be written or removed.
    func store(_ version: OutputChoice.Rules) throws(BackendError) {
        let files = files(version)
        for file in Self.allFiles {
            if let text = files[file] {
                try UserFile.write(text, to: Self.folder + file)
            } else {
                try UserFile.remove(Self.folder + file)
            }
        }
    }
}
