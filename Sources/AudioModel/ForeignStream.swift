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

    package init(id: UInt64, role: String? = nil, name: String = "", isHeld: Bool = false) {
        self.id = id
        self.role = role
        self.name = name
        self.isHeld = isHeld
    }
}
