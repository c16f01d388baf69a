public import CAudioTypes

/// Renders frames into a buffer list of the rendering format; returns the status, and optionally an error.
///
/// Source: SDK header AVAudioEngine.h.
public typealias AVAudioEngineManualRenderingBlock = (
    AVAudioFrameCount, UnsafeMutablePointer<AudioBufferList>, UnsafeMutablePointer<OSStatus>?
) -> AVAudioEngineManualRenderingStatus
