/// Rooms by name, with Apple's names and numbers; what they sound like is ours (decision 50).
///
/// Source: SDK header AVAudioUnitReverb.h.
package enum ReverbPreset: Int, Hashable, Sendable, CaseIterable {
    case smallRoom, mediumRoom, largeRoom, mediumHall, largeHall, plate, mediumChamber, largeChamber, cathedral
    case largeRoom2, mediumHall2, mediumHall3, largeHall2

    /// The values of a reverb's parameters but for the mix and the gain, by address.
    package var values: [UInt64: Float] {
        let (least, greatest, low, high): (Float, Float, Float, Float) =
            switch self {
            case .smallRoom: (0.004, 0.018, 0.45, 0.25)
            case .mediumRoom: (0.006, 0.030, 0.8, 0.4)
            case .largeRoom: (0.010, 0.045, 1.2, 0.55)
            case .mediumHall: (0.014, 0.065, 1.8, 0.7)
            case .largeHall: (0.020, 0.090, 2.8, 0.9)
            case .plate: (0.005, 0.040, 1.9, 1.5)
            case .mediumChamber: (0.008, 0.038, 1.3, 0.75)
            case .largeChamber: (0.012, 0.055, 2.0, 1.0)
            case .cathedral: (0.025, 0.110, 5.5, 1.2)
            case .largeRoom2: (0.009, 0.048, 1.0, 0.3)
            case .mediumHall2: (0.015, 0.070, 1.6, 0.5)
            case .mediumHall3: (0.013, 0.060, 2.1, 1.1)
            case .largeHall2: (0.022, 0.095, 3.4, 0.7)
            }
        return [2: least, 3: greatest, 4: low, 5: high, 6: Float(rawValue + 1)]
    }
}
