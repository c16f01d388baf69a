// The codes of four letters by which an AudioComponentDescription names a unit.
//
// Source: SDK headers AUComponent.h and AudioComponent.h.

/// A code of four letters.
public typealias OSType = UInt32

/// A number of beats; this library has no sequencer that counts them.
///
/// Source: SDK header MusicPlayer.h.
public typealias MusicTimeStamp = Double

/// "auou": a device.
public let kAudioUnitType_Output: UInt32 = 0x6175_6f75
/// "aumu": makes sound from MIDI.
public let kAudioUnitType_MusicDevice: UInt32 = 0x6175_6d75
/// "aumf": changes sound, controlled by MIDI.
public let kAudioUnitType_MusicEffect: UInt32 = 0x6175_6d66
/// "aufc": a unit whose input and output may have different numbers of frames.
public let kAudioUnitType_FormatConverter: UInt32 = 0x6175_6663
/// "aufx": changes sound.
public let kAudioUnitType_Effect: UInt32 = 0x6175_6678
/// "aumx": mixes sounds.
public let kAudioUnitType_Mixer: UInt32 = 0x6175_6d78
/// "augn": makes sound.
public let kAudioUnitType_Generator: UInt32 = 0x6175_676e

/// "appl": Apple's units; the units of this library match it, too.
public let kAudioUnitManufacturer_Apple: UInt32 = 0x6170_706c

/// "rioc": the device.
public let kAudioUnitSubType_RemoteIO: UInt32 = 0x7269_6f63
/// "mcmx": a mixer.
public let kAudioUnitSubType_MultiChannelMixer: UInt32 = 0x6d63_6d78
/// "mxmx": a mixer from each input channel to each output channel.
public let kAudioUnitSubType_MatrixMixer: UInt32 = 0x6d78_6d78
/// "sspl": a player.
public let kAudioUnitSubType_ScheduledSoundPlayer: UInt32 = 0x7373_706c
/// "nutp": speed and pitch, separately.
public let kAudioUnitSubType_NewTimePitch: UInt32 = 0x6e75_7470
/// "tmpt": like ``kAudioUnitSubType_NewTimePitch``.
public let kAudioUnitSubType_TimePitch: UInt32 = 0x746d_7074
/// "ipto": the time pitch of older apps; the same unit here.
public let kAudioUnitSubType_AUiPodTimeOther: UInt32 = 0x6970_746f
/// "vari": speed and pitch together.
public let kAudioUnitSubType_Varispeed: UInt32 = 0x7661_7269

/// Flags in `AudioComponentDescription.componentFlags`, which this library does not use.
///
/// Source: SDK header AudioComponent.h.
public struct AudioComponentFlags: OptionSet, Hashable, Sendable {
    /// The bits of `componentFlags`.
    public let rawValue: UInt32
    /// Creates flags from bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Searches leave it out.
    public static let unsearchable = AudioComponentFlags(rawValue: 1)
    /// It can be opened in a sandbox.
    public static let sandboxSafe = AudioComponentFlags(rawValue: 2)
    /// It is an `AUAudioUnit`.
    public static let isV3AudioUnit = AudioComponentFlags(rawValue: 4)
    /// It can only be made asynchronously.
    public static let requiresAsyncInstantiation = AudioComponentFlags(rawValue: 8)
    /// It can be loaded into the app's process.
    public static let canLoadInProcess = AudioComponentFlags(rawValue: 16)
}
