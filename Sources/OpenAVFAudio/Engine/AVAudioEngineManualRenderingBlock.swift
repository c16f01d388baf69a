public import CAudioTypes

/// Renders frames into a buffer list of the rendering format; says what came of it, and why not, if asked.
///
/// Source: SDK header AVAudioEngine.h.
public typealias AVAudioEngineManualRenderingBlock = (
    AVAudioFrameCount, UnsafeMutablePointer<AudioBufferList>, UnsafeMutablePointer<OSStatus>?
) -> AVAudioEngineManualRenderingStatus
