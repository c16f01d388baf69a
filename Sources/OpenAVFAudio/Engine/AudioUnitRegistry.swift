import Foundation

/// The units that C functions may be called with.
///
/// A handle is an address; only what is registered is looked at, so that one of a unit that has gone is an error and not
/// a crash.
///
/// `@unchecked Sendable`: `units` is read and written under `lock` only; units themselves may be used by any thread.
final class AudioUnitRegistry: @unchecked Sendable {
    private static let shared = AudioUnitRegistry()

    private struct Entry {
        weak var unit: AUAudioUnit?
    }

    private let lock = NSLock()
    private var units: [OpaquePointer: Entry] = [:]

    static func handle(of unit: AUAudioUnit) -> OpaquePointer {
        let handle = OpaquePointer(Unmanaged.passUnretained(unit).toOpaque())
        shared.lock.withLock { shared.units[handle] = Entry(unit: unit) }
        return handle
    }

    static func unit(of handle: OpaquePointer) -> AUAudioUnit? {
        shared.lock.withLock { shared.units[handle]?.unit }
    }

    /// At the end of the unit's life.
    static func forget(_ unit: AUAudioUnit) {
        let handle = OpaquePointer(Unmanaged.passUnretained(unit).toOpaque())
        shared.lock.withLock { _ = shared.units.removeValue(forKey: handle) }
    }
}
