internal import AudioRuntime
internal import EngineCore
internal import Foundation

/// The output device: all ports of the session's route, with their channels in the order of the route.
///
/// Input with another rate or other channels is converted. `auAudioUnit.channelMap` determines the output channels.
///
/// Source: SDK header AVAudioIONode.h.
open class AVAudioOutputNode: AVAudioIONode {
    /// The format of the connection; without a connection, the format of the device.
    open override func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus == 0 else { return .noDevice }
        return connectedFormat(forBus: 0) ?? outputFormat(forBus: 0)
    }

    /// The format of the device: the sum of the channels of `currentRoute.outputs`, at the rate of the first.
    ///
    /// 0 channels at 0 Hz while the route has no output. In manual rendering, the rendering format.
    open override func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus == 0, let place = core.place else { return .noDevice }
        return attachedEngine?.manual.current?.format ?? place.control.outputFormat.map { AVAudioFormat($0) }
            ?? .noDevice
    }
}
