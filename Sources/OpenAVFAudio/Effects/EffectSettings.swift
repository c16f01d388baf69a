/// What is set on an effect.
struct EffectSettings: Hashable, Sendable {
    /// Of playback; 1 changes nothing.
    var rate: Float = 1
    /// In cents, hundredths of a semitone; 0 changes nothing.
    var pitch: Float = 0
    /// Milliseconds that pieces of stretched sound fade into each other.
    var overlap: Float = 8
    var isBypassed = false

    /// Frames out for each frame in.
    var ratio: Double { isBypassed ? 1 : 1 / Double(rate) }
}
