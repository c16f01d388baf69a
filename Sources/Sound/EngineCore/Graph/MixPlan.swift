/// What a graph comes to: the gain of every channel that makes sound on every row.
///
/// Columns are the channels of each source in turn, then those that leave each processor. Rows are the output's channels, then
/// those of each listener in turn, then those of each processor's input busses. All that is linear between two processors
/// is in one gain.
package struct MixPlan: Hashable, Sendable {
    /// A node with some rows or columns of the matrix.
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
    /// A processor with its columns and rows.
    package struct Step: Hashable, Sendable {
        package var node: NodeID
        /// Channels of each input bus in turn.
        package var inputs: [Int]
        package var channels: Int
    }

    /// Processors that reach a row, each after all whose sound it gets.
    package var steps: [Step]
    /// Rows that go to the device.
    package var outputChannels: Int
    /// Taps and sinks, in the order of attachment.
    package var listeners: [Span]
    /// Row-major, linear.
    package var matrix: [Float]

    private var columnCount: Int {
        steps.reduce(sources.reduce(0) { $0 + $1.channels }) { $0 + $1.channels }
    }

    /// The gains of one row.
    package func row(_ index: Int) -> [Float] { Array(matrix[index * columnCount..<(index + 1) * columnCount]) }
}
