public import CAudioTypes
internal import RenderCore

// The blocks and values that a host and a unit exchange while the unit renders.
//
// Source: SDK headers AUAudioUnit.h, AUAudioUnitImplementation.h, AUComponent.h.

/// A number of frames.
public typealias AUAudioFrameCount = UInt32
/// A result of rendering; `noErr` is success.
public typealias AUAudioUnitStatus = OSStatus
/// The time when an event is due: the unit's sample time, or ``AUEventSampleTimeImmediate`` plus up to 4096 frames.
public typealias AUEventSampleTime = Int64
/// The start of the next cycle; a number of frames may be added.
public let AUEventSampleTimeImmediate: AUEventSampleTime = UnitEvent.soonest

/// Fills buffers with the sound of a unit's input bus.
///
/// It is called on the render thread and may not wait. `inputData` has memory, or null pointers that the block
/// replaces.
public typealias AURenderPullInputBlock = (
    _ actionFlags: UnsafeMutablePointer<AudioUnitRenderActionFlags>, _ timestamp: UnsafePointer<AudioTimeStamp>,
    _ frameCount: AUAudioFrameCount, _ inputBusNumber: Int, _ inputData: UnsafeMutablePointer<AudioBufferList>
) -> AUAudioUnitStatus

/// Renders a unit for a host.
public typealias AURenderBlock = (
    _ actionFlags: UnsafeMutablePointer<AudioUnitRenderActionFlags>, _ timestamp: UnsafePointer<AudioTimeStamp>,
    _ frameCount: AUAudioFrameCount, _ outputBusNumber: Int, _ outputData: UnsafeMutablePointer<AudioBufferList>,
    _ pullInputBlock: AURenderPullInputBlock?
) -> AUAudioUnitStatus

/// Renders a subclass of ``AUAudioUnit``.
///
/// It is called on the render thread with exactly the frames of the cycle, and may not wait, allocate or log.
/// `outputData` has planar memory for the frames; the block may replace the pointers with its own. A result other than
/// `noErr` is silence.
public typealias AUInternalRenderBlock = (
    _ actionFlags: UnsafeMutablePointer<AudioUnitRenderActionFlags>, _ timestamp: UnsafePointer<AudioTimeStamp>,
    _ frameCount: AUAudioFrameCount, _ outputBusNumber: Int, _ outputData: UnsafeMutablePointer<AudioBufferList>,
    _ realtimeEventListHead: UnsafePointer<AURenderEvent>?, _ pullInputBlock: AURenderPullInputBlock?
) -> AUAudioUnitStatus

/// Schedules a change of a parameter; any thread, also the rendering thread.
public typealias AUScheduleParameterBlock = (
    _ eventSampleTime: AUEventSampleTime, _ rampDurationSampleFrames: AUAudioFrameCount,
    _ parameterAddress: AUParameterAddress, _ value: AUValue
) -> Void

/// Schedules a MIDI message of 1 to 3 bytes; any thread, also the rendering thread.
public typealias AUScheduleMIDIEventBlock = (
    _ eventSampleTime: AUEventSampleTime, _ cable: UInt8, _ length: Int, _ midiBytes: UnsafePointer<UInt8>
) -> Void

/// Flags that a host and a unit exchange in a cycle.
public struct AudioUnitRenderActionFlags: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Given to observers before a cycle.
    public static let unitRenderAction_PreRender = AudioUnitRenderActionFlags(rawValue: 1 << 2)
    /// Given to observers after a cycle.
    public static let unitRenderAction_PostRender = AudioUnitRenderActionFlags(rawValue: 1 << 3)
    /// All of the output is 0.
    public static let unitRenderAction_OutputIsSilence = AudioUnitRenderActionFlags(rawValue: 1 << 4)
    /// For Apple's offline units.
    public static let offlineUnitRenderAction_Preflight = AudioUnitRenderActionFlags(rawValue: 1 << 5)
    /// For Apple's offline units.
    public static let offlineUnitRenderAction_Render = AudioUnitRenderActionFlags(rawValue: 1 << 6)
    /// For Apple's offline units.
    public static let offlineUnitRenderAction_Complete = AudioUnitRenderActionFlags(rawValue: 1 << 7)
    /// Given to observers after a cycle with an error.
    public static let unitRenderAction_PostRenderError = AudioUnitRenderActionFlags(rawValue: 1 << 8)
    /// The host has checked the arguments.
    public static let unitRenderAction_DoNotCheckRenderArgs = AudioUnitRenderActionFlags(rawValue: 1 << 9)
}
