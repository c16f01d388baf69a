package import AudioModel
internal import CPipeWireShims

/// Reads the session manager's choices once more after another program has connected (decision 58).
///
/// Pure. While a program binds the metadata, the server tells a change to that program alone, and whoever has bound it
/// before does not hear of it (PipeWire, metadata.c: `metadata_property`). What a reading finds and the server has not
/// told is a change like any other.
package struct PipeWireMetadataReading: Sendable {
    package enum Key: Hashable, Sendable {
        /// The session manager's default.
        case choice(PortDirection)
        /// The user's.
        case preference(PortDirection)
        case target(nodeID: UInt32)
    }

    private enum Stage {
        /// Exit: a program connects, or the default is in doubt -> `due`.
        case idle
        /// Exit: the time has come -> `reading`.
        case due
        /// What was found. A change that the server tells meanwhile may be newer, or older: then the reading is no use.
        /// Exit: it is over -> `due`, `idle`.
        case reading([Key: String], isDisturbed: Bool)
    }

    /// The binding of a program that has just connected may still be under way at the first.
    private static let readings = 2
    private static let delaysMilliseconds: [UInt64] = [1000, 250]
    /// The session manager names a new default some milliseconds after the sinks have changed.
    private static let doubtMilliseconds: UInt64 = 100

    private var told: [Key: String] = [:]
    private var stage = Stage.idle
    private var openReadings = 0

    package init() {}

    /// A program has connected.
    ///
    /// - Returns: after how many milliseconds to begin a reading; nil: that is decided already.
    package mutating func connected(_ client: PipeWireClients.Client) -> UInt64? {
        // Those of other hosts would call for readings without an end.
        guard client.name != OAV_PW_READER_NAME else { return nil }
        openReadings = Self.readings
        return next()
    }

    /// The default is another one than the outputs call for.
    ///
    /// - Returns: after how many milliseconds to begin a reading at the latest; nil: one is under way.
    package mutating func doubted() -> UInt64? {
        openReadings = Self.readings
        if case .reading = stage { return nil }
        stage = .due
        return Self.doubtMilliseconds
    }

    package mutating func began() { stage = .reading([:], isDisturbed: false) }

    /// The server tells it; choices and targets count.
    package mutating func note(_ message: PipeWireMessage) {
        switch message {
        case .chosen(.defaultNamed(let direction, let name)): note(.choice(direction), name)
        case .chosen(.preferenceNamed(let direction, let name)): note(.preference(direction), name)
        case .targetSet(let target, let node?): note(.target(nodeID: node), target)
        // The choices of all nodes have gone.
        case .targetSet(_, nil): for key in told.keys { if case .target = key { note(key, nil) } }
        default: break
        }
    }

    private mutating func note(_ key: Key, _ value: String?) {
        told[key] = value
        if case .reading(let found, _) = stage { stage = .reading(found, isDisturbed: true) }
    }

    package mutating func found(_ key: Key, _ value: String?) {
        guard case .reading(var found, let isDisturbed) = stage else { return }
        found[key] = value
        stage = .reading(found, isDisturbed: isDisturbed)
    }

    /// - Returns: what the server has not told, and after how many milliseconds to read again.
    package mutating func ended(isComplete: Bool) -> (changes: [(Key, String?)], again: UInt64?) {
        guard case .reading(let found, let isDisturbed) = stage else { return ([], nil) }
        stage = .idle
        guard isComplete else {
            openReadings -= 1
            return ([], next())
        }
        guard !isDisturbed else { return ([], next()) }
        openReadings -= 1
        let changed = Set(told.keys).union(found.keys).filter { told[$0] != found[$0] }
        return (changed.map { ($0, found[$0]) }, next())
    }

    private mutating func next() -> UInt64? {
        guard case .idle = stage, openReadings > 0 else { return nil }
        stage = .due
        return Self.delaysMilliseconds[openReadings - 1]
    }
}

extension PipeWireMetadataReading.Key {
    /// As the server would have told it.
    package func message(_ value: String?) -> PipeWireMessage {
        switch self {
        case .choice(let direction): .chosen(.defaultNamed(direction, value))
        case .preference(let direction): .chosen(.preferenceNamed(direction, value))
        case .target(let node): .targetSet(value, nodeID: node)
        }
    }
}
