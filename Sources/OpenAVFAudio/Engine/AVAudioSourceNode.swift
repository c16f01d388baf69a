public import CAudioTypes
public import Foundation

/// Makes frames: writes so many into the buffers, at the time; sets the first argument for silence.
///
/// On the thread that feeds the engine (in manual rendering: the one that renders), ahead of the render thread by up to
/// 100 ms, never on the render thread: it may take its time, but what it plays comes that much later than on Apple's
/// platforms. The buffers are zero at first. Anything but `noErr` is silence.
public typealias AVAudioSourceNodeRenderBlock = (
    UnsafeMutablePointer<ObjCBool>, UnsafePointer<AudioTimeStamp>, AVAudioFrameCount,
    UnsafeMutablePointer<AudioBufferList>
) -> OSStatus

/// A node whose sound a block of the app's makes.
///
/// Source: SDK header AVAudioSourceNode.h.
open class AVAudioSourceNode: AVAudioNode, AVAudioMixing {
    /// The block writes what the node's connection has.
    public init(renderBlock block: @escaping AVAudioSourceNodeRenderBlock) {
        let source = SourceNodeController(format: nil, block)
        super.init(core: NodeController(.source, name: "source", source: source))
        source.bind(to: core)
    }

    /// The block writes this format; the node converts to what its connection has.
    public init(format: AVAudioFormat, renderBlock block: @escaping AVAudioSourceNodeRenderBlock) {
        let source = SourceNodeController(format: format, block)
        super.init(core: NodeController(.source, name: "source", format: format, source: source))
        source.bind(to: core)
    }

    open var volume: Float {
        get { core.mixing.volume }
        set { core.setMixing { $0.volume = newValue.asVolume } }
    }

    open var pan: Float {
        get { core.mixing.pan }
        set { core.setMixing { $0.pan = newValue.asPan } }
    }

    open func destination(forMixer mixer: AVAudioNode, bus: AVAudioNodeBus) -> AVAudioMixingDestination? {
        AVAudioMixingDestination(core: core, mixer: mixer, bus: bus)
    }
}
