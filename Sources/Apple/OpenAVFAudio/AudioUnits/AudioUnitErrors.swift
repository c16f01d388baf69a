public import CAudioTypes

// Codes that functions of audio units return and that engines throw. Source: SDK header AUComponent.h.

/// The unit is rendering.
public let kAudioUnitErr_Initialized: OSStatus = -10849
/// The property can only be read.
public let kAudioUnitErr_PropertyNotWritable: OSStatus = -10865
/// The unit has no render resources, or no implementation of its own.
public let kAudioUnitErr_Uninitialized: OSStatus = -10867
/// The cycle has more frames than the unit was prepared for.
public let kAudioUnitErr_TooManyFramesToProcess: OSStatus = -10874
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
/// A file cannot be loaded: `AVAudioUnitSampler` loads none.
public let kAudioUnitErr_InvalidFile: OSStatus = -10871

// Codes that apps compare with; this library returns none of them. Source: SDK headers AUComponent.h, AUGraph.h and
// MusicPlayer.h.

/// Nothing here returns it: the unit could not be prepared.
public let kAudioUnitErr_FailedInitialization: OSStatus = -10875
/// Nothing here returns it: the property is not set.
public let kAudioUnitErr_PropertyNotInUse: OSStatus = -10850
/// Nothing here returns it: the unit does not render offline at this moment.
public let kAudioUnitErr_InvalidOfflineRender: OSStatus = -10848
/// Nothing here returns it: the unit has no licence.
public let kAudioUnitErr_Unauthorized: OSStatus = -10847

/// Nothing here returns it: a graph of units lacks the node.
public let kAUGraphErr_NodeNotFound: OSStatus = -10860
/// Nothing here returns it: a graph of units does not allow the connection.
public let kAUGraphErr_InvalidConnection: OSStatus = -10861
/// Nothing here returns it: a graph of units has no output, or two.
public let kAUGraphErr_OutputNodeErr: OSStatus = -10862
/// Nothing here returns it: not on this thread.
public let kAUGraphErr_CannotDoInCurrentContext: OSStatus = -10863
/// Nothing here returns it: a graph of units has a node without a unit.
public let kAUGraphErr_InvalidAudioUnit: OSStatus = -10864

/// Nothing here returns it: a sequence has another type.
public let kAudioToolboxErr_InvalidSequenceType: OSStatus = -10846
/// Nothing here returns it: a sequence has fewer tracks.
public let kAudioToolboxErr_TrackIndexError: OSStatus = -10859
/// Nothing here returns it: a sequence lacks the track.
public let kAudioToolboxErr_TrackNotFound: OSStatus = -10858
/// Nothing here returns it: after the last event of a track.
public let kAudioToolboxErr_EndOfTrack: OSStatus = -10857
/// Nothing here returns it: before the first event of a track.
public let kAudioToolboxErr_StartOfTrack: OSStatus = -10856
/// Nothing here returns it: a track cannot play there.
public let kAudioToolboxErr_IllegalTrackDestination: OSStatus = -10855
/// Nothing here returns it: a player has no sequence.
public let kAudioToolboxErr_NoSequence: OSStatus = -10854
/// Nothing here returns it: an event has another type.
public let kAudioToolboxErr_InvalidEventType: OSStatus = -10853
/// Nothing here returns it: a player plays, or does not.
public let kAudioToolboxErr_InvalidPlayerState: OSStatus = -10852
