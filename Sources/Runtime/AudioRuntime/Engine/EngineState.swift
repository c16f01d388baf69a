import AudioModel
import EngineCore
import SessionCore
internal import SessionRuntime

/// What an engine plays and captures: its graph, and what the renderer and the streams need of it.
///
/// A value under the engine's lock. No member waits.
struct EngineState {
    let transport: StreamController
    var graph = EngineGraph()
    /// Those of the graph: `attach` and `detach` change both.
    private(set) var nodes: [NodeID: AttachedNode] = [:]
    /// What the output node sounds on; nil while there is nothing.
    var device: OutputDevice?
    var channelMapOwner = ChannelMapOwner.none
    /// It has an input, and the category that it was started in records and plays nothing.
    var isMuted = false

    var renderer: EngineRenderer?
    /// What runs before time effects, by these effects; with the renderer, they are all.
    private(set) var islands: [NodeID: EngineIsland] = [:]
    /// The graph has processors that are still to be made: `EngineController.makeProcessors`.
    private(set) var needsProcessors = false

    /// A device waits for the cycles, as it does not in virtual time.
    var hasDeadlines = false

    var manual: ManualRendering?
    /// Nil until the app asks for the input node.
    var input: EngineInput?
    var voice = EngineVoice()
    /// From rendering a frame to hearing it, as the host said at the start; at the renderer's rate.
    var latencyFrames = 0
    /// What the stream is linked to; nil before the first link.
    var linkedFormat: StreamFormat?
    var linkedPorts: [Port] = []
    /// One of several devices is gone; the next link says which.
    var hasUnknownLoss = false
    /// Why nothing came of the last start.
    var refusal: SessionError?
    /// What other sessions leave of the volume.
    var gain: Float = 1

    // MARK: The graph

    var output: NodeID? { graph.output?.id }

    /// - Throws: why it cannot be in the graph; nothing has changed then.
    mutating func attach(_ controller: NodeController, _ settings: NodeSettings) throws(GraphError) -> NodeID {
        var graph = graph
        let id = try graph.attach(
            controller.kind, name: controller.name, format: settings.format, inputCount: controller.inputCount)
        try graph.setMixing(settings.mixing, of: id)
        try graph.setOutputVolume(settings.outputVolume, of: id)
        self.graph = graph
        nodes[id] = AttachedNode(controller: controller)
        return id
    }

    /// - Returns: what was set on it.
    mutating func detach(_ id: NodeID) throws(GraphError) -> NodeSettings {
        let settings = NodeSettings(try graph.node(id))
        try graph.detach(id)
        nodes[id] = nil
        return settings
    }

    mutating func setTap(_ tap: TapController?, of id: NodeID) throws(GraphError) {
        try graph.setTapped(tap != nil, id)
        nodes[id]?.tap = tap
    }

    /// There is no renderer any more, or another one.
    mutating func forgetRenderer() {
        renderer = nil
        islands = [:]
        for id in nodes.keys { nodes[id]?.leaveRenderer(for: nil) }
    }

    /// The output node sounds on this now.
    mutating func adopt(_ device: OutputDevice?) {
        self.device = device
        guard let device, output != nil else { return }
        // The output node is there and the format is one: it cannot fail.
        try? graph.setDevice(device)
    }

    /// Makes what sources and taps need, drops what is not needed, and plays the graph as it is now.
    mutating func update() {
        updateInput()
        defer { publishInput() }
        placeSources()
        guard let renderer else { return }
        let parts = graph.parts(input: input?.node)
        let inputSide = inputSide
        let before = islands
        islands = [:]
        for effect in parts.compactMap(\.timeEffect) {
            islands[effect] =
                before[effect]
                ?? EngineIsland(
                    renderer: EngineRenderer(
                        sampleRate: renderer.sampleRate, maximumFrames: renderer.maximumFrames))
        }
        for part in parts {
            let home = part.timeEffect.flatMap { islands[$0]?.renderer } ?? renderer
            for node in part.graph.nodes {
                prepare(node, in: inputSide.contains(node.id) ? input?.open?.feed.engine ?? home : home)
            }
        }
        // What plays goes on until the graph's processors are there.
        needsProcessors = !missingProcessors.isEmpty
        if !needsProcessors { publish() }
    }

    /// What the input's cycles run.
    private var inputSide: Set<NodeID> {
        graph.inputSide(of: input?.node, usesOutput: usesOutput || manual != nil)
    }

    /// - Parameter home: plays the node: the engine's renderer, the input's, or that of an island, which has no cycle of its own.
    private mutating func prepare(_ node: GraphNode, in home: EngineRenderer) {
        guard var attached = nodes[node.id] else { return }
        if attached.renderer !== home { attached.leaveRenderer(for: home) }
        let channels = node.format.channels.count
        if node.kind == .source, let source = attached.controller.source {
            let shape = shape(of: node, in: home)
            let cycleShape = source.isMadeInCycle(shape) ? shape : nil
            if !attached.isFed(channels: channels, cycleShape) {
                let feed = home.makeSource(
                    channels: channels, readAheadSeconds: source.readAheadSeconds,
                    origin: source.cycleOrigin(shape, in: home) ?? .producer)
                attached.work = .feed(feed, cycleShape: cycleShape)
            }
        } else if attached.feed != nil {
            attached.work = .none
        }
        if node.id != input?.node { attached.tap?.listen(to: home, node.format) }
        nodes[node.id] = attached
    }

    private func shape(of node: GraphNode, in home: EngineRenderer) -> SourceShape {
        SourceShape(
            format: node.format, rate: home.sampleRate,
            hasTimeEffects: home !== renderer || !graph.timeEffects(behind: node.id).isEmpty,
            isByHand: manual != nil, isWatched: hasDeadlines && manual == nil)
    }

    /// Plays the graph as it is now; processors that are still to be made are left out.
    mutating func publish() {
        guard let renderer else { return }
        needsProcessors = !missingProcessors.isEmpty
        for part in graph.parts(input: input?.node) {
            let home = part.timeEffect.map { islands[$0]?.renderer } ?? renderer
            if let home { publish(part.graph, isWhole: part.timeEffect == nil, on: home) }
        }
    }

    private func publish(_ part: EngineGraph, isWhole: Bool, on renderer: EngineRenderer) {
        var graph = part.outputPart(without: inputSide, input: input?.node)
        if isWhole, let output {
            try? graph.setOutputVolume(gain, of: output)
            if !transport.isPlaying { try? graph.setMuted(true, of: output) }
        }
        for node in graph.nodes where node.kind == .processor && slot(of: node) == nil { try? graph.detach(node.id) }
        let plan = PlanCompiler.compile(graph)
        let sources = plan.sources.compactMap { nodes[$0.node]?.feed }
        let taps = plan.listeners.compactMap { nodes[$0.node]?.tap?.feed }
        let slots = plan.steps.compactMap { nodes[$0.node]?.slot }
        programmerError(unless: sources.count == plan.sources.count, "every source of a plan has a feed")
        programmerError(unless: slots.count == plan.steps.count, "every processor of a plan has a slot")
        programmerError(unless: taps.count == plan.listeners.count, "every listener of a plan has a tap")
        renderer.publish(
            sources: sources, processors: slots, taps: taps, outputChannels: plan.outputChannels, matrix: plan.matrix)
    }

    mutating func forgetStreams() {
        renderer?.noteCut()
        input?.open = nil
        latencyFrames = 0
        forgetLink()
    }

    mutating func forgetLink() {
        linkedFormat = nil
        linkedPorts = []
    }

    /// Whether something sounded on one of the linked ports that is not among these; true where that is not known.
    func hasSounded(outside ports: [Port]) -> Bool {
        guard let output, let map = graph.soundingMap(of: output), map.count == linkedPorts.channelCount,
            !linkedPorts.isEmpty
        else { return true }
        var channels = map[...]
        return linkedPorts.contains { port in
            let isSilent = channels.prefix(port.channels.count).allSatisfy { $0 < 0 }
            channels = channels.dropFirst(port.channels.count)
            return !isSilent && !ports.contains { $0.uid == port.uid }
        }
    }

    // MARK: Processors

    /// The processors that the graph needs and that were not made, nor refused.
    var missingProcessors: [WantedProcessor] {
        graph.nodes.compactMap { node in
            guard node.kind == .processor, let unit = nodes[node.id]?.controller.role.unit, graph.isHeard(node.id),
                let shape = shape(of: node), nodes[node.id]?.processor?.shape != shape
            else { return nil }
            return WantedProcessor(node: node.id, title: node.title, unit: unit, shape: shape)
        }
    }

    /// Takes what was made for a node that still needs it.
    mutating func adopt(_ made: Result<any UnitProcessor, GraphError>, for missing: WantedProcessor) {
        guard let home = nodes[missing.node]?.renderer, let node = try? graph.node(missing.node),
            shape(of: node) == missing.shape,
            nodes[node.id]?.processor?.shape != missing.shape
        else { return }
        switch made {
        case .success(let unit):
            let ramps = nodes[node.id]?.controller.role.effect?.ramps
            nodes[node.id]?.work = .processor(.running(home.makeProcessor(unit, missing.shape, ramps: ramps)))
        case .failure(let error): nodes[node.id]?.work = .processor(.refused(missing.shape, error))
        }
    }

    /// Why a processor that the graph needs is silent.
    var refusedProcessor: GraphError? {
        graph.nodes.lazy.compactMap { node in
            guard case .refused(let shape, let error) = nodes[node.id]?.processor, shape == self.shape(of: node) else {
                return nil
            }
            return error
        }.first
    }

    /// Nil where there is none of the shape that the node has now.
    private func slot(of node: GraphNode) -> ProcessorSlot? {
        guard let slot = nodes[node.id]?.slot, slot.shape == shape(of: node) else { return nil }
        return slot
    }

    /// What the node's processor gets and gives in the renderer, all at its rate; nil without a renderer.
    private func shape(of node: GraphNode) -> ProcessorShape? {
        (inputSide.contains(node.id) ? input?.open?.feed.engine : renderer).map {
            shape(of: node, in: graph, rate: $0.sampleRate, maximumFrames: $0.maximumFrames)
        }
    }

    private func shape(of node: GraphNode, in graph: EngineGraph, rate: Double, maximumFrames: Int) -> ProcessorShape {
        ProcessorShape(
            inputs: graph.inputFormats(of: node).map { StreamFormat(sampleRate: rate, channels: $0.channels) },
            output: StreamFormat(sampleRate: rate, channels: node.format.channels), maximumFrames: maximumFrames)
    }

    /// The processors of a graph that something is connected to, as they would be made for it.
    func processors(of graph: EngineGraph) -> [WantedProcessor] {
        let rate = renderer?.sampleRate ?? manual?.format.sampleRate ?? device?.sampleRate
        let maximumFrames = renderer?.maximumFrames ?? manual?.maximumFrames ?? EngineController.maximumFrames
        return graph.nodes.compactMap { node in
            guard let unit = nodes[node.id]?.controller.role.unit, !graph.connections(into: node.id).isEmpty else {
                return nil
            }
            let shape = shape(
                of: node, in: graph, rate: rate ?? node.format.sampleRate, maximumFrames: maximumFrames)
            return WantedProcessor(node: node.id, title: node.title, unit: unit, shape: shape)
        }
    }

    /// From leaving a node to hearing it, at the renderer's rate: the longest way to the output.
    func latencyFrames(behind id: NodeID) -> Int {
        latencyFrames
            + graph.longestWay(from: id) { node in
                let isFed = islands[node] != nil
                return nodes[node]?.slot?.unit.latencyFrames ?? (isFed ? nodes[node]?.feed?.readAheadFrames : nil) ?? 0
            }
    }

    // MARK: Effects

    /// What changes a source's sound, in its order; of an effect with an island, it and those behind it.
    func timeEffects(behind id: NodeID) -> [TimeEffectController] {
        let own = islands[id] == nil ? nil : nodes[id]?.controller.role.timeEffect
        let behind = graph.timeEffects(behind: id).compactMap { nodes[$0.id]?.controller.role.timeEffect }
        return [own].compactMap(\.self) + behind
    }

    /// Throws for a source whose format the time effects behind it cannot take.
    func checkTimeEffects(of graph: EngineGraph) throws(GraphError) {
        for part in graph.parts(input: input?.node) {
            for source in part.graph.nodes where source.kind == .source {
                // What leaves an island has been mixed for the effect behind it.
                if source.kind != (try? graph.node(source.id).kind) {
                    try check(source.format, source.id, source.title)
                }
                for node in part.graph.timeEffects(behind: source.id) { try check(source.format, node.id, node.title) }
            }
        }
    }

    private func check(_ format: StreamFormat, _ effect: NodeID, _ title: String) throws(GraphError) {
        try nodes[effect]?.controller.role.timeEffect?.check(format, title: title)
    }

    // MARK: Input

    /// Lets the sinks, and an output that plays the input, hear it in its cycles.
    mutating func publishInput() {
        guard let input, var open = input.open else { return }
        guard let delivery = input.delivery, delivery.device.hasShape(of: open.format) else {
            return open.feed.listen()
        }
        let isWatched = hasDeadlines && manual == nil
        var graph = graph.inputPart(inputSide, input: input.node)
        for node in graph.nodes where node.kind == .processor && slot(of: node) == nil { try? graph.detach(node.id) }
        let plan = PlanCompiler.compile(graph)
        var sinks: [EngineInput.SinkTap] = []
        var taps: [TapFeed] = []
        for listener in plan.listeners {
            guard let core = nodes[listener.node]?.controller.role.sink else {
                taps += [nodes[listener.node]?.tap?.feed].compactMap(\.self)
                continue
            }
            let format = StreamFormat(
                sampleRate: open.format.sampleRate,
                channels: graph.inputFormat(NodeBus(listener.node))?.channels ?? [])
            let sink =
                open.sinks.first { $0.core === core && $0.format == format }
                ?? EngineInput.SinkTap(
                    core: core, format: format, tap: core.makeTap(of: open.feed, format, isWatched: isWatched))
            sinks.append(sink)
            taps.append(sink.tap)
        }
        programmerError(unless: taps.count == plan.listeners.count, "every listener of a plan has a tap")
        open.feed.listen(
            taps, processors: plan.steps.compactMap { nodes[$0.node]?.slot }, gains: plan.matrix,
            shared: input.isHeard ? nodes[input.node]?.feed?.shared : nil, of: delivery.map)
        open.sinks = sinks
        self.input?.open = open
    }

    /// Whether the input is before a time effect.
    var isInputPulled: Bool {
        input.map { input in islands.values.contains { $0.renderer === nodes[input.node]?.renderer } } ?? false
    }

    /// Whether a start needs an output: one that only listens does not, nor one that records where nothing may sound.
    var usesOutput: Bool {
        guard input != nil, let output else { return input == nil }
        return !isMuted && graph.connection(into: NodeBus(output)) != nil
    }

    /// The input is this from now on.
    mutating func adoptInput(_ device: StreamFormat?) {
        guard let old = input, old.device != device else { return }
        if old.device?.channels.count != device?.channels.count { input?.map = nil }
        input?.device = device
        setInputFormat()
    }

    /// Gives the node what its device and its map come to.
    mutating func setInputFormat() {
        guard let input, let format = input.format else { return }
        // Attached as long as the engine lives, and the format is one: it cannot fail.
        try? graph.setFormat(format, of: input.node)
    }

    /// Finds out who hears the input.
    mutating func updateInput() {
        guard let input else { return }
        self.input?.isHeard = graph.isRendered(input.node)
        guard let device = input.device, let format = input.format else {
            self.input?.delivery = nil
            return
        }
        let inputSide = inputSide
        self.input?.delivery = InputDelivery(
            device: device, format: format, map: input.map, tap: nodes[input.node]?.tap,
            sinks: nodes.filter { inputSide.contains($0.key) }.compactMap(\.value.controller.role.sink))
    }

    /// - Throws: why the map cannot be; the one before stays.
    mutating func setInputMap(_ map: [Int]?) throws(GraphError) {
        guard input != nil else { throw .nothingToMap(node: "the input") }
        try input?.setMap(map)
        setInputFormat()
    }

    /// The input is another one from now on: its block and its tap go.
    mutating func forgetInput() {
        guard let node = input?.node else { return }
        input?.manual = nil
        input?.open = nil
        guard nodes[node]?.tap != nil else { return }
        // Attached as long as the engine lives: it cannot fail.
        try? setTap(nil, of: node)
    }

    // MARK: Channel map

    /// Points the map at the session's choice of this moment, so that no thread brings back an older one.
    ///
    /// - Returns: whether the map has changed.
    mutating func applyChannelTarget(of runtime: SessionRuntime) -> Bool {
        guard case .byChoice = channelMapOwner else { return false }
        channelMapOwner = .byChoice(runtime.state.channelTarget)
        return applyChannelTarget()
    }

    /// Points the map at the session's choice.
    ///
    /// Only where the output has the route's channels already; else the next refresh of the device brings both. What is
    /// rendered by hand is for no device, and has the default map.
    ///
    /// - Returns: whether the map has changed.
    @discardableResult
    mutating func applyChannelTarget() -> Bool {
        guard case .byChoice(let choice) = channelMapOwner, let output, let node = try? graph.node(output)
        else { return false }
        let target = manual == nil ? choice : nil
        if let target, target.channelCount != node.format.channels.count { return false }
        let sourceChannels = graph.inputFormat(NodeBus(output))?.channels.count ?? node.format.channels.count
        let map = target?.channelMap(sourceChannels: sourceChannels)
        guard map != node.channelMap else { return false }
        // Of the output's size, with values that the source has: it cannot fail.
        try? graph.setChannelMap(map, of: output)
        return true
    }
}

/// Whether the session or the app makes the output's channel map.
enum ChannelMapOwner: Sendable {
    /// The map is the app's, or the default.
    case none
    /// The map points at the session's choice of an output; nil outside `multiRoute`, where the default does.
    case byChoice(ChannelTarget?)
}
