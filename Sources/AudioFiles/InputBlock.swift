/// Frames that were read and not yet converted: one allocation, used again and again.
struct InputBlock: ~Copyable {
    private static let capacityFrames = 4096

    private let storage: UnsafeMutableBufferPointer<Float>
    private let channels: Int
    private var first = 0
    private var end = 0

    init(channels: Int) {
        self.channels = channels
        storage = .allocate(capacity: Self.capacityFrames * channels)
        storage.initialize(repeating: 0)
    }

    deinit { storage.deallocate() }

    var isEmpty: Bool { first == end }

    /// What is left. Good until the next change.
    var frames: UnsafeBufferPointer<Float> {
        UnsafeBufferPointer(rebasing: storage[(first * channels)..<(end * channels)])
    }

    mutating func refill(_ read: (UnsafeMutableBufferPointer<Float>) -> Int) {
        first = 0
        end = read(storage)
    }

    mutating func remove(_ count: Int) { first += count }

    mutating func removeAll() {
        first = 0
        end = 0
    }
}
