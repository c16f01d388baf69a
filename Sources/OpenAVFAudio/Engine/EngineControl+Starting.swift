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
        try checkGraph()
        let process = process
        prepareRenderer(sampleRate: process.host.sampleRate, maximumFrames: Self.maximumFrames)
        try openStream(on: process)
    }

    /// Throws why the graph can not play.
    func checkGraph() throws {
        let (result, isDead, hasOutput) = state.withLock { state in
            let result = Result { () throws(GraphError) in try state.graph.validate() }
            return (result, state.isDead, state.device != nil)
        }
        if isDead { throw NSError(Self.deadError) }
        do { try result.get() } catch { throw NSError(error) }
        guard hasOutput else {
            throw NSError(
                SessionError(
                    .resourceNotAvailable,
                    "The engine has no output device: the session's route has no output. Connect a device, or set a "
                        + "category that plays, and start again."))
        }
    }

    private func openStream(on process: AudioProcess) throws {
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
        guard
            let id = state.withLock({ state in
                state.refusal = nil
                state.isWanted = true
                return state.streamID
            })
        else { return }
        if isRunning { return }
        do {
            process.noteActivationRequest()
            if !process.state.activation.isActive {
                try process.perform { call, _ in .activationRequested(call) }
            }
            let era = process.state.era
            try process.perform { call, _ in .playRequested(call, id, era: era) }
        } catch {
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
        guard let id = state.withLock({ $0.streamID }) else { return }
        process.apply(.pauseRequested(id))
    }

    /// Fades out, waits for the fade to be heard (at most 0.3 s, and not in virtual time), and closes the stream.
    func stop() {
        pause()
        guard
            let (id, stream) = state.withLock({ state in
                state.streamID.flatMap { id in state.stream.map { (id, $0) } }
            })
        else { return }
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
        state.withLock { $0.forgetStream() }
    }

    static let deadError = SessionError(
        .mediaServicesFailed,
        "Media services were lost while this engine was in use, and it can not be used any more. Make a new engine when "
            + "AVAudioSession.mediaServicesWereResetNotification has come.")
}

extension EngineControl.State {
    mutating func forgetStream() {
        renderer?.noteCut()
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
