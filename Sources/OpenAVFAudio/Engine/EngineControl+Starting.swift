import AudioModel
import EngineCore
import Foundation
import HostInterface
import SessionCore
import Synchronization

// App threads, and the threads that call handlers; `lifecycle` is held.
extension EngineControl {
    /// Opens the stream, unless it is open.
    func prepare() throws {
        guard state.withLock({ $0.manual }) == nil else { return }
        refreshDevice()
        let process = process
        let hasOutput = RoutePolicy.hasOutput(process.state.configuration.category)
        state.withLock { $0.isMuted = $0.input != nil && !hasOutput }
        try checkGraph()
        prepareRenderer(sampleRate: process.host.sampleRate, maximumFrames: Self.maximumFrames)
        try openInput(on: process)
        guard state.withLock({ $0.usesOutput }) else { return }
        do {
            try openStream(on: process)
        } catch {
            if !isRunning { closeInput() }
            throw error
        }
    }

    /// Throws why the graph can not play.
    func checkGraph() throws {
        let (result, isDead, hasOutput) = state.withLock { state in
            let usesOutput = state.usesOutput || state.manual != nil
            let result = Result { () throws(GraphError) in
                try state.graph.validate(requiresOutput: usesOutput)
                try state.graph.validateSinks(input: state.input?.node)
            }
            return (result, state.isDead, state.device != nil || !usesOutput)
        }
        if isDead { throw NSError(Self.deadError) }
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

    func openStream(on process: AudioProcess) throws {
        let renderer = state.withLock { state in state.stream == nil ? state.renderer : nil }
        guard let renderer else { return }
        let id = StreamID(number: process.nextID())
        state.withLock {
            $0.streamID = id
            $0.linkedFormat = nil
            $0.linkedUIDs = []
        }
        let configuration = StreamConfiguration(
            id: id, title: ProcessInfo.processInfo.processName, sampleRate: process.host.sampleRate, role: "Music",
            maximumFrames: Self.maximumFrames, renderer: renderer.renderer,
            beforeVirtualCycle: { [weak self] in self?.pumpVirtually() })
        do {
            let stream = try process.openStream(configuration, policy: StreamPolicy(), owner: self)
            state.withLock { $0.stream = stream }
        } catch {
            state.withLock { $0.streamID = nil }
            throw NSError(error)
        }
    }

    /// Sounds, or throws why not.
    ///
    /// What other sessions have to say about it is asked for first, as for an activation by the app: also under an
    /// interruption whose end may never come.
    func startOnDevice() throws {
        try prepare()
        let process = process
        // The input first: by the time the output asks, there is something to play.
        let ids = state.withLock { state in
            state.refusal = nil
            state.isWanted = true
            return state.neededStreamIDs
        }
        if isRunning { return }
        do {
            process.noteActivationRequest()
            if !process.state.activation.isActive {
                try process.perform { call, _ in .activationRequested(call) }
            }
            for id in ids {
                let era = process.state.era
                try process.perform { call, _ in .playRequested(call, id, era: era) }
            }
        } catch {
            // An input does not go on alone.
            if ids.count > 1 { for id in ids { process.apply(.pauseRequested(id)) } }
            // What a lost connection throws says less than that this engine is over.
            if state.withLock({ $0.isDead }) { throw NSError(Self.deadError) }
            throw NSError(error)
        }
        guard isRunning else {
            throw NSError(
                state.withLock { $0.refusal }
                    ?? SessionError(
                        .cannotStartPlaying, "The session stopped the engine as it started. Start it again."))
        }
        syncSources()
    }

    func pause() {
        if state.withLock({ $0.manual }) != nil {
            state.withLock {
                $0.isRunning = false
                // Nobody renders the slide; the next frames are asked for when it runs again.
            }
            return
        }
        for id in state.withLock({ $0.streams.map(\.id) }) { process.apply(.pauseRequested(id)) }
        drainInput()
    }

    /// Fades out, waits for the fade to be heard (at most 0.3 s, and not in virtual time), and closes the stream.
    func stop() {
        pause()
        closeInput()
        if let (id, stream) = state.withLock({ state in state.streamID.flatMap { id in state.stream.map { (id, $0) } } }
        ) {
            closeOutput(id, stream)
        }
        state.withLock { $0.forgetStreams() }
    }

    private func closeOutput(_ id: StreamID, _ stream: any HostStream) {
        let process = process
        let faded = Signal()
        let isFading = state.withLock { state in
            state.fadeWaiter = faded
            return state.isFading
        }
        if isFading, !process.host.hasVirtualTime {
            reading.wake()
            if faded.wait(timeoutSeconds: 0.2) {
                Thread.sleep(forTimeInterval: min(Double(stream.latencyFrames) / process.host.sampleRate, 0.1))
            }
        }
        process.closeStream(id)
    }

    static let deadError = SessionError(
        .mediaServicesFailed,
        "Media services were lost while this engine was in use, and it can not be used any more. Make a new engine when "
            + "AVAudioSession.mediaServicesWereResetNotification has come.")
}

extension EngineControl.State {
    /// Those that are open, the input's first.
    var streams: [any HostStream] { [input?.open?.stream, stream].compactMap { $0 } }

    /// Of those that the graph needs.
    var neededStreamIDs: [StreamID] {
        [input?.open?.id, usesOutput ? streamID : nil].compactMap { $0 }
    }

    mutating func forgetStreams() {
        renderer?.noteCut()
        input?.open = nil
        stream = nil
        streamID = nil
        linkedFormat = nil
        linkedUIDs = []
        isRunning = false
        isWanted = false
        isFading = false
        fadeWaiter = nil
        owesNews = false
        awaitsInventory = false
    }
}
