internal import Foundation

// What an AudioComponentDescription names a unit by. Source: SDK header AUComponent.h.

/// "aufc": a unit that may take another number of frames than it gives.
public let kAudioUnitType_FormatConverter: UInt32 = 0x6175_6663
/// "nutp": speed and pitch, each by itself.
public let kAudioUnitSubType_NewTimePitch: UInt32 = 0x6e75_7470
/// "vari": speed and pitch together.
public let kAudioUnitSubType_Varispeed: UInt32 = 0x7661_7269
