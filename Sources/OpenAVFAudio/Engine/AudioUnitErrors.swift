public import CAudioTypes

// What functions of audio units return, and what engines throw as a code. Source: SDK header AUComponent.h.

/// The unit does not have this property.
public let kAudioUnitErr_InvalidProperty: OSStatus = -10879
/// The graph does not allow it: a node that is not attached, a cycle, a second tap on a bus.
public let kAudioUnitErr_InvalidParameter: OSStatus = -10878
/// The bus does not exist.
public let kAudioUnitErr_InvalidElement: OSStatus = -10877
/// A node that needs an input has none.
public let kAudioUnitErr_NoConnection: OSStatus = -10876
/// The format is not linear PCM with channels and a rate.
public let kAudioUnitErr_FormatNotSupported: OSStatus = -10868
/// The property exists in another scope.
public let kAudioUnitErr_InvalidScope: OSStatus = -10866
/// A value has the wrong size or names something that does not exist.
public let kAudioUnitErr_InvalidPropertyValue: OSStatus = -10851
