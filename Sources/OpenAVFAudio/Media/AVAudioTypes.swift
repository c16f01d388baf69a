/// A position in a stream or file, counted from its first frame, or a length.
///
/// Source: SDK header AVAudioTypes.h.
public typealias AVAudioFramePosition = Int64

/// A number of frames: one sample of each channel is one frame.
public typealias AVAudioFrameCount = UInt32

/// A number of packets; in linear PCM each packet is one frame.
public typealias AVAudioPacketCount = UInt32

/// A number of channels.
public typealias AVAudioChannelCount = UInt32

/// The number of an input or output of a node, from 0.
public typealias AVAudioNodeBus = Int
