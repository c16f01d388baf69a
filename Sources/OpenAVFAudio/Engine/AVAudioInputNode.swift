internal import AudioModel
internal import CAudioTypes
internal import EngineCore
internal import Foundation

/// The input device: the session's current input, as a source of the graph.
///
/// An engine whose input node was asked for captures from the next start on: it starts in a category that records and with
/// an input connected, and in no other case. With nothing connected to the output it needs no output and opens none.
///
/// What is captured goes, as it is, to a tap here and to sink nodes; the thread that feeds the engine hands it over, within
/// some 10 ms. Where the node is connected to the output, it is heard there after about 30 ms and one block, which wait in
/// between as two devices have two clocks: now and then there is a gap or a cut where these have drifted apart
/// (docs/decisions/0011-input-on-the-outputs-clock.md). Other rates are converted there.
///
/// Another input of the same rate and channel count is followed; another rate or count, or no input any more, stops the
/// engine as another output does (`AVAudioEngineConfigurationChange`).
///
/// Source: SDK header AVAudioIONode.h.
open class AVAudioInputNode: AVAudioIONode, AVAudioMixing {
    /// What the input device has; no channels at 0 Hz without one, and in a category that does not record.
    ///
    /// In manual rendering, what `setManualRenderingInputPCMFormat` has set.
    open override func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus == 0, let format = core.place?.control.inputDevice else { return .noDevice }
        return AVAudioFormat(format)
    }

    /// The device's rate, and as many channels as its map has entries.
    open override func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus == 0, let format = core.place?.control.inputFormat else { return .noDevice }
        return AVAudioFormat(format)
    }

    /// When the newest frames were captured: sample time since the engine opened the input, and the host's clock.
    ///
    /// Nil while the engine does not run and before the first frames.
    open override var lastRenderTime: AVAudioTime? {
        guard core.place?.control.isRunning == true, let moment = (core.source as? InputNodeController)?.lastMoment
        else {
            return nil
        }
        return AVAudioTime(
            hostTime: moment.hostTimeNanoseconds, sampleTime: moment.sampleTime, atRate: moment.rate)
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

    /// Has a block give the input's frames in manual rendering.
    ///
    /// It is asked on the thread that renders, before each cycle that needs input. Where it has too few frames, nothing is
    /// rendered, and the call says `insufficientDataFromInputNode`; what it gave is kept for the next call.
    ///
    /// - Parameters:
    ///   - format: linear PCM that the block gives; another rate than the rendering's is converted.
    /// - Returns: false, and nothing has changed, while the engine runs or is not in manual rendering, and for a format that
    ///   is not linear PCM with channels and a rate, which must be the rendering's or, as that, from 100 Hz to 1 MHz.
    @discardableResult
    open func setManualRenderingInputPCMFormat(
        _ format: AVAudioFormat, inputBlock block: @escaping AVAudioIONodeInputBlock
    ) -> Bool {
        guard let control = core.place?.control else { return false }
        return control.lifecycle.withLock { control.setManualInput(ManualInput(format: format, block: block)) }
    }
}
