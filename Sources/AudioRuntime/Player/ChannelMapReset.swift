/// A channel map that was set by hand has given way to the default: the output has another number of channels now.
package struct ChannelMapReset: Hashable, Sendable {
    /// The map that no longer fitted.
    package var map: [Int]
    /// How many channels the output has now.
    package var outputChannels: Int
}
