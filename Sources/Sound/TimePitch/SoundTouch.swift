import CTimePitch
package import EngineCore

/// SoundTouch as the library of time pitches.
package struct SoundTouch: TimePitchLibrary {
    /// Makes it this program's library of time pitches; again is of no effect.
    package static func register() { TimePitchLibraries.register(SoundTouch()) }

    package var isInstalled: Bool { oav_stretcher_is_available() }
    package var channels: ClosedRange<Int> { TimePitchTool.allowedChannels }
    package var highestRate: Double { TimePitchTool.highestRate }

    package func makeTool(_ format: StreamFormat) -> (any TimeEffectTool)? { TimePitchTool(format) }
}
