public import CAudioTypes

// What functions of audio units return, and what engines throw as a code. Source: SDK header AUComponent.h.

/// The unit does not have this property.
public let kAudioUnitErr_InvalidProperty: OSStatus = -10879
public let kAudioUnitErr_InvalidParameter: OSStatus = -10878
/// The bus does not exist.
public let kAudioUnitErr_InvalidElement: OSStatus = -10877
public let kAudioUnitErr_NoConnection: OSStatus = -10876
public let kAudioUnitErr_FormatNotSupported: OSStatus = -10868
public let kAudioUnitErr_InvalidScope: OSStatus = -10866
public let kAudioUnitErr_InvalidPropertyValue: OSStatus = -10851
