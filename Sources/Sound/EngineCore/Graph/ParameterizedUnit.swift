package import EffectCore

/// A unit with parameters: an effect of ours, or a plug-in.
///
/// It has the only copy of their values. All members: any thread but the render thread.
package protocol ParameterizedUnit: ProcessorUnit {
    /// In the order in which people see them; the same each time.
    var parameters: [UnitParameter] { get }

    /// The newest value; nil for an address that the unit does not have.
    func value(at address: UInt64) -> Float?

    /// Heard from the next cycle on, without a click, and the end of what is under way to another value.
    ///
    /// A value out of range is brought into it; what is no number, what is only reported, and an address that the unit does not
    /// have change nothing.
    func setValue(_ value: Float, at address: UInt64)

    /// The same from a time on, in a straight line.
    ///
    /// - Parameters:
    ///   - sampleTime: as of a `UnitEvent`.
    ///   - rampFrames: how long the value takes.
    func schedule(_ value: Float, at address: UInt64, from sampleTime: Int64, rampFrames: UInt32)

    /// What is scheduled: an engine carries it out in the cycles that it renders the unit in.
    var ramps: ParameterRamps { get }

    /// Whether the sound passes unchanged; to and from that without a click.
    var isBypassed: Bool { get set }

    /// Seconds of sound after the end of the input, at the settings of now.
    var tailSeconds: Double { get }
}
