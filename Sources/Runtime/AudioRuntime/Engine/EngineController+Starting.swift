import AudioModel
import CRealtime
import EngineCore
import Foundation
import HostInterface
import SessionCore
internal import SessionRuntime

// App threads, and the threads that call handlers.
extension EngineController {
    /// Opens the streams for `start`, so that it is fast.
    ///
    /// It does not say what is wrong: `start` finds the same fault and throws it.
    package func prepareToStart() {
        if afterCycle({ $0.prepareToStart() }) { return }
        lifecycle.withLock { _ in try? prepare() }
        makeProcessors()
        announceInput(again: true)
    }

    package func start() throws(EngineError) {
        if afterCycle({ try? $0.start() }) { return }
        try lifecycle.withLock { _ throws(EngineError) in
            if state.withLock({ $0.manual }) != nil { try startManually() } else { try startOnDevice() }
        }
        makeProcessors()
        guard let error = state.withLock({ $0.refusedProcessor }) else { return }
        stop()
        throw .graph(error)
    }

    /// Fades out and pauses; `start` continues.
    package func pause() {
        if afterCycle({ $0.pause() }) { return }
        lifecycle.withLock { _ in pauseNow() }
    }

    /// Fades out, waits for the fade to be heard (at most 0.3 s, and not in virtual time), and closes the streams.
    package func stop() {
        if afterCycle({ $0.stop() }) { return holdBlocks() }
        lifecycle.withLock { _ in stopNow() }
        forgetInput()
    }

    /// A block in the cycle must not wait for the session, which may wait for the cycle: what it asks for is done right
    /// after, on the thread of the completion handlers.
    ///
    /// - Returns: false where the caller is no such block: nothing was done.
    func afterCycle(_ body: @escaping @Sendable (EngineController) -> Void) -> Bool {
        guard oav_is_in_app_call() else { return false }
        handlers.completions.enqueue { body(self) }
        return true
    }

    /// No block is called in the next cycle.
    private func holdBlocks() {
        let sources = state.withLock { state in
            state.input?.open?.feed.listen([])
            return state.nodes.values.compactMap(\.controller.source)
        }
        for source in sources { source.hold() }
    }

    /// Runs `body` with `lifecycle` held; blocks of the app's that it drops are released after that.
    func betweenStarts<Result: Sendable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var before: EngineState?
        defer { withExtendedLifetime(before) {} }
        return try lifecycle.withLock { _ throws(Failure) in
            before = state.withLock { $0 }
            return try body()
        }
    }

    /// What the input's block has given and was not rendered is forgotten; the sample time of manual rendering is 0.
    package func reset() {
        state.withLock {
            $0.manual?.sampleTime = 0
            $0.input?.manual?.reset()
        }
        announceInput(again: true)
    }

    // MARK: With `lifecycle` held

    /// Opens the stream, unless it is open.
    func prepare() throws(EngineError) {
        guard state.withLock({ $0.manual }) == nil else { return }
        let runtime = runtime
        try beginConversation(on: runtime)
        refreshDevice()
        let hasOutput = RoutePolicy.hasOutput(runtime.state.configuration.category)
        let usesOutput = state.withLock { state in
            state.isMuted = state.input != nil && !hasOutput
            return state.usesOutput
        }
        transport.apply(.outputUseChanged(usesOutput ? .heard : .unheard))
        try checkGraph()
        prepareRenderer(
            sampleRate: runtime.host.sampleRate, maximumFrames: Self.maximumFrames,
            hasDeadlines: !runtime.host.hasVirtualTime)
        try prepareVoice(on: runtime)
        try openInput(on: runtime)
        guard state.withLock({ $0.usesOutput }) else { return }
        do throws(EngineError) {
            try openStream(on: runtime)
        } catch {
            if !isRunning { closeInput() }
            throw error
        }
    }

    /// Throws why the graph cannot play.
    func checkGraph() throws(EngineError) {
        let state = state.withLock { $0 }
        let usesOutput = state.usesOutput || state.manual != nil
        if transport.hasFailed { throw .mediaServicesLost }
        do throws(GraphError) {
            try state.graph.validate(requiresOutput: usesOutput)
            try state.graph.validateSinks(input: state.input?.node, usesOutput: usesOutput)
        } catch {
            throw .graph(error)
        }
        try checkInput()
        guard state.device != nil || !usesOutput else {
            throw .session(
                SessionError(
                    .resourceNotAvailable,
                    "The engine has no output device: the session's route has no output. Connect a device, or set a "
                        + "category that plays, and start again."))
        }
    }

    func openStream(on runtime: SessionRuntime) throws(EngineError) {
        guard !transport.openStreams.contains(.output), let renderer else { return }
        state.withLock { $0.forgetLink() }
        let configuration = StreamConfiguration(
            id: StreamID(number: runtime.nextID()), title: ProcessInfo.processInfo.processName,
            sampleRate: runtime.host.sampleRate, role: "Music", cycleGroup: cycleGroup,
            ordersCycles: isInputHeard, maximumFrames: Self.maximumFrames,
            renderer: state.withLock { $0.voice.stage }.map { $0.feed.keeping(renderer.renderer) } ?? renderer.renderer,
            beforeVirtualCycle: { [weak self] in self?.pumpVirtually() })
        try open(configuration, StreamPolicy())
    }

    /// Throws also why a stream that was just opened has failed already.
    func open(_ configuration: StreamConfiguration, _ policy: StreamPolicy) throws(EngineError) {
        do { try transport.open(configuration, policy: policy) } catch { throw .session(error) }
        guard transport.openStreams.contains(configuration.direction) else {
            throw refusal ?? .session(Self.openingError)
        }
    }

    /// Why the last start had no effect.
    ///
    /// App threads: the streams may be gone before the session thread has stored the reason, so this waits for that.
    var refusal: EngineError? {
        runtime.synchronously { _ in }
        return transport.hasFailed ? .mediaServicesLost : state.withLock { $0.refusal.map(EngineError.session) }
    }

    /// Sounds, or throws why not.
    ///
    /// What other sessions have to say about it is asked for first, as for an activation by the app: also under an
    /// interruption whose end may never come.
    private func startOnDevice() throws(EngineError) {
        state.withLock { $0.refusal = nil }
        try prepare()
        let runtime = runtime
        // The input first: by the time the output asks, there is something to play.
        let directions = neededStreams
        if let failure = failureToOpen {
            stopNow()
            throw failure
        }
        let wasRunning = isRunning
        if !wasRunning {
            announceInput()
            checkInputTap(at: "start()", isNew: false)
            startSources()
        }
        do throws(SessionError) {
            runtime.noteActivationRequest()
            if !runtime.state.activation.isActive {
                try runtime.perform { call, _ in .activationRequested(call) }
            }
            for direction in directions { try transport.play(direction, activating: false) }
        } catch {
            if !wasRunning { withdraw(directions) }
            // What is thrown for a stream that is gone says less than why it is.
            throw refusal ?? .session(error)
        }
        guard isRunning else {
            withdraw(directions)
            throw refusal
                ?? .session(
                    SessionError(
                        .cannotStartPlaying, "The session stopped the engine as it started. Start it again."))
        }
        syncSources()
    }

    /// Blocks that were too slow, or that were held, are called in the cycle again.
    func startSources() {
        let (sources, sinks) = state.withLock {
            ($0.nodes.values.compactMap(\.controller.source), $0.input?.delivery?.sinks ?? [])
        }
        for source in sources { source.willStart() }
        for sink in sinks { sink.willStart() }
    }

    /// Of the open streams those that the graph needs.
    private var neededStreams: [PortDirection] {
        let usesOutput = state.withLock { $0.usesOutput }
        return transport.openStreams.filter { $0 == .input || usesOutput }
    }

    /// Why a stream that the graph needs, and that was opened, is there no more.
    private var failureToOpen: EngineError? {
        let (hasInput, usesOutput) = state.withLock { ($0.input != nil, $0.usesOutput) }
        let open = transport.openStreams
        let isWhole = (!hasInput || open.contains(.input)) && (!usesOutput || open.contains(.output))
        return isWhole ? nil : refusal ?? .session(Self.openingError)
    }

    /// Or the session would take streams for started that are not, and never start them.
    private func withdraw(_ directions: [PortDirection]) {
        for direction in directions { transport.pause(direction) }
    }

    private func pauseNow() {
        // No thread renders the slide; the next frames are asked for when it runs again.
        if state.withLock({ $0.manual }) != nil { return transport.apply(.manualRenderingPaused) }
        withdraw(transport.openStreams)
        drainInput()
    }

    func stopNow() {
        pauseNow()
        closeInput()
        if transport.openStreams.contains(.output) {
            reading.wake()
            // A block of the app's may stop the engine on the thread that feeds, which then does not look.
            transport.close(.output) { self.noteFade() }
        }
        transport.apply(.stopped)
        state.withLock { $0.forgetStreams() }
    }

    static let openingError = SessionError(
        .cannotStartPlaying, "The engine's stream failed as it was opened. Start it again.")
}
