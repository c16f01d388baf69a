package import Synchronization

/// The levels of a matrix mixer, which apps set and its processors obey; all are 0 at first.
///
/// From an input to an output sounds the product of four: of the input, of the crosspoint, of the output, of the whole.
///
/// Any thread; no caller waits. `@unchecked Sendable` by rule: the pointer never changes, and what it points to are atomics.
package final class MatrixLevels: @unchecked Sendable {
    /// Channels of all inputs together, and of the output.
    package static let mostChannels = 64
    /// Linear; 60 dB more than the sound has.
    private static let range: ClosedRange<Float> = 0...1000

    /// Channels count from 0, those of the inputs from the first bus on.
    package enum Place: Hashable, Sendable {
        case whole
        case input(Int)
        case output(Int)
        case crosspoint(input: Int, output: Int)
    }

    /// The bits of each level; valid as long as this object lives.
    package let cells: UnsafeMutablePointer<Atomic<UInt32>>

    package init() {
        let count = MatrixCells.count
        cells = .allocate(capacity: count)
        for cell in 0..<count { (cells + cell).initialize(to: Atomic(0)) }
    }

    deinit { cells.deallocate() }

    /// Linear; nil for a channel beyond `mostChannels`.
    package func level(at place: Place) -> Float? {
        Self.cell(of: place).map { Float(bitPattern: cells[$0].load(ordering: .relaxed)) }
    }

    /// Brought into the range of 0 to 1000; what is no number changes nothing.
    ///
    /// - Returns: false for a channel beyond `mostChannels`.
    package func set(_ level: Float, at place: Place) -> Bool {
        guard let cell = Self.cell(of: place) else { return false }
        if !level.isNaN {
            let level = min(max(level, Self.range.lowerBound), Self.range.upperBound)
            cells[cell].store(level.bitPattern, ordering: .relaxed)
        }
        return true
    }

    private static func cell(of place: Place) -> Int? {
        let channels = 0..<mostChannels
        switch place {
        case .whole: return 0
        case .input(let input): return channels.contains(input) ? MatrixCells.input(input) : nil
        case .output(let output): return channels.contains(output) ? MatrixCells.output(output) : nil
        case .crosspoint(let input, let output):
            let exists = channels.contains(input) && channels.contains(output)
            return exists ? MatrixCells.crosspoint(input, output) : nil
        }
    }
}

/// Where the levels are: that of the whole, those of the inputs, those of the outputs, those of the crosspoints.
enum MatrixCells {
    private static var side: Int { @_noLocks @_noAllocation get { 64 } }
    static var count: Int { @_noLocks @_noAllocation get { 1 &+ 2 &* side &+ side &* side } }

    @_noLocks @_noAllocation
    static func input(_ channel: Int) -> Int { 1 &+ channel }

    @_noLocks @_noAllocation
    static func output(_ channel: Int) -> Int { 1 &+ side &+ channel }

    @_noLocks @_noAllocation
    static func crosspoint(_ input: Int, _ output: Int) -> Int { 1 &+ 2 &* side &+ input &* side &+ output }
}
