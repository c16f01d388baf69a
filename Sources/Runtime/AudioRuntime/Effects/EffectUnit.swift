package import EffectCore
package import EngineCore

/// An effect of this library as a node's unit: its settings, and the processors that obey them.
///
/// Any thread but the render thread.
package final class EffectUnit: ParameterizedUnit {
    /// The settings: properties and parameter trees read and write them.
    package let settings: EffectParameters
    package let ramps: ParameterRamps

    /// - Parameter bands: of an equalizer, 0 to `EffectKind.mostBands`.
    package init(_ kind: EffectKind, bands: Int = 0) {
        settings = EffectParameters(kind, bands: bands)
        ramps = ParameterRamps(cells: settings.cells, counter: EffectParameters.counterCell)
    }

    /// Every format passes: while a graph is built, one side of a node may have its own already and the other not yet.
    package func check(_ shape: ProcessorShape, title: String) throws(GraphError) {
        guard shape.inputs.count == 1 else {
            throw .unitRefused(unit: title, reason: "It has one input, not \(shape.inputs.count).")
        }
    }

    package func makeProcessor(_ shape: ProcessorShape) throws(GraphError) -> any UnitProcessor {
        let name = "the \(settings.kind.name)"
        try check(shape, title: name)
        let (inputs, outputs) = (shape.inputs[0].channels.count, shape.output.channels.count)
        guard inputs == 1 || inputs == outputs else {
            throw .unitRefused(
                unit: name,
                reason: """
                    It gives as many channels as it gets, or more of a single one, and would get \(inputs) and give \(outputs). \
                    Connect its input and its output with the same format.
                    """)
        }
        return EffectProcessor(
            settings, channels: outputs, sampleRate: shape.output.sampleRate, maximumFrames: shape.maximumFrames)
    }

    package var parameters: [UnitParameter] { settings.descriptions }

    package func value(at address: UInt64) -> Float? { settings.value(at: address) }

    package func setValue(_ value: Float, at address: UInt64) { settings.set(value, at: address) }

    package func observe(_ observer: @escaping UnitParameter.Observer) { settings.observe(observer) }

    package func schedule(_ value: Float, at address: UInt64, from sampleTime: Int64, rampFrames: UInt32) {
        guard let (cell, value) = settings.cell(for: value, at: address) else { return }
        ramps.put(value, in: cell, at: sampleTime, rampFrames: rampFrames)
    }

    package var isBypassed: Bool {
        get { settings.isBypassed }
        set { settings.isBypassed = newValue }
    }

    package var tailSeconds: Double { settings.tailSeconds }
}

extension EffectProcessor: UnitProcessor {}
