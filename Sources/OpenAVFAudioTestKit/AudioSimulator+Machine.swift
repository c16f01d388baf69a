internal import HostSimulated

extension AudioSimulator {
    /// The built-in devices of the simulated machine.
    public enum Machine: Sendable, CaseIterable {
        /// Speaker, receiver and microphone.
        case phone
        /// A card with one sink for its speaker and for a jack (``Device/headphonesInJack``), and a microphone.
        case laptop
        /// Line out and a microphone.
        case desktop
        /// Nothing: every port must be plugged in.
        case bare

        var simulated: SimulatedMachine {
            switch self {
            case .phone: .phone
            case .laptop: .laptop
            case .desktop: .desktop
            case .bare: .bare
            }
        }
    }
}
