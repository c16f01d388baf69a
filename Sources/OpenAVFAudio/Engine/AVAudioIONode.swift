internal import AudioRuntime
public import CAudioTypes
internal import EngineCore
public import Foundation

/// A device as a node: the base class of the output and the input.
///
/// Source: SDK header AVAudioIONode.h.
open class AVAudioIONode: AVAudioNode {
    /// Seconds between the engine and the device's sound; 0 while the engine has no stream.
    public var presentationLatency: TimeInterval {
        guard let control = core.place?.control else { return 0 }
        return core.kind == .output ? control.outputLatency : control.inputLatency
    }

    /// The node's unit for `AudioUnitSetProperty` and `AudioUnitGetProperty`; valid while the node exists.
    public var audioUnit: AudioUnit? { AudioUnitRegistry.handle(of: auAudioUnit) }

    /// Always false: voice processing is not supported.
    public var isVoiceProcessingEnabled: Bool { false }

    /// Does nothing for false; see ``isVoiceProcessingEnabled``.
    ///
    /// - Throws: `NSError` for true: voice processing is not supported.
    public func setVoiceProcessingEnabled(_ enabled: Bool) throws {
        guard enabled else { return }
        throw NSError.audio(
            kAudioUnitErr_InvalidProperty,
            "Voice processing was asked for and is not there: use PipeWire's echo-cancel module as the input.")
    }
}

/// Returns input frames in manual rendering: at most the requested number, given by the sizes in the list; nil for
/// none.
///
/// Called on the rendering thread. The list is read before the next call of the block.
///
/// Source: SDK header AVAudioIONode.h (iOS 11).
public typealias AVAudioIONodeInputBlock = (AVAudioFrameCount) -> UnsafePointer<AudioBufferList>?

/// The output device: all ports of the session's route, with their channels in the order of the route.
///
/// Input with another rate or other channels is converted. `auAudioUnit.channelMap` determines the output channels.
///
/// Source: SDK header AVAudioIONode.h.
open class AVAudioOutputNode: AVAudioIONode {
    /// The format of the connection; without a connection, the format of the device.
    open override func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus == 0 else { return .noDevice }
        return connectedFormat(forBus: 0) ?? outputFormat(forBus: 0)
    }

    /// The format of the device: the sum of the channels of `currentRoute.outputs`, at the rate of the first.
    ///
    /// 0 channels at 0 Hz while the route has no output. In manual rendering, the rendering format.
    open override func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus == 0, let place = core.place else { return .noDevice }
        return attachedEngine?.manual.current?.format ?? place.control.outputFormat.map { AVAudioFormat($0) }
            ?? .noDevice
    }
}
