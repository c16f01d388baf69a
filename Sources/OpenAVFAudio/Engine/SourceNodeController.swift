import AudioRuntime
import CAudioTypes
import EngineCore
import Foundation
import Synchronization

/// A source node below its Apple face: an app's block that makes frames.
final class SourceNodeController: EngineSource {
    /// Short, as what the block makes is heard that much later; ten times the interval of the thread that feeds.
    let readAheadSeconds = 0.1
    private static let chunkFrames = 512

    private let block: SourceBlock
    private let operation = Mutex(Operation())
    private let nodeLink = Mutex(NodeLink())

    private struct NodeLink {
        weak var node: NodeController?
    }

    private struct Operation {
        var producer: BlockProducer?
        var use: SourceBinding?
        var control: EngineController?
    }

    /// - Parameter format: what the block writes; nil for what the node's bus has.
    init(format: AVAudioFormat?, _ block: @escaping AVAudioSourceNodeRenderBlock) {
        self.block = SourceBlock(format: format, block)
    }

    func bind(to node: NodeController) { nodeLink.withLock { $0.node = node } }

    func sync() {
        operation.withLock { operation in
            let place = nodeLink.withLock { $0.node }?.place
            let use = place.flatMap { $0.control.use(of: $0.id) }
            if let use, use.isSame(as: operation.use) { return }
            guard use != nil || operation.use != nil else { return }
            if let old = operation.producer {
                operation.control?.feeder.remove(old)
                old.isRunning = false
                // What it made is for another chain of effects, or another rate.
                if operation.use?.feed === use?.feed { use?.feed.flush(toFrame: 0) }
            }
            operation = Operation(producer: nil, use: use, control: place?.control)
            guard let use, let control = place?.control else { return }
            // Where the caller renders, the block is asked for what the caller asks for.
            use.feed.readAheadFrames = use.isManual ? 1 : use.readAheadFrames(seconds: readAheadSeconds)
            let maker = SourceBlockMaker(block, use)
            let producer = BlockProducer(
                source: use.feed, chunkFrames: use.isManual ? use.renderer.maximumFrames : Self.chunkFrames
            ) { output, frames, from in maker.make(output, frames, from: from) }
            operation.producer = producer
            use.feed.play()
            control.feeder.add(producer)
        }
    }

    func noteRendered() {}

    func reset() { operation.withLock { $0.use?.feed.flush(toFrame: 0) } }
}
