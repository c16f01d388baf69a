internal import CAudioTypes
internal import OpenAudioSession
internal import Synchronization

// Who is told of a property that was set.
//
// Source: SDK header AUComponent.h.

/// Called after a property was set by `AudioUnitSetProperty`, on the thread that has set it.
///
/// - Parameters: what the listener was added with; the unit; the property, its scope and its element.
public typealias AudioUnitPropertyListenerProc =
    @convention(c) (
        UnsafeMutableRawPointer, AudioUnit, AudioUnitPropertyID, AudioUnitScope, AudioUnitElement
    ) -> Void

/// Lets a function be called after each `AudioUnitSetProperty` of a property.
///
/// - Parameters:
///   - inUnit: from `AVAudioUnit.audioUnit` or `AVAudioIONode.audioUnit`.
///   - inID: one that the unit has.
///   - inProc: the function.
///   - inProcUserData: what it is called with; to be kept until the listener is removed and the unit is gone.
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
    // Of one that exists, a wrong scope or element is no fault here.
    if let fault = statuses.first(where: { [kAudio_ParamError, kAudioUnitErr_InvalidProperty].contains($0) }) {
        return fault
    }
    PropertyListeners.add(PropertyListener(property: inID, proc: inProc, data: inProcUserData), to: inUnit)
    return noErr
}

/// Removes a listener that was added with the same four values; does nothing without one.
///
/// A call that is under way on another thread is not waited for.
///
/// - Parameters:
///   - inUnit: as it was added with.
///   - inID: as it was added with.
///   - inProc: as it was added with.
///   - inProcUserData: as it was added with.
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

/// Reads how large a property is, and whether it can be set.
///
/// - Parameters:
///   - inUnit: from `AVAudioUnit.audioUnit` or `AVAudioIONode.audioUnit`.
///   - inID: the property.
///   - inScope: as for `AudioUnitGetProperty`.
///   - inElement: as for `AudioUnitGetProperty`.
///   - outDataSize: gets the size in bytes; nil: it is not wanted.
///   - outWritable: gets whether `AudioUnitSetProperty` takes it; nil: that is not wanted.
/// - Returns: the same as `AudioUnitGetProperty`.
@discardableResult
public func AudioUnitGetPropertyInfo(
    _ inUnit: AudioUnit, _ inID: AudioUnitPropertyID, _ inScope: AudioUnitScope, _ inElement: AudioUnitElement,
    _ outDataSize: UnsafeMutablePointer<UInt32>?, _ outWritable: UnsafeMutablePointer<DarwinBoolean>?
) -> OSStatus {
    do throws(PropertyError) {
        let property = try UnitProperty(of: inUnit, inID, inScope, inElement)
        outDataSize?.pointee = UInt32(property.words.count * MemoryLayout<UInt32>.size)
        outWritable?.pointee = true
        return noErr
    } catch {
        return error.status
    }
}

/// Sendable by rule: the pointers are the app's, which says on which threads it sets properties.
private struct PropertyListener: Equatable, @unchecked Sendable {
    var property: AudioUnitPropertyID
    var proc: AudioUnitPropertyListenerProc
    var data: UnsafeMutableRawPointer

    static func == (one: PropertyListener, other: PropertyListener) -> Bool {
        one.property == other.property && one.data == other.data
            && unsafeBitCast(one.proc, to: UInt.self) == unsafeBitCast(other.proc, to: UInt.self)
    }
}

/// The listeners of all units, by the units' addresses; they go with the unit.
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

    /// At the end of the unit's life.
    static func forget(_ address: UInt) { all.withLock { $0[address] = nil } }

    /// Calls those of a property, with no lock held.
    static func call(
        _ unit: AudioUnit, _ property: AudioUnitPropertyID, _ scope: AudioUnitScope, _ element: AudioUnitElement
    ) {
        let listeners = all.withLock { $0[UInt(bitPattern: unit)] ?? [] }
        for listener in listeners where listener.property == property {
            listener.proc(listener.data, unit, property, scope, element)
        }
    }
}
