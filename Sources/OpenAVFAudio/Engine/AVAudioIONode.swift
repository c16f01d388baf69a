public import Foundation

/// A device, as a node: the base of the output and the input.
///
/// Source: SDK header AVAudioIONode.h.
open class AVAudioIONode: AVAudioNode {
    /// Seconds between the engine and the air; 0 while the engine has no stream.
    public var presentationLatency: TimeInterval {
        guard let control = core.place?.control else { return 0 }
        return core.kind == .output ? control.outputLatency : control.inputLatency
    }

    /// The node's unit for `AudioUnitSetProperty` and `AudioUnitGetProperty`; valid while the node is.
    public var audioUnit: AudioUnit? { AudioUnitRegistry.handle(of: auAudioUnit) }

    /// There is no voice processing here: false.
    public var isVoiceProcessingEnabled: Bool { false }

    /// - Throws: `NSError` for true: there is no voice processing here.
    public func setVoiceProcessingEnabled(_ enabled: Bool) throws {
        guard enabled else { return }
        throw NSError.audio(
            kAudioUnitErr_InvalidProperty,
            "Voice processing was asked for and is not there: use PipeWire's echo-cancel module as the input.")
    }
}
