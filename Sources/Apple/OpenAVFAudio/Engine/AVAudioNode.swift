import AudioModel
internal import AudioRuntime
internal import EngineCore
public import Foundation
internal import SessionRuntime

/// Called when a scheduled item is done.
///
/// Called on a thread of the engine that calls handlers one after the other, never on the main thread or the render
/// thread. It may call the engine and its nodes.
public typealias AVAudioNodeCompletionHandler = () -> Void

/// Receives a buffer of a tap, which belongs to the block, and the time when its first frame was rendered.
///
/// Called on a thread of the engine that calls taps one after the other, never on the main thread or the render thread.
/// Up to two seconds of sound are buffered for it. Further sound is lost, and the sample times show the gap.
public typealias AVAudioNodeTapBlock = (AVAudioPCMBuffer, AVAudioTime) -> Void

/// A part of an engine's graph: a source, a mixer, an effect or a device.
///
/// All members may be called on any thread except the render thread. Like Apple's, a node is not `Sendable`.
///
/// Source: SDK header AVAudioNode.h.
open class AVAudioNode: NSObject {
    let core: NodeController
    private let lock = NSLock()
    private var storedUnit: AUAudioUnit?
    /// What the app gave last, with its coding and layout, which the engine does not know.
    private var storedFormat: AVAudioFormat

    init(core: NodeController, format: AVAudioFormat = .engineDefault) {
        self.core = core
        storedFormat = format
        super.init()
    }

    /// The engine that it is attached to.
    open var engine: AVAudioEngine? { attachedEngine }

    /// The same, whatever a subclass of the app's says.
    final var attachedEngine: AVAudioEngine? { core.place?.control.subject.object as? AVAudioEngine }

    /// Discards sound that has not been played: a player's queue, the tail of an effect.
    open func reset() { core.reset() }

    // MARK: Buses

    /// A mixer has one for each connection, and at least one.
    open var numberOfInputs: Int { core.inputBusCount }

    /// 1, or 0 for a sink node.
    open var numberOfOutputs: Int { core.kind == .sink ? 0 : 1 }

    /// The format of an input: the output format of the connected node.
    ///
    /// Stereo at 44 100 Hz without a connection; 0 channels at 0 Hz if the bus does not exist.
    open func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus >= 0, bus < core.inputCount ?? .max else { return .noDevice }
        return connectedFormat(forBus: bus) ?? .engineDefault
    }

    /// The format of an output.
    ///
    /// The format of the newest connection; stereo at 44 100 Hz before the first; 0 channels at 0 Hz if the bus does
    /// not exist.
    open func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard bus >= 0, bus < core.kind.outputCount else { return .noDevice }
        // The main mixer's is the device's.
        core.place?.control.refreshDevice()
        return format
    }

    /// Of the output: what the app gave, unless the engine has another since.
    final var format: AVAudioFormat {
        let current = core.format
        let given = lock.withLock { storedFormat }
        return StreamFormat(given) == current ? given : AVAudioFormat(current)
    }

    final func setFormat(_ format: AVAudioFormat) { lock.withLock { storedFormat = format } }

    func connectedFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat? {
        guard let place = core.place else { return nil }
        place.control.refreshDevice()
        let source = place.control.graph.connection(into: NodeBus(place.id, bus: bus))?.source.node
        return source.flatMap { attachedEngine?.node(at: $0)?.format }
    }

    /// Buses have no names here.
    open func name(forInputBus bus: AVAudioNodeBus) -> String? { nil }

    /// Buses have no names here.
    open func name(forOutputBus bus: AVAudioNodeBus) -> String? { nil }

    // MARK: Taps

    /// Installs a tap that gets the sound of an output bus; the engine may run.
    ///
    /// A bus has one tap: a second one is a programming error, as is a tap on a node without an output bus of its own.
    ///
    /// - Parameters:
    ///   - bus: 0.
    ///   - bufferSize: the frames of a buffer, clamped to 100 to 400 ms. A block that makes `frameLength` of its buffer
    ///     shorter gets buffers of that length from then on, of 16 frames at least, as from Apple's engine.
    ///   - format: the format of the buffers; nil is the format of the bus, also after it changes. Another format is
    ///     converted, so that an outdated format after a route change is harmless; Apple's engine ends the program. A
    ///     tap on a missing input gets sound when the input arrives.
    ///   - tapBlock: called with each buffer in order; see `AVAudioNodeTapBlock`.
    open func installTap(
        onBus bus: AVAudioNodeBus, bufferSize: AVAudioFrameCount, format: AVAudioFormat?,
        block tapBlock: @escaping AVAudioNodeTapBlock
    ) {
        programmerError(
            unless: core.place != nil, "a tap needs a node that is attached to an engine: attach the node first")
        programmerError(unless: bus == 0, "a node has the output bus 0 and no others; the tap is for bus \(bus)")
        let format = format.flatMap { $0.channelCount == 0 ? nil : $0 }
        do {
            try core.installTap(
                wantedFrames: Int(bufferSize), wantedFormat: format.map { StreamFormat($0) },
                receiver: AppBlock.tap(format, tapBlock))
        } catch {
            programmerError(error.description)
        }
    }

    /// Removes the tap; a buffer that is being delivered still arrives.
    ///
    /// Does nothing without a tap.
    open func removeTap(onBus bus: AVAudioNodeBus) {
        if bus == 0 { core.removeTap() }
    }

    // MARK: Time

    /// The time of the engine's last cycle: sample time at the rate of the node's output, and the host's clock.
    ///
    /// Before the first cycle it is now, at sample 0. In manual rendering it counts every frame rendered so far and has no
    /// host time, as no clock runs.
    ///
    /// Nil while the engine does not run, and while the node is not connected.
    open var lastRenderTime: AVAudioTime? {
        guard let place = core.place else { return nil }
        let graph = place.control.graph
        let isConnected = !graph.connections(from: place.id).isEmpty || !graph.connections(into: place.id).isEmpty
        guard isConnected, let last = place.control.renderTime(of: place.id) else { return nil }
        let rate = outputFormat(forBus: 0).sampleRate
        let sampleTime = AVAudioFramePosition(nearest: Double(last.sampleTime) * rate / last.rate)
        guard let hostTime = last.hostTimeNanoseconds else { return AVAudioTime(sampleTime: sampleTime, atRate: rate) }
        return AVAudioTime(hostTime: hostTime, sampleTime: sampleTime, atRate: rate)
    }

    /// The delay of the node in seconds: of an effect in an engine that has been prepared; 0 of others.
    open var latency: TimeInterval { core.latencySeconds }

    /// Seconds from this node to the device's sound, through all effects behind it; 0 while the engine has no stream.
    open var outputPresentationLatency: TimeInterval { core.presentationLatencySeconds }

    // MARK: Audio unit

    /// The node as an audio unit: its channel map, and an effect's parameters.
    ///
    /// The same object each time.
    open var auAudioUnit: AUAudioUnit {
        lock.withLock {
            if let storedUnit { return storedUnit }
            let unit = makeAudioUnit()
            storedUnit = unit
            return unit
        }
    }

    func makeAudioUnit() -> AUAudioUnit { AUAudioUnit(core: core, UnitComponent(core), unit: nil) }
}
