/// How loud each output was since the last read.
struct LevelReader {
    /// Linear, of each channel, by the output's uid.
    private(set) var peaks: [String: [Float]] = [:]
    private var time = -Double.infinity

    /// - Parameter players: nil while the list of outputs is closed.
    mutating func read(_ players: [any Player]?, at now: Double) {
        guard let players else { return time = -.infinity }
        // At least one cycle lies between two reads (8192 frames at 96 kHz take 85 ms).
        guard now - time >= 0.09 else { return }
        (peaks, time) = ([:], now)
        for player in players { peaks.merge(player.takeLevels(), uniquingKeysWith: Self.loudest) }
    }

    private static func loudest(_ one: [Float], _ other: [Float]) -> [Float] {
        (0..<max(one.count, other.count)).map { index in
            max(index < one.count ? one[index] : 0, index < other.count ? other[index] : 0)
        }
    }
}
