package import Synchronization

/// How loud each output channel was since they were last read.
///
/// Producer: the render thread, which never waits. Consumer: any one thread at a time. A cycle that ends while the
/// consumer looks may count for either side of the look; no peak is lost for both.
package struct OutputLevels: ~Copyable {
    /// Channels beyond these are not metered.
    package let capacity: Int
    private let peaks: UnsafeMutablePointer<Atomic<UInt32>>

    /// - Parameter storage: `capacity` atomics, each 0; they outlive this.
    @_noLocks @_noAllocation
    package init(storage: UnsafeMutablePointer<Atomic<UInt32>>, capacity: Int) {
        peaks = storage
        self.capacity = capacity
    }

    /// Consumer: the greatest magnitude since the last call, linear; 0 for a channel that is not metered.
    @_noLocks @_noAllocation
    package func consume(channel: Int) -> Float {
        guard channel >= 0, channel < capacity else { return 0 }
        return Float(bitPattern: peaks[channel].exchange(0, ordering: .relaxed))
    }

    /// Render thread.
    ///
    /// - Parameter bits: of a magnitude; for finite floats without a sign the order of the bits is that of the values.
    @_noLocks @_noAllocation
    func note(bits: UInt32, channel: Int) {
        guard channel < capacity else { return }
        if bits > peaks[channel].load(ordering: .relaxed) { peaks[channel].store(bits, ordering: .relaxed) }
    }
}
