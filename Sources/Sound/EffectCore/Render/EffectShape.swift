/// What an effect works on: its settings, and sound of one shape.
struct EffectShape {
    let values: ParameterValues
    let channels: Int
    /// Hertz.
    let sampleRate: Double
    /// The most frames of one block.
    let maximumFrames: Int

    /// Frames that a new setting takes: 20 ms, or none where nothing has sounded that could click.
    @_noLocks @_noAllocation
    func slideFrames(atOnce: Bool = false) -> Int { atOnce ? 0 : max(1, Int(0.02 * sampleRate)) }
}
