import AudioModel
public import Foundation

/// Whether a bus is an input or an output of a unit.
public enum AUAudioUnitBusType: Int, Sendable {
    /// Sound goes into the unit.
    case input = 1
    /// Sound comes out of the unit.
    case output = 2
}

/// One input or output of an audio unit.
///
/// Any thread except the render thread. Source: SDK headers AUAudioUnit.h, AUAudioUnitImplementation.h.
open class AUAudioUnitBus: NSObject {
    private struct State {
        var format: AVAudioFormat
        var name: String?
        var isEnabled = true
        var shouldAllocateBuffer = true
        var maximumChannelCount: AUAudioFrameCount = 0
        var supportedChannelCounts: [NSNumber]?
        var place: (busType: AUAudioUnitBusType, index: Int) = (.input, 0)
        weak var owner: AUAudioUnit?
    }

    private let lock = NSLock()
    private var state: State

    /// A bus for a subclass of ``AUAudioUnit`` to put into its arrays.
    ///
    /// - Throws: `kAudioUnitErr_FormatNotSupported` for a format without channels or a rate.
    public init(format: AVAudioFormat) throws {
        try Self.check(format)
        state = State(format: format)
        super.init()
    }

    private static func check(_ format: AVAudioFormat) throws {
        guard format.channelCount > 0, format.sampleRate > 0, format.sampleRate.isFinite else {
            throw NSError.audio(
                kAudioUnitErr_FormatNotSupported,
                "A bus cannot have the format \(format): give at least one channel and a rate above 0 Hz.")
        }
    }

    private func read<Value>(_ member: KeyPath<State, Value>) -> Value { lock.withLock { state[keyPath: member] } }

    private func write<Value>(_ member: WritableKeyPath<State, Value>, _ value: Value) {
        lock.withLock { state[keyPath: member] = value }
    }

    /// The format of the sound on this bus.
    open var format: AVAudioFormat { read(\.format) }

    /// Changes the format, unless the unit's `shouldChange(to:for:)` refuses it.
    ///
    /// - Throws: `kAudioUnitErr_FormatNotSupported` if it is refused; the old format stays.
    open func setFormat(_ format: AVAudioFormat) throws {
        try Self.check(format)
        if format == self.format { return }
        if let owner = ownerAudioUnit, !owner.shouldChange(to: format, for: self) {
            throw NSError.audio(
                kAudioUnitErr_FormatNotSupported,
                "The unit \(owner.audioUnitName ?? "") does not take the format \(format) on bus \(index): give "
                    + "\(self.format), or deallocate its render resources first.")
        }
        write(\.format, format)
    }

    /// The name to show to users.
    open var name: String? {
        get { read(\.name) }
        set { write(\.name, newValue) }
    }

    /// Whether the unit uses the bus.
    open var isEnabled: Bool {
        get { read(\.isEnabled) }
        set { write(\.isEnabled, newValue) }
    }

    /// Has no effect: the host has memory for every bus.
    open var shouldAllocateBuffer: Bool {
        get { read(\.shouldAllocateBuffer) }
        set { write(\.shouldAllocateBuffer, newValue) }
    }

    /// The numbers of channels that the bus supports; nil for any number.
    open var supportedChannelCounts: [NSNumber]? {
        get { read(\.supportedChannelCounts) }
        set { write(\.supportedChannelCounts, newValue) }
    }

    /// The largest number of channels that the bus supports; 0 for any number.
    open var maximumChannelCount: AUAudioFrameCount {
        get { read(\.maximumChannelCount) }
        set { write(\.maximumChannelCount, newValue) }
    }

    /// The index of the bus in its array.
    open var index: Int { read(\.place.index) }

    /// Whether the bus is in an array of inputs or of outputs.
    open var busType: AUAudioUnitBusType { read(\.place.busType) }

    /// The unit of the bus; nil before the bus is in an array, and after the end of the unit's life.
    open var ownerAudioUnit: AUAudioUnit? { lock.withLock { state.owner } }

    fileprivate func join(_ owner: AUAudioUnit, _ busType: AUAudioUnitBusType, at index: Int) {
        lock.withLock {
            state.owner = owner
            state.place = (busType, index)
        }
    }

    /// Throws if the bus does not support this number of channels.
    func checkChannels(_ count: Int) throws {
        let (most, supported) = lock.withLock { (Int(state.maximumChannelCount), state.supportedChannelCounts) }
        guard most == 0 || count <= most, supported.map({ $0.contains { $0.intValue == count } }) ?? true else {
            throw NSError.audio(
                kAudioUnitErr_FormatNotSupported,
                "Bus \(index) of the unit does not take \(count) channels: give "
                    + (supported.map { $0.map(\.stringValue).joined(separator: " or ") } ?? "at most \(most)") + ".")
        }
    }
}

/// The inputs or the outputs of an audio unit.
///
/// Source: SDK headers AUAudioUnit.h, AUAudioUnitImplementation.h.
open class AUAudioUnitBusArray: NSObject, Sequence {
    private let lock = NSLock()
    private var busses: [AUAudioUnitBus] = []
    private weak var owner: AUAudioUnit?
    /// Whether these are inputs or outputs.
    public let busType: AUAudioUnitBusType

    /// Creates an array of a unit's busses, in order.
    public init(audioUnit owner: AUAudioUnit, busType: AUAudioUnitBusType, busses busArray: [AUAudioUnitBus]) {
        self.owner = owner
        self.busType = busType
        super.init()
        replaceBusses(busArray)
    }

    /// Creates an array without busses.
    public convenience init(audioUnit owner: AUAudioUnit, busType: AUAudioUnitBusType) {
        self.init(audioUnit: owner, busType: busType, busses: [])
    }

    /// The unit; nil after the end of its life.
    open var ownerAudioUnit: AUAudioUnit? { lock.withLock { owner } }

    /// The number of busses.
    open var count: Int { lock.withLock { busses.count } }

    /// The bus with an index, which must exist.
    open subscript(index: Int) -> AUAudioUnitBus {
        lock.withLock {
            programmerError(unless: busses.indices.contains(index), "bus \(index) of \(busses.count) was asked for")
            return busses[index]
        }
    }

    /// An iterator over the current busses.
    public func makeIterator() -> IndexingIterator<[AUAudioUnitBus]> { lock.withLock { busses }.makeIterator() }

    /// Whether a host may set the number of busses: false unless a subclass overrides it.
    open var isCountChangeable: Bool { false }

    /// Changes the number of busses, if a subclass supports it.
    ///
    /// - Throws: `kAudioUnitErr_PropertyNotWritable`, unless a subclass overrides it.
    open func setBusCount(_ count: Int) throws {
        if count == self.count { return }
        throw NSError.audio(
            kAudioUnitErr_PropertyNotWritable,
            "The unit has \(self.count) busses, and \(count) were asked for: it does not change their number.")
    }

    /// Replaces all busses; the unit's implementation calls it.
    open func replaceBusses(_ busArray: [AUAudioUnitBus]) {
        let owner = lock.withLock {
            busses = busArray
            return self.owner
        }
        guard let owner else { return }
        for (index, bus) in busArray.enumerated() { bus.join(owner, busType, at: index) }
    }
}
