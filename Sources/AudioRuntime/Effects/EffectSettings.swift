/// What is set on an effect.
package struct EffectSettings: Hashable, Sendable {
    /// Of playback; 1 changes nothing.
    package var rate: Float = 1
    /// In cents, hundredths of a semitone; 0 changes nothing.
    package var pitch: Float = 0
    /// Milliseconds that pieces of stretched sound fade into each other.
    package var overlap: Float = 8
    package var isBypassed = false

    /// Frames out for each frame in.
    var ratio: Double { isBypassed ? 1 : 1 / Double(rate) }
}
