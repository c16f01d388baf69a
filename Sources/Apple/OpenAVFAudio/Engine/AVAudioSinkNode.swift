internal import AudioRuntime
public import CAudioTypes

/// Receives frames of the input: the time of the first one, their number, and the samples, which are valid during the
/// call.
///
/// Called in the cycle of the input, as on iOS, so it must not lock, wait or allocate. A block that once takes longer than
/// a cycle, or three times within thirty cycles more than half of one, is called on the engine's thread for taps, until the
/// engine opens its input again; then up to two seconds of sound are buffered for it, further sound is lost, and the sample
/// times show the gap. In manual rendering, it is called on the thread that renders.
///
/// It may change, stop, start and release the engine, as a block of a source node (`AVAudioSourceNodeRenderBlock`). The
/// returned value is ignored.
public typealias AVAudioSinkNodeReceiverBlock = (
    UnsafePointer<AudioTimeStamp>, AVAudioFrameCount, UnsafePointer<AudioBufferList>
) -> OSStatus

/// A node that passes the captured input to a block of the app.
///
/// Connect it to the input node, or to mixers and effects that have the input's rate and no other source. An engine with
/// another graph does not start.
///
/// Source: SDK header AVAudioSinkNode.h.
open class AVAudioSinkNode: AVAudioNode {
    /// A sink that calls a block in the input's cycles.
    ///
    /// - Parameter block: called with each block of frames; see `AVAudioSinkNodeReceiverBlock`.
    public init(receiverBlock block: @escaping AVAudioSinkNodeReceiverBlock) {
        super.init(core: NodeController(.sink(SinkNodeController(AppBlock.sink(block))), name: "sink"))
    }

    /// Whether the block is called in the input's cycle; false once it was too slow for that, and while the engine's input is
    /// not open.
    ///
    /// Any thread.
    ///
    /// Source: ours (docs/decisions/0049-app-code-in-the-cycle.md).
    public var isCalledInRenderCycle: Bool { core.role.sink?.isInCycle ?? false }

    /// How often the block has taken more than half of its cycle, since the engine opened its input.
    ///
    /// Any thread.
    ///
    /// Source: ours (docs/decisions/0049-app-code-in-the-cycle.md).
    public var slowRenderCallCount: Int { core.role.sink?.slowCalls ?? 0 }
}
