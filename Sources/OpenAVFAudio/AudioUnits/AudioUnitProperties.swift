internal import AudioRuntime
public import CAudioTypes
internal import EngineCore
import Synchronization

// The C face of audio units: the parameters of effects, and one property of two units, the output node's channel map and the
// input node's.
//
// Source: SDK headers AUComponent.h, AudioUnitProperties.h.

/// A handle of a unit for the C functions; it stays valid while the node's unit exists.
public typealias AudioComponentInstance = OpaquePointer
/// A unit for the C functions; from `AVAudioIONode.audioUnit`.
public typealias AudioUnit = AudioComponentInstance
/// The number of a property; one exists, ``kAudioOutputUnitProperty_ChannelMap``.
public typealias AudioUnitPropertyID = UInt32
/// The part of a unit that a property belongs to: global, input or output.
public typealias AudioUnitScope = UInt32
/// The bus in a scope: 0 is the output's, 1 is the input's.
public typealias AudioUnitElement = UInt32

/// The unit as a whole.
public let kAudioUnitScope_Global: AudioUnitScope = 0
/// The input side of a unit, where the map of an input node is.
public let kAudioUnitScope_Input: AudioUnitScope = 1
/// The output side of a unit, where the map of an output node is.
public let kAudioUnitScope_Output: AudioUnitScope = 2
/// `[Int32]`: see `AUAudioUnit.channelMap`.
public let kAudioOutputUnitProperty_ChannelMap: AudioUnitPropertyID = 2002

/// Sets a property: the output unit's channel map, scope Output, element 0; the input unit's, scope Input, element 1.
///
/// - Parameters:
///   - inUnit: from `AVAudioIONode.audioUnit`.
///   - inID: ``kAudioOutputUnitProperty_ChannelMap``; no other property exists.
///   - inScope: ``kAudioUnitScope_Output`` for the output unit, ``kAudioUnitScope_Input`` for the input unit.
///   - inElement: 0 for the output unit, 1 for the input unit.
///   - inData: one `Int32` for each channel of the output; for each channel to be recorded, of the input.
///   - inDataSize: in bytes.
/// - Returns: `noErr`; `kAudioUnitErr_InvalidPropertyValue` for a map of another size or with a channel that does not
///   exist (the old map stays); `kAudioUnitErr_InvalidScope`, `_InvalidElement` and `_InvalidProperty` for anything
///   else, and `kAudio_ParamError` for no unit, or one that no longer exists.
@discardableResult
public func AudioUnitSetProperty(
    _ inUnit: AudioUnit, _ inID: AudioUnitPropertyID, _ inScope: AudioUnitScope, _ inElement: AudioUnitElement,
    _ inData: UnsafeRawPointer?, _ inDataSize: UInt32
) -> OSStatus {
    do throws(PropertyError) {
        let unit = try mappedUnit(inUnit, inID, inScope, inElement)
        guard let inData, Int(inDataSize).isMultiple(of: MemoryLayout<Int32>.size) else {
            return kAudioUnitErr_InvalidPropertyValue
        }
        let bytes = UnsafeRawBufferPointer(start: inData, count: Int(inDataSize))
        let map = stride(from: 0, to: bytes.count, by: MemoryLayout<Int32>.size).map {
            Int(bytes.loadUnaligned(fromByteOffset: $0, as: Int32.self))
        }
        do { try unit.core?.setChannelMap(map) } catch { return error.status }
        return noErr
    } catch {
        return error.status
    }
}

/// Reads a property: the output unit's channel map, scope Output, element 0; the input unit's, scope Input, element 1.
///
/// - Parameters:
///   - inUnit: from `AVAudioIONode.audioUnit`.
///   - inID: ``kAudioOutputUnitProperty_ChannelMap``; no other property exists.
///   - inScope: ``kAudioUnitScope_Output`` for the output unit, ``kAudioUnitScope_Input`` for the input unit.
///   - inElement: 0 for the output unit, 1 for the input unit.
///   - outData: memory for one `Int32` for each channel of the map.
///   - ioDataSize: the size of that memory in bytes; on return, the written bytes.
/// - Returns: the same as `AudioUnitSetProperty`; `kAudioUnitErr_InvalidPropertyValue` if there is not enough memory.
@discardableResult
public func AudioUnitGetProperty(
    _ inUnit: AudioUnit, _ inID: AudioUnitPropertyID, _ inScope: AudioUnitScope, _ inElement: AudioUnitElement,
    _ outData: UnsafeMutableRawPointer, _ ioDataSize: UnsafeMutablePointer<UInt32>
) -> OSStatus {
    do throws(PropertyError) {
        let unit = try mappedUnit(inUnit, inID, inScope, inElement)
        let map = (unit.core?.channelMap ?? []).map { Int32(clamping: $0) }
        let size = map.count * MemoryLayout<Int32>.size
        guard size <= Int(ioDataSize.pointee) else { return kAudioUnitErr_InvalidPropertyValue }
        map.withUnsafeBytes { outData.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(outData), byteCount: size) }
        ioDataSize.pointee = UInt32(size)
        return noErr
    } catch {
        return error.status
    }
}

/// Sets a parameter of an effect.
///
/// - Parameters:
///   - inUnit: from `AVAudioUnit.audioUnit`.
///   - inID: the address of the parameter: a `kXXXParam_` of an effect with Apple's name.
///   - inScope: ``kAudioUnitScope_Global``.
///   - inElement: 0.
///   - inValue: is brought into the parameter's range; what is no number changes nothing.
///   - inBufferOffsetInFrames: frames from the begin of the next cycle, for a unit of the app's.
/// - Returns: `noErr`; `kAudioUnitErr_InvalidParameter` for a parameter that the unit does not have,
///   `kAudioUnitErr_InvalidScope` and `_InvalidElement`, and `kAudio_ParamError` for no unit, or one that no longer exists.
@discardableResult
public func AudioUnitSetParameter(
    _ inUnit: AudioUnit, _ inID: AudioUnitParameterID, _ inScope: AudioUnitScope, _ inElement: AudioUnitElement,
    _ inValue: AudioUnitParameterValue, _ inBufferOffsetInFrames: UInt32
) -> OSStatus {
    do throws(PropertyError) {
        let parameter = try parameter(inUnit, inID, inScope, inElement)
        guard !inValue.isNaN else { return noErr }
        parameter.setValue(min(max(inValue, parameter.minValue), parameter.maxValue), originator: nil)
        return noErr
    } catch {
        return error.status
    }
}

/// Reads a parameter of an effect.
///
/// - Parameters:
///   - inUnit: from `AVAudioUnit.audioUnit`.
///   - inID: the address of the parameter.
///   - inScope: ``kAudioUnitScope_Global``.
///   - inElement: 0.
///   - outValue: gets the value.
/// - Returns: the same as `AudioUnitSetParameter`.
@discardableResult
public func AudioUnitGetParameter(
    _ inUnit: AudioUnit, _ inID: AudioUnitParameterID, _ inScope: AudioUnitScope, _ inElement: AudioUnitElement,
    _ outValue: UnsafeMutablePointer<AudioUnitParameterValue>
) -> OSStatus {
    do throws(PropertyError) {
        outValue.pointee = try parameter(inUnit, inID, inScope, inElement).value
        return noErr
    } catch {
        return error.status
    }
}

private func parameter(
    _ handle: AudioUnit, _ id: AudioUnitParameterID, _ scope: AudioUnitScope, _ element: AudioUnitElement
) throws(PropertyError) -> AUParameter {
    guard let unit = AudioUnitRegistry.unit(of: handle) else { throw PropertyError(status: kAudio_ParamError) }
    guard scope == kAudioUnitScope_Global else { throw PropertyError(status: kAudioUnitErr_InvalidScope) }
    guard element == 0 else { throw PropertyError(status: kAudioUnitErr_InvalidElement) }
    guard let parameter = unit.parameterTree?.parameter(withAddress: AUParameterAddress(id)) else {
        throw PropertyError(status: kAudioUnitErr_InvalidParameter)
    }
    return parameter
}

/// Forgets all sound of a unit: tails, delays.
///
/// - Parameters:
///   - inUnit: from `AVAudioUnit.audioUnit`.
///   - inScope: without effect.
///   - inElement: without effect.
/// - Returns: `noErr`; `kAudio_ParamError` for no unit, or one that no longer exists.
@discardableResult
public func AudioUnitReset(_ inUnit: AudioUnit, _ inScope: AudioUnitScope, _ inElement: AudioUnitElement) -> OSStatus {
    guard let unit = AudioUnitRegistry.unit(of: inUnit) else { return kAudio_ParamError }
    unit.reset()
    return noErr
}

private struct PropertyError: Error {
    let status: OSStatus
}

private func mappedUnit(
    _ handle: AudioUnit, _ property: AudioUnitPropertyID, _ scope: AudioUnitScope, _ element: AudioUnitElement
) throws(PropertyError) -> AUAudioUnit {
    guard let unit = AudioUnitRegistry.unit(of: handle) else { throw PropertyError(status: kAudio_ParamError) }
    let isInput = unit.canPerformInput
    let error: OSStatus =
        if property != kAudioOutputUnitProperty_ChannelMap || !isInput && !unit.canPerformOutput {
            kAudioUnitErr_InvalidProperty
        } else if scope != (isInput ? kAudioUnitScope_Input : kAudioUnitScope_Output) {
            kAudioUnitErr_InvalidScope
        } else if element != (isInput ? 1 : 0) {
            kAudioUnitErr_InvalidElement
        } else {
            noErr
        }
    guard error == noErr else { throw PropertyError(status: error) }
    return unit
}

// What functions of audio units return, and what engines throw as a code. Source: SDK header AUComponent.h.

/// The unit is rendering.
public let kAudioUnitErr_Initialized: OSStatus = -10849
/// The property can only be read.
public let kAudioUnitErr_PropertyNotWritable: OSStatus = -10865
/// The unit has no render resources, or no implementation of its own.
public let kAudioUnitErr_Uninitialized: OSStatus = -10867
/// More frames than the unit was prepared for.
public let kAudioUnitErr_TooManyFramesToProcess: OSStatus = -10874
/// The unit does not have this property.
public let kAudioUnitErr_InvalidProperty: OSStatus = -10879
/// The graph does not allow it: a node that is not attached, a cycle, a second tap on a bus.
public let kAudioUnitErr_InvalidParameter: OSStatus = -10878
/// The bus does not exist.
public let kAudioUnitErr_InvalidElement: OSStatus = -10877
/// A node that needs an input has none.
public let kAudioUnitErr_NoConnection: OSStatus = -10876
/// The format is not linear PCM with channels and a rate.
public let kAudioUnitErr_FormatNotSupported: OSStatus = -10868
/// The property exists in another scope.
public let kAudioUnitErr_InvalidScope: OSStatus = -10866
/// A value has the wrong size or names something that does not exist.
public let kAudioUnitErr_InvalidPropertyValue: OSStatus = -10851

/// The units that C functions may be called with.
///
/// A handle is an address; only what is registered is looked at, so that one of a unit that has gone is an error and not
/// a crash.
///
/// Any thread.
enum AudioUnitRegistry {
    /// By their addresses.
    private static let units = Mutex<[UInt: WeakBox<AUAudioUnit>]>([:])

    static func handle(of unit: AUAudioUnit) -> OpaquePointer {
        let handle = OpaquePointer(Unmanaged.passUnretained(unit).toOpaque())
        let (address, box) = (UInt(bitPattern: handle), WeakBox(unit))
        units.withLock { $0[address] = box }
        return handle
    }

    static func unit(of handle: OpaquePointer) -> AUAudioUnit? {
        let address = UInt(bitPattern: handle)
        return units.withLock { $0[address] }?.object
    }

    /// At the end of the unit's life.
    static func forget(_ unit: AUAudioUnit) {
        let address = UInt(bitPattern: ObjectIdentifier(unit))
        units.withLock { $0[address] = nil }
    }
}
