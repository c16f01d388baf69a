public import Foundation

// What Apple declares and Linux cannot have, so that a use of it says why and what to do instead. The messages are the
// reasons of the rows in Coverage/avfaudio.tsv; dev/checks/coverage compares them. No call of these compiles, so that the bodies
// with `fatalError()` can never run.

@available(*, unavailable, message: "no encoder works on buffers; write with AVAudioFile")
open class AVAudioCompressedBuffer {
    public init(format: AVAudioFormat, packetCapacity: UInt32, maximumPacketSize: Int) { fatalError() }
    public init(format: AVAudioFormat, packetCapacity: UInt32) { fatalError() }
}

@available(*, unavailable, message: "MIDI is neither played nor routed; send events to an AVAudioUnitMIDIInstrument")
open class AVAudioSequencer {
    public init() { fatalError() }
    public init(audioEngine engine: AVAudioEngine) { fatalError() }
}

@available(*, unavailable, message: "no encoder has it; use AVEncoderAudioQualityKey, or AVEncoderBitRateKey for AAC")
public var AVEncoderBitRatePerChannelKey: String { fatalError() }

@available(*, unavailable, message: "no encoder has it; use AVEncoderAudioQualityKey, or AVEncoderBitRateKey for AAC")
public var AVEncoderBitRateStrategyKey: String { fatalError() }

@available(*, unavailable, message: "MIDI is neither played nor routed; send events to an AVAudioUnitMIDIInstrument")
open class AVMIDIPlayer {
    public init(contentsOf inURL: URL, soundBankURL bankURL: URL?) throws { fatalError() }
    public init(data: Data, soundBankURL bankURL: URL?) throws { fatalError() }
}

@available(*, unavailable, message: "MIDI is neither played nor routed; send events to an AVAudioUnitMIDIInstrument")
open class AVMusicTrack {
    public init() { fatalError() }
}

@available(*, unavailable, message: "macOS only; choose outputs with AudioDeviceSelection")
extension AUAudioUnit {
    public var deviceID: Never { fatalError() }
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

@available(*, unavailable, message: "MIDI is neither played nor routed; send events to an AVAudioUnitMIDIInstrument")
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
