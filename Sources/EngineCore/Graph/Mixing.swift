/// How loud a connection is at the mixer that it goes to, and where.
///
/// Without effect where it goes to anything but a mixer.
package struct Mixing: Hashable, Sendable {
    /// Linear amplitude; 1 leaves samples as they are.
    package var volume: Float
    /// -1 is left, 1 is right, 0 leaves both sides as they are; see `PanLaw`.
    package var pan: Float

    package init(volume: Float = 1, pan: Float = 0) {
        self.volume = volume
        self.pan = pan
    }
}
