public import CAudioTypes

// What functions of audio units return, and what engines throw as a code. Source: SDK header AUComponent.h.

/// The property is none of this unit's.
public let kAudioUnitErr_InvalidProperty: OSStatus = -10879
public let kAudioUnitErr_InvalidParameter: OSStatus = -10878
/// There is no such bus.
public let kAudioUnitErr_InvalidElement: OSStatus = -10877
public let kAudioUnitErr_NoConnection: OSStatus = -10876
public let kAudioUnitErr_FormatNotSupported: OSStatus = -10868
public let kAudioUnitErr_InvalidScope: OSStatus = -10866
public let kAudioUnitErr_InvalidPropertyValue: OSStatus = -10851
