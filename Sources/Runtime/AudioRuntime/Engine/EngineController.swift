import AudioModel
package import EngineCore
import HostInterface
import SessionCore
package import SessionRuntime
import Synchronization

/// The part of an engine that the session thread, the thread that feeds and the app's threads share.
///
/// One lock guards `state`, and no thread waits for anything while it holds it: the session thread takes it, too.
/// `lifecycle` keeps starts and stops apart and is for app threads only; it is taken before the other. Sources have locks
/// of their own, which are taken before this one.
package final class EngineController: Sendable {
    /// The most frames of one cycle.
    package static let maximumFrames = 8192

    let feeder = ReadAheadScheduler()
    let reading = ReaderThread()
    let handlers = HandlerThreads()
    let lifecycle = Mutex(())
    let state: Mutex<EngineState>
    /// The engine as the object of its notifications.
    package let subject = WeakBox<AnyObject>()
    let isIncluded = Atomic<Bool>(false)
    private let lossWatch = Mutex<SessionRuntime.WatchID?>(nil)
    /// Owns the streams and decides what becomes of them.
    let transport: StreamController

    /// - Parameter runtime: called when a session is needed; manual rendering needs none.
    package init(runtime: @escaping @Sendable () -> SessionRuntime) {
        transport = StreamController(.engine, runtime: runtime)
        state = Mutex(EngineState(transport: transport))
        transport.bind(to: self)
    }

    /// Not under the lock: the first call may connect to a sound server.
    var runtime: SessionRuntime {
        let runtime = transport.runtime
        if isIncluded.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged {
            handlers.include(in: runtime.notices)
            let watch = runtime.observeOutputLosses { [weak self] in self?.loseOutput() }
            lossWatch.withLock { $0 = watch }
        }
        return runtime
    }

    /// Ends the threads and lets go of the app's block, after the engine has stopped and its nodes are detached.
    ///
    /// Any thread of the app's or of the engine's own, none of which it waits for. This object may live a little longer, on
    /// the session thread too, where nothing of the app's may end.
    package func end() {
        state.change { $0.input?.manual = nil }
        if let watch = lossWatch.withLock({ $0.take() }) { runtime.endWatch(watch) }
        reading.end()
        handlers.close()
    }

    // MARK: Any thread but the session's

    /// Of its streams; no other engine of the process has it meanwhile.
    var cycleGroup: UInt64 { UInt64(UInt(bitPattern: ObjectIdentifier(self))) }

    /// A copy of the graph.
    package var graph: EngineGraph { state.withLock { $0.graph } }

    /// Changes the graph, and what is played with it.
    ///
    /// - Throws: what `body` throws; nothing has changed then.
    package func editGraph(_ body: (inout EngineGraph) throws(GraphError) -> Void) throws(GraphError) {
        try edit { state throws(GraphError) in
            var graph = state.graph
            try body(&graph)
            state.graph = graph
        }
    }

    /// - Throws: what `body` throws; it must have changed nothing then.
    func edit<Result: Sendable>(
        _ body: (inout EngineState) throws(GraphError) -> Result
    ) throws(GraphError) -> Result {
        refreshDevice()
        let result = try state.change { state throws(GraphError) in
            let result = try body(&state)
            state.applyChannelTarget()
            state.update()
            return result
        }
        transport.apply(.outputUseChanged(state.withLock { $0.usesOutput } ? .heard : .unheard))
        makeProcessors()
        syncSources()
        return result
    }

    /// Makes the processors that the graph needs, and plays with them.
    ///
    /// Units may call code of the app's: no lock is held, and it is never the session thread.
    func makeProcessors() {
        while state.withLock({ $0.needsProcessors }) {
            let missing = state.withLock { $0.missingProcessors }
            let made = missing.map { missing in
                Result { () throws(GraphError) in try missing.make() }
            }
            state.change { state in
                for (missing, made) in zip(missing, made) { state.adopt(made, for: missing) }
                state.update()
            }
        }
    }

    /// Connects an output bus to these inputs and no others, and starts an output that is needed now.
    package func connect(
        _ source: NodeBus, to destinations: [NodeBus], format: StreamFormat?
    ) throws(GraphError) {
        // The units are asked without a lock, and a graph that another thread has changed meanwhile is found out at the start.
        let asked = try state.withLock { state throws(GraphError) in
            var graph = state.graph
            try graph.connect(source, to: destinations, format: format)
            return state.processors(of: graph)
        }
        for processor in asked { try processor.checkForConnection() }
        try edit { state throws(GraphError) in
            var graph = state.graph
            try graph.connect(source, to: destinations, format: format)
            try state.checkTimeEffects(of: graph)
            // One that does not play is asked at its start: its app may be half way through an edit.
            if state.transport.isPlaying { try graph.checkWaysToTimeEffects() }
            state.graph = graph
        }
        startLateOutput()
    }

    /// The app has asked for the output node.
    package func addOutput() {
        state.withLock { $0.adopt($0.manual.map { OutputDevice($0.format) }) }
        refreshDevice()
    }

    /// The app has asked for the main mixer: connects it to the output, unless the output is connected.
    package func addMainMixer(_ mixer: NodeID, before output: NodeID) {
        // Two nodes of the graph, and no way back from an output: it cannot fail.
        try? edit { state throws(GraphError) in
            guard state.graph.connection(into: NodeBus(output)) == nil else { return }
            try state.graph.connect(NodeBus(mixer), to: NodeBus(output))
            try state.graph.followOutput(mixer)
            state.adopt(state.device)
        }
    }

    /// What the output node sounds on; nil while there is nothing.
    package var outputFormat: StreamFormat? {
        refreshDevice()
        return state.withLock { $0.device?.format }
    }

    /// Brings what the nodes of devices say up to date with the session's route.
    package func refreshDevice() {
        refreshInput()
        let needsRoute = state.withLock { $0.output != nil && $0.manual == nil }
        guard needsRoute else { return }
        let runtime = runtime
        let device = device(of: runtime.state.route.outputs)
        state.withLock {
            guard $0.manual == nil else { return }
            let isChange = $0.device != device
            if isChange { $0.adopt(device) }
            if $0.applyChannelTarget(of: runtime) || isChange { $0.update() }
        }
    }

    /// Nil without ports.
    func device(of ports: [Port]) -> OutputDevice? {
        guard !ports.isEmpty else { return nil }
        return OutputDevice(
            sampleRate: ports.lazy.compactMap(\.sampleRate).first ?? runtime.host.sampleRate,
            ports: ports.map(\.channels))
    }

    /// That a node is rendered by: the engine's, or one for what lies before a time effect.
    package func renderer(of id: NodeID) -> EngineRenderer? { state.withLock { $0.nodes[id]?.renderer } }

    /// Nil until the first start.
    package var renderer: EngineRenderer? { state.withLock { $0.renderer } }

    package var isRunning: Bool { transport.isPlaying }

    /// Makes the renderer, unless it is there.
    func prepareRenderer(sampleRate: Double, maximumFrames: Int, hasDeadlines: Bool = false) {
        state.withLock {
            $0.hasDeadlines = hasDeadlines
            if $0.renderer == nil {
                $0.renderer = EngineRenderer(sampleRate: sampleRate, maximumFrames: maximumFrames)
            }
            $0.update()
        }
        syncSources()
    }

    /// Lets the sources feed what is needed now.
    ///
    /// Each asks for itself, under its own lock, so that of two edits at the same moment the later one wins.
    func syncSources() {
        for node in state.withLock({ $0.nodes.values.map(\.controller) }) { node.source?.sync(for: node) }
    }

    /// What a source node feeds; nil while it is not attached or nothing has been prepared.
    func use(of id: NodeID) -> SourceBinding? {
        state.withLock { state in
            guard let renderer = state.nodes[id]?.renderer, let feed = state.nodes[id]?.feed,
                let node = try? state.graph.node(id)
            else { return nil }
            let island = state.islands.values.first { $0.renderer === renderer }
            return SourceBinding(
                control: self, renderer: renderer, feed: feed, feeder: island?.feeder ?? feeder, format: node.format,
                timeEffects: state.timeEffects(behind: id),
                isManual: state.manual != nil, latencyFrames: Int64(state.latencyFrames(behind: id)))
        }
    }

    /// The renderer's sample time at an instant of the host's clock, if it runs on; nil by hand, where no clock runs.
    package func sampleTime(atHostTime hostTime: UInt64) -> Int64? {
        renderer.flatMap { sampleTime(atHostTime: hostTime, of: $0) }
    }

    /// The same for one that renders a part of the graph.
    func sampleTime(atHostTime hostTime: UInt64, of renderer: EngineRenderer) -> Int64? {
        guard manual == nil else { return nil }
        let instant = HostTime(nanoseconds: hostTime)
        if let cycle = renderer.lastCycle {
            let seconds = instant.seconds(since: HostTime(nanoseconds: cycle.hostTimeNanoseconds))
            return cycle.sampleTime + Int64((seconds * renderer.sampleRate).rounded())
        }
        return Int64((instant.seconds(since: runtime.host.now()) * renderer.sampleRate).rounded())
    }

    /// Of the last cycle that a node was in, and now before the first cycle; by hand of the frames that are rendered next,
    /// without a host time.
    ///
    /// - Returns: nil while the engine does not run, and for a node without a way to the output.
    package func renderTime(of id: NodeID) -> (sampleTime: Int64, hostTimeNanoseconds: UInt64?, rate: Double)? {
        guard isRunning, let renderer = renderer(of: id) else { return nil }
        let cycle = renderer.lastCycle
        guard manual == nil else {
            return (cycle.map { $0.sampleTime + Int64($0.frames) } ?? 0, nil, renderer.sampleRate)
        }
        return (
            cycle?.sampleTime ?? 0, cycle?.hostTimeNanoseconds ?? runtime.host.now().nanoseconds, renderer.sampleRate
        )
    }

    // MARK: The choice of an output

    /// The output's channel map points at the session's choice of an output from now on, until the app sets a map.
    ///
    /// App threads.
    package func followChoice() {
        state.withLock { if case .none = $0.channelMapOwner { $0.channelMapOwner = .byChoice(nil) } }
        refreshDevice()
    }

    /// The route or the choice may be another now.
    ///
    /// Session thread.
    func noteChoice() {
        let runtime = runtime
        state.withLock { if $0.applyChannelTarget(of: runtime) { $0.publish() } }
    }
}
