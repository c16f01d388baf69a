internal import Foundation

/// The input device.
///
/// This build has no input yet: the node's formats have no channels and 0 Hz, as Apple's have without an input route, and
/// connecting it throws, or ends the program where Apple's call does. A tap on it is never called.
///
/// Source: SDK header AVAudioIONode.h.
open class AVAudioInputNode: AVAudioIONode, AVAudioMixing {
    open override func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { .noDevice }
    open override func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { .noDevice }
    open override var lastRenderTime: AVAudioTime? { nil }

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
