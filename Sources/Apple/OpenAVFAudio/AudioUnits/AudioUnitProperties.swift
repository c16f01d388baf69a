public import CAudioTypes
internal import SessionRuntime
import Synchronization

// The C functions of audio units: the parameters of effects and of a matrix mixer, and three properties: the channel
// map of the output node and of the input node, the number of busses and the levels of a matrix mixer.
//
// Source: SDK headers AUComponent.h, AudioUnitProperties.h.

/// A handle of a unit for the C functions; it is valid while the node's unit exists.
public typealias AudioComponentInstance = OpaquePointer
/// A unit for the C functions; `AVAudioIONode.audioUnit` and `AVAudioUnit.audioUnit` return it.
public typealias AudioUnit = AudioComponentInstance
/// The number of a property: ``kAudioOutputUnitProperty_ChannelMap``, ``kAudioUnitProperty_ElementCount`` or
/// ``kAudioUnitProperty_MatrixLevels``.
public typealias AudioUnitPropertyID = UInt32
/// The part of a unit that a property belongs to: global, input or output.
public typealias AudioUnitScope = UInt32
/// The bus in a scope: 0 for the output unit, 1 for the input unit.
public typealias AudioUnitElement = UInt32

/// The unit as a whole.
public let kAudioUnitScope_Global: AudioUnitScope = 0
/// The input side of a unit; the map of an input node is in this scope.
public let kAudioUnitScope_Input: AudioUnitScope = 1
/// The output side of a unit; the map of an output node is in this scope.
public let kAudioUnitScope_Output: AudioUnitScope = 2
/// `[Int32]`: see `AUAudioUnit.channelMap`.
public let kAudioOutputUnitProperty_ChannelMap: AudioUnitPropertyID = 2002

/// `UInt32`: the number of busses of a matrix mixer, scope Input or Output, element 0.
///
/// A set number of inputs is stored, 1 to 64; a node has at least as many as are connected. There is 1 output.
public let kAudioUnitProperty_ElementCount: AudioUnitPropertyID = 11
/// `[Float32]`: all levels of a matrix mixer, scope Global, element 0.
///
/// There is a row for each input channel, with the crosspoint to each output channel and then the input's level. The
/// last row has the levels of the outputs and then the level of the whole mixer. Levels are linear.
public let kAudioUnitProperty_MatrixLevels: AudioUnitPropertyID = 3006

/// Sets a property of a unit.
///
/// The properties are the output unit's channel map (scope Output, element 0), the input unit's channel map (scope
/// Input, element 1), and those of a matrix mixer.
///
/// - Parameters:
///   - inUnit: from `AVAudioIONode.audioUnit` or `AVAudioUnit.audioUnit`.
///   - inID: ``kAudioOutputUnitProperty_ChannelMap``, ``kAudioUnitProperty_ElementCount`` or
///     ``kAudioUnitProperty_MatrixLevels``; no other property exists.
///   - inScope: for a channel map, ``kAudioUnitScope_Output`` for the output unit, ``kAudioUnitScope_Input`` for the
///     input unit.
///   - inElement: 0; 1 for the input unit.
///   - inData: for a channel map, one `Int32` for each channel of the output, or for each channel to record from the
///     input.
///   - inDataSize: in bytes.
/// - Returns: `noErr`; `kAudioUnitErr_InvalidPropertyValue` for a map of another size or with a channel that does not
///   exist (the old map stays); `kAudioUnitErr_InvalidScope`, `_InvalidElement` or `_InvalidProperty` for another
///   scope, element or property; `kAudio_ParamError` for no unit, or one that no longer exists.
@discardableResult
public func AudioUnitSetProperty(
    _ inUnit: AudioUnit, _ inID: AudioUnitPropertyID, _ inScope: AudioUnitScope, _ inElement: AudioUnitElement,
    _ inData: UnsafeRawPointer?, _ inDataSize: UInt32
) -> OSStatus {
    let status = PropertyError.status { () throws(PropertyError) in
        let property = try UnitProperty(of: inUnit, inID, inScope, inElement)
        guard let inData, Int(inDataSize).isMultiple(of: MemoryLayout<UInt32>.size) else {
            throw PropertyError(status: kAudioUnitErr_InvalidPropertyValue)
        }
        let bytes = UnsafeRawBufferPointer(start: inData, count: Int(inDataSize))
        try property.set(
            stride(from: 0, to: bytes.count, by: MemoryLayout<UInt32>.size).map {
                bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self)
            })
    }
    if status == noErr { PropertyListeners.call(inUnit, inID, inScope, inElement) }
    return status
}

/// Reads a property that `AudioUnitSetProperty` sets.
///
/// - Parameters:
///   - inUnit: from `AVAudioIONode.audioUnit` or `AVAudioUnit.audioUnit`.
///   - inID: as for `AudioUnitSetProperty`.
///   - inScope: as for `AudioUnitSetProperty`.
///   - inElement: as for `AudioUnitSetProperty`.
///   - outData: memory for the value; for a map, one `Int32` for each channel.
///   - ioDataSize: the size of that memory in bytes; on return, the number of written bytes.
/// - Returns: the same as `AudioUnitSetProperty`; `kAudioUnitErr_InvalidPropertyValue` if there is not enough memory.
@discardableResult
public func AudioUnitGetProperty(
    _ inUnit: AudioUnit, _ inID: AudioUnitPropertyID, _ inScope: AudioUnitScope, _ inElement: AudioUnitElement,
    _ outData: UnsafeMutableRawPointer, _ ioDataSize: UnsafeMutablePointer<UInt32>
) -> OSStatus {
    PropertyError.status { () throws(PropertyError) in
        let words = try UnitProperty(of: inUnit, inID, inScope, inElement).words
        let size = words.count * MemoryLayout<UInt32>.size
        guard size <= Int(ioDataSize.pointee) else { throw PropertyError(status: kAudioUnitErr_InvalidPropertyValue) }
        words.withUnsafeBytes { outData.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(outData), byteCount: size) }
        ioDataSize.pointee = UInt32(size)
    }
}

/// Sets a parameter of an effect or of a matrix mixer.
///
/// - Parameters:
///   - inUnit: from `AVAudioUnit.audioUnit`.
///   - inID: the address of the parameter: a `kXXXParam_` of an effect with Apple's name, or ``kMatrixMixerParam_Volume``.
///   - inScope: ``kAudioUnitScope_Global``; for a matrix mixer, also Input and Output.
///   - inElement: 0; for a matrix mixer, see ``kMatrixMixerParam_Volume``.
///   - inValue: the value, clamped to the parameter's range; NaN changes nothing.
///   - inBufferOffsetInFrames: has no effect: the value is set at once.
/// - Returns: `noErr`; `kAudioUnitErr_InvalidParameter` for a parameter that the unit does not have,
///   `kAudioUnitErr_InvalidScope` and `_InvalidElement`, and `kAudio_ParamError` for no unit, or one that no longer exists.
@discardableResult
public func AudioUnitSetParameter(
    _ inUnit: AudioUnit, _ inID: AudioUnitParameterID, _ inScope: AudioUnitScope, _ inElement: AudioUnitElement,
    _ inValue: AudioUnitParameterValue, _ inBufferOffsetInFrames: UInt32
) -> OSStatus {
    PropertyError.status { () throws(PropertyError) in
        try UnitParameterCell(of: inUnit, inID, inScope, inElement).set(inValue)
    }
}

/// Reads a parameter of an effect or of a matrix mixer.
///
/// - Parameters:
///   - inUnit: from `AVAudioUnit.audioUnit`.
///   - inID: the address of the parameter.
///   - inScope: as for `AudioUnitSetParameter`.
///   - inElement: as for `AudioUnitSetParameter`.
///   - outValue: receives the value.
/// - Returns: the same as `AudioUnitSetParameter`.
@discardableResult
public func AudioUnitGetParameter(
    _ inUnit: AudioUnit, _ inID: AudioUnitParameterID, _ inScope: AudioUnitScope, _ inElement: AudioUnitElement,
    _ outValue: UnsafeMutablePointer<AudioUnitParameterValue>
) -> OSStatus {
    PropertyError.status { () throws(PropertyError) in
        outValue.pointee = try UnitParameterCell(of: inUnit, inID, inScope, inElement).value
    }
}

/// Discards all sound in a unit: tails and delays.
///
/// - Parameters:
///   - inUnit: from `AVAudioUnit.audioUnit`.
///   - inScope: has no effect.
///   - inElement: has no effect.
/// - Returns: `noErr`; `kAudio_ParamError` for no unit, or one that no longer exists.
@discardableResult
public func AudioUnitReset(_ inUnit: AudioUnit, _ inScope: AudioUnitScope, _ inElement: AudioUnitElement) -> OSStatus {
    guard let unit = AudioUnitRegistry.unit(of: inUnit) else { return kAudio_ParamError }
    unit.reset()
    return noErr
}

/// The units that C functions accept.
///
/// A handle is an address. It is looked up here and never dereferenced, so a handle of a unit that no longer exists is
/// an error, not a crash.
///
/// Any thread.
enum AudioUnitRegistry {
    /// The units by their addresses.
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

    /// Removes a unit and its listeners at the end of its life.
    static func forget(_ unit: AUAudioUnit) {
        let address = UInt(bitPattern: ObjectIdentifier(unit))
        units.withLock { $0[address] = nil }
        PropertyListeners.forget(address)
    }
}
