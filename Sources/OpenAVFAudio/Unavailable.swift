public import Foundation

// What Apple declares and Linux cannot have, so that a use of it says why and what to do instead. The messages are the
// reasons of the rows in Coverage/avfaudio.tsv; dev/checks/coverage compares them. No call of these compiles, so that the bodies
// with `fatalError()` can never run.

@available(*, unavailable, message: "a node has no unit of its own; use the node's properties")
public final class AUAudioUnitBusArray {}

@available(*, unavailable, message: "a node has no unit of its own; use the node's properties")
public final class AUParameterTree {}

@available(*, unavailable, message: "no encoder works on buffers; write with AVAudioFile")
public final class AVAudioCompressedBuffer {}

@available(*, unavailable, message: "there is no 3D mixing; use AVAudioMixing.pan and volume")
public final class AVAudioEnvironmentNode {}

@available(*, unavailable, message: "there is no 3D mixing; use AVAudioMixing.pan and volume")
public protocol AVAudio3DMixing {}

@available(*, unavailable, message: "there is no 3D mixing; use AVAudioMixing.pan and volume")
public struct AVAudio3DAngularOrientation {}

@available(*, unavailable, message: "there is no 3D mixing; use AVAudioMixing.pan and volume")
public struct AVAudio3DPoint {}

@available(*, unavailable, message: "there is no 3D mixing; use AVAudioMixing.pan and volume")
public struct AVAudio3DVectorOrientation {}

@available(*, unavailable, message: "there is no 3D mixing; use AVAudioMixing.pan and volume")
public struct AVAudio3DMixingPointSourceInHeadMode {}

@available(*, unavailable, message: "there is no 3D mixing; use AVAudioMixing.pan and volume")
public struct AVAudio3DMixingRenderingAlgorithm {}

@available(*, unavailable, message: "there is no 3D mixing; use AVAudioMixing.pan and volume")
public struct AVAudio3DMixingSourceMode {}

@available(*, unavailable, message: "there is no 3D mixing; use AVAudioMixing.pan and volume")
public struct AVAudio3DVector {}

@available(*, unavailable, message: "there is no 3D mixing; use AVAudioMixing.pan and volume")
public func AVAudioMake3DPoint(_ x: Float, _ y: Float, _ z: Float) -> Never { fatalError() }

@available(*, unavailable, message: "there is no MIDI; use an ALSA or PipeWire MIDI library")
public final class AVAudioSequencer {}

@available(*, unavailable, message: "no maintained library has it (decision 12); use AVAudioSourceNode")
public final class AVAudioUnitDelay {}

@available(*, unavailable, message: "no maintained library has it (decision 12); use AVAudioSourceNode")
public final class AVAudioUnitDistortion {}

@available(*, unavailable, message: "no maintained library has it (decision 12); use AVAudioSourceNode")
public final class AVAudioUnitEQ {}

@available(*, unavailable, message: "no maintained library has it (decision 12); use AVAudioSourceNode")
public final class AVAudioUnitEQFilterParameters {}

@available(*, unavailable, message: "no maintained library has it (decision 12); use AVAudioSourceNode")
public final class AVAudioUnitReverb {}

@available(*, unavailable, message: "none of its effects is there (decision 12); use AVAudioSourceNode")
public final class AVAudioUnitEffect {}

@available(*, unavailable, message: "Apple's presets cannot be loaded (decision 12); use AVAudioPlayerNode")
public final class AVAudioUnitSampler {}

@available(*, unavailable, message: "the encoders use a quality; use AVEncoderAudioQualityKey")
public var AVEncoderBitRatePerChannelKey: String { fatalError() }

@available(*, unavailable, message: "the encoders use a quality; use AVEncoderAudioQualityKey")
public var AVEncoderBitRateStrategyKey: String { fatalError() }

@available(*, unavailable, message: "no other audio units are installed; use AVAudioUnit.instantiate")
public final class AVAudioUnitComponentManager {}

@available(*, unavailable, message: "no other audio units are installed; use AVAudioUnit.instantiate")
public final class AVAudioUnitComponent {}

@available(*, unavailable, message: "a node has no unit of its own; use the node's properties")
public final class AUParameter {}

@available(*, unavailable, message: "a node has no unit of its own; use the node's properties")
public final class AUParameterGroup {}

@available(*, unavailable, message: "a node has no unit of its own; use the node's properties")
public final class AUAudioUnitBus {}

@available(*, unavailable, message: "no maintained library has it (decision 12); use AVAudioSourceNode")
public enum AVAudioUnitEQFilterType {}

@available(*, unavailable, message: "no maintained library has it (decision 12); use AVAudioSourceNode")
public enum AVAudioUnitReverbPreset {}

@available(*, unavailable, message: "no maintained library has it (decision 12); use AVAudioSourceNode")
public enum AVAudioUnitDistortionPreset {}

@available(*, unavailable, message: "no other audio units are installed; use AVAudioUnit.instantiate")
public final class AVAudioUnitGenerator {}

@available(*, unavailable, message: "there is no MIDI; use an ALSA or PipeWire MIDI library")
public final class AVAudioUnitMIDIInstrument {}

@available(*, unavailable, message: "there is no MIDI; use an ALSA or PipeWire MIDI library")
public final class AVMIDIPlayer {}

@available(*, unavailable, message: "there is no MIDI; use an ALSA or PipeWire MIDI library")
public final class AVMusicTrack {}

@available(*, unavailable, message: "there is no 3D mixing; use AVAudioMixing.pan and volume")
public final class AVAudioEnvironmentDistanceAttenuationParameters {}

@available(*, unavailable, message: "there is no 3D mixing; use AVAudioMixing.pan and volume")
public final class AVAudioEnvironmentReverbParameters {}

@available(*, unavailable, message: "there is no speech synthesis; use speech-dispatcher")
public final class AVSpeechSynthesizer {}

@available(*, unavailable, message: "there is no speech synthesis; use speech-dispatcher")
public final class AVSpeechUtterance {}

@available(*, unavailable, message: "there is no speech synthesis; use speech-dispatcher")
public final class AVSpeechSynthesisVoice {}

@available(*, unavailable, message: "use AVAudioUnit.audioComponentDescription")
extension AUAudioUnit {
    public var componentDescription: Never { fatalError() }
}

@available(*, unavailable, message: "macOS only; choose outputs with AudioDeviceSelection")
extension AUAudioUnit {
    public var deviceID: Never { fatalError() }
}

@available(*, unavailable, message: "a node has no unit of its own; use the node's properties")
extension AUAudioUnit {
    public var fullState: Never { fatalError() }
    public var inputBusses: Never { fatalError() }
    public var outputBusses: Never { fatalError() }
    public var parameterTree: Never { fatalError() }
    public var renderBlock: Never { fatalError() }
}

@available(*, unavailable, message: "the engine allocates by itself; use AVAudioEngine.prepare()")
extension AUAudioUnit {
    public func allocateRenderResources() throws { fatalError() }
}

@available(*, unavailable, message: "macOS only; observe inputMuteStateChangeNotification")
extension AVAudioApplication {
    public func setInputMuteStateChangeHandler(_ handler: ((Bool) -> Bool)?) throws { fatalError() }
}

@available(*, unavailable, message: "no encoder works on buffers; write with AVAudioFile")
extension AVAudioConverter {
    public var applicableEncodeBitRates: Never { fatalError() }
    public var applicableEncodeSampleRates: Never { fatalError() }
    public var availableEncodeBitRates: Never { fatalError() }
    public var availableEncodeChannelLayoutTags: Never { fatalError() }
    public var availableEncodeSampleRates: Never { fatalError() }
    public var bitRate: Never { fatalError() }
    public var bitRateStrategy: Never { fatalError() }
    public var magicCookie: Never { fatalError() }
    public var maximumOutputPacketSize: Never { fatalError() }
}

@available(*, unavailable, message: "there is no MIDI; use an ALSA or PipeWire MIDI library")
extension AVAudioEngine {
    public func connectMIDI(
        _ sourceNode: AVAudioNode, to destinationNode: AVAudioNode, format: AVAudioFormat?, block: Any?
    ) { fatalError() }
    public func connectMIDI(
        _ sourceNode: AVAudioNode, to destinationNode: AVAudioNode, format: AVAudioFormat?, eventListBlock: Any?
    ) { fatalError() }
    public func disconnectMIDI(_ sourceNode: AVAudioNode, from destinationNode: AVAudioNode) { fatalError() }
    public func disconnectMIDIInput(_ node: AVAudioNode) { fatalError() }
    public func disconnectMIDIOutput(_ node: AVAudioNode) { fatalError() }
    public var musicSequence: Never { fatalError() }
    public func withMusicSequence(_ body: Any) { fatalError() }
}

@available(*, unavailable, message: "there is no 3D mixing; use AVAudioMixing.pan and volume")
extension AVAudioMixing {
    public var obstruction: Never { fatalError() }
    public var occlusion: Never { fatalError() }
    public var pointSourceInHeadMode: Never { fatalError() }
    public var position: Never { fatalError() }
    public var renderingAlgorithm: Never { fatalError() }
    public var reverbBlend: Never { fatalError() }
    public var sourceMode: Never { fatalError() }
}

@available(*, unavailable, message: "there is no CMFormatDescription; use streamDescription")
extension AVAudioFormat {
    public var formatDescription: Never { fatalError() }
    public convenience init(cmAudioFormatDescription: Any) { fatalError() }
}

@available(*, unavailable, message: "visionOS only")
extension AVAudioOutputNode {
    public var intendedSpatialExperience: Never { fatalError() }
}

@available(*, unavailable, message: "macOS only; use channelAssignments or AudioDeviceSelection")
extension AVAudioPlayer {
    public var currentDevice: Never { fatalError() }
}

@available(*, unavailable, message: "record all channels, or map them with AVAudioEngine")
extension AVAudioRecorder {
    public var channelAssignments: Never { fatalError() }
}

@available(*, unavailable, message: "presets belong to Apple's units; set the properties")
extension AVAudioUnit {
    public func loadAudioUnitPreset(at url: URL) throws { fatalError() }
}

@available(*, unavailable, message: "visionOS only")
extension AVAudioSession {
    public var intendedSpatialExperience: Never { fatalError() }
    public var isNowPlayingCandidate: Never { fatalError() }
    public func setIntendedSpatialExperience(_ intendedSpatialExperience: Any) throws { fatalError() }
    public func setIsNowPlayingCandidate(_ inValue: Bool) throws { fatalError() }
}
