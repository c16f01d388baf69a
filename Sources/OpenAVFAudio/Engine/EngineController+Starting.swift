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
        state.withLock { $0.isMuted = $0.input != nil && !hasOutput }
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

    func openStream(on runtime: SessionRuntime) throws {
        let renderer = state.withLock { state in state.stream == nil ? state.renderer : nil }
        guard let renderer else { return }
        let id = StreamID(number: runtime.nextID())
        state.withLock {
            $0.streamID = id
            $0.linkedFormat = nil
            $0.linkedUIDs = []
        }
        let configuration = StreamConfiguration(
            id: id, title: ProcessInfo.processInfo.processName, sampleRate: runtime.host.sampleRate, role: "Music",
            maximumFrames: Self.maximumFrames, renderer: renderer.renderer,
            beforeVirtualCycle: { [weak self] in self?.pumpVirtually() })
        do {
            let stream = try runtime.openStream(configuration, policy: StreamPolicy(), owner: self)
            try keep(id, on: runtime) { state in
                guard state.streamID == id else { return false }
                state.stream = stream
                return true
            }
        } catch {
            state.withLock { $0.streamID = nil }
            throw NSError(error)
        }
    }

    /// Throws why the stream that was just opened has failed before anybody had it.
    ///
    /// - Parameter take: makes it the engine's; false where it has failed.
    func keep(
        _ id: StreamID, on runtime: SessionRuntime, _ take: (inout State) -> Bool
    ) throws(SessionError) {
        let (isTaken, refusal) = state.withLock { (take(&$0), $0.refusal) }
        guard !isTaken else { return }
        runtime.closeStream(id)
        throw refusal ?? Self.openingError
    }

    /// Sounds, or throws why not.
    ///
    /// What other sessions have to say about it is asked for first, as for an activation by the app: also under an
    /// interruption whose end may never come.
    func startOnDevice() throws {
        state.withLock { $0.refusal = nil }
        try prepare()
        let runtime = runtime
        // The input first: by the time the output asks, there is something to play.
        let (ids, failure) = state.withLock { state in
            state.isWanted = true
            return (state.neededStreamIDs, state.failureToOpen)
        }
        if let failure {
            stop()
            throw NSError(failure)
        }
        let wasRunning = isRunning
        do {
            runtime.noteActivationRequest()
            if !runtime.state.activation.isActive {
                try runtime.perform { call, _ in .activationRequested(call) }
            }
            for id in ids {
                let generation = runtime.state.generation
                try runtime.perform { call, _ in .playRequested(call, id, generation: generation) }
            }
        } catch {
            if !wasRunning { withdraw(ids) }
            // What is thrown for a stream that is gone says less than why it is.
            throw NSError(state.withLock { $0.refusal } ?? error)
        }
        guard isRunning else {
            withdraw(ids)
            throw NSError(
                state.withLock { $0.refusal }
                    ?? SessionError(
                        .cannotStartPlaying, "The session stopped the engine as it started. Start it again."))
        }
        syncSources()
    }

    /// Or the session would take streams for started that are not, and never start them.
    private func withdraw(_ ids: [StreamID]) {
        for id in ids { runtime.apply(.pauseRequested(id)) }
    }

    func pause() {
        if state.withLock({ $0.manual }) != nil {
            // Nobody renders the slide; the next frames are asked for when it runs again.
            return state.withLock { $0.isRunning = false }
        }
        for id in state.withLock({ $0.streams.map(\.id) }) { runtime.apply(.pauseRequested(id)) }
        drainInput()
    }

    /// Fades out, waits for the fade to be heard (at most 0.3 s, and not in virtual time), and closes the stream.
    func stop() {
        pause()
        closeInput()
        if let id = state.withLock({ $0.stream == nil ? nil : $0.streamID }) {
            closeOutput(id)
        }
        state.withLock { $0.forgetStreams() }
    }

    private func closeOutput(_ id: StreamID) {
        let runtime = runtime
        let faded = Latch()
        let (isFading, latencyFrames) = state.withLock { state in
            state.fadeWaiter = faded
            return (state.isFading, state.latencyFrames)
        }
        if isFading {
            reading.wake()
            runtime.clock.waitForFade(faded, latencySeconds: Double(latencyFrames) / runtime.host.sampleRate)
        }
        runtime.closeStream(id)
    }

    static let openingError = SessionError(
        .cannotStartPlaying, "The engine's stream failed as it was opened. Start it again.")

    static let deadError = SessionError(
        .mediaServicesFailed,
        "Media services were lost while this engine was in use, and it can not be used any more. Make a new engine when "
            + "AVAudioSession.mediaServicesWereResetNotification has come.")
}

extension EngineController.State {
    /// Those that are open, the input's first.
    var streams: [any HostStream] { [input?.open?.stream, stream].compactMap { $0 } }

    /// Of those that the graph needs.
    var neededStreamIDs: [StreamID] {
        [input?.open?.id, usesOutput ? streamID : nil].compactMap { $0 }
    }

    /// Why a stream that the graph needs, and that was opened, is there no more.
    var failureToOpen: SessionError? {
        let isWhole = (input == nil || input?.open != nil) && (!usesOutput || stream != nil)
        return isWhole ? nil : refusal ?? EngineController.openingError
    }

    mutating func forgetStreams() {
        renderer?.noteCut()
        input?.open = nil
        input?.opening = nil
        stream = nil
        latencyFrames = 0
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
