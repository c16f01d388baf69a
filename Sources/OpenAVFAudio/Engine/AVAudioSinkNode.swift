public import CAudioTypes

/// Takes frames of the input: when the first was captured, how many there are, and the samples, valid during the call.
///
/// On the thread of the engine's that calls taps, one after the other, never on the data thread: it may take its time.
/// Two seconds of sound wait for it; what comes then is lost, and the sample times show where. What it returns is not
/// looked at.
public typealias AVAudioSinkNodeReceiverBlock = (
    UnsafePointer<AudioTimeStamp>, AVAudioFrameCount, UnsafePointer<AudioBufferList>
) -> OSStatus

/// A node that hands the input to a block of the app's, as it is captured.
///
/// It belongs in the input chain: the input node, or mixers of the input's rate that nothing else feeds, connect to it. An
/// engine with another graph does not start.
///
/// Source: SDK header AVAudioSinkNode.h.
open class AVAudioSinkNode: AVAudioNode {
    /// - Parameter block: called with each block of frames; see `AVAudioSinkNodeReceiverBlock`.
    public init(receiverBlock block: @escaping AVAudioSinkNodeReceiverBlock) {
        super.init(core: NodeController(.sink, name: "sink", sink: SinkNodeController(block)))
    }
}
