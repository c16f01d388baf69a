package import EffectCore

/// A unit with parameters: an effect of ours, or a plug-in.
///
/// It has the only copy of their values. All members: any thread except the render thread.
package protocol ParameterizedUnit: ProcessorUnit {
    /// The parameters in the order that users see; the same each time.
    var parameters: [UnitParameter] { get }

    /// The newest value; nil for an address that the unit does not have.
    func value(at address: UInt64) -> Float?

    /// Sets a value, which is heard from the next cycle on, without a click; a ramp of this parameter ends.
    ///
    /// The value is clamped to the parameter's range. NaN, a parameter that is only reported, and an unknown address
    /// change nothing.
    func setValue(_ value: Float, at address: UInt64)

    /// Has `observer` told of each value that the unit's owner sets, and not of those of `setValue` and of ramps.
    ///
    /// It is called on the thread that sets, with no lock held; an earlier observer is not told any more.
    func observe(_ observer: @escaping UnitParameter.Observer)

    /// Ramps linearly to a value from a time on.
    ///
    /// - Parameters:
    ///   - sampleTime: a time as in `UnitEvent`.
    ///   - rampFrames: the length of the ramp.
    func schedule(_ value: Float, at address: UInt64, from sampleTime: Int64, rampFrames: UInt32)

    /// The scheduled changes; an engine applies them in the cycles in which it renders the unit.
    var ramps: ParameterRamps { get }

    /// Whether the sound passes unchanged; changes make no click.
    var isBypassed: Bool { get set }

    /// Seconds of sound after the end of the input, with the current settings.
    var tailSeconds: Double { get }
}

extension ParameterizedUnit {
    /// For units whose values only `setValue` and ramps set.
    package func observe(_ observer: @escaping UnitParameter.Observer) {}
}
