/// A compiled graph: the gain of every source channel on every row.
///
/// The columns are the channels of the sources, then the output channels of the processors, each in order. The rows are
/// the channels of the output, then of the listeners, then of the input busses of the processors. One gain contains
/// everything that is linear between two processors.
package struct MixPlan: Hashable, Sendable {
    /// A node with its number of rows or columns in the matrix.
    package struct Span: Hashable, Sendable {
        package var node: NodeID
        package var channels: Int

        package init(node: NodeID, channels: Int) {
            self.node = node
            self.channels = channels
        }
    }

    /// Sources that reach a row, in the order of attachment.
    package var sources: [Span]
    /// A processor with its numbers of rows and columns.
    package struct Step: Hashable, Sendable {
        package var node: NodeID
        /// The number of channels of each input bus, in order.
        package var inputs: [Int]
        package var channels: Int
    }

    /// Processors that reach a row, each after the processors that feed it.
    package var steps: [Step]
    /// The number of rows that go to the device.
    package var outputChannels: Int
    /// Taps and sinks, in the order of attachment.
    package var listeners: [Span]
    /// The linear gains, row-major.
    package var matrix: [Float]
}
