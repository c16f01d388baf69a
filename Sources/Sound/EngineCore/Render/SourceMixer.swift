package import AudioModel
import Synchronization

/// Spreads the one source of a renderer over the channels of an output, and lets a tap hear it.
///
/// Any thread but the render thread.
package final class SourceMixer: Sendable {
    private let engine: EngineRenderer
    private let source: SourceFeed
    private let channels: [ChannelLabel]
    private let outputs: Mutex<Outputs>

    private struct Outputs {
        var ports: [[ChannelLabel]]
        /// Of all ports in a row; empty where no ports were named.
        var channels: [PortChannel] = []
        var map: [Int]?
        var pan: Float = 0
        var tap: TapFeed?
    }

    /// Plays the source on as many outputs as it has channels, one to one.
    ///
    /// - Parameters:
    ///   - engine: plays nothing but the source, and only this object publishes to it.
    ///   - channels: the source's.
    package init(engine: EngineRenderer, source: SourceFeed, channels: [ChannelLabel]) {
        precondition(
            source.channels == channels.count, "\(source.channels) channels have a label each, not \(channels.count)")
        self.engine = engine
        self.source = source
        self.channels = channels
        outputs = Mutex(Outputs(ports: [channels]))
        change { _ in }
    }

    /// Mixes for the channels of these ports in a row, from the next cycle on.
    ///
    /// Gains slide there within a ramp. Where a row belongs to another device's channel than before and gets something
    /// else, all that was mixed before ends at once and the next fades in: a slide would sound on a device that it was
    /// not meant for.
    ///
    /// - Parameter map: output i plays the source's channel `map[i]`, or nothing where there is none; nil: the default.
    package func setOutputs(_ ports: [Port], map: [Int]?) {
        let channels = ports.flatMap { port in
            port.channels.indices.map { PortChannel(uid: port.uid, index: $0) }
        }
        change { outputs in
            let (channelsBefore, before) = (outputs.channels, matrix(outputs))
            outputs.ports = ports.map(\.channels)
            outputs.channels = channels
            outputs.map = map
            let after = matrix(outputs)
            let isCut = zip(channelsBefore, channels).enumerated().contains { row, channel in
                channel.0 != channel.1 && row < min(before.rows, after.rows) && before.row(row) != after.row(row)
            }
            if isCut { engine.noteCut() }
        }
    }

    /// -1 (left) to 1 (right); 0 changes nothing.
    ///
    /// A map overrides it.
    package var pan: Float {
        get { outputs.withLock { $0.pan } }
        set { change { $0.pan = newValue.isFinite ? min(max(newValue, -1), 1) : 0 } }
    }

    /// Lets a tap hear the source's channels, from the next cycle on; nil: none.
    package func setTap(_ tap: TapFeed?) { change { $0.tap = tap } }

    /// A tap for `setTap`.
    package func makeTap(capacitySeconds: Double) -> TapFeed {
        engine.makeTap(channels: channels.count, capacitySeconds: capacitySeconds)
    }

    /// Published under the lock, or an older plan could overtake a newer one.
    private func change(_ body: (inout Outputs) -> Void) {
        outputs.withLock { outputs in
            body(&outputs)
            let matrix = matrix(outputs)
            engine.publish(
                sources: [source], taps: outputs.tap.map { [$0] } ?? [], outputChannels: matrix.rows,
                matrix: matrix.gains + (outputs.tap == nil ? [] : Matrix.identity(channels.count).gains))
        }
    }

    private func matrix(_ outputs: Outputs) -> Matrix {
        if let map = outputs.map { return .selection(map, columns: channels.count) }
        let rows = outputs.ports.reduce(0) { $0 + $1.count }
        let gains = PanLaw.gains(pan: outputs.pan, channels: outputs.ports.first ?? [])
        return Matrix(
            rows: rows, columns: channels.count,
            gains: MixMatrix.compile(from: channels, toPorts: outputs.ports)
        ).scaled(rowsBy: gains + [Float](repeating: 1, count: rows - gains.count))
    }
}

/// A channel of a port, whether the port is there or not.
package struct PortChannel: Hashable, Sendable {
    /// The port's.
    package var uid: String
    /// Counts from 0 within the port.
    package var index: Int

    package init(uid: String, index: Int) {
        self.uid = uid
        self.index = index
    }
}
