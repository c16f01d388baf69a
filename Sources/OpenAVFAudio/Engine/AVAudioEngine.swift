internal import AudioModel
internal import EngineCore
public import Foundation

/// A graph of nodes that makes sound: players and blocks, mixers, and the session's route as its output.
///
/// Edits may be made while it runs; gains slide within 5 ms, so that nothing clicks. Nothing of an app runs on the render
/// thread.
///
/// What the session does to a running engine:
/// - **Interruption, deactivation**: it fades out and does not run any more; start it again.
/// - **Its output, or the input that it captures, has another channel count or rate or went away, or the server ended its
///   stream**: it stops at once; `AVAudioEngineConfigurationChange` says so, once.
/// - **Media services lost**: it is over; make a new engine after `mediaServicesWereReset`.
/// - **Another session that lowers this one**: so is the engine, and it comes back exactly.
///
/// Any thread but the render thread may call everything; the engine is not `Sendable`, as Apple's is not. `start`, `stop`
/// and the end of the engine wait for the session, `stop` and the end also for a fade-out: at most 0.3 s.
///
/// What Apple's engine ends the program for (to connect nodes that are not attached, a cycle, a format without channels)
/// ends it here, too, with a message; the `connectNode` forms throw instead.
///
/// Source: SDK header AVAudioEngine.h.
open class AVAudioEngine: NSObject {
    let control = EngineController()
    /// Recursive: a node that is made on first access is attached, and may need another, before anybody gets it.
    private let lock = NSRecursiveLock()
    /// Under `lock`.
    private var nodes = Nodes()

    private struct Nodes {
        var attached: Set<AVAudioNode> = []
        var output: AVAudioOutputNode?
        var input: AVAudioInputNode?
        var mainMixer: AVAudioMixerNode?
        var isAutoShutdownEnabled = false
    }

    /// An empty engine for the session's route; nothing is opened yet.
    public override init() {
        super.init()
        control.subject.object = self
    }

    deinit {
        control.lifecycle.withLock { control.stop() }
        for node in nodes.attached { node.core.detach() }
        control.reading.end()
        control.completions.close()
        control.tapCalls.close()
    }

    // MARK: Nodes

    /// Adds a node; it can be connected from now on.
    ///
    /// Nothing happens if it is here already. A node of another engine is a programming error.
    open func attach(_ node: AVAudioNode) {
        guard node.attachedEngine !== self else { return }
        precondition(node.attachedEngine == nil, "the node is attached to another engine: detach it there first")
        attach(node, as: node.core.name)
    }

    private func attach(_ node: AVAudioNode, as name: String) {
        do {
            try node.core.attach(to: control)
        } catch {
            preconditionFailure(error.description)
        }
        node.attachedEngine = self
        lock.withLock { _ = nodes.attached.insert(node) }
    }

    /// Takes a node out, with its connections and its tap; a player stops.
    ///
    /// Nothing happens if it is not here, and with the input and the output, which stay.
    open func detach(_ node: AVAudioNode) {
        guard node.attachedEngine === self, !(node is AVAudioIONode) else { return }
        node.core.source?.reset()
        node.core.detach()
        node.attachedEngine = nil
        lock.withLock {
            nodes.attached.remove(node)
            if nodes.mainMixer === node { nodes.mainMixer = nil }
        }
    }

    /// Those that were attached, and the input, the output and the main mixer as far as they were asked for.
    open var attachedNodes: Set<AVAudioNode> { lock.withLock { nodes.attached } }

    /// The session's route as a node; made on first access.
    open var outputNode: AVAudioOutputNode {
        lock.withLock {
            if let node = nodes.output { return node }
            let node = AVAudioOutputNode(core: NodeController(.output, name: "output"))
            nodes.output = node
            attach(node, as: "output")
            if let place = node.core.place {
                control.state.withLock {
                    $0.output = place.id
                    $0.adopt($0.manual.map { OutputDevice(StreamFormat($0.format)) })
                }
                control.refreshDevice()
            }
            return node
        }
    }

    /// The session's input as a node; made on first access, and from then on the engine captures when it runs.
    ///
    /// In a category that records and does not play, such an engine starts without its output.
    open var inputNode: AVAudioInputNode {
        lock.withLock {
            if let node = nodes.input { return node }
            let source = InputNodeController()
            let node = AVAudioInputNode(core: NodeController(.source, name: "input", source: source))
            source.bind(to: node.core)
            nodes.input = node
            attach(node, as: "input")
            if let place = node.core.place { place.control.addInput(source, at: place.id) }
            return node
        }
    }

    /// A mixer in front of the output; made on first access.
    ///
    /// It is connected to the output, unless that is connected already, and follows the output's format as long as nobody
    /// gives that connection another. On several devices it has the channels of all; what comes in with one or two channels
    /// is on its first two, which sound on the first device unless a channel map says otherwise (`AUAudioUnit.channelMap`).
    open var mainMixerNode: AVAudioMixerNode {
        lock.withLock {
            if let node = nodes.mainMixer { return node }
            let output = outputNode
            let node = AVAudioMixerNode(name: "main mixer")
            nodes.mainMixer = node
            attach(node, as: "main mixer")
            guard let from = node.core.place?.id, let to = output.core.place?.id else { return node }
            // Two nodes of the graph, and no way back from an output: it can not fail.
            try? control.edit { state throws(GraphError) in
                guard state.graph.connection(into: NodeBus(to)) == nil else { return }
                try state.graph.connect(NodeBus(from), to: NodeBus(to))
                try state.graph.followOutput(from)
                state.adopt(state.device)
            }
            return node
        }
    }

    // MARK: Connecting
    //
    // The forms that throw are those of iOS 27; the others end the program for the same reasons. A format that is not nil
    // becomes the format of the source's output bus; the destination's input follows. Nil leaves it. What was connected to
    // either bus before is disconnected.

    /// From output 0 to input 0, or to a mixer's next free input.
    open func connect(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) {
        orEnd { try connectNode(node1, to: node2, format: format) }
    }

    open func connect(
        _ node1: AVAudioNode, to node2: AVAudioNode, fromBus bus1: AVAudioNodeBus, toBus bus2: AVAudioNodeBus,
        format: AVAudioFormat?
    ) {
        orEnd { try connectNode(node1, to: node2, fromBus: bus1, toBus: bus2, format: format) }
    }

    /// To these inputs and no others.
    ///
    /// All ways from the source keep its rate up to a mixer where they meet again, if they do; `start` checks that.
    open func connect(
        _ sourceNode: AVAudioNode, to destNodes: [AVAudioConnectionPoint], fromBus sourceBus: AVAudioNodeBus,
        format: AVAudioFormat?
    ) {
        orEnd { try connectNode(sourceNode, to: destNodes, fromBus: sourceBus, format: format) }
    }

    /// From output 0 to input 0, or to a mixer's next free input.
    ///
    /// - Throws: `NSError` in domain `com.apple.coreaudio.avfaudio`: a node that is not attached here or has no such bus,
    ///   a cycle, a format that is not linear PCM or has no channels or rate, an effect that is not for one player or
    ///   source node alone. Nothing has changed then.
    open func connectNode(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) throws {
        try join(node1, to: node2, format: format)
    }

    /// - Throws: as `connectNode(_:to:format:)`.
    open func connectNode(
        _ node1: AVAudioNode, to node2: AVAudioNode, fromBus bus1: AVAudioNodeBus, toBus bus2: AVAudioNodeBus,
        format: AVAudioFormat?
    ) throws {
        try join(node1, to: [AVAudioConnectionPoint(node: node2, bus: bus2)], fromBus: bus1, format: format)
    }

    /// - Throws: as `connectNode(_:to:format:)`.
    open func connectNode(
        _ sourceNode: AVAudioNode, to destNodes: [AVAudioConnectionPoint], fromBus sourceBus: AVAudioNodeBus,
        format: AVAudioFormat?
    ) throws {
        try join(sourceNode, to: destNodes, fromBus: sourceBus, format: format)
    }

    private func orEnd(_ body: () throws -> Void) {
        do { try body() } catch { preconditionFailure(error.localizedDescription) }
    }

    /// Breaks the connections into all inputs of a node.
    open func disconnectNodeInput(_ node: AVAudioNode) {
        edit(node) { state, id throws(GraphError) in try state.graph.disconnectInputs(of: id) }
    }

    open func disconnectNodeInput(_ node: AVAudioNode, bus: AVAudioNodeBus) {
        edit(node) { state, id throws(GraphError) in try state.graph.disconnectInput(NodeBus(id, bus: bus)) }
    }

    /// Breaks the connections from a node.
    open func disconnectNodeOutput(_ node: AVAudioNode) { disconnectNodeOutput(node, bus: 0) }

    open func disconnectNodeOutput(_ node: AVAudioNode, bus: AVAudioNodeBus) {
        edit(node) { state, id throws(GraphError) in try state.graph.disconnectOutput(NodeBus(id, bus: bus)) }
    }

    /// Where an input's sound comes from.
    open func inputConnectionPoint(for node: AVAudioNode, inputBus bus: AVAudioNodeBus) -> AVAudioConnectionPoint? {
        source(of: node, inputBus: bus)
    }

    /// Where an output's sound goes.
    open func outputConnectionPoints(
        for node: AVAudioNode, outputBus bus: AVAudioNodeBus
    ) -> [AVAudioConnectionPoint] {
        destinations(of: node, outputBus: bus)
    }

    // MARK: Running

    /// Whether it sounds, or would if its nodes did.
    open var isRunning: Bool { control.isRunning }

    /// Opens what `start` needs, so that it is quick.
    ///
    /// Faults of the graph and of the machine are for `start` to throw.
    open func prepare() {
        control.lifecycle.withLock {
            // The same fault is met again by `start`, which says it.
            try? control.prepare()
        }
    }

    /// Sounds, and activates the session for it.
    ///
    /// Nothing happens if it runs already.
    ///
    /// - Throws: `NSError`. In domain `com.apple.coreaudio.avfaudio`: a graph that can not play, because nothing is
    ///   connected to the output and there is no input node for one, a sink is not fed by the input alone and at its rate,
    ///   or a source's ways to several nodes differ in rate before a mixer; in manual rendering also an input node that is
    ///   connected and has no block to give frames. In `NSOSStatusErrorDomain`, with an
    ///   `AVAudioSession.ErrorCode`: what the session's activation throws (`insufficientPriority` under a call),
    ///   `resourceNotAvailable` without an output or an input that it needs, `incompatibleCategory` for an engine with an
    ///   input node in a category that does not record, `mediaServicesFailed` without a sound server and after media
    ///   services were lost.
    open func start() throws {
        try control.lifecycle.withLock {
            if control.state.withLock({ $0.manual }) != nil {
                try control.startByHand()
            } else {
                try control.startOnDevice()
            }
        }
    }

    /// Fades out and stands still; `start` goes on from there.
    open func pause() { control.lifecycle.withLock { control.pause() } }

    /// Fades out, stands still, and closes what was opened; `start` goes on from there.
    open func stop() { control.lifecycle.withLock { control.stop() } }

    /// Resets every node: players drop their queues.
    ///
    /// In manual rendering the sample time is 0 again.
    open func reset() {
        for node in attachedNodes { node.reset() }
        control.state.withLock {
            $0.manual?.sampleTime = 0
            $0.input?.manual?.reset()
        }
    }

    /// Kept for the app; an engine without work uses little, and is not stopped for it.
    open var isAutoShutdownEnabled: Bool {
        get { lock.withLock { nodes.isAutoShutdownEnabled } }
        set { lock.withLock { nodes.isAutoShutdownEnabled = newValue } }
    }

    // MARK: For the other files

    func node(_ core: NodeController?) -> AVAudioNode? {
        core.flatMap { core in lock.withLock { nodes.attached.first { $0.core === core } } }
    }
}
