import AudioModel
internal import AudioRuntime
internal import EngineCore
public import Foundation
internal import OpenAudioSession
internal import SessionRuntime

/// A graph of nodes: players and blocks, mixers, and the session's route as the output.
///
/// It may be edited while it runs; gains slide within 5 ms, so that there are no clicks. Of the app's code, only the blocks of
/// source and sink nodes run on the render thread.
///
/// Effects of the session on a running engine:
/// - **Interruption, deactivation**: it fades out and stops. Start it again.
/// - **The output device leaves**: the output is silent at once, and the player nodes that sounded on it are paused. If there
///   were any, an engine without an input stops and posts `AVAudioEngineConfigurationChange` once; any other runs on, and so
///   does its input. A player sounds again with its own `play()`; `start()` alone starts source nodes and the input, but no
///   player (docs/decisions/0018-who-plays-again.md).
/// - **The last input leaves, or the category has none any more**: the output plays on. The input is captured again from the
///   next `start()`.
/// - **The channel count or rate of its output, or of the input in use, changes, or no output is left, or the server
///   ends its stream**: it stops at once and posts `AVAudioEngineConfigurationChange` once.
/// - **Media services lost**: it no longer works. Create a new engine after `mediaServicesWereReset`.
/// - **Another session ducks this one**: the engine is ducked too, and then returns to exactly the same volume.
///
/// All members may be called on any thread; for blocks on the render thread see ``AVAudioSourceNodeRenderBlock``. Like
/// Apple's, the engine is not `Sendable`.
/// `start`, `stop` and the deinitialisation of the engine wait for the session; `stop` and the deinitialisation also
/// wait for a fade-out, at most 0.3 s.
///
/// Errors that end the program in Apple's engine (connecting nodes that are not attached, a cycle, a format without
/// channels) also end it here, with a message. The `connectNode` functions throw instead.
///
/// Source: SDK header AVAudioEngine.h.
open class AVAudioEngine: NSObject {
    let control: EngineController
    let manual: ManualRenderer
    /// Recursive: a node that is made on first access is attached, and may need another, before the app gets it.
    private let lock = NSRecursiveLock()
    /// Under `lock`.
    private var nodes = Nodes()

    private struct Nodes {
        /// Kept alive as long as they are attached; on threads of the app's only, as `control` is not.
        var attached: Set<AVAudioNode> = []
        var output: AVAudioOutputNode?
        var input: AVAudioInputNode?
        var mainMixer: AVAudioMixerNode?
        var isAutoShutdownEnabled = false
    }

    /// An empty engine for the session's route; no stream is opened yet.
    public override init() {
        // The session of the test that makes the engine, also where its task or the test is over.
        let testSession = AVAudioSession.testSession
        control = EngineController { (testSession ?? AVAudioSession.sharedInstance()).runtime }
        manual = ManualRenderer(control)
        super.init()
        control.subject.object = self
    }

    deinit {
        control.stop()
        for node in nodes.attached { node.core.detach(from: control) }
        control.end()
    }

    // MARK: Nodes

    /// Adds a node, which can then be connected.
    ///
    /// Does nothing if it is attached already. A node of another engine is a programming error.
    open func attach(_ node: AVAudioNode) {
        guard node.attachedEngine !== self else { return }
        programmerError(
            unless: node.attachedEngine == nil, "the node is attached to another engine: detach it there first")
        add(node)
    }

    private func add(_ node: AVAudioNode) {
        do {
            try node.core.attach(to: control)
        } catch {
            programmerError(error.description)
        }
        lock.withLock { _ = nodes.attached.insert(node) }
    }

    /// Removes a node with its connections and its tap; a player stops.
    ///
    /// Does nothing for a node that is not attached, and for the input and the output.
    open func detach(_ node: AVAudioNode) {
        guard node.attachedEngine === self, !(node is AVAudioIONode) else { return }
        node.core.source?.reset()
        node.core.detach(from: control)
        lock.withLock {
            nodes.attached.remove(node)
            if nodes.mainMixer === node { nodes.mainMixer = nil }
        }
    }

    /// The attached nodes, and the input, the output and the main mixer if they have been accessed.
    open var attachedNodes: Set<AVAudioNode> { lock.withLock { nodes.attached } }

    /// The session's route as a node; created on first access.
    open var outputNode: AVAudioOutputNode {
        lock.withLock {
            if let node = nodes.output { return node }
            let node = AVAudioOutputNode(core: NodeController(.output, name: "output"))
            nodes.output = node
            add(node)
            control.addOutput()
            return node
        }
    }

    /// The session's input as a node; created on first access.
    ///
    /// From then on, the engine captures while it runs.
    ///
    /// In a category that records and does not play, such an engine starts without an output.
    open var inputNode: AVAudioInputNode {
        lock.withLock {
            if let node = nodes.input { return node }
            let source = InputNodeController()
            let node = AVAudioInputNode(core: NodeController(.input(source), name: "input"))
            nodes.input = node
            add(node)
            if let place = node.core.place { place.control.addInput(source, at: place.id) }
            return node
        }
    }

    /// A mixer before the output; created on first access.
    ///
    /// It is connected to the output, unless the output is connected already, and follows the output's format until the
    /// app sets a format for this connection. On several devices it has the channels of all devices. Inputs with one or
    /// two channels are on its first two channels, which play on the first device unless a channel map changes it
    /// (`AUAudioUnit.channelMap`).
    open var mainMixerNode: AVAudioMixerNode {
        lock.withLock {
            if let node = nodes.mainMixer { return node }
            let output = outputNode
            let node = AVAudioMixerNode(name: "main mixer")
            nodes.mainMixer = node
            add(node)
            guard let from = node.core.place?.id, let to = output.core.place?.id else { return node }
            control.addMainMixer(from, before: to)
            return node
        }
    }

    // MARK: Connecting
    //
    // The forms that throw are those of iOS 27; the others end the program for the same reasons. A format that is not nil
    // becomes the format of the source's output bus; the destination's input follows. Nil leaves it. What was connected to
    // either bus before is disconnected.

    /// Connects output 0 to input 0, or to the next free input of a mixer.
    open func connect(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) {
        orEnd { try connectNode(node1, to: node2, format: format) }
    }

    /// Connects an output bus to an input bus; both must exist, otherwise the program ends with a message.
    ///
    /// `connectNode(_:to:fromBus:toBus:format:)` throws instead.
    open func connect(
        _ node1: AVAudioNode, to node2: AVAudioNode, fromBus bus1: AVAudioNodeBus, toBus bus2: AVAudioNodeBus,
        format: AVAudioFormat?
    ) {
        orEnd { try connectNode(node1, to: node2, fromBus: bus1, toBus: bus2, format: format) }
    }

    /// Connects an output to these inputs and no others.
    ///
    /// If the paths from the source meet again, they must keep its rate up to the mixer where they meet; `start` checks
    /// this.
    open func connect(
        _ sourceNode: AVAudioNode, to destNodes: [AVAudioConnectionPoint], fromBus sourceBus: AVAudioNodeBus,
        format: AVAudioFormat?
    ) {
        orEnd { try connectNode(sourceNode, to: destNodes, fromBus: sourceBus, format: format) }
    }

    /// Connects output 0 to input 0, or to the next free input of a mixer.
    ///
    /// - Throws: `NSError` in domain `com.apple.coreaudio.avfaudio`: a node that is not attached or has no such bus, a
    ///   cycle, a format that is not linear PCM or has no channels or rate, a format that an effect does not take;
    ///   while it plays, a way past a time pitch or varispeed from what feeds it. Then nothing has changed.
    open func connectNode(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) throws {
        try join(node1, to: node2, format: format)
    }

    /// Connects an output bus to an input bus; changes nothing if it throws.
    ///
    /// - Throws: the same as `connectNode(_:to:format:)`.
    open func connectNode(
        _ node1: AVAudioNode, to node2: AVAudioNode, fromBus bus1: AVAudioNodeBus, toBus bus2: AVAudioNodeBus,
        format: AVAudioFormat?
    ) throws {
        try join(node1, to: [AVAudioConnectionPoint(node: node2, bus: bus2)], fromBus: bus1, format: format)
    }

    /// Connects an output to these inputs and no others; changes nothing if it throws.
    ///
    /// - Throws: the same as `connectNode(_:to:format:)`.
    open func connectNode(
        _ sourceNode: AVAudioNode, to destNodes: [AVAudioConnectionPoint], fromBus sourceBus: AVAudioNodeBus,
        format: AVAudioFormat?
    ) throws {
        try join(sourceNode, to: destNodes, fromBus: sourceBus, format: format)
    }

    private func orEnd(_ body: () throws -> Void) {
        do { try body() } catch { programmerError(error.localizedDescription) }
    }

    /// Removes the connections to all inputs of a node.
    open func disconnectNodeInput(_ node: AVAudioNode) {
        edit(node) { graph, id throws(GraphError) in try graph.disconnectInputs(of: id) }
    }

    /// Removes the connection to one input of a node; does nothing if there is none.
    open func disconnectNodeInput(_ node: AVAudioNode, bus: AVAudioNodeBus) {
        edit(node) { graph, id throws(GraphError) in try graph.disconnectInput(NodeBus(id, bus: bus)) }
    }

    /// Removes the connections from a node.
    open func disconnectNodeOutput(_ node: AVAudioNode) { disconnectNodeOutput(node, bus: 0) }

    /// Removes the connections from one output of a node; does nothing if there is none.
    open func disconnectNodeOutput(_ node: AVAudioNode, bus: AVAudioNodeBus) {
        edit(node) { graph, id throws(GraphError) in try graph.disconnectOutput(NodeBus(id, bus: bus)) }
    }

    /// The output that is connected to an input.
    open func inputConnectionPoint(for node: AVAudioNode, inputBus bus: AVAudioNodeBus) -> AVAudioConnectionPoint? {
        guard let id = try? place(of: node) else { return nil }
        return control.graph.connection(into: NodeBus(id, bus: bus)).flatMap { point(at: $0.source) }
    }

    /// The inputs that are connected to an output.
    open func outputConnectionPoints(
        for node: AVAudioNode, outputBus bus: AVAudioNodeBus
    ) -> [AVAudioConnectionPoint] {
        guard let id = try? place(of: node) else { return [] }
        return control.graph.connections(from: id).filter { $0.source.bus == bus }.compactMap {
            point(at: $0.destination)
        }
    }

    // MARK: Running

    /// Whether the engine runs, also while its nodes are silent.
    open var isRunning: Bool { control.isRunning }

    /// Opens the streams for `start`, so that it is fast.
    ///
    /// It does not report errors of the graph and of the machine; `start` throws them.
    open func prepare() { control.prepareToStart() }

    /// Activates the session and starts the engine.
    ///
    /// Does nothing if it runs already.
    ///
    /// - Throws: `NSError`. In domain `com.apple.coreaudio.avfaudio`: an invalid graph: nothing is connected to the
    ///   output and there is no input node; a sink is not fed by the input alone and at its rate; the paths of a source
    ///   to several nodes differ in rate before a mixer; or what feeds a time pitch or varispeed feeds another node
    ///   too. In manual rendering also an input node that is connected and has no block. In `NSOSStatusErrorDomain`,
    ///   with an `AVAudioSession.ErrorCode`: the errors of the session's activation (`insufficientPriority` during a
    ///   call), `resourceNotAvailable` without a required output or input, `incompatibleCategory` for an engine with an
    ///   input node in a category that does not record, `mediaServicesFailed` without a sound server and after media
    ///   services were lost.
    open func start() throws {
        do { try control.start() } catch { throw NSError.audio(error) }
    }

    /// Fades out and pauses; `start` continues.
    open func pause() { control.pause() }

    /// Fades out, pauses, and closes the streams; `start` continues.
    open func stop() { control.stop() }

    /// Resets every node: players discard their queues.
    ///
    /// In manual rendering the sample time becomes 0.
    open func reset() {
        for node in attachedNodes { node.reset() }
        control.reset()
    }

    /// Stored without effect: an idle engine uses little and is not stopped.
    open var isAutoShutdownEnabled: Bool {
        get { lock.withLock { nodes.isAutoShutdownEnabled } }
        set { lock.withLock { nodes.isAutoShutdownEnabled = newValue } }
    }

    // MARK: For the other files

    func node(at id: NodeID) -> AVAudioNode? {
        lock.withLock { nodes.attached.first { $0.core.place?.id == id } }
    }

    /// The output's channel map points at the session's choice of an output from now on, until the app sets a map.
    package func followOutputChoice() {
        _ = outputNode
        control.followChoice()
    }
}

extension NSNotification.Name {
    /// The engine has stopped: the channel count or rate of its output, or of the input in use, changed, the device
    /// left, or the server ended its stream.
    ///
    /// Nodes and connections do not change. The notification is posted once, with the engine as its `object`, on the
    /// poster thread, after the route change that caused it. The handler may connect nodes, set a channel map, start
    /// the engine again, and release it: unlike Apple's, this engine can be released in the handler.
    ///
    /// Source: SDK header AVAudioEngine.h.
    public static let AVAudioEngineConfigurationChange = NSNotification.Name(
        "AVAudioEngineConfigurationChangeNotification")
}

extension AVAudioEngine: StoppableEngine {
    package var stopNotification: Notification.Name { .AVAudioEngineConfigurationChange }
}
