import RenderCore

/// Owns a render plan; keeps what it points to.
///
/// Sendable by rule: nothing is written to once the plan is published.
final class PlanMemory: @unchecked Sendable {
    let plan: UnsafeMutablePointer<RenderPlan>
    private let memory = RenderMemory()
    private let sources: [SourceFeed]
    private let taps: [TapFeed]

    /// - Parameter matrix: row-major, [output or tap channel][source channel].
    init(sources: [SourceFeed], taps: [TapFeed], outputChannels: Int, matrix: [Float]) {
        (self.sources, self.taps) = (sources, taps)
        let columns = sources.flatMap { feed in (0..<feed.channels).map { (source: feed.source, channel: $0) } }
        let rowCount = taps.reduce(outputChannels) { $0 + $1.channels }
        precondition(
            matrix.count == rowCount * columns.count,
            "a plan of \(rowCount) rows and \(columns.count) columns has their product of gains, not \(matrix.count)")
        var terms: [MixTerm] = []
        var starts = [0]
        for row in 0..<rowCount {
            for (index, column) in columns.enumerated() {
                let gain = matrix[row * columns.count + index]
                if gain != 0 { terms.append(MixTerm(source: column.source, channel: column.channel, gain: gain)) }
            }
            starts.append(terms.count)
        }
        plan = memory.block(
            of: RenderPlan(
                outputChannels: outputChannels, sourceChannels: columns.count, sourceCount: sources.count,
                sources: memory.copy(sources.map(\.source)), tapCount: taps.count,
                taps: memory.copy(taps.map(\.tap)), matrix: memory.copy(matrix), terms: memory.copy(terms),
                termStarts: memory.copy(starts)))
    }
}
