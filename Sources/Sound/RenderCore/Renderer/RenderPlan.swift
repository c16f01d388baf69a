/// A compiled graph: which sources sound, what processes them, and how loud each channel is on each output and each tap.
///
/// One matrix says all of it. Its columns are the channels of the sources, then those that leave the processors. Its first
/// rows are the outputs, then come those of the taps, then those of the processors' inputs. A cycle takes the steps in turn:
/// the rows of a processor's inputs, the processor, those of the next one, and at last the rows of outputs and taps. Without
/// processors only the last step is left.
///
/// Immutable once published.
///
/// The owner allocates it with everything it points to, and frees it after it came back through `PlanExchange`.
package struct RenderPlan {
    /// The first rows of the matrix; those of each tap follow in turn, then those of each processor's inputs.
    package let outputChannels: Int
    /// Columns of the matrix: the sources' channels, one source after the other, then those of the processors.
    package let columnCount: Int
    package let sourceCount: Int
    /// `sourceCount` sources, each once; they outlive the plan.
    package let sources: UnsafePointer<UnsafeMutablePointer<RenderSource>>
    package let processorCount: Int
    /// `processorCount` processors, each once, and after all whose sound they get; they outlive the plan.
    package let processors: UnsafePointer<UnsafeMutablePointer<RenderProcessor>>
    package let tapCount: Int
    /// `tapCount` taps, each once; they outlive the plan.
    package let taps: UnsafePointer<UnsafeMutablePointer<RenderTap>>
    /// Row-major, [row][column], linear gain.
    package let matrix: UnsafePointer<Float>
    /// The same without zeros: the terms of row i are those from `termStarts[i]` to before `termStarts[i + 1]`.
    package let terms: UnsafePointer<MixTerm>
    package let termStarts: UnsafePointer<Int>
    /// What each term's samples come from.
    package let termInputs: UnsafePointer<MixInput>

    @_noLocks @_noAllocation
    package init(
        outputChannels: Int, columnCount: Int, sourceCount: Int,
        sources: UnsafePointer<UnsafeMutablePointer<RenderSource>>, processorCount: Int,
        processors: UnsafePointer<UnsafeMutablePointer<RenderProcessor>>, tapCount: Int,
        taps: UnsafePointer<UnsafeMutablePointer<RenderTap>>, matrix: UnsafePointer<Float>,
        terms: UnsafePointer<MixTerm>, termStarts: UnsafePointer<Int>, termInputs: UnsafePointer<MixInput>
    ) {
        self.outputChannels = outputChannels
        self.columnCount = columnCount
        self.sourceCount = sourceCount
        self.sources = sources
        self.processorCount = processorCount
        self.processors = processors
        self.tapCount = tapCount
        self.taps = taps
        self.matrix = matrix
        self.terms = terms
        self.termStarts = termStarts
        self.termInputs = termInputs
    }

    /// The row of one of the host's outputs; -1 for one that the plan does not know.
    @_noLocks @_noAllocation
    func row(ofOutput output: Int) -> Int { output < outputChannels ? output : -1 }

    /// What the columns come from: the sources, then the processors.
    @_noLocks @_noAllocation
    func input(_ index: Int) -> MixInput {
        index < sourceCount ? .source(sources[index]) : .processor(processors[index &- sourceCount])
    }

    /// How many there are.
    @_noLocks @_noAllocation
    func inputCount() -> Int { sourceCount &+ processorCount }

    /// Whether its sources and its processors are those of another plan, in the same order.
    @_noLocks @_noAllocation
    func hasInputs(of other: UnsafeMutablePointer<RenderPlan>) -> Bool {
        guard sourceCount == other.pointee.sourceCount, processorCount == other.pointee.processorCount else {
            return false
        }
        for index in 0..<sourceCount where sources[index] != other.pointee.sources[index] { return false }
        for index in 0..<processorCount where processors[index] != other.pointee.processors[index] { return false }
        return true
    }

    /// 0 for a row and for a column of -1.
    @_noLocks @_noAllocation
    func gain(row: Int, firstColumn: Int, channel: Int) -> Float {
        guard row >= 0, firstColumn >= 0 else { return 0 }
        return matrix[row &* columnCount &+ firstColumn &+ channel]
    }
}

/// What some columns of a plan come from.
package enum MixInput {
    case source(UnsafeMutablePointer<RenderSource>)
    case processor(UnsafeMutablePointer<RenderProcessor>)

    var channels: Int {
        @_noLocks @_noAllocation get {
            switch self {
            case .source(let source): source.pointee.channels
            case .processor(let processor): processor.pointee.channels
            }
        }
    }

    /// The cycle's frames of one of its channels.
    @_noLocks @_noAllocation
    func row(_ channel: Int) -> UnsafePointer<Float> {
        switch self {
        case .source(let source): UnsafePointer(source.pointee.rows + channel &* source.pointee.rowStride)
        case .processor(let processor):
            UnsafePointer(processor.pointee.rows + channel &* processor.pointee.rowStride)
        }
    }

    /// Every frame of the cycle is 0.
    var isSilent: Bool {
        @_noLocks @_noAllocation get {
            switch self {
            case .source(let source): source.pointee.state.pointee.isSilent
            case .processor(let processor): processor.pointee.state.pointee.isAsleep
            }
        }
    }

    var placement: PlanPlacement {
        @_noLocks @_noAllocation get {
            switch self {
            case .source(let source): source.pointee.state.pointee.placement
            case .processor(let processor): processor.pointee.state.pointee.placement
            }
        }
    }

    @_noLocks @_noAllocation
    func enter(column: Int) {
        switch self {
        case .source(let source):
            // Where the last cycle ended in silence, not where all of it was silent.
            let isSilent = source.pointee.state.pointee.envelope.isSilent
            source.pointee.state.pointee.placement.enter(column: column, isSilent: isSilent)
        case .processor(let processor):
            let isSilent = processor.pointee.state.pointee.isAsleep
            processor.pointee.state.pointee.placement.enter(column: column, isSilent: isSilent)
        }
    }

    @_noLocks @_noAllocation
    func leave() {
        switch self {
        case .source(let source): source.pointee.state.pointee.placement.leave()
        case .processor(let processor): processor.pointee.state.pointee.placement.leave()
        }
    }

    @_noLocks @_noAllocation
    func endSlide() {
        switch self {
        case .source(let source): source.pointee.state.pointee.placement.endSlide()
        case .processor(let processor): processor.pointee.state.pointee.placement.endSlide()
        }
    }
}

/// One summand of a row: a channel and its gain, which is not 0.
package struct MixTerm {
    /// The channel's row; see `MixInput.row`.
    let samples: UnsafePointer<Float>
    let gain: Float

    /// - Parameter channel: of the input.
    @_noLocks @_noAllocation
    package init(_ input: MixInput, channel: Int, gain: Float) {
        samples = input.row(channel)
        self.gain = gain
    }
}
