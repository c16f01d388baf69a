/// How loud the server plays or records at a port, for all programs.
package struct PortVolume: Hashable, Sendable, Codable {
    /// 0...1, as the slider of a mixer shows it: the cube root of the amplitude.
    package var level: Float
    package var isMuted: Bool

    /// - Parameter level: values outside of 0...1 become the nearest of these; one that is no number becomes 0.
    package init(level: Float, isMuted: Bool = false) {
        self.level = level.isNaN ? 0 : min(max(level, 0), 1)
        self.isMuted = isMuted
    }
}
