package import CRealtime

/// Processes the sound of a node in the render cycle: an effect, a plug-in, or the app's audio unit.
///
/// A unit belongs to a node and outlives plans, engines and devices. It makes a processor for each shape of sound.
package protocol ProcessorUnit: AnyObject, Sendable {
    /// The number of input busses; nil for any number. 1 by default.
    var inputCount: Int? { get }

    /// Throws if the unit cannot process sound of this shape.
    ///
    /// Control threads.
    ///
    /// - Parameter title: the node in error messages.
    func check(_ shape: ProcessorShape, title: String) throws(GraphError)

    /// Makes a processor for a shape that `check` has accepted.
    ///
    /// Control threads; may allocate. The settings of the unit hold for all of its processors.
    func makeProcessor(_ shape: ProcessorShape) throws(GraphError) -> any UnitProcessor
}

extension ProcessorUnit {
    package var inputCount: Int? { 1 }
}

/// The formats of a processor's inputs and output, and its longest cycle.
package struct ProcessorShape: Hashable, Sendable {
    /// The formats of the input busses, in order; all have the rate of the output.
    ///
    /// A bus without a connection has the output's format.
    package var inputs: [StreamFormat]
    package var output: StreamFormat
    /// The largest number of frames of one call.
    package var maximumFrames: Int

    package init(inputs: [StreamFormat], output: StreamFormat, maximumFrames: Int) {
        (self.inputs, self.output, self.maximumFrames) = (inputs, output, maximumFrames)
    }
}

/// Owns the memory of a processor; a plan that uses the processor keeps it.
package protocol UnitProcessor: AnyObject, Sendable {
    /// Valid as long as this object lives.
    var processor: oav_processor { get }
    /// The frames from a sample's input to its output.
    var latencyFrames: Int { get }
}
