internal import AudioModel
internal import EngineCore
public import Foundation

/// Called when something scheduled is done.
///
/// On a thread of the engine's that calls handlers one after the other, never on the main thread nor the render thread. It
/// may call the engine and its nodes.
public typealias AVAudioNodeCompletionHandler = () -> Void

/// Takes what a tap heard: a buffer that is nobody else's, and when its first frame was rendered.
///
/// On a thread of the engine's that calls taps one after the other, never on the main thread nor the render thread. Two
/// seconds of sound wait for it; what comes then is lost, and the sample times show where.
public typealias AVAudioNodeTapBlock = (AVAudioPCMBuffer, AVAudioTime) -> Void

/// A part of an engine's graph: it makes sound, mixes it, or is a device.
///
/// Any thread but the render thread may call everything; a node is not `Sendable`, as Apple's is not.
///
/// Source: SDK header AVAudioNode.h.
open class AVAudioNode: NSObject {
    let core: NodeController
    private let lock = NSLock()
    private weak var storedEngine: AVAudioEngine?
    private var storedUnit: AUAudioUnit?

    init(core: NodeController) {
        self.core = core
        super.init()
    }

    /// The engine that it is attached to.
    open var engine: AVAudioEngine? { attachedEngine }

    /// The same, whatever a subclass of the app's says.
    final var attachedEngine: AVAudioEngine? {
        get { lock.withLock { storedEngine } }
        set { lock.withLock { storedEngine = newValue } }
    }

    /// Forgets what it has made and not played; a player drops its queue.
    open func reset() { core.source?.reset() }

    // MARK: Buses

    /// A mixer has as many as are connected, and one at least.
    open var numberOfInputs: Int {
        guard let fixed = core.kind.inputCount else {
            guard let place = core.place else { return 1 }
            let last = place.control.state.withLock { $0.graph.connections(into: place.id).last?.destination.bus }
            return (last ?? 0) + 1
        }
        return fixed
    }

    open var numberOfOutputs: Int { core.kind == .sink ? 0 : 1 }

    /// What comes in there: what leaves the node that is connected to it.
    ///
    /// Stereo at 44 100 Hz where nothing is connected; no channels at 0 Hz where there is no such bus.
    open func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus >= 0, bus < core.kind.inputCount ?? .max else { return .noDevice }
        return connectedFormat(forBus: bus) ?? .engineDefault
    }

    /// What leaves there.
    ///
    /// The one given to the newest connection, stereo at 44 100 Hz before the first; no channels at 0 Hz where there is no
    /// such bus.
    open func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus >= 0, bus < core.kind.outputCount else { return .noDevice }
        // The main mixer's is the device's.
        core.place?.control.refreshDevice()
        return core.format
    }

    func connectedFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat? {
        guard let place = core.place else { return nil }
        place.control.refreshDevice()
        return place.control.state.withLock { state in
            state.graph.connection(into: NodeBus(place.id, bus: bus)).flatMap { state.nodes[$0.source.node]?.format }
        }
    }

    /// Buses have no names here.
    open func name(forInputBus bus: AVAudioNodeBus) -> String? { nil }

    /// Buses have no names here.
    open func name(forOutputBus bus: AVAudioNodeBus) -> String? { nil }

    // MARK: Taps

    /// Lets the app hear what leaves an output bus; while the engine runs, too.
    ///
    /// A bus has one tap: a second one is a programming error, as is a tap on a node without an output bus of its own.
    ///
    /// - Parameters:
    ///   - bus: 0.
    ///   - bufferSize: in frames of the buffers; brought to what 100 to 400 ms are.
    ///   - format: of the buffers; nil for the bus' own, also where that changes. What the bus does not have is converted,
    ///     so that a format from before a route change does no harm; Apple's engine ends the program there. A tap on an
    ///     input that is not there hears it when it comes.
    ///   - tapBlock: called with each buffer in turn; see `AVAudioNodeTapBlock`.
    open func installTap(
        onBus bus: AVAudioNodeBus, bufferSize: AVAudioFrameCount, format: AVAudioFormat?,
        block tapBlock: @escaping AVAudioNodeTapBlock
    ) {
        guard let place = core.place else {
            preconditionFailure("a tap needs a node that is attached to an engine: attach the node first")
        }
        precondition(bus == 0, "a node has the output bus 0 and no others; the tap is for bus \(bus)")
        let tap = TapController(
            wantedFrames: Int(bufferSize), wantedFormat: format.flatMap { $0.channelCount == 0 ? nil : $0 },
            calls: place.control.tapCalls, block: tapBlock)
        do {
            try place.control.edit { state throws(GraphError) in
                try state.graph.setTapped(true, place.id)
                state.taps[place.id] = tap
            }
        } catch {
            preconditionFailure(error.description)
        }
        place.control.reading.wake()
    }

    /// Ends the tap; a buffer that is on its way to the block still arrives.
    ///
    /// Does nothing where there is no tap.
    open func removeTap(onBus bus: AVAudioNodeBus) {
        guard bus == 0, let place = core.place else { return }
        // What is attached and taps nothing can be told so: it can not fail.
        try? place.control.edit { state throws(GraphError) in
            guard state.taps[place.id] != nil else { return }
            try state.graph.setTapped(false, place.id)
            state.taps[place.id] = nil
        }
    }

    // MARK: Time

    /// When the engine last asked for frames: sample time at the rate of the node's output, and the host's clock.
    ///
    /// Nil while the engine does not run, before its first cycle, and while the node is not connected.
    open var lastRenderTime: AVAudioTime? {
        guard let place = core.place else { return nil }
        let renderer = place.control.state.withLock { state in
            let isConnected =
                !state.graph.connections(from: place.id).isEmpty || !state.graph.connections(into: place.id).isEmpty
            return state.isRunning && isConnected ? state.renderer : nil
        }
        guard let renderer, let cycle = renderer.lastCycle else { return nil }
        let rate = outputFormat(forBus: 0).sampleRate
        let sampleTime = Double(cycle.sampleTime) * rate / renderer.sampleRate
        return AVAudioTime(
            hostTime: cycle.hostTimeNanoseconds, sampleTime: AVAudioFramePosition(sampleTime.rounded()), atRate: rate)
    }

    /// Seconds that the node itself delays: none.
    open var latency: TimeInterval { 0 }

    /// Seconds from here to the air; 0 while the engine has no stream.
    open var outputPresentationLatency: TimeInterval { core.place?.control.outputLatency ?? 0 }

    // MARK: Audio unit

    /// The node as an audio unit, for its channel map.
    ///
    /// The same object each time.
    open var auAudioUnit: AUAudioUnit {
        lock.withLock {
            if let storedUnit { return storedUnit }
            let unit = AUAudioUnit(core: core)
            storedUnit = unit
            return unit
        }
    }
}
