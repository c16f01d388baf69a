import AudioModel
internal import CAudioTypes
public import Foundation

/// A sampler without samples: it is a node like any instrument, and always silent.
///
/// Nothing loads Apple's presets, and without one no note is heard (docs/decisions/0078-a-sampler-without-samples.md).
/// Libraries that have a sampler in their graph run; what asks for its sound gets an error. Play recordings with
/// ``AVAudioPlayerNode``.
///
/// Any thread.
///
/// Source: SDK header AVAudioUnitSampler.h.
open class AVAudioUnitSampler: AVAudioUnitMIDIInstrument {
    /// A silent one.
    public init() {
        do { try super.init(SilentInstrument.component) } catch {
            programmerError("the silent instrument was refused: \(error)")
        }
    }

    /// Kept, changes no sound: -90 to +12 dB on iOS.
    open var overallGain: Float = 0
    /// The older name of ``overallGain``.
    open var masterGain: Float {
        get { overallGain }
        set { overallGain = newValue }
    }
    /// Kept, changes no sound: -100 to +100 on iOS.
    open var stereoPan: Float = 0
    /// Kept, changes no sound: in cents, -2400 to 2400 on iOS.
    open var globalTuning: Float = 0

    /// Always throws: nothing loads a SoundFont or DLS file.
    ///
    /// - Throws: `kAudioUnitErr_InvalidFile`, of `com.apple.coreaudio.avfaudio`.
    open func loadSoundBankInstrument(at bankURL: URL, program: UInt8, bankMSB: UInt8, bankLSB: UInt8) throws {
        throw Self.refusal(of: [bankURL])
    }

    /// Always throws: nothing loads an `.aupreset` or EXS24 file, nor plays a sound file as notes.
    ///
    /// - Throws: `kAudioUnitErr_InvalidFile`, of `com.apple.coreaudio.avfaudio`.
    open func loadInstrument(at instrumentURL: URL) throws { throw Self.refusal(of: [instrumentURL]) }

    /// Always throws: nothing plays sound files as notes.
    ///
    /// - Throws: `kAudioUnitErr_InvalidFile`, of `com.apple.coreaudio.avfaudio`.
    open func loadAudioFiles(at audioFiles: [URL]) throws { throw Self.refusal(of: audioFiles) }

    private static func refusal(of files: [URL]) -> NSError {
        let names = files.map(\.lastPathComponent).joined(separator: ", ")
        return .audio(
            kAudioUnitErr_InvalidFile,
            "The sampler loads nothing, so not \"\(names)\": play recordings with AVAudioPlayerNode, or register an AUAudioUnit "
                + "of the type kAudioUnitType_MusicDevice.")
    }
}

/// 0x78, of the percussion of a General MIDI bank.
///
/// Source: SDK header AudioUnitProperties.h.
public let kAUSampler_DefaultPercussionBankMSB = 0x78
/// 0x79, of the melodic instruments of a General MIDI bank.
///
/// Source: SDK header AudioUnitProperties.h.
public let kAUSampler_DefaultMelodicBankMSB = 0x79
/// 0, of any bank.
///
/// Source: SDK header AudioUnitProperties.h.
public let kAUSampler_DefaultBankLSB = 0x00

/// An instrument that makes no sound.
private final class SilentInstrument: AUAudioUnit {
    /// In no list: whoever looks for an instrument wants to hear it.
    static let component = UnitComponent(
        type: kAudioUnitType_MusicDevice, subType: 0x7361_6d70, name: "AUSampler", .subclass(SilentInstrument.self))

    private let output: AUAudioUnitBus
    private lazy var outputs = AUAudioUnitBusArray(audioUnit: self, busType: .output, busses: [output])

    override init(
        componentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = []
    ) throws {
        guard let format = AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2) else {
            throw NSError.audio(kAudioUnitErr_FormatNotSupported, "There is no stereo format.")
        }
        output = try AUAudioUnitBus(format: format)
        try super.init(componentDescription: componentDescription, options: options)
    }

    override var outputBusses: AUAudioUnitBusArray { outputs }

    override var internalRenderBlock: AUInternalRenderBlock {
        { _, _, _, _, output, _, _ in
            UnsafeMutableAudioBufferListPointer(output).silence()
            return noErr
        }
    }
}
