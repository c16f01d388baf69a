/// What the description of a plug-in says of it, as it stands there: untrusted.
package struct PluginClaims: Sendable {
    package var uri: String
    package var name: String
    package var author = ""
    /// What kind of plug-in it is, for people.
    package var category = ""
    /// URIs of what a host must offer.
    package var requiredFeatures: [String] = []
    package var ports: [Port] = []

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
    }
}
