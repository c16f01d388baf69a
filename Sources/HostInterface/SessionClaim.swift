package import AudioModel

/// A session's request to play, as other sessions see it.
package struct SessionClaim: Hashable, Sendable {
    package var id: ClaimID
    package var configuration: SessionConfiguration

    package init(id: ClaimID, configuration: SessionConfiguration) {
        self.id = id
        self.configuration = configuration
    }
}
