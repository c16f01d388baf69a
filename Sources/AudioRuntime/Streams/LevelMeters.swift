/// What an app reads of measures: those of its last update.
package struct LevelMeters: Sendable {
    package var isEnabled = false {
        didSet { if !isEnabled { measures = [] } }
    }
    package var measures: [LevelMeasure] = []

    /// Silence for a channel that is not there.
    package subscript(channel: Int) -> LevelMeasure {
        measures.indices.contains(channel) ? measures[channel] : LevelMeasure()
    }

    package init() {}
}
