internal import Foundation

// What an AudioComponentDescription names a unit by. Source: SDK header AUComponent.h.

/// "aufc": a unit whose input and output may have different numbers of frames.
public let kAudioUnitType_FormatConverter: UInt32 = 0x6175_6663
/// "nutp": speed and pitch, separately.
public let kAudioUnitSubType_NewTimePitch: UInt32 = 0x6e75_7470
/// "tmpt": like ``kAudioUnitSubType_NewTimePitch``.
public let kAudioUnitSubType_TimePitch: UInt32 = 0x746d_7074
/// "vari": speed and pitch together.
public let kAudioUnitSubType_Varispeed: UInt32 = 0x7661_7269
