/// A claim's serial in the registry that all sessions share: the greater came later.
///
/// The server assigns serials, so that every process sees the same order; one server uses each of them once.
package struct ClaimSerial: Hashable, Comparable, Sendable, Codable {
    package let number: UInt64
    package init(number: UInt64) { self.number = number }

    package static func < (a: ClaimSerial, b: ClaimSerial) -> Bool { a.number < b.number }
}

/// A session of another process, active or interrupted, as its claim in the registry shows it.
package struct Peer: Hashable, Sendable, Codable {
    package var serial: ClaimSerial
    /// What it has claimed; unknown words from a newer version have been read as the nearest known ones.
    package var configuration: SessionConfiguration
    /// One of its streams runs.
    package var isPlaying: Bool
    /// It is interrupted and waits for the end of that: its claim has no effect, and keeps its serial for those below.
    package var isWaiting: Bool
    /// The program's name; untrusted text: use `printable` before it reaches a terminal.
    package var name: String

    /// Names the process among those of the server; a later claim of the same owner replaces the earlier one.
    ///
    /// Nil where the host cannot tell.
    package var owner: UInt64?

    package init(
        serial: ClaimSerial, configuration: SessionConfiguration, isPlaying: Bool = false, isWaiting: Bool = false,
        name: String = "", owner: UInt64? = nil
    ) {
        self.serial = serial
        self.configuration = configuration
        self.isPlaying = isPlaying
        self.isWaiting = isWaiting
        self.name = name
        self.owner = owner
    }
}

/// A running output stream of a program without a session.
package struct ForeignStream: Hashable, Sendable, Codable {
    /// Never used again while the server lives.
    package var id: UInt64
    /// `media.role` as the program wrote it: "Music", "Communication" ...; nil for none; untrusted text.
    package var role: String?
    /// The program's name; untrusted text.
    package var name: String
    /// A guard (`audiosession guard`) holds it: it is silent.
    package var isHeld: Bool
    /// It is muted, or its volume is 0.
    package var isSilent: Bool

    package init(
        id: UInt64, role: String? = nil, name: String = "", isHeld: Bool = false, isSilent: Bool = false
    ) {
        self.id = id
        self.role = role
        self.name = name
        self.isHeld = isHeld
        self.isSilent = isSilent
    }

    private enum CodingKeys: CodingKey { case id, role, name, isHeld, isSilent }

    /// Traces of earlier versions do not say `isSilent`.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        id = try fields.decode(UInt64.self, forKey: .id)
        role = try fields.decodeIfPresent(String.self, forKey: .role)
        name = try fields.decode(String.self, forKey: .name)
        isHeld = try fields.decode(Bool.self, forKey: .isHeld)
        isSilent = try fields.decodeIfPresent(Bool.self, forKey: .isSilent) ?? false
    }
}
