import EffectCore
import RenderCore

/// Owns a render plan and the objects that it points to.
///
/// Sendable by rule: nothing is changed after the plan is published.
final class PlanMemory: @unchecked Sendable {
    let plan: UnsafeMutablePointer<RenderPlan>
    private let memory = RenderMemory()
    private let sources: [SourceFeed]
    private let processors: [ProcessorSlot]
    private let taps: [TapFeed]

    /// Whether the release of the last reference may run the app's code.
    var holdsAppCode: Bool {
        !processors.isEmpty || sources.contains { $0.call != nil } || taps.contains { $0.call != nil }
    }

    /// - Parameter matrix: row-major, [channel of an output, a tap or a processor's input][channel of a source or a processor].
    init(
        sources: [SourceFeed], processors: [ProcessorSlot], taps: [TapFeed], outputChannels: Int, matrix: [Float]
    ) {
        (self.sources, self.processors, self.taps) = (sources, processors, taps)
        let inputs = sources.map { MixInput.source($0.source) } + processors.map { .processor($0.processor) }
        let columns = zip(inputs, sources.map(\.channels) + processors.map(\.shape.output.channels.count)).flatMap {
            input, channels in (0..<channels).map { (input: input, channel: $0) }
        }
        let rowCount =
            taps.reduce(outputChannels) { $0 + $1.channels } + processors.reduce(0) { $0 + $1.shape.inputChannels }
        precondition(
            matrix.count == rowCount * columns.count,
            "a plan of \(rowCount) rows and \(columns.count) columns has their product of gains, not \(matrix.count)")
        var terms: [MixTerm] = []
        var termInputs: [MixInput] = []
        var starts = [0]
        for row in 0..<rowCount {
            for (index, column) in columns.enumerated() {
                let gain = matrix[row * columns.count + index]
                guard gain != 0 else { continue }
                terms.append(MixTerm(column.input, channel: column.channel, gain: gain))
                termInputs.append(column.input)
            }
            starts.append(terms.count)
        }
        plan = memory.block(
            of: RenderPlan(
                outputChannels: outputChannels, columnCount: columns.count, sourceCount: sources.count,
                sources: memory.copy(sources.map(\.source)), processorCount: processors.count,
                processors: memory.copy(processors.map(\.processor)), tapCount: taps.count,
                taps: memory.copy(taps.map(\.tap)), matrix: memory.copy(matrix), terms: memory.copy(terms),
                termStarts: memory.copy(starts), termInputs: memory.copy(termInputs)))
    }
}
