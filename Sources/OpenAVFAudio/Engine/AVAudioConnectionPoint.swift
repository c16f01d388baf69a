public import Foundation

/// One bus of a node, for connections from one node to several.
///
/// Source: SDK header AVAudioConnectionPoint.h.
open class AVAudioConnectionPoint: NSObject {
    /// Nil once the node is gone.
    public private(set) weak var node: AVAudioNode?
    public let bus: AVAudioNodeBus

    public init(node: AVAudioNode, bus: AVAudioNodeBus) {
        self.node = node
        self.bus = bus
        super.init()
    }
}
