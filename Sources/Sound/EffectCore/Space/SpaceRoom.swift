/// The settings of an environment's room: a reverb that gets a share of each source, and a filter behind it.
///
/// Any thread.
package final class SpaceRoom: Sendable {
    package let reverb = EffectParameters(.reverb)
    package let filter = EffectParameters(.equalizer, bands: 1)

    /// The medium hall, without the sound itself.
    package init() {
        reverb.set(ReverbPreset.mediumHall.values)
        reverb.set(100, at: 0)
    }
}
