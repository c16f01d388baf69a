/// What a graph comes to: the gain of every source channel on every row.
///
/// Rows are the output's channels, then those of each listener in turn; columns are the channels of each source in turn.
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
    /// Rows that go to the device.
    package var outputChannels: Int
    /// Taps and sinks, in the order of attachment.
    package var listeners: [Span]
    /// Row-major, linear.
    package var matrix: [Float]

    private var columnCount: Int { sources.reduce(0) { $0 + $1.channels } }

    /// The gains of one row.
    package func row(_ index: Int) -> [Float] { Array(matrix[index * columnCount..<(index + 1) * columnCount]) }
}
