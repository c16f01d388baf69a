import Foundation

extension PrivatePipeWire {
    /// The server's nodes, ports and links now: what the server has done before this is asked is in it.
    package var graph: RigGraph {
        get throws(RigError) {
            let connection = try connection
            try connection.roundTrip(timeout: options.timeout)
            var graph: RigGraph?
            // One visit under one lock: three separate lists might disagree.
            try connection.waitUntil("the graph", timeout: options.timeout, seen: { "" }) {
                graph = RigGraph(of: connection)
                return true
            }
            return graph!
        }
    }

    /// Waits until a predicate holds of the graph; it is asked at once and after every event of the server.
    ///
    /// `what` says in an error what was waited for. The predicate must not wait itself.
    package func waitUntil(
        _ what: String, timeout: Duration? = nil, _ predicate: (RigGraph) -> Bool
    ) throws(RigError) {
        let connection = try connection
        try connection.waitUntil(
            what, timeout: timeout ?? options.timeout, seen: { RigGraph(of: connection).summary },
            predicate: { predicate(RigGraph(of: connection)) })
    }

    /// Waits until one named node feeds another.
    package func waitUntil(_ source: String, feeds target: String) throws(RigError) {
        try waitUntil("\(source) feeds \(target)") { $0.feeders(of: target).contains(source) }
    }

    // MARK: Defaults

    /// The sink that the session manager calls the default now; nil if there is none.
    package func defaultSinkName() throws(RigError) -> String? {
        Self.name(in: try connection.metadata("default", subject: 0, key: "default.audio.sink"))
    }

    /// The source that the session manager calls the default now; nil if there is none.
    package func defaultSourceName() throws(RigError) -> String? {
        Self.name(in: try connection.metadata("default", subject: 0, key: "default.audio.source"))
    }

    /// Waits until a sink is the default.
    package func waitUntilDefaultSink(is name: String) throws(RigError) {
        try waitForDefault("default.audio.sink", name)
    }

    /// Waits until a source is the default.
    package func waitUntilDefaultSource(is name: String) throws(RigError) {
        try waitForDefault("default.audio.source", name)
    }

    /// Chooses a sink as a user does in the desktop's settings, and waits until it is the default; nil takes the
    /// choice back and waits for nothing.
    package func setDefault(_ sink: String?) throws(RigError) {
        try setMetadata("default", key: "default.configured.audio.sink", type: "Spa:String:JSON", Self.json(sink))
        if let sink {
            try waitUntilDefaultSink(is: sink)
        }
    }

    /// Chooses a source as a user does in the desktop's settings, and waits until it is the default; nil takes the
    /// choice back and waits for nothing.
    package func setDefaultSource(_ source: String?) throws(RigError) {
        try setMetadata("default", key: "default.configured.audio.source", type: "Spa:String:JSON", Self.json(source))
        if let source {
            try waitUntilDefaultSource(is: source)
        }
    }

    // MARK: Metadata

    /// The value of the metadata "default" (or "settings") as text; nil if it has none.
    package func metadata(
        _ metadata: String = "default", subject: UInt32 = 0, key: String
    ) throws(RigError) -> String? {
        try connection.metadata(metadata, subject: subject, key: key)
    }

    /// Sets a value of a metadata object, or removes it.
    ///
    /// The server has it when this returns.
    package func setMetadata(
        _ metadata: String = "default", subject: UInt32 = 0, key: String, type: String? = nil, _ value: String?
    ) throws(RigError) {
        try connection.setMetadata(
            metadata, subject: subject, key: key, type: type, value: value, timeout: options.timeout)
    }

    /// Moves a stream as a user does in a mixer: `target.object` of its node.
    ///
    /// Nil removes it.
    package func setTarget(ofNode node: UInt32, to name: String?) throws(RigError) {
        try setMetadata("default", subject: node, key: "target.object", name)
    }

    /// Forces the graph's quantum, in frames; nil lets the server choose again.
    package func forceQuantum(_ frames: Int?) throws(RigError) {
        try setMetadata("settings", key: "clock.force-quantum", String(frames ?? 0))
    }

    /// Forces the graph's sample rate, in hertz; nil lets the server choose again.
    package func forceRate(_ hertz: Int?) throws(RigError) {
        try setMetadata("settings", key: "clock.force-rate", String(hertz ?? 0))
    }

    /// Waits until a value of the metadata "default" is this; nil: until it has none.
    package func waitUntilMetadata(subject: UInt32, key: String, is value: String?) throws(RigError) {
        try waitForMetadata("\(key) of \(subject) becomes \(value ?? "nothing")", subject, key) { $0 == value }
    }

    private func waitForDefault(_ key: String, _ name: String) throws(RigError) {
        try waitForMetadata("\(name) becomes \(key)", 0, key) { Self.name(in: $0) == name }
    }

    private func waitForMetadata(
        _ what: String, _ subject: UInt32, _ key: String, _ isMet: (String?) -> Bool
    ) throws(RigError) {
        let connection = try connection
        try connection.waitUntil(
            what, timeout: options.timeout,
            seen: {
                let value = connection.metadata("default", subject: subject, key: key) ?? "nothing"
                return "It was \(value). \(RigGraph(of: connection).summary)"
            },
            predicate: { isMet(connection.metadata("default", subject: subject, key: key)) })
    }

    private struct Named: Codable {
        let name: String
    }

    private static func name(in json: String?) -> String? {
        json.flatMap { try? JSONDecoder().decode(Named.self, from: Data($0.utf8)) }?.name
    }

    private static func json(_ name: String?) -> String? {
        name.flatMap { try? JSONEncoder().encode(Named(name: $0)) }.map { String(decoding: $0, as: UTF8.self) }
    }
}
