/// Where sound comes from and goes to: a value, never a live view.
package struct Route: Hashable, Sendable, Codable {
    package var inputs: [Port]
    package var outputs: [Port]

    package init(inputs: [Port] = [], outputs: [Port] = []) {
        self.inputs = inputs
        self.outputs = outputs
    }

    package static let empty = Route()

    /// The identities of the ports, without the details that may change under them.
    package var portUIDs: [String] { inputs.map(\.uid) + outputs.map(\.uid) }
}
