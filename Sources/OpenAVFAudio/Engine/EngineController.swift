import AudioModel
import AudioRuntime
import EngineCore
import Foundation
import HostInterface
import SessionCore
import Synchronization
import TransportCore

/// The part of an engine that the session thread, the thread that feeds and the app's threads share.
///
/// One lock guards it, and nobody waits for anything while holding it: the session thread takes it, too. `lifecycle` keeps
/// starts and stops apart and is for app threads only; it is taken before the other. Sources have locks of their own,
/// which are taken before this one.
final class EngineController: Sendable {
    /// The most frames of one cycle.
    static let maximumFrames = 8192

    let feeder = ReadAheadScheduler()
    let reading = ReaderThread()
    /// Calls completion handlers.
    let completions = DeliveryThread(name: "oav-completions")
    /// Calls tap blocks.
    let tapCalls = DeliveryThread(name: "oav-taps")
    let lifecycle = NSLock()
    let state: Mutex<State>
    /// The engine as the object of its notifications.
    let subject = WeakBox<AnyObject>()
    /// The session of the task that made the engine, if tests run side by side.
    private let taskSession: AVAudioSession?
    private let isIncluded = Atomic<Bool>(false)
    /// Owns the streams and decides what becomes of them.
    let transport: StreamController

    init() {
        let taskSession = AVAudioSession.taskSession
        self.taskSession = taskSession
        transport = StreamController(.engine) { Self.runtime(taskSession) }
        state = Mutex(State(transport: transport))
        transport.bind(to: self)
    }

    private static func runtime(_ taskSession: AVAudioSession?) -> SessionRuntime {
        (taskSession ?? AVAudioSession.sharedInstance()).runtime
    }

    /// Not under the lock: the first call may connect to a sound server.
    var runtime: SessionRuntime {
        let runtime = Self.runtime(taskSession)
        if isIncluded.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged {
            runtime.notices.include(completions)
            runtime.notices.include(tapCalls)
        }
        return runtime
    }

    struct State {
        let transport: StreamController
        var graph = EngineGraph()
        var nodes: [NodeID: NodeController] = [:]
        var output: NodeID?
        /// What the output node sounds on; nil while there is nothing.
        var device: OutputDevice?
        var channelMapOwner = ChannelMapOwner.none
        /// It has an input, and the category that it was started in records and plays nothing.
        var isMuted = false

        var renderer: EngineRenderer?
        var feeds: [NodeID: SourceFeed] = [:]
        var taps: [NodeID: TapController] = [:]

        var manual: ManualRendering?
        /// Nil until the app asks for the input node.
        var input: EngineInput?
        /// From rendering a frame to hearing it, as the host said at the start; at the renderer's rate.
        var latencyFrames = 0
        /// What the stream is linked to; nil before the first link.
        var linkedFormat: StreamFormat?
        var linkedUIDs: [String] = []
        /// Why nothing came of the last start.
        var refusal: SessionError?
        /// What other sessions leave of the volume.
        var gain: Float = 1
    }

    // MARK: Any thread but the session's

    /// Changes the graph, and what is played with it.
    ///
    /// - Throws: what `body` throws; nothing has changed then.
    func edit<Result: Sendable>(
        _ body: (inout State) throws(GraphError) -> Result
    ) throws(GraphError) -> Result {
        refreshDevice()
        let result = try state.withLock { state throws(GraphError) in
            let result = try body(&state)
            state.aim()
            state.update()
            return result
        }
        transport.apply(.outputUseChanged(state.withLock { $0.usesOutput } ? .heard : .unheard))
        syncSources()
        return result
    }

    /// Brings what the nodes of devices say up to date with the session's route.
    func refreshDevice() {
        refreshInput()
        let needsRoute = state.withLock { $0.output != nil && $0.manual == nil }
        guard needsRoute else { return }
        let runtime = runtime
        let device = Self.device(of: runtime.state.route.outputs, runtime)
        state.withLock {
            guard $0.manual == nil else { return }
            let isChange = $0.device != device
            if isChange { $0.adopt(device) }
            if $0.aim(by: runtime) || isChange { $0.update() }
        }
    }

    /// Nil without ports.
    static func device(of ports: [AudioModel.Port], _ runtime: SessionRuntime) -> OutputDevice? {
        guard !ports.isEmpty else { return nil }
        return OutputDevice(
            sampleRate: ports.lazy.compactMap(\.sampleRate).first ?? runtime.host.sampleRate,
            ports: ports.map(\.channels))
    }

    static func format(of ports: [AudioModel.Port], _ runtime: SessionRuntime) -> StreamFormat? {
        device(of: ports, runtime)?.format
    }

    var isRunning: Bool { transport.isPlaying }

    /// Makes the renderer, unless it is there.
    func prepareRenderer(sampleRate: Double, maximumFrames: Int) {
        state.withLock {
            if $0.renderer == nil {
                $0.renderer = EngineRenderer(sampleRate: sampleRate, maximumFrames: maximumFrames)
            }
            $0.update()
        }
        syncSources()
    }

    /// Tells the sources what they feed now.
    ///
    /// Each asks for itself, under its own lock, so that of two edits at the same moment the later one wins.
    func syncSources() {
        let sources = state.withLock { $0.nodes.values.compactMap(\.source) }
        for source in sources { source.sync() }
    }

    /// What a source node feeds; nil while it is not attached or nothing has been prepared.
    func use(of id: NodeID) -> SourceBinding? {
        state.withLock { state in
            guard let renderer = state.renderer, let feed = state.feeds[id], let node = try? state.graph.node(id)
            else { return nil }
            return SourceBinding(
                renderer: renderer, feed: feed, format: node.format, effects: state.effects(behind: id),
                isManual: state.manual != nil, latencyFrames: Int64(state.latencyFrames))
        }
    }

    /// The renderer's sample time at an instant of the host's clock, if it runs on.
    func sampleTime(atHostTime hostTime: UInt64) -> Int64? {
        guard let renderer = state.withLock({ $0.renderer }) else { return nil }
        let instant = HostTime(nanoseconds: hostTime)
        if let cycle = renderer.lastCycle {
            let seconds = instant.seconds(since: HostTime(nanoseconds: cycle.hostTimeNanoseconds))
            return cycle.sampleTime + Int64((seconds * renderer.sampleRate).rounded())
        }
        return Int64((instant.seconds(since: runtime.host.now()) * renderer.sampleRate).rounded())
    }
}

extension EngineController.State {
    /// The output node sounds on this now.
    mutating func adopt(_ device: OutputDevice?) {
        self.device = device
        guard let device, output != nil else { return }
        // The output node is there and the format is one: it can not fail.
        _ = try? graph.setDevice(device)
        if let follower = graph.follower { nodes[follower]?.setFormat(AVAudioFormat(device.format)) }
    }

    /// Makes what sources and taps need, drops what is not needed, and plays the graph as it is now.
    mutating func update() {
        updateInput()
        guard let renderer else { return }
        let attached = graph.nodes
        var kept: [NodeID: SourceFeed] = [:]
        for node in attached where node.kind == .source {
            let old = feeds[node.id].flatMap { $0.channels == node.format.channels.count ? $0 : nil }
            kept[node.id] =
                old
                ?? renderer.makeSource(
                    channels: node.format.channels.count,
                    readAheadSeconds: nodes[node.id]?.source?.readAheadSeconds ?? 0)
        }
        feeds = kept
        for node in attached where node.isTapped && node.id != input?.node {
            taps[node.id]?.listen(to: renderer, node.format)
        }
        publish()
    }

    func publish() {
        guard let renderer else { return }
        var graph = graph.withoutInputListeners(input?.node)
        if let output {
            try? graph.setOutputVolume(gain, of: output)
            if !transport.isPlaying { try? graph.setMuted(true, of: output) }
        }
        renderer.publish(
            PlanCompiler.compile(graph),
            source: { id in
                guard let feed = feeds[id] else { preconditionFailure("every source of a plan has a feed") }
                return feed
            },
            tap: { id in
                guard let feed = taps[id]?.feed else { preconditionFailure("every listener of a plan has a tap") }
                return feed
            })
    }
}
