package import AudioModel

/// Why the system has made the session inactive, and what will end that.
package struct Interruption: Hashable, Sendable {
    package enum Source: Hashable, Sendable {
        /// Another session's claim.
        case peer(ClaimSerial)
        /// Streams of a program that is no session of ours, whose role interrupts.
        case foreignCall
        /// Something outside holds streams of ours.
        case heldStream
        case sleep
        /// The device is gone: this has no end.
        case routeDisconnected
        /// Another program has removed our claim: this has no end either, because no event would report it.
        case claimLost

        /// Another program's sound: the session's claim keeps its serial.
        var isOfOthers: Bool {
            switch self {
            case .peer, .foreignCall: true
            case .heldStream, .sleep, .routeDisconnected, .claimLost: false
            }
        }
    }

    package internal(set) var source: Source
    /// False once a source has gone without a word and another one has taken its place: only those that were
    /// interrupted by the one that hands the sound back may resume.
    package internal(set) var isDirect = true
    /// An output of the route has left meanwhile: what sounds after the interruption would be heard elsewhere.
    package internal(set) var hasLostOutput = false
    /// The serial of our claim: one with a smaller serial has not interrupted us.
    let serial: ClaimSerial

    /// False where nothing but the app's own activation ends it.
    package var hasEnd: Bool { source != .routeDisconnected && source != .claimLost }

    /// What the app is told.
    package var reason: InterruptionReason { source == .routeDisconnected ? .routeDisconnected : .default }

    init(source: Source, serial: ClaimSerial) {
        self.source = source
        self.serial = serial
    }
}
