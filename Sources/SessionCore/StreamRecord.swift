package import AudioModel

/// What a session remembers of one open stream.
package struct StreamRecord: Hashable, Sendable {
    package let id: StreamID
    package internal(set) var policy: StreamPolicy
    /// The ports it was last linked to; empty while it is unlinked, be it by us or by the host.
    package internal(set) var ports: [Port] = []
    /// The port that the host silenced it for, while its player plays on (silently) and waits for the next inventory.
    package internal(set) var pendingLoss: Port?

    init(id: StreamID, policy: StreamPolicy) {
        self.id = id
        self.policy = policy
    }
}
