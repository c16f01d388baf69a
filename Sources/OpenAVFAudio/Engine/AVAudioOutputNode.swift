internal import EngineCore
internal import Foundation

/// The output device: all ports of the session's route, their channels one after the other in the route's order.
///
/// What comes in may have another rate and other channels; it is converted. Which channel goes where is for
/// `auAudioUnit.channelMap` to say.
///
/// Source: SDK header AVAudioIONode.h.
open class AVAudioOutputNode: AVAudioIONode {
    /// What is connected; without a connection, what the device takes.
    open override func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus == 0 else { return .noDevice }
        return connectedFormat(forBus: 0) ?? outputFormat(forBus: 0)
    }

    /// What the device takes: the sum of the channels of `currentRoute.outputs`, at the rate of the first.
    ///
    /// No channels at 0 Hz while the route has no output. In manual rendering, the rendering format.
    open override func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus == 0, let place = core.place else { return .noDevice }
        place.control.refreshDevice()
        return place.control.state.withLock { state in
            state.manual?.format ?? state.device.map { AVAudioFormat($0.format) } ?? .noDevice
        }
    }
}
