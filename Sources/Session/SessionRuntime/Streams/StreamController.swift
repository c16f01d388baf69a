package import AudioModel
package import HostInterface
package import SessionCore
internal import Synchronization
internal import Threading
package import TransportCore

/// The one owner of a transport's streams: opens, starts, stops and closes them as its `TransportMachine` decides.
///
/// The machine alone holds what the transport does and whether the user wants it to play. Events from the session, the
/// fade and the source are applied on the session thread, and their effects are carried out there, in order. Events that
/// end a transport (`close`, `fileClosed`) may come from any thread: a session that was shut down has no thread.
///
/// The session's entry of a stream keeps the controller alive until the stream is closed; the controller does not keep
/// its media alive.
package final class StreamController: Sendable {
    private let makeRuntime: @Sendable () -> SessionRuntime
    private let state: Mutex<State>

    private struct State {
        var machine: TransportMachine
        var streams: [PortDirection: any HostStream] = [:]
        weak var media: (any TransportMedia)?
        /// Raised when the newest fade is over, by its end or by a cut.
        var faded = Latch()
    }

    /// - Parameter runtime: called when a session is needed first; an engine that is rendered by hand needs none.
    package init(_ kind: TransportKind, runtime: @escaping @Sendable () -> SessionRuntime) {
        makeRuntime = runtime
        state = Mutex(State(machine: TransportMachine(kind)))
    }

    package var runtime: SessionRuntime { makeRuntime() }

    /// To be called once, before the first stream is opened.
    package func bind(to media: any TransportMedia) { state.withLock { $0.media = media } }

    // MARK: Any thread

    package var status: TransportStatus { state.withLock { $0.machine.status } }

    package var transport: TransportState { state.withLock { $0.machine.state } }

    package var isPlaying: Bool { state.withLock { $0.machine.isPlaying } }

    /// An engine runs, and its output is silent since the loss of a device.
    package var restsOutput: Bool { state.withLock { $0.machine.restsOutput } }
    /// An engine runs without its input, whose device is gone.
    package var restsInput: Bool { state.withLock { $0.machine.restsInput } }

    package var isFading: Bool { state.withLock { $0.machine.isFading } }

    /// Whether the thread that feeds or writes has something to do.
    package var needsFeeding: Bool { state.withLock { $0.machine.isPlaying || $0.machine.isFading } }

    /// It never plays again.
    package var hasFailed: Bool { if case .failed = transport { true } else { false } }

    /// The input's first, so that there is something to play when the output asks.
    package var openStreams: [PortDirection] { state.withLock { $0.machine.openStreams } }

    /// From a rendered frame to the air, or from the air to a captured frame; 0 without a stream.
    package func latencyFrames(_ direction: PortDirection) -> Int {
        state.withLock { $0.streams[direction] }?.latencyFrames ?? 0
    }

    /// The fade is over.
    package func fadeEnded() {
        state.withLock { $0.faded }.raise()
        runtime.asynchronously { [weak self] _ in self?.apply(.fadeFinished) }
    }

    /// The last frame has been played, the recording has its length, or the file failed.
    ///
    /// The session learns of it in the same step, so that no request comes between the two.
    package func sourceEnded(_ end: SourceEnd, generation: UInt64) {
        let runtime = runtime
        runtime.asynchronously { [weak self, weak runtime] context in
            for (_, id) in self?.carryOut(.sourceEnded(end, generation: generation)) ?? [] {
                runtime?.apply(.playerStopped(id), &context)
            }
        }
    }

    /// - Parameter failure: why the file is not complete, in words.
    package func fileClosed(failure: String?) { apply(.fileClosed(failure: failure)) }

    // MARK: Application threads

    /// Opens a stream; the session links it at once.
    package func open(_ configuration: StreamConfiguration, policy: StreamPolicy) throws(SessionError) {
        _ = try runtime.openStream(
            configuration, policy: policy, owner: StreamFacet(controller: self, direction: configuration.direction))
    }

    /// Activates the session and asks it to let the stream sound.
    ///
    /// - Parameter knownLosses: `SessionState.outputLosses` when the user asked; nil: now.
    /// - Throws: what the session answers; the request is forgotten then.
    package func play(
        _ direction: PortDirection, at time: HostTime? = nil, activating: Bool, knownLosses: UInt64? = nil
    ) throws(SessionError) {
        guard let id = state.withLock({ $0.streams[direction]?.id }) else { return }
        if activating { runtime.noteActivationRequest() }
        let request = playRequest(id, knownLosses)
        do throws(SessionError) {
            // In one step, so that the end of the source does not come between the two.
            try runtime.perform(preparing: { [weak self] in self?.noteRequest(at: time) }, request)
        } catch {
            let isApplied: Void? = runtime.synchronously { [weak self] _ in self?.apply(.playRefused) }
            if isApplied == nil { apply(.playRefused) }
            throw error
        }
    }

    /// The fact of a request that is made now.
    private func playRequest(
        _ id: StreamID, _ knownLosses: UInt64? = nil
    ) -> @Sendable (CallID, SessionState) -> SessionFact {
        let state = runtime.state
        let (generation, knownLosses) = (state.generation, knownLosses ?? state.outputLosses)
        return { call, _ in .playRequested(call, id, generation: generation, knownLosses: knownLosses) }
    }

    private func noteRequest(at time: HostTime?) {
        // A time that is past is as good as none.
        let startTime = time.flatMap { $0 > runtime.host.now() ? $0 : nil }
        apply(.playRequested(startTime: startTime, remaining: media?.remainder ?? .more))
    }

    package func pause(_ direction: PortDirection) {
        guard let id = state.withLock({ $0.streams[direction]?.id }) else { return }
        runtime.apply(.pauseRequested(id))
    }

    package func seek(toSeconds seconds: Double) {
        runtime.synchronously { [weak self] _ in self?.goTo(seconds: seconds) }
    }

    /// Ends the transport: fades out, waits for the fade to be heard (at most 0.3 s; not in virtual time), and closes the
    /// streams.
    ///
    /// Once this has returned, no renderer is called any more. Idempotent.
    package func close() {
        // An input has no fade; it captures until its stream is closed.
        if stream(.output) != nil { runtime.synchronously { [weak self] _ in self?.apply(.closeRequested) } }
        for direction in openStreams { close(direction) }
        // A session that has been shut down, and a stream that was never opened, have not heard of it.
        apply(.closeRequested)
    }

    /// Closes one stream, after the fade that is under way has been heard.
    ///
    /// - Parameter noteFade: looks whether the fade is over, as the thread that feeds does; called while this waits.
    package func close(_ direction: PortDirection, noteFade: () -> Void = {}) {
        let (isFading, faded) = state.withLock { ($0.machine.isFading, $0.faded) }
        if direction == .output, isFading {
            runtime.clock.waitForFade(faded, latencySeconds: latencySeconds, noteFade: noteFade)
        }
        guard let stream = state.withLock({ $0.streams.removeValue(forKey: direction) }) else { return }
        runtime.closeStream(stream.id)
        apply(.streamClosed(direction))
    }

    private var latencySeconds: Double { Double(latencyFrames(.output)) / runtime.host.sampleRate }

    // MARK: Session thread

    /// As `play(_:at:activating:)`, at once and for an activation that was noted; the answer comes later, once.
    package func play(
        _ direction: PortDirection, _ context: inout SessionRuntime.SessionThread,
        _ answer: @escaping SessionRuntime.Answer
    ) {
        guard let id = state.withLock({ $0.streams[direction]?.id }) else { return answer(nil) }
        let runtime = runtime
        noteRequest(at: nil)
        runtime.ask(&context, playRequest(id)) { [weak self, weak runtime] error in
            guard error != nil else { return answer(nil) }
            // After the other effects of the refusal.
            runtime?.asynchronously { [weak self] _ in
                self?.apply(.playRefused)
                answer(error)
            }
        }
    }

    package func pause(_ direction: PortDirection, _ context: inout SessionRuntime.SessionThread) {
        guard let id = state.withLock({ $0.streams[direction]?.id }) else { return }
        runtime.apply(.pauseRequested(id), &context)
    }

    package func goTo(seconds: Double) {
        apply(.seekRequested(toSeconds: seconds, remaining: media?.remainder ?? .more))
    }

    // MARK: Carrying out

    private var media: (any TransportMedia)? { state.withLock { $0.media } }

    /// Applies what happened and carries the effects out; where the transport stopped by itself, the session is told soon.
    ///
    /// Session thread, unless the event concerns no open stream.
    package func apply(_ event: TransportEvent) {
        for (direction, id) in carryOut(event) {
            let runtime = runtime
            runtime.asynchronously { [weak self, weak runtime] context in
                // The session may have started it again since. A request alone must not keep the session from knowing:
                // it starts nothing that it takes for started.
                if self?.runs(direction) != true { runtime?.apply(.playerStopped(id), &context) }
            }
        }
    }

    private func runs(_ direction: PortDirection) -> Bool {
        state.withLock { $0.machine.isPlaying && $0.machine[direction] == .running }
    }

    /// - Returns: the streams of which the session is to be told that they have stopped.
    private func carryOut(_ event: TransportEvent) -> [(PortDirection, StreamID)] {
        let effects = state.withLock { $0.machine.apply(event) }
        return effects.compactMap(carryOut)
    }

    private func carryOut(_ effect: TransportEffect) -> (PortDirection, StreamID)? {
        switch effect {
        case .startFeeding: media?.startFeeding()
        case .playSource(let time): media?.playSource(at: time)
        case .startStream(let direction):
            media?.willStart(direction)
            stream(direction)?.start()
        case .beginFade:
            state.withLock { $0.faded = Latch() }
            media?.beginFade()
        case .cut:
            media?.cut()
            state.withLock { $0.faded }.raise()
        case .stopStream(let direction): stream(direction)?.stop()
        case .pausePlayers: media?.pausePlayers()
        case .drainCapture: media?.drainCapture()
        case .restartLoops: media?.restartLoops()
        case .seek(let seconds, let generation): media?.seek(toSeconds: seconds, generation: generation)
        case .report(let status): media?.report(status)
        case .tellSessionStopped(let direction): return stream(direction).map { (direction, $0.id) }
        case .closeFile: media?.closeFile()
        case .closeStream(let direction):
            guard let stream = state.withLock({ $0.streams.removeValue(forKey: direction) }) else { return nil }
            runtime.closeStreamsSoon([stream])
        case .refuse(let refusal): media?.refuse(refusal)
        case .postConfigurationChange: media?.postConfigurationChange()
        }
        return nil
    }

    private func stream(_ direction: PortDirection) -> (any HostStream)? { state.withLock { $0.streams[direction] } }

    fileprivate func opened(_ stream: any HostStream, _ direction: PortDirection) {
        state.withLock { $0.streams[direction] = stream }
        apply(.streamOpened(direction))
    }

    fileprivate func start(_ direction: PortDirection) { apply(.started(direction)) }

    fileprivate func withMedia(_ body: (any TransportMedia) -> Void) { media.map(body) }
}

/// One stream of a controller, as the session sees it.
private final class StreamFacet: StreamOwner {
    private let controller: StreamController
    private let direction: PortDirection

    init(controller: StreamController, direction: PortDirection) {
        self.controller = controller
        self.direction = direction
    }

    func opened(_ stream: any HostStream) { controller.opened(stream, direction) }
    func willLink(to ports: [Port]) { controller.withMedia { $0.willLink(direction, to: ports) } }
    func start() { controller.start(direction) }

    func pause(_ cause: PauseCause) {
        controller.apply(.paused(direction, cause))
    }

    func suppress(_ suppression: Suppression) { controller.apply(.suppressed(direction, suppression)) }

    func setGain(_ gain: Float) {
        controller.withMedia { media in
            switch direction {
            case .output: media.setGain(gain)
            case .input: media.setInputMuted(gain == 0)
            }
        }
    }

    func fail(_ error: SessionError) { controller.apply(.failed(error)) }

    func eventApplied() {
        controller.withMedia { $0.sessionEventApplied() }
        controller.apply(.sessionEventApplied)
    }
}
