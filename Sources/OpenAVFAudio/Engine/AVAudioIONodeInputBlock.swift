public import CAudioTypes

/// Gives the engine frames of input when it renders by hand: so many, or fewer, as the sizes in the list say; nil for none.
///
/// On the thread that renders. The list is read before the block is called again.
///
/// Source: SDK header AVAudioIONode.h (iOS 11).
public typealias AVAudioIONodeInputBlock = (AVAudioFrameCount) -> UnsafePointer<AudioBufferList>?
