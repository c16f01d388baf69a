internal import CAudioTypes
internal import CRealtime
internal import EngineCore
internal import Foundation
internal import SessionRuntime
internal import Synchronization

/// The app's unit in the render cycle of an engine.
///
/// The unit has one set of render resources, so a new processor silences the one that was made for another shape.
///
/// Control threads, with no lock of ours held, because it calls the app's code. `@unchecked Sendable`: an `AUAudioUnit`
/// may be used on any of these threads, as its documentation says.
final class HostedUnit: ProcessorUnit, @unchecked Sendable {
    private let unit: AUAudioUnit
    /// The processor that has the unit's render resources.
    private let current = WeakBox<HostedProcessor>()

    init(_ unit: AUAudioUnit) { self.unit = unit }

    var inputCount: Int? {
        [kAudioUnitType_Generator, kAudioUnitType_MusicDevice].contains(unit.componentDescription.componentType)
            ? 0 : 1
    }

    func check(_ shape: ProcessorShape, title: String) throws(GraphError) {
        do {
            let (inputs, outputs) = (unit.inputBusses, unit.outputBusses)
            guard outputs.count > 0, shape.inputs.count <= inputs.count else {
                throw NSError.audio(
                    kAudioUnitErr_InvalidElement,
                    "It has \(inputs.count) inputs and \(outputs.count) outputs, and the graph needs "
                        + "\(shape.inputs.count) and 1.")
            }
            for (index, format) in shape.inputs.enumerated() { try inputs[index].checkChannels(format.channels.count) }
            try outputs[0].checkChannels(shape.output.channels.count)
            try checkCapabilities(shape)
        } catch {
            throw .unitRefused(unit: title, reason: error.localizedDescription)
        }
    }

    /// Refuses channel counts that the unit does not support; -1 is any number.
    private func checkCapabilities(_ shape: ProcessorShape) throws {
        guard let pairs = unit.channelCapabilities?.map(\.intValue), !shape.inputs.isEmpty else { return }
        let wanted = (shape.inputs[0].channels.count, shape.output.channels.count)
        let isTaken = stride(from: 0, to: pairs.count - 1, by: 2).contains { index in
            [-1, wanted.0].contains(pairs[index]) && [-1, wanted.1].contains(pairs[index + 1])
        }
        guard !isTaken else { return }
        throw NSError.audio(
            kAudioUnitErr_FormatNotSupported,
            "It does not take \(wanted.0) channels in and \(wanted.1) out: its pairs are \(pairs).")
    }

    func makeProcessor(_ shape: ProcessorShape) throws(GraphError) -> any UnitProcessor {
        do {
            guard current.object?.end() ?? true else {
                throw NSError.audio(
                    kAudioUnitErr_Initialized, "It is rendering still: its render block has not returned for 1 s.")
            }
            if unit.renderResourcesAllocated { unit.deallocateRenderResources() }
            for (index, format) in shape.inputs.enumerated() {
                try unit.inputBusses[index].setFormat(AVAudioFormat(format))
            }
            try unit.outputBusses[0].setFormat(AVAudioFormat(shape.output))
            unit.maximumFramesToRender = AUAudioFrameCount(shape.maximumFrames)
            try unit.allocateRenderResources()
            let processor = HostedProcessor(unit, shape)
            current.object = processor
            return processor
        } catch {
            throw .unitRefused(unit: unit.audioUnitName ?? "the unit", reason: error.localizedDescription)
        }
    }
}

/// The app's unit with its render resources, for one shape of sound.
///
/// The initialiser allocates all memory: the render thread only fills it.
///
/// `@unchecked Sendable`: what is not a constant belongs to the rendering thread while `turn` is `rendering`.
final class HostedProcessor: UnitProcessor, @unchecked Sendable {
    /// Whether the unit renders, waits for a cycle, or has ended.
    ///
    /// The atomic value is a number: a debug build reads one of an enum with generic code, which allocates and locks.
    private enum Turn: UInt8 {
        /// Exits: a cycle begins -> `rendering`, `end` is called -> `ended`.
        case idle
        /// Exit: the cycle ends -> `idle`.
        case rendering
        case ended
    }

    private let unit: AUAudioUnit
    private let render: AUInternalRenderBlock
    private let schedule: EventSchedule
    private let turn = Atomic(Turn.idle.rawValue)
    private let maximumFrames: Int
    private let output: PlaneList
    private let inputs: [PlanarBuffers]
    private let frames = FramesOfCycle()
    // A debug build makes a set of options with generic code, which allocates.
    private let emptyFlags: AudioUnitRenderActionFlags = []
    private let emptyStamp: AudioTimeStamp
    private var pull: AURenderPullInputBlock = { _, _, _, _, _ in kAudioUnitErr_NoConnection }
    let latencyFrames: Int

    init(_ unit: AUAudioUnit, _ shape: ProcessorShape) {
        self.unit = unit
        render = unit.internalRenderBlock
        schedule = EventSchedule(unit.events)
        maximumFrames = shape.maximumFrames
        output = PlaneList(channels: shape.output.channels.count)
        inputs = shape.inputs.map { PlanarBuffers(channels: $0.channels.count, frames: shape.maximumFrames) }
        // The latency that the app reports is limited to 10 s.
        let latency = unit.latency
        latencyFrames = latency.isNaN ? 0 : Int(min(max(latency, 0), 10) * shape.output.sampleRate)
        var stamp = AudioTimeStamp()
        stamp.mFlags = [.sampleTimeValid, .hostTimeValid]
        emptyStamp = stamp
        let (inputs, frames) = (inputs, frames)
        pull = { flags, stamp, count, bus, list in
            frames.give(
                inputs.indices.contains(bus) ? inputs[bus] : nil, at: stamp.pointee.mSampleTime, frames: Int(count),
                to: list, flags)
        }
    }

    deinit {
        // Only the newest processor of the unit has its resources: `end` was called on the others and returns false
        // here.
        if end() { unit.deallocateRenderResources() }
    }

    var processor: oav_processor {
        oav_processor(
            process: { context, process in
                guard let context else { return }
                Unmanaged<HostedProcessor>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.process(process.pointee) }
            },
            // It is called while its input is silent, too: events may make it sound, as on Apple's platforms.
            //
            // A reset is the app's code and may wait, so the node calls it on a control thread.
            reset: nil, context: Unmanaged.passUnretained(self).toOpaque(), quiet_frames: .max)
    }

    /// Ends rendering; another processor may use the unit then.
    ///
    /// - Returns: false if it had ended before, or if the render thread did not return within a second.
    func end() -> Bool {
        for _ in 0..<1000 {
            let (isEnded, found) = turn.compareExchange(
                expected: Turn.idle.rawValue, desired: Turn.ended.rawValue, ordering: .acquiringAndReleasing)
            if isEnded { return true }
            if found == Turn.ended.rawValue { return false }
            usleep(1000)
        }
        return false
    }

    /// Render thread.
    private func process(_ process: oav_process) {
        let count = Int(process.frames)
        guard count <= maximumFrames else { return PlanarBuffers.silence(process.output, count) }
        let begins = turn.compareExchange(
            expected: Turn.idle.rawValue, desired: Turn.rendering.rawValue, ordering: .acquiringAndReleasing)
        guard begins.exchanged else { return PlanarBuffers.silence(process.output, count) }
        defer { turn.store(Turn.idle.rawValue, ordering: .releasing) }

        for index in 0..<min(inputs.count, Int(process.input_count)) {
            inputs[index].copy(process.inputs[index], count)
        }
        output.point(to: process.output, frames: process.frames)
        output.silence()
        frames.begin = Double(process.sample_time)
        frames.count = count
        var (flags, stamp) = (emptyFlags, emptyStamp)
        stamp.mSampleTime = Double(process.sample_time)
        stamp.mHostTime = process.host_time_ns
        let events = schedule.due(at: process.sample_time, frames: count)
        // The app's code may lock and allocate, so the guard of the render thread ends around this call and nowhere
        // else.
        oav_realtime_exit()
        let status = render(&flags, &stamp, process.frames, 0, output.pointer, events, pull)
        oav_realtime_enter()
        let isSilent = status != noErr || flags.contains(.unitRenderAction_OutputIsSilence)
        output.takeOver(to: process.output, frames: process.frames, isSilent: isSilent)
    }
}

/// The time and the frames of a cycle, for a unit that pulls its input.
///
/// Render thread. `@unchecked Sendable`: only one processor uses it, while it renders.
private final class FramesOfCycle: @unchecked Sendable {
    /// The sample time of the first frame.
    var begin = 0.0
    var count = 0

    /// Writes frames of an input bus into the unit's buffers, or lends it our buffers if it has none.
    func give(
        _ input: PlanarBuffers?, at time: Double, frames: Int, to list: UnsafeMutablePointer<AudioBufferList>,
        _ flags: UnsafeMutablePointer<AudioUnitRenderActionFlags>
    ) -> OSStatus {
        guard let input else { return kAudioUnitErr_NoConnection }
        // A unit that renders a cycle in pieces asks for each piece by its time.
        let offset = time > begin && time < begin + Double(count) ? Int(time - begin) : 0
        guard frames <= count - offset else { return kAudioUnitErr_TooManyFramesToProcess }
        return input.give(offset, frames, to: list)
    }
}

/// Planar Float32 memory of one input bus.
///
/// Render thread, after the initialiser. `@unchecked Sendable`: only one processor uses it, while it renders.
final class PlanarBuffers: @unchecked Sendable {
    /// The capacity of each channel, in frames.
    let frames: Int
    private let channels: Int
    private let samples: UnsafeMutablePointer<Float>

    init(channels: Int, frames: Int) {
        (self.channels, self.frames) = (channels, frames)
        samples = .allocate(capacity: max(channels * frames, 1))
        samples.initialize(repeating: 0, count: max(channels * frames, 1))
    }

    deinit { samples.deallocate() }

    func copy(_ bus: oav_bus, _ count: Int) {
        for channel in 0..<channels {
            let own = samples + channel * frames
            guard channel < Int(bus.channel_count), count <= frames else {
                own.update(repeating: 0, count: min(count, frames))
                continue
            }
            own.update(from: bus.channels[channel], count: count)
        }
    }

    func give(_ offset: Int, _ count: Int, to list: UnsafeMutablePointer<AudioBufferList>) -> OSStatus {
        let wanted = UnsafeMutableAudioBufferListPointer(list)
        guard wanted.count <= channels else { return kAudioUnitErr_FormatNotSupported }
        let size = count * MemoryLayout<Float>.size
        for channel in 0..<wanted.count {
            let own = UnsafeMutableRawPointer(samples + channel * frames + offset)
            if let data = wanted[channel].mData {
                guard Int(wanted[channel].mDataByteSize) >= size else { return kAudioUnitErr_TooManyFramesToProcess }
                if data != own { data.copyMemory(from: own, byteCount: size) }
            } else {
                wanted[channel].mData = own
            }
            wanted[channel].mDataByteSize = UInt32(size)
        }
        return noErr
    }

    static func silence(_ bus: oav_bus, _ count: Int) {
        for channel in 0..<Int(bus.channel_count) { bus.channels[channel].update(repeating: 0, count: count) }
    }
}
