import AudioModel
package import EngineCore
internal import SessionRuntime

// App threads.
extension EngineController {
    /// Nil while the engine plays on a device.
    package var manual: ManualRendering? { state.withLock { $0.manual } }

    /// - Parameter format: asked for once it is known that the engine does not run.
    package func beginManualRendering(
        in format: @autoclosure () throws(EngineError) -> StreamFormat, maximumFrames: Int
    ) throws(EngineError) {
        try betweenStarts { () throws(EngineError) in
            guard !isRunning else { throw .manualRenderingWhileRunning }
            let manual = ManualRendering(format: try format(), maximumFrames: maximumFrames)
            guard Self.manualFrames.contains(maximumFrames) else {
                throw .manualRenderingFrames(received: maximumFrames, allowed: Self.manualFrames)
            }
            stopNow()
            exchangeRenderer { state in
                state.manual = manual
                state.adopt(OutputDevice(manual.format))
                state.adoptInput(manual.format)
            }
        }
    }

    /// Each source keeps memory for so many frames.
    private static let manualFrames = 1...1 << 20

    package func endManualRendering() {
        betweenStarts {
            guard manual != nil else { return }
            exchangeRenderer { $0.manual = nil }
            refreshDevice()
        }
    }

    private func exchangeRenderer(_ body: (inout EngineState) -> Void) {
        transport.apply(.stopped)
        state.withLock {
            $0.forgetRenderer()
            $0.forgetInput()
            body(&$0)
            $0.applyChannelTarget()
            $0.update()
        }
        syncSources()
    }

    /// With `lifecycle` held.
    func startManually() throws(EngineError) {
        guard let manual else { return }
        try checkGraph()
        prepareRenderer(sampleRate: manual.format.sampleRate, maximumFrames: manual.maximumFrames)
        if !isRunning { startSources() }
        transport.apply(.manualRenderingStarted)
        state.withLock { $0.publish() }
    }

    /// - Parameter write: gets [channel] pointers to the frames; not called for 0 frames.
    package func render(_ frames: Int, _ write: ([UnsafeMutablePointer<Float>]) -> Void) -> RenderOutcome {
        let (renderer, manual) = state.withLock { ($0.renderer, $0.manual) }
        guard let renderer, let manual, isRunning else { return .notRunning }
        guard frames <= manual.maximumFrames else { return .tooManyFrames(allowed: manual.maximumFrames) }
        guard frames > 0 else { return .rendered }
        makeProcessors()
        // What an island needs of it is another number of frames.
        guard state.withLock(\.isInputPulled) || takeManualInput(frames, rate: manual.format.sampleRate) else {
            return .insufficientInput
        }
        let areHandlersDone = handlers.drain { feeder.pump(minimumFrames: frames) == .atOnce }
        let channels = manual.format.channels.count
        let memory = UnsafeMutablePointer<Float>.allocate(capacity: channels * frames)
        defer { memory.deallocate() }
        let planes = (0..<channels).map { memory + $0 * frames }
        renderer.renderByHand(
            frames, into: planes,
            at: HostTime.zero.advanced(bySeconds: Double(manual.sampleTime) / manual.format.sampleRate), cuts: true)
        write(planes)
        state.withLock { $0.manual?.sampleTime += Int64(frames) }
        renderer.reclaim()
        drainTaps()
        for source in state.withLock({ $0.nodes.values.compactMap(\.controller.source) }) { source.noteRendered() }
        // One that waits for this call is waited for once.
        if areHandlersDone { handlers.drain { false } }
        return .rendered
    }

    /// Seconds from the engine to the air; 0 without a stream.
    package var outputLatency: Double {
        let (frames, rate) = state.withLock { ($0.latencyFrames, $0.renderer?.sampleRate) }
        return rate.map { Double(frames) / $0 } ?? 0
    }
}

/// What an engine renders when its app asks for frames.
package struct ManualRendering: Sendable {
    package let format: StreamFormat
    package let maximumFrames: Int
    /// Frames rendered so far.
    package internal(set) var sampleTime: Int64 = 0
}
