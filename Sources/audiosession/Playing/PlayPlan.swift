import SessionCore

/// What is to be played, and how.
struct PlayPlan: Sendable {
    var files: [String]
    var policy = StreamPolicy()
    /// 0...1, linear amplitude.
    var volume: Float = 1
}
