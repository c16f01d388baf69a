package import EffectCore
package import EngineCore
import Synchronization

/// A matrix mixer as a node's unit: each channel of its inputs goes to each channel of its output, at a level of its own.
///
/// Any thread but the render thread. It has no parameters with an address, and no bypass.
package final class MatrixMixerUnit: ParameterizedUnit {
    package let inputCount: Int? = nil
    package let levels = MatrixLevels()
    package let ramps: ParameterRamps
    private let buses = Atomic(1)

    package init() { ramps = ParameterRamps(cells: levels.cells, counter: nil) }

    /// How many inputs its app wants to connect: kept for the app, as a node has as many as are connected.
    package var wantedInputs: Int {
        get { buses.load(ordering: .relaxed) }
        set { buses.store(newValue, ordering: .relaxed) }
    }

    package func check(_ shape: ProcessorShape, title: String) throws(GraphError) {
        let channels = (shape.inputs.reduce(0) { $0 + $1.channels.count }, shape.output.channels.count)
        guard max(channels.0, channels.1) <= MatrixLevels.mostChannels else {
            throw .unitRefused(
                unit: title,
                reason: """
                    It has at most \(MatrixLevels.mostChannels) channels on a side, and would have \(channels.0) at its inputs \
                    and \(channels.1) at its output. Connect formats with fewer channels.
                    """)
        }
    }

    package func makeProcessor(_ shape: ProcessorShape) throws(GraphError) -> any UnitProcessor {
        try check(shape, title: "the matrix mixer")
        return MatrixProcessor(
            levels, inputChannels: shape.inputs.reduce(0) { $0 + $1.channels.count },
            outputChannels: shape.output.channels.count, sampleRate: shape.output.sampleRate)
    }

    package var parameters: [UnitParameter] { [] }

    package func value(at address: UInt64) -> Float? { nil }

    package func setValue(_ value: Float, at address: UInt64) {}

    package func schedule(_ value: Float, at address: UInt64, from sampleTime: Int64, rampFrames: UInt32) {}

    package var isBypassed: Bool {
        get { false }
        set {}
    }

    package var tailSeconds: Double { 0 }
}

extension MatrixProcessor: UnitProcessor {}
