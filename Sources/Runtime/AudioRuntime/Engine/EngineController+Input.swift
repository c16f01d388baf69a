import AudioModel
package import EngineCore
import Foundation
import HostInterface
import SessionCore
internal import SessionRuntime

// App threads, and the threads that call handlers.
extension EngineController {
    /// The app has asked for the input node.
    package func addInput(_ core: InputNodeController, at id: NodeID) {
        state.withLock { $0.input = EngineInput(node: id, core: core) }
        refreshInput()
        announceInput()
    }

    /// Brings what the input node says up to date: with the session's route; by hand with the format that is rendered.
    ///
    /// An input that the app gives has the format that the app has named.
    func refreshInput() {
        guard state.withLock({ $0.input != nil && $0.input?.manual == nil }) else { return }
        let manual = manual
        let device = manual?.format ?? device(of: runtime.state.route.inputs)?.format
        let isNew = state.withLock { state in
            guard state.manual?.format == manual?.format, state.input?.manual == nil, state.input?.device != device
            else { return false }
            state.adoptInput(device)
            state.update()
            return true
        }
        if isNew { syncSources() }
    }

    var isInputHeard: Bool { state.withLock { $0.input?.isHeard ?? false } }

    /// As the session's route has it now.
    var currentInput: EngineInput? {
        refreshInput()
        return state.withLock { $0.input }
    }

    /// What the device has; nil while there is none.
    package var inputDevice: StreamFormat? { currentInput?.device }

    /// What leaves the input node; nil while there is no device.
    package var inputFormat: StreamFormat? {
        announceInput()
        guard var input = currentInput else { return nil }
        input.device = input.announced ?? input.device
        return input.format
    }

    /// For each channel of the node the device's that it is.
    var inputMap: [Int] {
        let input = currentInput
        return input?.map?.map { max($0, -1) } ?? Array((input?.device?.channels ?? []).indices)
    }

    /// Seconds between the air and a captured frame; 0 without a stream.
    package var inputLatency: Double {
        guard let open = state.withLock({ $0.input?.open }) else { return 0 }
        return Double(open.latencyFrames) / open.format.sampleRate + voiceLatency
    }

    // MARK: Manual rendering

    /// - Returns: false, without any change, while the engine runs or is not in manual rendering, and for a rate that is
    ///   not converted.
    package func setManualInput(_ manual: ManualInput) -> Bool {
        betweenStarts {
            let isTaken = state.withLock { state in
                guard let rate = state.manual?.format.sampleRate,
                    RateStage.isPossible(from: manual.format.sampleRate, to: rate), !state.transport.isPlaying
                else { return false }
                state.input?.manual = manual
                state.adoptInput(manual.format)
                state.update()
                return true
            }
            if isTaken { syncSources() }
            return isTaken
        }
    }

    /// Gets the input's frames of the next cycle, if the input is heard.
    ///
    /// - Returns: false where the app's block has too few of them.
    func takeManualInput(_ frames: Int, rate: Double) -> Bool {
        guard let input = state.withLock({ $0.input }), let manual = input.manual, let delivery = input.delivery,
            input.isHeard || delivery.tap != nil || !delivery.sinks.isEmpty
        else { return true }
        let taken = manual.consume(frames, rate: rate, channels: delivery.format.channels.count) { block, samples in
            let open = openByHand(manual.format, isBeginning: block.sampleTime == 0)
            makeProcessors()
            open.feed.capture(samples, at: block)
            var delivered: [Float] = []
            open.feed.drain { delivered += deliver($0, $1, of: open.format, to: input) }
            drainSinks(of: open)
            open.feed.reclaim()
            return delivered
        }
        guard let taken else { return false }
        guard let feed = input.core.manualFeed else { return true }
        feed.readAheadFrames = feed.capacityFrames
        _ = taken.withUnsafeBufferPointer { feed.write(interleaved: $0) }
        return true
    }

    /// The cycles of the app's own input.
    ///
    /// - Parameter isBeginning: their sample time begins at 0.
    private func openByHand(_ format: StreamFormat, isBeginning: Bool) -> EngineInput.Capture {
        state.withLock { state in
            if !isBeginning, let open = state.input?.open { return open }
            let open = EngineInput.Capture(format: format)
            state.input?.open = open
            state.update()
            return state.input?.open ?? open
        }
    }

    // MARK: Starting, with `lifecycle` held

    static let noInputMessage =
        "The engine has an input node, and no input is connected: connect a microphone and start again. An engine that "
        + "only plays must not ask for its inputNode."

    /// Throws why nothing can be captured; nothing happens without an input node.
    func checkInput() throws(EngineError) {
        guard let input = state.withLock({ $0.input }) else { return }
        if state.withLock({ $0.manual }) != nil {
            guard input.isHeard, input.manual == nil else { return }
            throw .inputWithoutBlock
        }
        guard input.device == nil else { return }
        let category = runtime.state.configuration.category
        guard RoutePolicy.hasInput(category) else {
            throw .session(
                SessionError(
                    .incompatibleCategory,
                    "The engine has an input node, and category \(category) does not record. Set one of: record, "
                        + "playAndRecord, multiRoute; or do not ask for the inputNode of an engine that only plays."))
        }
        throw .session(SessionError(.resourceNotAvailable, Self.noInputMessage))
    }

    /// Opens a stream for the input, unless one is open for the device that is there.
    func openInput(on runtime: SessionRuntime) throws(EngineError) {
        guard let input = state.withLock({ $0.input }), let device = input.device else { return }
        if let open = input.open {
            if open.format.hasShape(of: device) { return }
            closeInput()
        }
        let capture = EngineInput.Capture(format: device)
        state.withLock {
            $0.input?.open = capture
            $0.update()
        }
        let configuration = StreamConfiguration(
            id: StreamID(number: runtime.nextID()), direction: .input, title: ProcessInfo.processInfo.processName,
            sampleRate: device.sampleRate, cycleGroup: cycleGroup, ordersCycles: isInputHeard,
            maximumFrames: Self.maximumFrames,
            renderer: state.withLock { $0.voice.stage }.map { $0.feed.cleaning(capture.feed.renderer) }
                ?? capture.feed.renderer,
            beforeVirtualCycle: { [weak self] in self?.pumpVirtually() })
        do {
            try open(
                configuration,
                StreamPolicy(direction: .input, onDeviceLoss: .continue, ducksOthers: voiceSettings != nil))
        } catch {
            state.withLock { $0.input?.open = nil }
            throw error
        }
    }

    /// An engine that runs as a listener has got a connection to its output: that begins to sound.
    ///
    /// Where it cannot, because the category has no output for one, the engine listens on, and its next start says why.
    func startLateOutput() {
        playOutput(activating: false) { control in
            control.state.withLock {
                $0.transport.isPlaying && $0.manual == nil && $0.usesOutput
                    && !$0.transport.openStreams.contains(.output)
            }
        }
    }

    /// A player begins to play: an output that is silent since the loss of a device sounds again.
    ///
    /// Where it cannot, under a call for one, the player waits for the engine's next start.
    func resumeOutput() { playOutput(activating: true) { $0.transport.restsOutput } }

    private func playOutput(activating: Bool, if isDue: @escaping @Sendable (EngineController) -> Bool) {
        guard isDue(self) else { return }
        if afterCycle({ $0.playOutput(activating: activating, if: isDue) }) { return }
        lifecycle.withLock { _ in
            guard isDue(self), (try? prepare()) != nil else { return }
            try? transport.play(.output, activating: activating)
        }
    }

    /// Hands over what was captured, and closes the stream.
    func closeInput() {
        guard state.withLock({ $0.input?.open }) != nil else { return }
        transport.close(.input)
        drainInput()
        state.withLock { $0.input?.open = nil }
    }
}
