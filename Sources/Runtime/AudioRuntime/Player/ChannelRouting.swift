import AudioModel
package import EngineCore

/// Which channel of a player's file sounds where, set by hand.
package enum ChannelRouting: Hashable, Sendable {
    /// For each channel of the outputs in a row the file's channel that sounds there, or -1.
    case map([Int])
    /// For each channel of the file the output's channel that it sounds on, each once.
    case assignments([PortChannel])

    /// For each channel of these ports in a row the file's channel that sounds there, or -1.
    func channelMap(on ports: [AudioModel.Port]) -> [Int] {
        switch self {
        case .map(let map):
            map
        case .assignments(let channels):
            ports.flatMap { port in
                port.channels.indices.map { index in
                    channels.firstIndex(of: PortChannel(uid: port.uid, index: index)) ?? -1
                }
            }
        }
    }
}

/// A channel map that was set by hand has given way to the default: the output has another number of channels now.
package struct ChannelMapReset: Hashable, Sendable {
    /// The map that no longer fitted.
    package var map: [Int]
    /// How many channels the output has now.
    package var outputChannels: Int
}
