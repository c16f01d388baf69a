package import CRealtime

/// What processes the sound of a node in the render cycle: an effect, a plug-in, an app's audio unit.
///
/// A unit belongs to a node and outlives plans, engines and devices; it makes a processor for each shape of sound that it gets.
package protocol ProcessorUnit: AnyObject, Sendable {
    /// Of the node; nil for as many as wanted. 1 by default.
    var inputCount: Int? { get }

    /// Throws why sound of this shape cannot be processed.
    ///
    /// Control threads.
    ///
    /// - Parameter title: of the node, for people.
    func check(_ shape: ProcessorShape, title: String) throws(GraphError)

    /// Makes what processes sound of a shape that `check` has passed.
    ///
    /// Control threads; may allocate. The settings of the unit hold for all of its processors.
    func makeProcessor(_ shape: ProcessorShape) throws(GraphError) -> any UnitProcessor
}

extension ProcessorUnit {
    package var inputCount: Int? { 1 }
}

/// What a processor gets and gives.
package struct ProcessorShape: Hashable, Sendable {
    /// Of the input busses, in turn; all at the rate of the output.
    ///
    /// A bus that nothing is connected to has the output's format.
    package var inputs: [StreamFormat]
    package var output: StreamFormat
    /// The most frames of one call.
    package var maximumFrames: Int

    package init(inputs: [StreamFormat], output: StreamFormat, maximumFrames: Int) {
        (self.inputs, self.output, self.maximumFrames) = (inputs, output, maximumFrames)
    }
}

/// Owns the memory of a processor; a plan that uses the processor keeps it.
package protocol UnitProcessor: AnyObject, Sendable {
    /// Valid as long as this object lives.
    var processor: oav_processor { get }
    /// Frames from going in to coming out.
    var latencyFrames: Int { get }
}
