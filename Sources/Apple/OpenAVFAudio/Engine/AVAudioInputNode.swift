internal import AudioRuntime
internal import EngineCore
internal import Foundation
internal import Synchronization

/// The input device: the session's current input, as a source of the graph.
///
/// After an access to the input node, an engine captures from the next start. It starts only in a category that
/// records, with an input available. If nothing is connected to the output, it opens no output.
///
/// Sink nodes get the captured frames unchanged in the cycle that captures them, and a tap on this node within about 10 ms.
/// If the node is connected to the output, the sound is heard there in the next cycle where one clock drives both
/// devices, which the engine asks the sound server for. Else it is heard after about 30 ms and one block, and when the two
/// clocks have drifted apart, there is a gap or a cut (docs/decisions/0011-input-on-the-outputs-clock.md). Other rates are
/// converted there.
///
/// The engine follows a change to an input of the same rate and channel count. Another rate or count stops the engine, as
/// with the output (`AVAudioEngineConfigurationChange`). When the last input leaves, an engine that plays runs on and
/// captures again from its next `start`; one without an output stops.
///
/// Source: SDK header AVAudioIONode.h.
open class AVAudioInputNode: AVAudioIONode, AVAudioMixing {
    let duckingConfiguration = Mutex(AVAudioVoiceProcessingOtherAudioDuckingConfiguration())

    /// The format of the input device; 0 channels at 0 Hz without one, and in a category that does not record.
    ///
    /// In manual rendering, the format of `setManualRenderingInputPCMFormat`, and before that the rendering format.
    open override func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus == 0, let format = core.place?.control.inputDevice else { return .noDevice }
        return AVAudioFormat(format)
    }

    /// The device's rate, with one channel for each entry of its map.
    open override func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus == 0, let format = core.place?.control.inputFormat else { return .noDevice }
        return AVAudioFormat(format)
    }

    /// The time of the newest captured frames: sample time since the engine opened the input, and the host's clock.
    ///
    /// Nil while the engine does not run and before the first frames.
    open override var lastRenderTime: AVAudioTime? {
        guard core.place?.control.isRunning == true, let moment = core.role.input?.lastMoment else {
            return nil
        }
        return AVAudioTime(
            hostTime: moment.block.hostTimeNanoseconds, sampleTime: moment.block.sampleTime, atRate: moment.rate)
    }

    /// Sets a block that returns the frames of the input in manual rendering.
    ///
    /// It is called on the rendering thread, before each cycle that needs input. If it has too few frames, nothing is
    /// rendered, and the render call returns `insufficientDataFromInputNode`; the returned frames are kept for the next
    /// call.
    ///
    /// - Parameters:
    ///   - format: the linear PCM format of the block; a rate that differs from the rendering format is converted.
    ///   - block: returns a list with the requested number of frames, or nil if there is none.
    /// - Returns: false, without any change, while the engine runs or is not in manual rendering, and for a format that
    ///   is not linear PCM with channels and a rate. The rate must be the rendering rate, or both must be from 100 Hz
    ///   to 1 MHz.
    @discardableResult
    open func setManualRenderingInputPCMFormat(
        _ format: AVAudioFormat, inputBlock block: @escaping AVAudioIONodeInputBlock
    ) -> Bool {
        guard let control = core.place?.control, format.isRenderable else { return false }
        return control.setManualInput(
            ManualInput(format: StreamFormat(format), block: AppBlock.input(format, block)))
    }
}
