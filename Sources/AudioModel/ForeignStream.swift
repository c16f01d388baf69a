/// An output stream that runs and belongs to no session: a program that knows nothing of us.
package struct ForeignStream: Hashable, Sendable {
    /// Never used again while the server lives.
    package var id: UInt64
    /// `media.role` as the program wrote it: "Music", "Communication" ...; nil for none; untrusted text.
    package var role: String?
    /// The program's name; untrusted text.
    package var name: String

    package init(id: UInt64, role: String? = nil, name: String = "") {
        self.id = id
        self.role = role
        self.name = name
    }
}
