import AudioModel
import AudioRuntime
import EngineCore
import Foundation
import HostInterface
import SessionCore
import Synchronization

// App threads, and the threads that call handlers; `lifecycle` is held.
extension EngineController {
    /// Opens the stream, unless it is open.
    func prepare() throws {
        guard state.withLock({ $0.manual }) == nil else { return }
        refreshDevice()
        let runtime = runtime
        let hasOutput = RoutePolicy.hasOutput(runtime.state.configuration.category)
        let usesOutput = state.withLock { state in
            state.isMuted = state.input != nil && !hasOutput
            return state.usesOutput
        }
        transport.apply(.outputUseChanged(usesOutput ? .heard : .unheard))
        try checkGraph()
        prepareRenderer(sampleRate: runtime.host.sampleRate, maximumFrames: Self.maximumFrames)
        try openInput(on: runtime)
        guard state.withLock({ $0.usesOutput }) else { return }
        do {
            try openStream(on: runtime)
        } catch {
            if !isRunning { closeInput() }
            throw error
        }
    }

    /// Throws why the graph can not play.
    func checkGraph() throws {
        let (result, hasOutput) = state.withLock { state in
            let usesOutput = state.usesOutput || state.manual != nil
            let result = Result { () throws(GraphError) in
                try state.graph.validate(requiresOutput: usesOutput)
                try state.graph.validateSinks(input: state.input?.node)
            }
            return (result, state.device != nil || !usesOutput)
        }
        if transport.hasFailed { throw NSError(Self.deadError) }
        do { try result.get() } catch { throw NSError(error) }
        try checkInput()
        guard hasOutput else {
            throw NSError(
                SessionError(
                    .resourceNotAvailable,
                    "The engine has no output device: the session's route has no output. Connect a device, or set a "
                        + "category that plays, and start again."))
        }
    }

    func openStream(on runtime: SessionRuntime) throws {
        guard !transport.openStreams.contains(.output), let renderer = state.withLock({ $0.renderer }) else { return }
        state.withLock {
            $0.linkedFormat = nil
            $0.linkedUIDs = []
        }
        let configuration = StreamConfiguration(
            id: StreamID(number: runtime.nextID()), title: ProcessInfo.processInfo.processName,
            sampleRate: runtime.host.sampleRate, role: "Music", maximumFrames: Self.maximumFrames,
            renderer: renderer.renderer, beforeVirtualCycle: { [weak self] in self?.pumpVirtually() })
        do {
            try open(configuration, StreamPolicy())
        } catch {
            throw NSError(error)
        }
    }

    /// Throws also why a stream that was just opened has failed already.
    func open(_ configuration: StreamConfiguration, _ policy: StreamPolicy) throws(SessionError) {
        try transport.open(configuration, policy: policy)
        if !transport.openStreams.contains(configuration.direction) { throw refusal ?? Self.openingError }
    }

    /// Why the last start had no effect.
    ///
    /// App threads: the streams may be gone before the session thread has stored the reason, so this waits for that.
    var refusal: SessionError? {
        runtime.synchronously { _ in }
        return transport.hasFailed ? Self.deadError : state.withLock { $0.refusal }
    }

    /// Sounds, or throws why not.
    ///
    /// What other sessions have to say about it is asked for first, as for an activation by the app: also under an
    /// interruption whose end may never come.
    func startOnDevice() throws {
        state.withLock { $0.refusal = nil }
        try prepare()
        let runtime = runtime
        transport.apply(.playRequested())
        // The input first: by the time the output asks, there is something to play.
        let directions = neededStreams
        if let failure = failureToOpen {
            stop()
            throw NSError(failure)
        }
        let wasRunning = isRunning
        do {
            runtime.noteActivationRequest()
            if !runtime.state.activation.isActive {
                try runtime.perform { call, _ in .activationRequested(call) }
            }
            for direction in directions { try transport.play(direction, activating: false) }
        } catch {
            transport.apply(.playRefused)
            if !wasRunning { withdraw(directions) }
            // What is thrown for a stream that is gone says less than why it is.
            throw NSError(refusal ?? error)
        }
        guard isRunning else {
            withdraw(directions)
            throw NSError(
                refusal
                    ?? SessionError(
                        .cannotStartPlaying, "The session stopped the engine as it started. Start it again."))
        }
        syncSources()
    }

    /// Of the open streams those that the graph needs.
    private var neededStreams: [PortDirection] {
        let usesOutput = state.withLock { $0.usesOutput }
        return transport.openStreams.filter { $0 == .input || usesOutput }
    }

    /// Why a stream that the graph needs, and that was opened, is there no more.
    private var failureToOpen: SessionError? {
        let (hasInput, usesOutput) = state.withLock { ($0.input != nil, $0.usesOutput) }
        let open = transport.openStreams
        let isWhole = (!hasInput || open.contains(.input)) && (!usesOutput || open.contains(.output))
        return isWhole ? nil : refusal ?? Self.openingError
    }

    /// Or the session would take streams for started that are not, and never start them.
    private func withdraw(_ directions: [PortDirection]) {
        for direction in directions { transport.pause(direction) }
    }

    func pause() {
        // Nobody renders the slide; the next frames are asked for when it runs again.
        if state.withLock({ $0.manual }) != nil { return transport.apply(.manualRenderingPaused) }
        withdraw(transport.openStreams)
        drainInput()
    }

    /// Fades out, waits for the fade to be heard (at most 0.3 s, and not in virtual time), and closes the stream.
    func stop() {
        pause()
        closeInput()
        if transport.openStreams.contains(.output) {
            reading.wake()
            transport.close(.output)
        }
        transport.apply(.stopped)
        state.withLock { $0.forgetStreams() }
    }

    static let openingError = SessionError(
        .cannotStartPlaying, "The engine's stream failed as it was opened. Start it again.")

    static let deadError = SessionError(
        .mediaServicesFailed,
        "Media services were lost while this engine was in use, and it can not be used any more. Make a new engine when "
            + "AVAudioSession.mediaServicesWereResetNotification has come.")
}

extension EngineController.State {
    mutating func forgetStreams() {
        renderer?.noteCut()
        input?.open = nil
        latencyFrames = 0
        linkedFormat = nil
        linkedUIDs = []
    }
}
