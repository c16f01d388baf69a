internal import AudioRuntime
public import CAudioTypes
internal import EngineCore
public import Foundation

/// A device as a node: the base class of the output and the input.
///
/// Source: SDK header AVAudioIONode.h.
open class AVAudioIONode: AVAudioNode {
    /// Seconds between the engine and the device's sound; 0 while the engine has no stream.
    open var presentationLatency: TimeInterval {
        guard let control = core.place?.control else { return 0 }
        return core.kind == .output ? control.outputLatency : control.inputLatency
    }

    /// The node's unit for `AudioUnitSetProperty` and `AudioUnitGetProperty`; valid while the node exists.
    open var audioUnit: AudioUnit? { AudioUnitRegistry.handle(of: auAudioUnit) }

    /// Whether the engine takes out of its input what its output plays; false without an engine.
    ///
    /// Any thread.
    open var isVoiceProcessingEnabled: Bool { core.place?.control.voiceSettings != nil }

    /// Switches voice processing on or off for the input node and the output node of the engine.
    ///
    /// PipeWire's plugin `aec/libspa-aec-webrtc` cancels the echo of what **this engine** plays and suppresses noise, in this
    /// process: sound of other players and programs stays in. What is captured becomes one voice, which every channel of the input
    /// node has, 10 ms later; an output that plays it does so in the same cycle, as without. It learns a room within 2 s. The formats of the nodes stay as they are; Apple's engine changes them.
    /// A start sets the session's mode `voiceChat` where it is `default` in category `playAndRecord`, as on iOS.
    ///
    /// App threads, while the engine is stopped. An engine that was only prepared is stopped by this.
    ///
    /// - Throws: `NSError` of `com.apple.coreaudio.avfaudio` while the engine runs, in manual rendering, for a node without an engine,
    ///   and where the plugin is not installed: the text names the package.
    ///
    /// Source: SDK header AVAudioIONode.h (iOS 13).
    open func setVoiceProcessingEnabled(_ enabled: Bool) throws {
        guard let engine = attachedEngine, let control = core.place?.control else {
            guard enabled else { return }
            throw NSError.audio(
                kAudioUnitErr_InvalidParameter,
                "Voice processing was asked for on a node without an engine: use the inputNode of an AVAudioEngine that you keep."
            )
        }
        do throws(EngineError) {
            try control.setVoiceProcessing(enabled)
        } catch {
            throw NSError.audio(error)
        }
        // It needs both.
        if enabled { _ = (engine.inputNode, engine.outputNode) }
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
