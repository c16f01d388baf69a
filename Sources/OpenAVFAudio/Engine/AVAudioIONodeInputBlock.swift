public import CAudioTypes

/// Returns input frames in manual rendering: at most the requested number, given by the sizes in the list; nil for
/// none.
///
/// Called on the rendering thread. The list is read before the next call of the block.
///
/// Source: SDK header AVAudioIONode.h (iOS 11).
public typealias AVAudioIONodeInputBlock = (AVAudioFrameCount) -> UnsafePointer<AudioBufferList>?
