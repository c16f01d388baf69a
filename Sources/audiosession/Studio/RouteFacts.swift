/// Where sound goes to and comes from, as this program shows it.
struct RouteFacts: Hashable, Sendable {
    var outputs: [PortFacts]
    var inputs: [PortFacts]

    init(outputs: [PortFacts] = [], inputs: [PortFacts] = []) {
        self.outputs = outputs
        self.inputs = inputs
    }

    var json: JSONValue {
        .fields(["outputs": .array(outputs.map(\.json)), "inputs": .array(inputs.map(\.json))])
    }

    /// For people: the outputs, then the inputs where there are any.
    var label: String {
        let out = outputs.isEmpty ? "no output" : outputs.map(\.label).joined(separator: " + ")
        return inputs.isEmpty ? out : out + ", from " + inputs.map(\.label).joined(separator: " + ")
    }
}
