public import Foundation

/// One bus of a node, for connections from one node to several.
///
/// Source: SDK header AVAudioConnectionPoint.h.
open class AVAudioConnectionPoint: NSObject {
    /// Nil once the node is gone.
    public private(set) weak var node: AVAudioNode?
    /// The number of the node's input or output, from 0.
    public let bus: AVAudioNodeBus

    /// A point at a bus of a node; whether the bus exists is checked when it is connected.
    public init(node: AVAudioNode, bus: AVAudioNodeBus) {
        self.node = node
        self.bus = bus
        super.init()
    }
}
