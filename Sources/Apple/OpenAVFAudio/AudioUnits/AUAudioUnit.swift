internal import AudioModel
internal import AudioRuntime
public import CAudioTypes
internal import EngineCore
public import Foundation
internal import RenderCore

/// An audio unit: a node of an engine from its other side, or an implementation of the app's.
///
/// - Of a node (`AVAudioNode.auAudioUnit`), it has the node's channel map, and an effect's parameters.
/// - A subclass of the app's is a unit of its own: it overrides `internalRenderBlock`, `inputBusses`, `outputBusses` and
///   `parameterTree`, is made known by `registerSubclass`, and runs in an engine as an ``AVAudioUnitEffect`` (or as what
///   `AVAudioUnit.instantiate` makes of its description). Its `internalRenderBlock` is called on the render thread.
///
/// Any thread except the render thread.
///
/// Source: SDK headers AUAudioUnit.h, AUAudioUnitImplementation.h.
open class AUAudioUnit: NSObject {
    /// What kind of unit it is.
    public let componentDescription: AudioComponentDescription
    private var component: UnitComponent?
    /// What a unit of this library renders with; nil for a subclass of the app's, and for nodes that are no effects.
    private(set) var unit: (any ParameterizedUnit)?
    /// The node whose other side it is: kept where the node has made it.
    private var ownCore: NodeController?
    private weak var carrier: NodeController?
    private let lock = NSLock()
    private var state = State()
    /// What hosts have scheduled for a subclass of the app's.
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

    /// A unit of this description; for subclasses, which may be made so too.
    ///
    /// - Parameters:
    ///   - componentDescription: of a unit of this library or a plug-in; of a subclass, what it is.
    ///   - options: without effect.
    /// - Throws: -3000 (invalid component) where the class is `AUAudioUnit` itself, and no unit of this library and no plug-in has
    ///   that description; `instantiate` makes units of the app's.
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

    /// The same without options.
    public convenience init(componentDescription: AudioComponentDescription) throws {
        try self.init(componentDescription: componentDescription, options: [])
    }

    /// What makes a registered class: one that overrides the initialiser above has this one too.
    public required convenience init(_registered description: AudioComponentDescription) throws {
        try self.init(componentDescription: description, options: [])
    }

    /// The other side of a node.
    ///
    /// - Parameter unit: what an effect renders with; nil for other nodes.
    convenience init(core: NodeController, _ component: UnitComponent, unit: (any ParameterizedUnit)?) {
        do { try self.init(componentDescription: component.description, options: .ofNode) } catch {
            programmerError("the unit of a node was refused: \(error)")
        }
        (ownCore, self.component, self.unit) = (core, component, unit)
    }

    deinit { AudioUnitRegistry.forget(self) }

    /// The node that it belongs to.
    final var core: NodeController? { ownCore ?? lock.withLock { carrier } }

    /// The node that a unit of the app's runs in.
    final func setCarrier(_ core: NodeController) { lock.withLock { carrier = core } }

    private func read<Value>(_ member: KeyPath<State, Value>) -> Value { lock.withLock { state[keyPath: member] } }

    private func write<Value>(_ member: WritableKeyPath<State, Value>, _ value: Value) {
        // What the old value was the last to hold ends outside of the lock.
        let old = lock.withLock {
            let old = state[keyPath: member]
            state[keyPath: member] = value
            return old
        }
        withExtendedLifetime(old) {}
    }

    // MARK: Making units

    /// Makes a subclass of the app's known, so that `instantiate` and effects can make units of it.
    ///
    /// A description that was registered before has the new class from now on.
    ///
    /// - Parameters:
    ///   - cls: a subclass of `AUAudioUnit` that overrides `init(componentDescription:options:)` or has no initialisers of its own;
    ///     another class ends the program.
    ///   - componentDescription: what it is; the manufacturer may be any.
    ///   - name: "Manufacturer: Name", for people.
    ///   - version: in the encoding of audio units.
    open class func registerSubclass(
        _ cls: AnyClass, as componentDescription: AudioComponentDescription, name: String, version: UInt32
    ) {
        guard let cls = cls as? AUAudioUnit.Type else {
            programmerError("\(cls) was registered as an audio unit: register a subclass of AUAudioUnit.")
        }
        ComponentRegistry.register(cls, as: componentDescription, name: name, version: version)
    }

    /// Creates the unit of this description; does not wait.
    ///
    /// - Parameters:
    ///   - componentDescription: of a unit of this library, a plug-in or a registered subclass.
    ///   - options: without effect.
    ///   - completionHandler: called once, on its own thread: with the unit, or with an `NSError` of `NSOSStatusErrorDomain` with the
    ///     code -3000 (invalid component), or with what the class throws.
    @preconcurrency
    open class func instantiate(
        with componentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = [],
        completionHandler: @escaping @Sendable (AUAudioUnit?, (any Error)?) -> Void
    ) {
        Thread.detachNewThread {
            do { completionHandler(try make(componentDescription), nil) } catch { completionHandler(nil, error) }
        }
    }

    /// Creates the unit of this description.
    ///
    /// - Throws: as `instantiate(with:options:completionHandler:)`.
    open class func instantiate(
        with componentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = []
    ) async throws -> sending AUAudioUnit {
        try make(componentDescription)
    }

    static func make(_ description: AudioComponentDescription) throws -> sending AUAudioUnit {
        guard let component = ComponentRegistry.component(description) else {
            throw NSError.unknownComponent(description)
        }
        switch component.implementation {
        case .unit: return try AUAudioUnit(componentDescription: description)
        case .timeEffect(.timePitch): return AVAudioUnitTimePitch().auAudioUnit
        case .timeEffect(.varispeed): return AVAudioUnitVarispeed().auAudioUnit
        case .subclass(let unitClass): return try unitClass.init(_registered: description)
        case .node: throw NSError.unknownComponent(description)
        }
    }

    // MARK: What it is

    /// The unit's name without the manufacturer's, for people.
    open var audioUnitName: String? { component?.name ?? core?.name }
    /// The name with which it was registered, "Manufacturer: Name".
    open var componentName: String? {
        component.map { "\($0.manufacturerName): \($0.name)" } ?? core?.name
    }
    /// The manufacturer's name.
    open var manufacturerName: String? { component?.manufacturerName ?? UnitComponent.ownManufacturer }
    /// In the encoding of audio units; 1.0 for units of this library.
    open var componentVersion: UInt32 { component?.version ?? UnitComponent.ownVersion }

    // MARK: Busses

    /// The inputs: of a node, with the formats of its connections.
    ///
    /// A subclass overrides it, and gives the same array each time.
    open var inputBusses: AUAudioUnitBusArray { busses(.input) }

    /// The outputs: of a node, with its format.
    ///
    /// A subclass overrides it, and gives the same array each time.
    open var outputBusses: AUAudioUnitBusArray { busses(.output) }

    private func busses(_ busType: AUAudioUnitBusType) -> AUAudioUnitBusArray {
        AUAudioUnitBusArray(
            audioUnit: self, busType: busType,
            busses: (core?.formats(isInput: busType == .input) ?? []).compactMap {
                try? AUAudioUnitBus(format: AVAudioFormat($0))
            })
    }

    /// Whether a bus may take a format: false for the busses of a node, whose connections have the formats, and while render
    /// resources are allocated.
    open func shouldChange(to format: AVAudioFormat, for bus: AUAudioUnitBus) -> Bool {
        ownCore == nil && !renderResourcesAllocated
    }

    /// Pairs of numbers of channels, input and output, that the unit takes; -1 for any; nil for all.
    ///
    /// A subclass may override it: an engine refuses other numbers.
    open var channelCapabilities: [NSNumber]? { nil }

    // MARK: Rendering

    /// Makes the unit ready to render; a subclass overrides it, and calls this first.
    ///
    /// An engine calls it on the thread that connects or starts, with no lock held, and again after `deallocateRenderResources` where
    /// formats change.
    open func allocateRenderResources() throws { write(\.areResourcesAllocated, true) }

    /// Ends what `allocateRenderResources` began; a subclass overrides it, and calls this last.
    open func deallocateRenderResources() { write(\.areResourcesAllocated, false) }

    /// Whether the unit is ready to render.
    open var renderResourcesAllocated: Bool { ownCore == nil ? read(\.areResourcesAllocated) : isRunning }

    /// For a subclass that does not call `allocateRenderResources` of this class.
    open func setRenderResourcesAllocated(_ flag: Bool) { write(\.areResourcesAllocated, flag) }

    /// The most frames of one cycle.
    ///
    /// Of a node, setting it has no effect: the sound server, or the configuration of manual rendering, determines the cycle. An
    /// engine sets it on a subclass before it allocates render resources.
    open var maximumFramesToRender: AUAudioFrameCount {
        get {
            guard let ownCore else { return read(\.maximumFrames) }
            return AUAudioFrameCount(ownCore.place?.control.manual?.maximumFrames ?? EngineController.maximumFrames)
        }
        set { if ownCore == nil { write(\.maximumFrames, newValue) } }
    }

    /// What a subclass renders with; asked for once after `allocateRenderResources`.
    ///
    /// The block may not use the unit itself, only memory of its own. Here it answers `kAudioUnitErr_Uninitialized`.
    open var internalRenderBlock: AUInternalRenderBlock {
        { _, _, _, _, _, _, _ in kAudioUnitErr_Uninitialized }
    }

    /// Renders the unit without an engine, for hosts of their own.
    ///
    /// Ask for it after `allocateRenderResources`. It answers what `internalRenderBlock` answers, with the events that are due;
    /// `kAudioUnitErr_TooManyFramesToProcess` for more frames than `maximumFramesToRender`.
    open var renderBlock: AURenderBlock {
        let render = internalRenderBlock
        let schedule = EventSchedule(events)
        let most = maximumFramesToRender
        return { flags, stamp, frames, bus, output, pull in
            guard frames <= most else { return kAudioUnitErr_TooManyFramesToProcess }
            let head = schedule.due(at: Int64(stamp.pointee.mSampleTime), frames: Int(frames))
            return render(flags, stamp, frames, bus, output, head, pull)
        }
    }

    /// Schedules changes of parameters, for the cycle in which they are due; any thread.
    ///
    /// Effects of this library and plug-ins go to the value in a straight line that has a corner for each cycle; a value that is
    /// set meanwhile ends it. Up to 256 changes of one of them wait, and 1024 of a subclass of the app's; more are dropped.
    /// Without an engine that renders the unit they wait, but for what is due now and has no ramp.
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

    /// Schedules MIDI messages for a subclass of the app's that is an instrument or a music effect; nil for others.
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

    /// Forgets all sound: tails, delays; a player discards its queue.
    open func reset() { core?.reset() }

    // MARK: Parameters and presets

    /// The parameters; nil for a unit without.
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

    /// The addresses of so many parameters that matter most: the first ones.
    open func parametersForOverview(withCount count: Int) -> [NSNumber] {
        (parameterTree?.allParameters ?? []).prefix(max(count, 0)).map { NSNumber(value: $0.address) }
    }

    /// The values of all parameters that can be set, and what unit they are of: a dictionary that a property list can hold.
    ///
    /// Setting it sets the parameters that it names; values of others, and of another unit, change nothing. A subclass may add to it.
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

    /// The same as `fullState`, unless a subclass says otherwise.
    open var fullStateForDocument: [String: Any]? {
        get { fullState }
        set { fullState = newValue }
    }

    private static let (typeKey, subtypeKey, manufacturerKey, valuesKey) = ("type", "subtype", "manufacturer", "values")

    /// The unit's own presets; nil for none, unless a subclass overrides it.
    open var factoryPresets: [AUAudioUnitPreset]? { nil }

    /// The preset that was chosen last; a subclass overrides it to take the preset's values.
    open var currentPreset: AUAudioUnitPreset? {
        get { read(\.currentPreset) }
        set { write(\.currentPreset, newValue) }
    }

    // MARK: What else there is to know

    /// Seconds from going in to coming out: of an effect in an engine, what its processor says; 0 for other nodes.
    ///
    /// A subclass overrides it.
    open var latency: TimeInterval { ownCore?.latencySeconds ?? 0 }

    /// The seconds of sound after the end of the input; 0 where there is none, unless a subclass overrides it.
    open var tailTime: TimeInterval { unit?.tailSeconds ?? 0 }

    /// Whether the block may write its output over its input: false, unless a subclass says otherwise; hosts here do not ask.
    open var canProcessInPlace: Bool { false }

    /// Whether an effect passes the sound unchanged; for other nodes, setting it has no effect.
    ///
    /// A subclass looks at it by itself.
    open var shouldBypassEffect: Bool {
        get { unit?.isBypassed ?? core?.effect?.settings.isBypassed ?? read(\.isBypassed) }
        set {
            if let unit {
                unit.isBypassed = newValue
            } else if let effect = core?.effect {
                effect.change { $0.isBypassed = newValue }
            } else if ownCore == nil {
                write(\.isBypassed, newValue)
            }
        }
    }

    /// Whether it renders without a device; an engine does not set it.
    open var isRenderingOffline: Bool {
        get { read(\.isRenderingOffline) }
        set { write(\.isRenderingOffline, newValue) }
    }

    /// What the host uses the unit for, for people.
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
    /// Index: output channel; value: the channel that feeds it, -1 for silence. A channel may feed several output
    /// channels. On the output node there is one entry for each channel of `outputFormat(forBus: 0)`, for all devices
    /// of the route in order, and the values are channels of the connected node. On a player both are the channels of
    /// its output. Nil on mixers, effects and source nodes, which do not support it.
    ///
    /// On the input node the app chooses the number of entries (at least one). It is the number of channels that a tap
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
    /// For the other side of a node, which no component makes.
    fileprivate static let ofNode = AudioComponentInstantiationOptions(rawValue: 1 << 31)
}
