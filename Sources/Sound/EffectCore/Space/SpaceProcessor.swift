package import CRealtime

/// Filters of a head: how a sound from a direction comes to each ear.
///
/// Any thread.
package protocol HeadFilters: AnyObject, Sendable {
    /// Of each ear: a multiple of 8.
    var taps: Int { get }
    /// The left ear's `taps`, then the right ear's.
    ///
    /// - Parameter direction: of length 1: to the right, up, and ahead.
    func filter(from direction: SpaceVector) -> [Float]
}

/// An environment at work on input busses of one shape: owns its memory.
///
/// `place` is for control threads, one at a time; one render thread uses `processor`.
///
/// `@unchecked Sendable` by rule: what changes are the buses' cells, which are for both sides, and what the render thread alone uses.
package final class SpaceProcessor: @unchecked Sendable {
    /// Valid as long as this object lives.
    package let processor: oav_processor
    package let latencyFrames = 0
    /// Channels of each input bus.
    package let inputChannels: [Int]

    private let buses: UnsafeMutablePointer<SpaceBus>
    private let memory: RenderMemory
    private let sampleRate: Double
    private let filters: (any HeadFilters)?
    /// The reverb and the filter of the room, which the render side calls.
    private let effects: [EffectProcessor]
    /// What each bus was given last.
    private var placings: [SpacePlacing?]

    /// - Parameters:
    ///   - inputChannels: of each input bus.
    ///   - sampleRate: hertz, above 0.
    ///   - maximumFrames: of one block; a longer one is silent.
    ///   - filters: at this rate; nil pans.
    ///   - room: its settings.
    package init(
        inputChannels: [Int], sampleRate: Double, maximumFrames: Int, filters: (any HeadFilters)?,
        room: SpaceRoom = SpaceRoom()
    ) {
        self.inputChannels = inputChannels
        self.sampleRate = sampleRate
        self.filters = filters
        placings = [SpacePlacing?](repeating: nil, count: inputChannels.count)
        let memory = RenderMemory()
        self.memory = memory
        let taps = filters.map(\.taps) ?? 0
        let buses = Self.makeBuses(inputChannels.count, taps: taps, maximumFrames: maximumFrames, memory)
        self.buses = buses
        effects = [room.reverb, room.filter].map {
            EffectProcessor($0, channels: 2, sampleRate: sampleRate, maximumFrames: maximumFrames)
        }
        let roomState = Self.makeRoom(effects[0].state, effects[1].state, sampleRate, maximumFrames, memory)
        let state = SpaceState(
            buses: buses, busCount: inputChannels.count, room: roomState, maximumFrames: maximumFrames,
            left: memory.silence(maximumFrames), right: memory.silence(maximumFrames),
            glideFrames: Float(sampleRate * 0.01))
        // The room's longest line lasts 1 s: between two of its echoes there may be silence.
        processor = oav_processor(
            process: processSpace, reset: resetSpace, context: memory.block(of: state),
            quiet_frames: UInt32(taps + Int(sampleRate * 1.1)))
    }

    private static func makeRoom(
        _ reverb: UnsafeMutablePointer<EffectState>, _ filter: UnsafeMutablePointer<EffectState>,
        _ sampleRate: Double, _ maximumFrames: Int, _ memory: RenderMemory
    ) -> UnsafeMutablePointer<SpaceRoomState> {
        let rows = memory.copy((0..<3).map { _ in memory.silence(maximumFrames) })
        let sent = memory.block(of: oav_bus(channels: rows, channel_count: 1, flags: 0))
        let heard = memory.block(of: oav_bus(channels: rows + 1, channel_count: 2, flags: 0))
        // The longest decay of the presets, twice.
        return memory.block(
            of: SpaceRoomState(
                reverb: reverb, filter: filter, sent: rows[0], buses: (UnsafePointer(sent), UnsafePointer(heard)),
                tailFrames: Int(sampleRate * 12)))
    }

    private static func makeBuses(
        _ count: Int, taps: Int, maximumFrames: Int, _ memory: RenderMemory
    ) -> UnsafeMutablePointer<SpaceBus> {
        let buses: UnsafeMutablePointer<SpaceBus> = memory.room(count)
        for bus in 0..<count {
            let filters = memory.silence(6 * taps)
            let history = memory.silence(taps + maximumFrames)
            (buses + bus).initialize(
                to: SpaceBus(filters: filters, taps: taps, history: history, maximumFrames: maximumFrames))
        }
        return buses
    }

    package var hasHeadFilters: Bool { filters != nil }

    /// Says how a bus is to sound from the next block on; a gain takes about 20 ms to get there, a filter one block.
    package func place(bus: Int, _ placing: SpacePlacing) {
        guard placings.indices.contains(bus), placings[bus] != placing else { return }
        placings[bus] = placing
        var filter: [Float]?
        if let direction = placing.headDirection, let filters {
            filter = Self.reversedInEights(filters.filter(from: direction))
            if filter?.count != 2 * filters.taps { filter = nil }
        }
        // 20 kHz with nothing in the way, an octave less for each 10 dB, 200 Hz at least.
        let cutoff = max(20_000 * oav_pow(2, Double(placing.opening) / 10), 200)
        let lowPass = placing.opening >= 0 ? 1 : Float(1 - oav_exp(-2 * .pi * cutoff / sampleRate))
        let buses = buses
        func set(_ filter: UnsafePointer<Float>?) {
            buses[bus].set(
                left: placing.left, right: placing.right, room: placing.room, lowPass: lowPass,
                passesThrough: placing.isPassedThrough, filter: filter)
        }
        if let filter { filter.withUnsafeBufferPointer { set($0.baseAddress) } } else { set(nil) }
    }

    /// As `SpaceBus` reads them.
    private static func reversedInEights(_ filter: [Float]) -> [Float] {
        filter.indices.map { filter[$0 / 8 * 8 + 7 - $0 % 8] }
    }
}
