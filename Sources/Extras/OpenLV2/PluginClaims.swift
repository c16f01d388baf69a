/// What the description of a plug-in says of it, as it stands there: untrusted.
package struct PluginClaims: Sendable {
    package var uri: String
    package var name: String
    package var author: String
    /// What kind of plug-in it is, for people.
    package var category: String
    /// URIs of what a host must offer.
    package var requiredFeatures: [String]
    package var ports: [Port]

    package struct Port: Sendable {
        package enum Kind: Hashable, Sendable { case audio, control, events, other }

        package var kind: Kind
        package var isInput: Bool
        package var isOptional = false
        package var symbol: String
        package var name: String
        package var minimum: Float?
        package var maximum: Float?
        package var defaultValue: Float?
        package var isToggled = false
        package var isInteger = false
        /// The range is in parts of the sample rate.
        package var isOfSampleRate = false
        /// It says the delay of the plug-in in frames.
        package var isLatency = false
        /// The URI of the unit of measurement.
        package var unit: String?
        package var valueNames: [(value: Float, name: String)] = []

        package init(_ kind: Kind, isInput: Bool, symbol: String, name: String) {
            (self.kind, self.isInput, self.symbol, self.name) = (kind, isInput, symbol, name)
        }
    }

    package init(
        uri: String, name: String, author: String = "", category: String = "", requiredFeatures: [String] = [],
        ports: [Port] = []
    ) {
        (self.uri, self.name, self.author, self.category) = (uri, name, author, category)
        (self.requiredFeatures, self.ports) = (requiredFeatures, ports)
    }
}
