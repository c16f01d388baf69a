package import AudioModel
import Synchronization

/// Mixes the only source of a renderer into the channels of an output, and feeds a tap with it.
///
/// Any thread except the render thread.
package final class SourceMixer: Sendable {
    private let engine: EngineRenderer
    private let source: SourceFeed
    private let channels: [ChannelLabel]
    private let outputs: Mutex<Outputs>

    private struct Outputs {
        var ports: [[ChannelLabel]]
        /// The channels of all ports, one port after the other; empty until ports are set.
        var channels: [PortChannel] = []
        var map: [Int]?
        var pan: Float = 0
        var tap: TapFeed?
    }

    /// Plays each channel of the source on one output.
    ///
    /// - Parameters:
    ///   - engine: a renderer with no other source; only this object publishes plans to it.
    ///   - channels: the labels of the source's channels.
    package init(engine: EngineRenderer, source: SourceFeed, channels: [ChannelLabel]) {
        precondition(
            source.channels == channels.count, "\(source.channels) channels have a label each, not \(channels.count)")
        self.engine = engine
        self.source = source
        self.channels = channels
        outputs = Mutex(Outputs(ports: [channels]))
        change { _ in }
    }

    /// Mixes for the channels of these ports, one port after the other, from the next cycle on.
    ///
    /// Gains slide to the new values within a ramp. If a row now belongs to another channel or device and has other
    /// gains, the old mix ends at once and the new one fades in, because a slide would play sound on the wrong device.
    ///
    /// - Parameter map: output i plays the source's channel `map[i]`, or silence if there is no such channel; nil for
    ///   the default.
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

    /// The pan, from -1 (left) to 1 (right); 0 changes nothing.
    ///
    /// A channel map overrides it.
    package var pan: Float {
        get { outputs.withLock { $0.pan } }
        set { change { $0.pan = newValue.isFinite ? min(max(newValue, -1), 1) : 0 } }
    }

    /// Sets the tap that hears the source's channels from the next cycle on; nil removes it.
    package func setTap(_ tap: TapFeed?) { change { $0.tap = tap } }

    /// Makes a tap for `setTap`.
    package func makeTap(capacitySeconds: Double) -> TapFeed {
        engine.makeTap(channels: channels.count, capacitySeconds: capacitySeconds)
    }

    /// Publishes under the lock; otherwise an older plan could replace a newer one.
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

/// A channel of a port; the port need not exist.
package struct PortChannel: Hashable, Sendable {
    /// The uid of the port.
    package var uid: String
    /// The index of the channel in the port, from 0.
    package var index: Int

    package init(uid: String, index: Int) {
        self.uid = uid
        self.index = index
    }
}
