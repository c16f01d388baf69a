/// What an app reads of measures: those of its last update.
struct LevelMeters: Sendable {
    var isEnabled = false {
        didSet { if !isEnabled { measures = [] } }
    }
    var measures: [LevelMeasure] = []

    /// Silence for a channel that is not there.
    subscript(channel: Int) -> LevelMeasure { measures.indices.contains(channel) ? measures[channel] : LevelMeasure() }
}
