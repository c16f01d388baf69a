internal import AudioRuntime
internal import CAudioTypes
internal import EffectCore
internal import EngineCore

/// A property of a unit, as the C functions read and write it: words of four bytes.
enum UnitProperty {
    /// The channel map of an output node or an input node.
    case channelMap(NodeController?)
    /// The number of busses of a matrix mixer on one side.
    case elementCount(MatrixMixerUnit, NodeController?, isInput: Bool)
    /// All levels of a matrix mixer: a row for each input channel with its crosspoints and its level, then a row with
    /// the levels of the outputs and of the whole mixer.
    case matrixLevels(MatrixMixerUnit, NodeController?)

    /// The numbers of inputs that a mixer may have.
    private static let allowedInputs = 1...MatrixLevels.mostChannels

    init(
        of handle: AudioUnit, _ property: AudioUnitPropertyID, _ scope: AudioUnitScope, _ element: AudioUnitElement
    ) throws(PropertyError) {
        guard let unit = AudioUnitRegistry.unit(of: handle) else { throw PropertyError(status: kAudio_ParamError) }
        let mixer = unit.unit as? MatrixMixerUnit
        switch property {
        case kAudioOutputUnitProperty_ChannelMap where unit.canPerformInput || unit.canPerformOutput:
            let isInput = unit.canPerformInput
            try Self.check(scope == (isInput ? kAudioUnitScope_Input : kAudioUnitScope_Output))
            guard element == (isInput ? 1 : 0) else { throw PropertyError(status: kAudioUnitErr_InvalidElement) }
            self = .channelMap(unit.core)
        case kAudioUnitProperty_ElementCount:
            guard let mixer else { throw PropertyError(status: kAudioUnitErr_InvalidProperty) }
            try Self.check(scope == kAudioUnitScope_Input || scope == kAudioUnitScope_Output)
            self = .elementCount(mixer, unit.core, isInput: scope == kAudioUnitScope_Input)
        case kAudioUnitProperty_MatrixLevels:
            guard let mixer else { throw PropertyError(status: kAudioUnitErr_InvalidProperty) }
            try Self.check(scope == kAudioUnitScope_Global)
            self = .matrixLevels(mixer, unit.core)
        default: throw PropertyError(status: kAudioUnitErr_InvalidProperty)
        }
        guard case .channelMap = self else {
            guard element == 0 else { throw PropertyError(status: kAudioUnitErr_InvalidElement) }
            return
        }
    }

    private static func check(_ isScope: Bool) throws(PropertyError) {
        guard isScope else { throw PropertyError(status: kAudioUnitErr_InvalidScope) }
    }

    var words: [UInt32] {
        switch self {
        case .channelMap(let core): (core?.channelMap ?? []).map { UInt32(bitPattern: Int32(clamping: $0)) }
        case .elementCount(let mixer, let core, let isInput):
            [isInput ? UInt32(max(mixer.wantedInputs, core?.formats(isInput: true).count ?? 1)) : 1]
        case .matrixLevels(let mixer, let core):
            Self.places(of: core).map { mixer.levels.level(at: $0)?.bitPattern ?? 0 }
        }
    }

    func set(_ words: [UInt32]) throws(PropertyError) {
        switch self {
        case .channelMap(let core):
            do { try core?.setChannelMap(words.map { Int(Int32(bitPattern: $0)) }) } catch {
                throw PropertyError(status: error.status)
            }
        case .elementCount(let mixer, _, let isInput):
            guard words.count == 1, isInput ? Self.allowedInputs.contains(Int(words[0])) : words[0] == 1 else {
                throw PropertyError(status: kAudioUnitErr_InvalidPropertyValue)
            }
            if isInput { mixer.wantedInputs = Int(words[0]) }
        case .matrixLevels(let mixer, let core):
            let places = Self.places(of: core)
            guard words.count == places.count else { throw PropertyError(status: kAudioUnitErr_InvalidPropertyValue) }
            for (place, word) in zip(places, words) { _ = mixer.levels.set(Float(bitPattern: word), at: place) }
        }
    }

    private static func places(of core: NodeController?) -> [MatrixLevels.Place] {
        let channels = { (isInput: Bool) in
            core?.formats(isInput: isInput).reduce(0) { $0 + $1.channels.count } ?? 0
        }
        let (inputs, outputs) = (channels(true), channels(false))
        return (0..<inputs).flatMap { input in
            (0..<outputs).map { .crosspoint(input: input, output: $0) } + [.input(input)]
        } + (0..<outputs).map(MatrixLevels.Place.output) + [.whole]
    }
}

/// A parameter of a unit, as the C functions read and write it.
enum UnitParameterCell {
    case ofTree(AUParameter)
    /// A level of a matrix mixer.
    case level(MatrixLevels, MatrixLevels.Place)
    /// A setting of a time effect.
    case setting(TimeEffectController, TimeEffectController.Setting)

    init(
        of handle: AudioUnit, _ id: AudioUnitParameterID, _ scope: AudioUnitScope, _ element: AudioUnitElement
    ) throws(PropertyError) {
        guard let unit = AudioUnitRegistry.unit(of: handle) else { throw PropertyError(status: kAudio_ParamError) }
        if let mixer = unit.unit as? MatrixMixerUnit {
            let place = try Self.place(id, scope, element)
            guard mixer.levels.level(at: place) != nil else {
                throw PropertyError(status: kAudioUnitErr_InvalidElement)
            }
            self = .level(mixer.levels, place)
            return
        }
        guard scope == kAudioUnitScope_Global else { throw PropertyError(status: kAudioUnitErr_InvalidScope) }
        guard element == 0 else { throw PropertyError(status: kAudioUnitErr_InvalidElement) }
        if let effect = unit.core?.role.timeEffect, let setting = effect.setting(id) {
            self = .setting(effect, setting)
        } else if let parameter = unit.parameterTree?.parameter(withAddress: AUParameterAddress(id)) {
            self = .ofTree(parameter)
        } else {
            throw PropertyError(status: kAudioUnitErr_InvalidParameter)
        }
    }

    private static func place(
        _ id: AudioUnitParameterID, _ scope: AudioUnitScope, _ element: AudioUnitElement
    ) throws(PropertyError) -> MatrixLevels.Place {
        guard id == kMatrixMixerParam_Volume else { throw PropertyError(status: kAudioUnitErr_InvalidParameter) }
        switch scope {
        case kAudioUnitScope_Global where element == .max: return .whole
        case kAudioUnitScope_Global: return .crosspoint(input: Int(element >> 16), output: Int(element & 0xffff))
        case kAudioUnitScope_Input: return .input(Int(element))
        case kAudioUnitScope_Output: return .output(Int(element))
        default: throw PropertyError(status: kAudioUnitErr_InvalidScope)
        }
    }

    var value: Float {
        switch self {
        case .ofTree(let parameter): parameter.value
        case .level(let levels, let place): levels.level(at: place) ?? 0
        case .setting(let effect, let setting): effect.settings[keyPath: setting.member]
        }
    }

    /// Sets the value, clamped to its range; NaN changes nothing.
    func set(_ value: Float) {
        guard !value.isNaN else { return }
        switch self {
        case .ofTree(let parameter):
            parameter.setValue(min(max(value, parameter.minValue), parameter.maxValue), originator: nil)
        case .level(let levels, let place): _ = levels.set(value, at: place)
        case .setting(let effect, let setting): effect.set(value, setting)
        }
    }
}

/// The status that a C function returns instead of doing anything.
struct PropertyError: Error {
    let status: OSStatus

    /// What a C function returns that does this.
    static func status(_ body: () throws(PropertyError) -> Void) -> OSStatus {
        do throws(PropertyError) {
            try body()
            return noErr
        } catch {
            return error.status
        }
    }
}

extension TimeEffectController {
    /// A setting of a time effect, with its range.
    struct Setting {
        var member: WritableKeyPath<TimeEffectSettings, Float>
        var range: ClosedRange<Float>

        static var timePitchRate: Setting { Setting(member: \.rate, range: 1 / 32...32) }
        static var pitch: Setting { Setting(member: \.pitch, range: -2400...2400) }
        static var overlap: Setting { Setting(member: \.overlap, range: 3...32) }
        static var varispeedRate: Setting { Setting(member: \.rate, range: VarispeedTool.rates) }
    }

    /// The setting of a parameter; nil for a parameter that the effect does not have.
    func setting(_ id: AudioUnitParameterID) -> Setting? {
        switch (kind, id) {
        case (.timePitch, kNewTimePitchParam_Rate): .timePitchRate
        case (.timePitch, kNewTimePitchParam_Pitch): .pitch
        case (.timePitch, kNewTimePitchParam_Overlap): .overlap
        case (.varispeed, kVarispeedParam_PlaybackRate): .varispeedRate
        default: nil
        }
    }

    /// Sets the value, clamped to its range; NaN changes nothing.
    func set(_ value: Float, _ setting: Setting) {
        guard !value.isNaN else { return }
        change { $0[keyPath: setting.member] = min(max(value, setting.range.lowerBound), setting.range.upperBound) }
    }
}
