package import Synchronization

/// The settings of one effect, which everything reads and writes: properties, parameter trees and the processors.
///
/// Any thread; no caller waits. Processors take the newest values at the start of a block; values in between are lost.
///
/// `@unchecked Sendable` by rule: the pointer never changes, and what it points to are atomics.
package final class EffectParameters: @unchecked Sendable {
    package let kind: EffectKind
    /// Bands of an equalizer; others have none.
    package let bands: Int
    /// In the order of the values.
    package let descriptions: [UnitParameter]
    /// What processors see; valid as long as this object lives.
    let values: ParameterValues
    private let indices: [UInt64: Int]
    /// Told of what `change` sets; nil as long as nothing observes.
    private let observer = Mutex<UnitParameter.Observer?>(nil)

    /// Every parameter has its default value.
    ///
    /// - Parameter bands: of an equalizer, 0 to `EffectKind.mostBands`.
    package init(_ kind: EffectKind, bands: Int = 0) {
        self.kind = kind
        self.bands = bands
        descriptions = kind.parameters(bands: bands)
        indices = Dictionary(uniqueKeysWithValues: descriptions.enumerated().map { ($1.address, $0) })
        let cells = UnsafeMutablePointer<Atomic<UInt32>>.allocate(
            capacity: ParameterValues.reserved + descriptions.count)
        for index in 0..<ParameterValues.reserved { (cells + index).initialize(to: Atomic(0)) }
        for (index, description) in descriptions.enumerated() {
            (cells + ParameterValues.reserved + index).initialize(to: Atomic(description.defaultValue.bitPattern))
        }
        values = ParameterValues(cells: cells)
    }

    deinit { values.cells.deallocate() }

    /// Nil for an address that the effect does not have.
    package func value(at address: UInt64) -> Float? { indices[address].map(values.value) }

    /// Sets a parameter, clamped to its range; what is no number changes nothing.
    ///
    /// - Returns: the parameter's value now; nil where nothing was set.
    @discardableResult
    package func set(_ value: Float, at address: UInt64) -> Float? {
        guard let (cell, value) = cell(for: value, at: address) else { return nil }
        cells[cell].store(value.bitPattern, ordering: .relaxed)
        values.noteChange()
        return value
    }

    /// Sets a parameter as `set` does, and tells the observer, on this thread and with no lock held.
    package func change(_ value: Float, at address: UInt64) {
        guard let value = set(value, at: address) else { return }
        observer.withLock(\.self)?(address, value)
    }

    /// Has `observer` told of each value that `change` sets; an earlier observer is not told any more.
    package func observe(_ observer: @escaping UnitParameter.Observer) { self.observer.withLock { $0 = observer } }

    /// The values as bits, for what changes them in the render cycle; valid as long as this object lives.
    package var cells: UnsafeMutablePointer<Atomic<UInt32>> { values.cells }
    /// Of the cells, the one that counts changes.
    package static let counterCell = 0

    /// Where a value goes, brought into the parameter's range.
    ///
    /// - Returns: nil for what is no number, and for an address that the effect does not have, or that may only be read.
    package func cell(for value: Float, at address: UInt64) -> (cell: Int, value: Float)? {
        guard let index = indices[address], descriptions[index].isWritable, !value.isNaN else { return nil }
        let range = descriptions[index].range
        return (ParameterValues.reserved + index, min(max(value, range.lowerBound), range.upperBound))
    }

    /// Whether sound passes unchanged.
    package var isBypassed: Bool {
        get { values.isBypassed() }
        set { values.setBypassed(newValue) }
    }

    /// Sets several parameters.
    package func set(_ changes: [UInt64: Float]) {
        for (address, value) in changes { set(value, at: address) }
    }

    /// Seconds of sound after the end of the input, at the settings of now, until it is 60 dB lower.
    package var tailSeconds: Double { kind.tailSeconds(self) }

    /// For a parameter that the effect has.
    func number(_ address: UInt64) -> Double { Double(value(at: address) ?? 0) }
}
