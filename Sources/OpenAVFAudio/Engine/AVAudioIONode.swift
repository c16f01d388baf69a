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
