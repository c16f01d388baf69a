import RenderCore

/// Makes and frees render plans.
enum PlanMemory {
    /// One source over `matrix`, row-major [output][source channel].
    static func allocate(
        source: UnsafeMutablePointer<RenderSource>, sourceChannels: Int, outputChannels: Int, matrix: [Float]
    ) -> UnsafeMutablePointer<RenderPlan> {
        precondition(matrix.count == outputChannels * sourceChannels, "a mix matrix has outputs times sources gains")
        let sources = UnsafeMutablePointer<UnsafeMutablePointer<RenderSource>>.allocate(capacity: 1)
        sources.initialize(to: source)
        let gains = UnsafeMutablePointer<Float>.allocate(capacity: max(1, matrix.count))
        for (index, gain) in matrix.enumerated() { (gains + index).initialize(to: gain) }
        let plan = UnsafeMutablePointer<RenderPlan>.allocate(capacity: 1)
        plan.initialize(
            to: RenderPlan(
                outputChannels: outputChannels, sourceChannels: sourceChannels, sourceCount: 1, sources: sources,
                matrix: gains))
        return plan
    }

    static func free(_ plan: UnsafeMutablePointer<RenderPlan>) {
        plan.pointee.sources.deallocate()
        plan.pointee.matrix.deallocate()
        plan.deallocate()
    }
}
