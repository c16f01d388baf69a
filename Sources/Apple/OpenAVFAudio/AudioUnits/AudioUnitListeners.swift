internal import CAudioTypes
internal import OpenAudioSession
internal import Synchronization

// Listeners of properties that are set.
//
// Source: SDK header AUComponent.h.

/// Called after `AudioUnitSetProperty` has set a property, on the thread that called it.
///
/// - Parameters: the user data of the listener; the unit; the property, its scope and its element.
public typealias AudioUnitPropertyListenerProc =
    @convention(c) (
        UnsafeMutableRawPointer, AudioUnit, AudioUnitPropertyID, AudioUnitScope, AudioUnitElement
    ) -> Void

/// Adds a function that is called after each `AudioUnitSetProperty` of a property.
///
/// - Parameters:
///   - inUnit: from `AVAudioUnit.audioUnit` or `AVAudioIONode.audioUnit`.
///   - inID: a property that the unit has.
///   - inProc: the function.
///   - inProcUserData: the first argument of its calls; keep it until the listener is removed and the unit no longer
///     exists.
/// - Returns: `noErr`; `kAudio_ParamError` for no unit, or one that no longer exists; `kAudioUnitErr_InvalidProperty` for a property
///   that the unit does not have.
@discardableResult
public func AudioUnitAddPropertyListener(
    _ inUnit: AudioUnit, _ inID: AudioUnitPropertyID, _ inProc: AudioUnitPropertyListenerProc,
    _ inProcUserData: UnsafeMutableRawPointer
) -> OSStatus {
    let statuses = [kAudioUnitScope_Global, kAudioUnitScope_Input, kAudioUnitScope_Output].map {
        AudioUnitGetPropertyInfo(inUnit, inID, $0, $0 == kAudioUnitScope_Input ? 1 : 0, nil, nil)
    }
    // If the property exists in any scope, an error for a wrong scope or element does not count.
    if let fault = statuses.first(where: { [kAudio_ParamError, kAudioUnitErr_InvalidProperty].contains($0) }) {
        return fault
    }
    PropertyListeners.add(PropertyListener(property: inID, proc: inProc, data: inProcUserData), to: inUnit)
    return noErr
}

/// Removes a listener that was added with the same four values; does nothing if there is none.
///
/// It does not wait for a call that runs on another thread.
///
/// - Parameters:
///   - inUnit: the unit of the listener.
///   - inID: the property of the listener.
///   - inProc: the function of the listener.
///   - inProcUserData: the user data of the listener.
/// - Returns: `noErr`; `kAudio_ParamError` for no unit, or one that no longer exists.
@discardableResult
public func AudioUnitRemovePropertyListenerWithUserData(
    _ inUnit: AudioUnit, _ inID: AudioUnitPropertyID, _ inProc: AudioUnitPropertyListenerProc,
    _ inProcUserData: UnsafeMutableRawPointer
) -> OSStatus {
    guard AudioUnitRegistry.unit(of: inUnit) != nil else { return kAudio_ParamError }
    PropertyListeners.remove(PropertyListener(property: inID, proc: inProc, data: inProcUserData), from: inUnit)
    return noErr
}

/// Reads the size of a property, and whether it can be set.
///
/// - Parameters:
///   - inUnit: from `AVAudioUnit.audioUnit` or `AVAudioIONode.audioUnit`.
///   - inID: the property.
///   - inScope: as for `AudioUnitGetProperty`.
///   - inElement: as for `AudioUnitGetProperty`.
///   - outDataSize: receives the size in bytes; may be nil.
///   - outWritable: receives whether `AudioUnitSetProperty` accepts the property; may be nil.
/// - Returns: the same as `AudioUnitGetProperty`.
@discardableResult
public func AudioUnitGetPropertyInfo(
    _ inUnit: AudioUnit, _ inID: AudioUnitPropertyID, _ inScope: AudioUnitScope, _ inElement: AudioUnitElement,
    _ outDataSize: UnsafeMutablePointer<UInt32>?, _ outWritable: UnsafeMutablePointer<DarwinBoolean>?
) -> OSStatus {
    PropertyError.status { () throws(PropertyError) in
        let property = try UnitProperty(of: inUnit, inID, inScope, inElement)
        outDataSize?.pointee = UInt32(property.words.count * MemoryLayout<UInt32>.size)
        outWritable?.pointee = true
    }
}

/// Sendable by rule: the pointers belong to the app, which decides on which threads it sets properties.
private struct PropertyListener: Equatable, @unchecked Sendable {
    var property: AudioUnitPropertyID
    var proc: AudioUnitPropertyListenerProc
    var data: UnsafeMutableRawPointer

    static func == (one: PropertyListener, other: PropertyListener) -> Bool {
        one.property == other.property && one.data == other.data
            && unsafeBitCast(one.proc, to: UInt.self) == unsafeBitCast(other.proc, to: UInt.self)
    }
}

/// The listeners of all units, by the addresses of the units; they are removed at the end of the unit's life.
enum PropertyListeners {
    private static let all = Mutex<[UInt: [PropertyListener]]>([:])

    fileprivate static func add(_ listener: PropertyListener, to unit: AudioUnit) {
        all.withLock { $0[UInt(bitPattern: unit), default: []].append(listener) }
    }

    fileprivate static func remove(_ listener: PropertyListener, from unit: AudioUnit) {
        all.withLock { all in
            guard let index = all[UInt(bitPattern: unit)]?.firstIndex(of: listener) else { return }
            all[UInt(bitPattern: unit)]?.remove(at: index)
        }
    }

    /// Removes the listeners of a unit at the end of its life.
    static func forget(_ address: UInt) { all.withLock { $0[address] = nil } }

    /// Calls the listeners of a property, with no lock held.
    static func call(
        _ unit: AudioUnit, _ property: AudioUnitPropertyID, _ scope: AudioUnitScope, _ element: AudioUnitElement
    ) {
        let listeners = all.withLock { $0[UInt(bitPattern: unit)] ?? [] }
        for listener in listeners where listener.property == property {
            listener.proc(listener.data, unit, property, scope, element)
        }
    }
}
