import AudioDeviceSelection
import Glibc
import OpenAudioSession

/// A port as this program shows it.
struct PortFacts: Hashable, Sendable {
    /// Stable across re-plugging.
    ///
    /// Untrusted text, like `name`.
    var uid: String
    var name: String
    /// The raw value of `AVAudioSession.Port`: "Headphones", "Speaker", "LineOut" ...
    var portType: String
    var channels: Int

    /// The fields in JSON events.
    var json: JSONValue {
        .fields([
            "uid": .string(uid), "name": .string(name), "portType": .string(portType), "channels": .integer(channels),
        ])
    }

    /// For people: "USB Headset (Headphones)".
    var label: String { name == portType ? name.printable : "\(name.printable) (\(portType.printable))" }
}

/// The current outputs and inputs, as this program shows them.
struct RouteFacts: Hashable, Sendable {
    var outputs: [PortFacts] = []
    var inputs: [PortFacts] = []

    var json: JSONValue {
        .fields(["outputs": .array(outputs.map(\.json)), "inputs": .array(inputs.map(\.json))])
    }

    /// For people: the outputs, then the inputs if there are any.
    var label: String {
        let out = outputs.isEmpty ? "no output" : outputs.map(\.label).joined(separator: " + ")
        return inputs.isEmpty ? out : out + ", from " + inputs.map(\.label).joined(separator: " + ")
    }
}

/// The outputs that can be chosen, and the chosen one.
struct OutputFacts: Hashable, Sendable {
    /// Under multiRoute the route's outputs in its order, else every connected one that the category can use.
    var all: [PortFacts] = []
    /// The outputs in use.
    var current: [PortFacts] = []
    var choice = AudioDevices.Choice.automatic

    /// Whether the list's row for this choice is the chosen one.
    func isChosen(_ row: AudioDevices.Choice) -> Bool {
        if case .portType(let type) = choice, case .device(let uid) = row {
            return all.first { $0.portType == type.rawValue }?.uid == uid
        }
        return row == choice
    }
}

/// Every port of the machine, connected and available, whether the session uses it or not.
struct PortInventory: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        var port: PortFacts
        var isOutput: Bool
        /// The host's default output or input.
        var isDefault: Bool
        /// Why audio may go on elsewhere after an unplug of this port; nil where it cannot.
        ///
        /// Untrusted text.
        var caveat: String?
    }

    var entries: [Entry]

    var outputs: [PortFacts] { entries.filter(\.isOutput).map(\.port) }
}

/// What a shell offers after `--device`, `--to` and `--input`: the names of what is connected now.
enum Completions {
    static func outputs() -> [String] { names(.playback) { $0.outputs.all } }

    static func inputs() -> [String] { names(.record) { $0.inputs } }

    static func outputsAndTypes() -> [String] {
        let names = outputs()
        return names + PortTypeWords.words.filter { !names.contains($0) }
    }

    /// The programs that a word may become.
    static func programs(_ word: String) -> [String] {
        guard !word.contains("/") else { return files(word) }
        let folders = getenv("PATH").map { String(cString: $0).split(separator: ":") } ?? []
        let found = folders.flatMap { files("\($0)/\(word)") }.filter { access($0, X_OK) == 0 && !$0.hasSuffix("/") }
        return Set(found.compactMap { $0.split(separator: "/").last.map(String.init) }).sorted()
    }

    /// The files and folders that a word may become.
    static func files(_ word: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(word + "*", GLOB_MARK, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    }

    /// None without a sound server; a name that several ports have gives way to their uids.
    private static func names(
        _ category: AVAudioSession.Category, _ ports: (any AudioBackend) -> [PortFacts]
    ) -> [String] {
        guard let backend = try? makeBackend(host: nil) else { return [] }
        defer { backend.close() }
        guard (try? backend.configure(SessionSettings(category: category))) != nil else { return [] }
        let found = ports(backend)
        return found.map { port in
            found.count { $0.name == port.name } == 1 ? port.name.printable : port.uid.printable
        }
    }
}
