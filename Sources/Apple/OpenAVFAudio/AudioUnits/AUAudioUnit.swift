internal import AudioModel
internal import AudioRuntime
public import CAudioTypes
internal import EngineCore
public import Foundation
internal import RenderCore

/// An audio unit: the unit of an engine's node, or an implementation of the app's.
///
/// - The unit of a node (`AVAudioNode.auAudioUnit`) has the node's channel map, and the parameters of an effect.
/// - The app's subclass overrides `internalRenderBlock`, `inputBusses`, `outputBusses` and `parameterTree`. After
///   `registerSubclass` it runs in an engine as an ``AVAudioUnitEffect``, or as the node that `AVAudioUnit.instantiate`
///   makes from its description. Its `internalRenderBlock` is called on the render thread.
///
/// Any thread except the render thread.
///
/// Source: SDK headers AUAudioUnit.h, AUAudioUnitImplementation.h.
open class AUAudioUnit: NSObject {
    /// The kind of the unit.
    public let componentDescription: AudioComponentDescription
    private var component: UnitComponent?
    /// The processing of a unit of this library; nil for the app's subclasses, and for nodes that are not effects.
    private(set) var unit: (any ParameterizedUnit)?
    /// The node that has made this unit, kept alive; nil for other units.
    private var ownCore: NodeController?
    private weak var carrier: NodeController?
    private let lock = NSLock()
    private var state = State()
    /// The events that hosts have scheduled for the app's subclass.
    let events = UnitEvents()

    private struct State {
        var areResourcesAllocated = false
        var maximumFrames: AUAudioFrameCount = 512
        var isBypassed = false
        var isRenderingOffline = false
        var currentPreset: AUAudioUnitPreset?
        var tree: AUParameterTree?
        var contextName: String?
    }

    /// Creates the unit of a description; a subclass overrides it or inherits it.
    ///
    /// - Parameters:
    ///   - componentDescription: the description of a unit of this library or of a plug-in; of a subclass, its own.
    ///   - options: have no effect.
    /// - Throws: -3000 (invalid component) if the class is `AUAudioUnit` itself and no effect of this library and no
    ///   plug-in has that description. `instantiate` also makes time effects and the app's units.
    public init(
        componentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = []
    ) throws {
        self.componentDescription = componentDescription
        let isOfNode = options == .ofNode
        component = isOfNode ? nil : ComponentRegistry.component(componentDescription)
        super.init()
        guard type(of: self) == AUAudioUnit.self, !isOfNode else { return }
        guard case .unit(let make) = component?.implementation else {
            throw NSError.unknownComponent(componentDescription)
        }
        unit = try make()
    }

    /// Creates the unit of a description without options.
    public convenience init(componentDescription: AudioComponentDescription) throws {
        try self.init(componentDescription: componentDescription, options: [])
    }

    /// The initialiser that makes units of a registered class: a class that overrides the one above inherits it.
    public required convenience init(_registered description: AudioComponentDescription) throws {
        try self.init(componentDescription: description, options: [])
    }

    /// The unit of a node.
    ///
    /// - Parameter unit: the processing of an effect; nil for other nodes.
    convenience init(core: NodeController, _ component: UnitComponent, unit: (any ParameterizedUnit)?) {
        do { try self.init(componentDescription: component.description, options: .ofNode) } catch {
            programmerError("the unit of a node was refused: \(error)")
        }
        (ownCore, self.component, self.unit) = (core, component, unit)
    }

    deinit { AudioUnitRegistry.forget(self) }

    /// The node that the unit belongs to.
    final var core: NodeController? { ownCore ?? lock.withLock { carrier } }

    /// Sets the node that runs the app's unit.
    final func setCarrier(_ core: NodeController) { lock.withLock { carrier = core } }

    private func read<Value>(_ member: KeyPath<State, Value>) -> Value { lock.withLock { state[keyPath: member] } }

    private func write<Value>(_ member: WritableKeyPath<State, Value>, _ value: Value) {
        // The old value is released outside of the lock, because that may run the app's code.
        let old = lock.withLock {
            let old = state[keyPath: member]
            state[keyPath: member] = value
            return old
        }
        withExtendedLifetime(old) {}
    }

    // MARK: Making units

    /// Registers the app's subclass, so that `instantiate` and effects can make units of it.
    ///
    /// A new class replaces an earlier one of the same description.
    ///
    /// - Parameters:
    ///   - cls: a subclass of `AUAudioUnit` that overrides `init(componentDescription:options:)` or has no initialisers of its own;
    ///     another class ends the program.
    ///   - componentDescription: the description of its units, with any manufacturer.
    ///   - name: "Manufacturer: Name", shown to users.
    ///   - version: in the encoding of audio units.
    open class func registerSubclass(
        _ cls: AnyClass, as componentDescription: AudioComponentDescription, name: String, version: UInt32
    ) {
        guard let cls = cls as? AUAudioUnit.Type else {
            programmerError("\(cls) was registered as an audio unit: register a subclass of AUAudioUnit.")
        }
        ComponentRegistry.register(cls, as: componentDescription, name: name, version: version)
    }

    /// Creates the unit of a description; does not wait.
    ///
    /// - Parameters:
    ///   - componentDescription: the description of a unit of this library, a plug-in or a registered subclass.
    ///   - options: have no effect.
    ///   - completionHandler: called once, on its own thread, with the unit, with an `NSError` of
    ///     `NSOSStatusErrorDomain` and the code -3000 (invalid component), or with the error that the class throws.
    @preconcurrency
    open class func instantiate(
        with componentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = [],
        completionHandler: @escaping @Sendable (AUAudioUnit?, (any Error)?) -> Void
    ) {
        Thread.detachNewThread {
            do { completionHandler(try make(componentDescription), nil) } catch { completionHandler(nil, error) }
        }
    }

    /// Creates the unit of a description.
    ///
    /// - Throws: the errors of `instantiate(with:options:completionHandler:)`.
    open class func instantiate(
        with componentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = []
    ) async throws -> sending AUAudioUnit {
        try make(componentDescription)
    }

    static func make(_ description: AudioComponentDescription) throws -> sending AUAudioUnit {
        let component = try ComponentRegistry.known(description)
        switch component.implementation {
        case .unit: return try AUAudioUnit(componentDescription: description)
        case .timeEffect(.timePitch): return AVAudioUnitTimePitch().auAudioUnit
        case .timeEffect(.varispeed): return AVAudioUnitVarispeed().auAudioUnit
        case .subclass(let unitClass): return try unitClass.init(_registered: description)
        case .node: throw NSError.unknownComponent(description)
        }
    }

    // MARK: Names and version

    /// The unit's name without the manufacturer's, to show to users.
    open var audioUnitName: String? { component?.name ?? core?.name }
    /// The registered name, "Manufacturer: Name".
    open var componentName: String? {
        component.map { "\($0.manufacturerName): \($0.name)" } ?? core?.name
    }
    /// The manufacturer's name.
    open var manufacturerName: String? { component?.manufacturerName ?? UnitComponent.ownManufacturer }
    /// The version in the encoding of audio units; 1.0 for units of this library.
    open var componentVersion: UInt32 { component?.version ?? UnitComponent.ownVersion }

    // MARK: Busses

    /// The inputs; those of a node have the formats of its connections.
    ///
    /// A subclass overrides it, and returns the same array each time.
    open var inputBusses: AUAudioUnitBusArray { busses(.input) }

    /// The outputs; those of a node have its format.
    ///
    /// A subclass overrides it, and returns the same array each time.
    open var outputBusses: AUAudioUnitBusArray { busses(.output) }

    private func busses(_ busType: AUAudioUnitBusType) -> AUAudioUnitBusArray {
        AUAudioUnitBusArray(
            audioUnit: self, busType: busType,
            busses: (core?.formats(isInput: busType == .input) ?? []).compactMap {
                try? AUAudioUnitBus(format: AVAudioFormat($0))
            })
    }

    /// Whether a bus may change to a format.
    ///
    /// False for the busses of a node, which its connections determine, and while render resources are allocated.
    open func shouldChange(to format: AVAudioFormat, for bus: AUAudioUnitBus) -> Bool {
        ownCore == nil && !renderResourcesAllocated
    }

    /// The supported pairs of channel counts, input and output; -1 is any number, nil allows all pairs.
    ///
    /// A subclass may override it: an engine refuses other pairs.
    open var channelCapabilities: [NSNumber]? { nil }

    // MARK: Rendering

    /// Prepares the unit to render; a subclass overrides it, and calls this first.
    ///
    /// An engine calls it on the thread that connects or starts, with no lock held. It calls it again after
    /// `deallocateRenderResources` if formats change.
    open func allocateRenderResources() throws { write(\.areResourcesAllocated, true) }

    /// Undoes `allocateRenderResources`; a subclass overrides it, and calls this last.
    open func deallocateRenderResources() { write(\.areResourcesAllocated, false) }

    /// Whether the unit is ready to render.
    open var renderResourcesAllocated: Bool { ownCore == nil ? read(\.areResourcesAllocated) : isRunning }

    /// Sets `renderResourcesAllocated`, for a subclass that does not call `allocateRenderResources` of this class.
    open func setRenderResourcesAllocated(_ flag: Bool) { write(\.areResourcesAllocated, flag) }

    /// The largest number of frames of one cycle.
    ///
    /// Setting it on the unit of a node has no effect: the sound server, or the configuration of manual rendering,
    /// determines the cycle. An engine sets it on a subclass before it allocates render resources.
    open var maximumFramesToRender: AUAudioFrameCount {
        get {
            guard let ownCore else { return read(\.maximumFrames) }
            return AUAudioFrameCount(ownCore.place?.control.manual?.maximumFrames ?? EngineController.maximumFrames)
        }
        set { if ownCore == nil { write(\.maximumFrames, newValue) } }
    }

    /// The block that renders a subclass; read once after each `allocateRenderResources`.
    ///
    /// The block may use only memory of its own, not the unit. This class returns `kAudioUnitErr_Uninitialized`.
    open var internalRenderBlock: AUInternalRenderBlock {
        { _, _, _, _, _, _, _ in kAudioUnitErr_Uninitialized }
    }

    /// Renders the unit without an engine, for an app that is the host.
    ///
    /// Read it after `allocateRenderResources`. It calls `internalRenderBlock` with the events that are due and returns
    /// its result. It returns `kAudioUnitErr_TooManyFramesToProcess` for more frames than `maximumFramesToRender`.
    open var renderBlock: AURenderBlock {
        let render = internalRenderBlock
        let schedule = EventSchedule(events)
        let most = maximumFramesToRender
        return { flags, stamp, frames, bus, output, pull in
            guard frames <= most else { return kAudioUnitErr_TooManyFramesToProcess }
            let head = schedule.due(at: Int64(nearest: stamp.pointee.mSampleTime), frames: Int(frames))
            return render(flags, stamp, frames, bus, output, head, pull)
        }
    }

    /// Schedules changes of parameters for the cycle in which they are due; any thread.
    ///
    /// Effects of this library and plug-ins ramp linearly, one step per cycle; a value that is set meanwhile ends the
    /// ramp. At most 256 changes of such a unit wait, and 1024 of the app's subclass; more are dropped. Without an
    /// engine that renders the unit they wait, except a change that is due now and has no ramp.
    open var scheduleParameterBlock: AUScheduleParameterBlock {
        if let unit {
            return { time, ramp, address, value in
                if time == AUEventSampleTimeImmediate, ramp == 0 { return unit.setValue(value, at: address) }
                unit.schedule(value, at: address, from: time, rampFrames: ramp)
            }
        }
        let events = events
        return { time, ramp, address, value in
            _ = events.put(UnitEvent(sampleTime: time, .parameter(address: address, value: value, rampFrames: ramp)))
        }
    }

    /// Schedules MIDI messages for the app's instrument or music effect; nil for other units.
    open var scheduleMIDIEventBlock: AUScheduleMIDIEventBlock? {
        guard unit == nil,
            [kAudioUnitType_MusicDevice, kAudioUnitType_MusicEffect].contains(componentDescription.componentType)
        else { return nil }
        let events = events
        return { time, cable, length, bytes in
            guard (1...3).contains(length) else { return }
            let (second, third) = (length > 1 ? bytes[1] : 0, length > 2 ? bytes[2] : 0)
            _ = events.put(
                UnitEvent(
                    sampleTime: time, .midi(cable: cable, length: UInt8(length), bytes[0], second, third)))
        }
    }

    /// Discards all sound in the unit: tails, delays, and the queue of a player.
    open func reset() { core?.reset() }

    // MARK: Parameters and presets

    /// The parameters; nil for a unit without parameters.
    ///
    /// A subclass sets or overrides it.
    open var parameterTree: AUParameterTree? {
        get {
            if let tree = read(\.tree) { return tree }
            guard let unit else { return nil }
            let made = AUParameterTree(unit)
            return lock.withLock {
                if state.tree == nil { state.tree = made }
                return state.tree
            }
        }
        set { write(\.tree, newValue) }
    }

    /// The addresses of the `count` most important parameters: the first ones.
    open func parametersForOverview(withCount count: Int) -> [NSNumber] {
        (parameterTree?.allParameters ?? []).prefix(max(count, 0)).map { NSNumber(value: $0.address) }
    }

    /// The values of all parameters that can be set, with the kind of the unit, as a dictionary for a property list.
    ///
    /// Setting it sets the parameters that it names. Unknown parameters, and the state of another kind of unit, change
    /// nothing. A subclass may add to it.
    open var fullState: [String: Any]? {
        get {
            let parameters = (parameterTree?.allParameters ?? []).filter { $0.flags.contains(.flag_IsWritable) }
            return [
                Self.typeKey: Int(componentDescription.componentType),
                Self.subtypeKey: Int(componentDescription.componentSubType),
                Self.manufacturerKey: Int(componentDescription.componentManufacturer),
                Self.valuesKey: Dictionary(parameters.map { (String($0.address), Double($0.value)) }) { $1 },
            ]
        }
        set {
            guard let newValue, let values = newValue[Self.valuesKey] as? [String: Any],
                newValue[Self.typeKey] as? Int == Int(componentDescription.componentType),
                newValue[Self.subtypeKey] as? Int == Int(componentDescription.componentSubType)
            else { return }
            for (address, value) in values {
                guard let address = AUParameterAddress(address), let value = value as? Double, value.isFinite,
                    let parameter = parameterTree?.parameter(withAddress: address),
                    parameter.flags.contains(.flag_IsWritable)
                else { continue }
                let inRange = min(max(Float(value), parameter.minValue), parameter.maxValue)
                parameter.setValue(inRange, originator: nil)
            }
        }
    }

    /// The same as `fullState`, unless a subclass overrides it.
    open var fullStateForDocument: [String: Any]? {
        get { fullState }
        set { fullState = newValue }
    }

    private static let (typeKey, subtypeKey, manufacturerKey, valuesKey) = ("type", "subtype", "manufacturer", "values")

    /// The unit's own presets; nil unless a subclass overrides it.
    open var factoryPresets: [AUAudioUnitPreset]? { nil }

    /// The preset that was chosen last; a subclass overrides it to apply the preset's values.
    open var currentPreset: AUAudioUnitPreset? {
        get { read(\.currentPreset) }
        set { write(\.currentPreset, newValue) }
    }

    // MARK: Latency, bypass and other states

    /// The seconds from a frame's input to its output: the latency of an effect's processor, 0 for other nodes.
    ///
    /// A subclass overrides it.
    open var latency: TimeInterval { ownCore?.latencySeconds ?? 0 }

    /// The seconds of sound after the end of the input; 0 for a unit without a tail, unless a subclass overrides it.
    open var tailTime: TimeInterval { unit?.tailSeconds ?? 0 }

    /// Whether the block may write its output over its input: false unless overridden; no engine reads it.
    open var canProcessInPlace: Bool { false }

    /// Whether an effect passes the sound unchanged; setting it on another node has no effect.
    ///
    /// The app's subclass reads it and does the bypass.
    open var shouldBypassEffect: Bool {
        get { unit?.isBypassed ?? core?.role.timeEffect?.settings.isBypassed ?? read(\.isBypassed) }
        set {
            if let unit {
                unit.isBypassed = newValue
            } else if let effect = core?.role.timeEffect {
                effect.change { $0.isBypassed = newValue }
            } else if ownCore == nil {
                write(\.isBypassed, newValue)
            }
        }
    }

    /// Whether the unit renders without a device; an engine does not set it.
    open var isRenderingOffline: Bool {
        get { read(\.isRenderingOffline) }
        set { write(\.isRenderingOffline, newValue) }
    }

    /// The host's purpose of the unit, to show to users.
    open var contextName: String? {
        get { read(\.contextName) }
        set { write(\.contextName, newValue) }
    }

    /// Whether the engine of the node runs.
    open var isRunning: Bool { core?.place?.control.isRunning ?? false }
    /// Whether the unit belongs to the engine's input node.
    open var canPerformInput: Bool { core?.isInput ?? false }
    /// Whether the unit belongs to the engine's output node.
    open var canPerformOutput: Bool { core?.kind == .output }
    /// The same as `canPerformInput`: the unit of an input node always captures.
    open var isInputEnabled: Bool { canPerformInput }
    /// The same as `canPerformOutput`: the unit of an output node always plays.
    open var isOutputEnabled: Bool { canPerformOutput }

    // MARK: Channel map

    /// The input channel of the unit that feeds each output channel.
    ///
    /// The index is the output channel; the value is the channel that feeds it, or -1 for silence. A channel may feed
    /// several output channels. On the output node there is one entry for each channel of `outputFormat(forBus: 0)`,
    /// for all devices of the route in order, and the values are channels of the connected node. On a player, index and
    /// value are channels of its output. Mixers, effects and source nodes do not support a map; it is nil there.
    ///
    /// On the input node the app chooses the number of entries, at least one. It is the number of channels that a tap
    /// gets; the values are channels of the device. The default is the unchanged channels of the device.
    ///
    /// Before the app sets a map, this is the default map. On one device the positions of the channels in the room
    /// determine it; if several channels feed one output channel, it names the loudest. On several devices it is
    /// `[0, 1, -1, ...]`: two channels on the first device, or only channel 0 if that device is mono; a single channel
    /// feeds both channels of a pair. The main mixer counts as two channels, although it has all channels of the
    /// output, until the app connects it with a format. If the app has connected more than two channels, they address
    /// the whole route, `[0, 1, 2, ...]`.
    ///
    /// A map of another length, or with a channel that does not exist, is ignored; the old map stays
    /// (`AudioUnitSetProperty` returns an error). Nil restores the default. When the channel count of the route
    /// changes, the map becomes the default again; set it again after the configuration change.
    open var channelMap: [NSNumber]? {
        get { core?.channelMap?.map { NSNumber(value: $0) } }
        set { try? core?.setChannelMap(newValue?.map(\.intValue)) }
    }
}

extension AudioComponentInstantiationOptions {
    /// Marks the unit of a node, which no component makes.
    fileprivate static let ofNode = AudioComponentInstantiationOptions(rawValue: 1 << 31)
}
