import EngineCore
import RenderCore
internal import SessionRuntime

// The thread that feeds; in virtual time and manual rendering, the one that asks for frames.
extension EngineController {
    /// While something is fed or awaited: well below the read-ahead of a block, and short enough that people take it for
    /// the same instant.
    private static let alertSeconds = 0.01
    /// While nothing is.
    private static let restfulSeconds = 0.1
    /// As long as the rings in front of taps.
    private static let blockSeconds = 2.0

    package func startFeeding() {
        // The first frames are there before the first cycle asks.
        runtime.clock.start(reading) { [weak self] in
            guard let self else { return .ended }
            let next = self.pump()
            guard self.transport.needsFeeding else { return .whenWoken }
            switch next {
            case .atOnce: return .after(0)
            case .soon: return .after(Self.alertSeconds)
            case .onceChanged: return .after(Self.restfulSeconds)
            }
        }
    }

    /// Feeds, and hands over what was heard and what is complete.
    ///
    /// - Returns: when to call it again.
    func pump(minimumFrames: Int = 0) -> NextPump {
        makeProcessors()
        let hasInput = drainInput()
        noteSpeech()
        let next = feeder.pump(minimumFrames: minimumFrames)
        let hasTaps = drainTaps()
        return noteFade() || hasTaps || hasInput ? max(next, .soon) : next
    }

    /// Frees what the renderer is done with, and ends a fade that is over.
    ///
    /// - Returns: whether there was a fade.
    @discardableResult
    func noteFade() -> Bool {
        let (renderer, capture) = state.withLock { ($0.renderer, $0.input?.open?.feed) }
        let isFading = transport.isFading
        renderer?.reclaim()
        capture?.reclaim()
        // The last plan that sounded has been left.
        if isFading, let renderer, renderer.livePlans <= 1 { transport.fadeEnded() }
        return isFading
    }

    /// In virtual time a handler runs in no time: what it schedules sounds in the very next cycle, and comes, as it may in
    /// real time, while a converter's end is fed in pieces.
    func pumpVirtually() {
        handlers.drain { pump(minimumFrames: Self.maximumFrames) == .atOnce }
    }

    /// How much sound may wait for the block of a tap or a sink: two seconds, beside what the app asks for at once.
    var mostWaitingSeconds: Double {
        let manual = state.withLock { $0.manual }
        return Self.blockSeconds + (manual.map { Double($0.maximumFrames) / $0.format.sampleRate } ?? 0)
    }

    /// Whether there are taps.
    @discardableResult
    func drainTaps() -> Bool {
        let taps = state.withLock { $0.nodes.values.compactMap(\.tap) }
        guard !taps.isEmpty else { return false }
        let mostWaitingSeconds = mostWaitingSeconds
        for tap in taps { tap.drain(mostWaitingSeconds: mostWaitingSeconds) }
        return true
    }

    // MARK: Input

    /// Hands what was captured to the tap, and to an output that has another clock.
    ///
    /// - Returns: whether there is an input to look after.
    @discardableResult
    func drainInput() -> Bool {
        let input = state.withLock { $0.input }
        guard let input, let open = input.open else { return false }
        open.feed.drain { block, samples in deliver(block, samples, of: open.format, to: input) }
        drainSinks(of: open)
        drainTaps()
        return isRunning
    }

    /// Hands sinks what they cannot hear in the cycle any more.
    func drainSinks(of open: EngineInput.Capture) {
        let mostWaitingSeconds = mostWaitingSeconds
        for sink in open.sinks where !sink.tap.isInCycle {
            sink.tap.drain { block, samples in
                sink.core.receive(
                    block, Array(samples), sink.format, mostWaitingSeconds: mostWaitingSeconds, on: handlers.taps)
            }
        }
    }

    /// - Parameter samples: interleaved, in the device's channels.
    /// - Returns: the same in the node's; nothing from a device of another shape, which the next start captures from.
    @discardableResult
    func deliver(
        _ block: CycleBlock, _ samples: UnsafeBufferPointer<Float>, of device: StreamFormat, to input: EngineInput
    ) -> [Float] {
        guard let delivery = input.delivery, delivery.device.hasShape(of: device) else { return [] }
        let mapped = delivery.mapped(samples, frames: block.frames)
        let channels = delivery.format.channels.count
        let rate = delivery.format.sampleRate
        let mostWaitingSeconds = mostWaitingSeconds
        input.core.note(block, rate: rate)
        delivery.tap?.hear(block, mapped, of: delivery.format, mostWaitingSeconds: mostWaitingSeconds)
        mapped.withUnsafeBufferPointer { input.core.play(interleaved: $0, channels: channels) }
        return mapped
    }
}
