package import AudioModel
internal import CPipeWireShims

/// Reads the session manager's choices again after another program has connected (decision 58).
///
/// Pure. While a program binds the metadata, the server reports a change only to that program; programs that have bound it before
/// do not receive the change (PipeWire, metadata.c: `metadata_property`). If a reading finds a value that the server has not
/// reported, this is a change like any other.
package struct PipeWireMetadataReading: Sendable {
    package enum Key: Hashable, Sendable {
        /// The session manager's default.
        case choice(PortDirection)
        /// The user's default.
        case preference(PortDirection)
        case target(nodeID: UInt32)
    }

    private enum Stage {
        /// Exit: a program connects, or the default is in doubt -> `due`.
        case idle
        /// Exit: the reading begins -> `reading`.
        case due
        /// The values found so far. A change that the server reports meanwhile may be newer or older, which makes the reading useless.
        /// Exits: it ends -> `due` or `idle`.
        case reading([Key: String], isDisturbed: Bool)
    }

    /// During the first reading, the newly connected program may still be binding the metadata, so there is a second one.
    private static let readings = 2
    private static let delaysMilliseconds: [UInt64] = [1000, 250]
    /// The session manager sets a new default a few milliseconds after the sinks change.
    private static let doubtMilliseconds: UInt64 = 100

    private var told: [Key: String] = [:]
    private var stage = Stage.idle
    private var openReadings = 0

    package init() {}

    /// Handles a program that has connected.
    ///
    /// - Returns: the milliseconds until a reading must begin; nil if that is already decided.
    package mutating func connected(_ client: PipeWireClients.Client) -> UInt64? {
        // The readers of other hosts would otherwise cause readings without end.
        guard client.name != OAV_PW_READER_NAME else { return nil }
        openReadings = Self.readings
        return next()
    }

    /// Handles a default that does not match the outputs.
    ///
    /// - Returns: the most milliseconds until a reading must begin; nil if one is under way.
    package mutating func doubted() -> UInt64? {
        openReadings = Self.readings
        if case .reading = stage { return nil }
        stage = .due
        return Self.doubtMilliseconds
    }

    package mutating func began() { stage = .reading([:], isDisturbed: false) }

    /// Records what the server reports; only choices and targets count.
    package mutating func note(_ message: PipeWireMessage) {
        switch message {
        case .chosen(.defaultNamed(let direction, let name)): note(.choice(direction), name)
        case .chosen(.preferenceNamed(let direction, let name)): note(.preference(direction), name)
        case .targetSet(let target, let node?): note(.target(nodeID: node), target)
        // The targets of all nodes are gone.
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

    /// - Returns: the changes that the server has not reported, and the milliseconds until the next reading.
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
    /// The message with which the server would have reported the value.
    package func message(_ value: String?) -> PipeWireMessage {
        switch self {
        case .choice(let direction): .chosen(.defaultNamed(direction, value))
        case .preference(let direction): .chosen(.preferenceNamed(direction, value))
        case .target(let node): .targetSet(value, nodeID: node)
        }
    }
}
