internal import AudioRuntime
public import CAudioTypes

/// Receives frames of the input: the time of the first one, their number, and the samples, which are valid during the
/// call.
///
/// Called on the thread of the engine that calls taps, one after the other, never on the data thread, so it may block.
/// Up to two seconds of sound are buffered for it. Further sound is lost, and the sample times show the gap. The
/// returned value is ignored.
public typealias AVAudioSinkNodeReceiverBlock = (
    UnsafePointer<AudioTimeStamp>, AVAudioFrameCount, UnsafePointer<AudioBufferList>
) -> OSStatus

/// A node that passes the captured input to a block of the app.
///
/// Connect it to the input node, or to mixers that have the input's rate and no other input. An engine with another
/// graph does not start.
///
/// Source: SDK header AVAudioSinkNode.h.
open class AVAudioSinkNode: AVAudioNode {
    /// A sink that calls a block on the thread `oav-taps`, where the block may wait.
    ///
    /// - Parameter block: called with each block of frames; see `AVAudioSinkNodeReceiverBlock`.
    public init(receiverBlock block: @escaping AVAudioSinkNodeReceiverBlock) {
        super.init(core: NodeController(.sink, name: "sink", sink: SinkNodeController(AppBlock.sink(block))))
    }
}
