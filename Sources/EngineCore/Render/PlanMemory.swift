import RenderCore

/// Makes and frees render plans.
enum PlanMemory {
    /// - Parameter matrix: row-major, [output or tap channel][source channel].
    static func allocate(
        sources: [UnsafeMutablePointer<RenderSource>], taps: [UnsafeMutablePointer<RenderTap>], outputChannels: Int,
        matrix: [Float]
    ) -> UnsafeMutablePointer<RenderPlan> {
        let columns = sources.flatMap { source in (0..<source.pointee.channels).map { (source: source, channel: $0) } }
        let rowCount = taps.reduce(outputChannels) { $0 + $1.pointee.channels }
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
        let plan = UnsafeMutablePointer<RenderPlan>.allocate(capacity: 1)
        plan.initialize(
            to: RenderPlan(
                outputChannels: outputChannels, sourceChannels: columns.count, sourceCount: sources.count,
                sources: copy(sources), tapCount: taps.count, taps: copy(taps), matrix: copy(matrix),
                terms: copy(terms), termStarts: copy(starts)))
        return plan
    }

    static func free(_ plan: UnsafeMutablePointer<RenderPlan>) {
        plan.pointee.sources.deallocate()
        plan.pointee.taps.deallocate()
        plan.pointee.matrix.deallocate()
        plan.pointee.terms.deallocate()
        plan.pointee.termStarts.deallocate()
        plan.deallocate()
    }

    private static func copy<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
        let copy = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
        for (index, element) in elements.enumerated() { (copy + index).initialize(to: element) }
        return UnsafePointer(copy)
    }
}
