internal import HostSimulated

extension AudioSimulator {
    /// What the simulated machine has built in.
    public enum Machine: Sendable, CaseIterable {
        /// Speaker, receiver and microphone.
        case phone
        /// A card whose one sink plays through its speaker and has a jack for ``Device/headphonesInJack``; a microphone.
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
