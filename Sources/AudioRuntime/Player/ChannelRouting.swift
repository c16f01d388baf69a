import AudioModel

/// Which channel of a player's file sounds where, set by hand.
enum ChannelRouting: Hashable, Sendable {
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
