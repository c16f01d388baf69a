import AudioRuntime
import EngineCore
import Foundation
import HostInterface
import Synchronization

// The thread that feeds; in virtual time and manual rendering, the one that asks for frames.
extension EngineController {
    /// While something is fed or awaited: well below the read-ahead of a block, and short enough that people take it for
    /// the same instant.
    private static let alertSeconds = 0.01
    /// While nothing is.
    private static let restfulSeconds = 0.1
    /// Handlers that answer each other for ever end a test, not hang it.
    private static let mostRounds = 100
    /// A handler that waits for the thread that advances time would wait for ever.
    private static let handlerSeconds = 2.0
    /// As long as the rings in front of taps.
    private static let blockSeconds = 2.0

    func startFeeding() {
        // The first frames are there before the first cycle asks.
        runtime.clock.start(reading) { [weak self] in
            guard let self else { return .ended }
            let isWanted = self.pump()
            guard self.transport.needsFeeding else { return .whenWoken }
            return .after(isWanted ? Self.alertSeconds : Self.restfulSeconds)
        }
    }

    /// Feeds, and hands over what was heard and what is complete.
    ///
    /// - Returns: whether to call it again soon.
    @discardableResult
    func pump(minimumFrames: Int = 0) -> Bool {
        let hasInput = drainInput()
        let isWanted = feeder.pump(minimumFrames: minimumFrames)
        let hasTaps = drainTaps()
        let renderer = state.withLock { $0.renderer }
        let isFading = transport.isFading
        _ = renderer?.takeEvents()
        // The last plan that sounded has been left.
        if isFading, let renderer, renderer.livePlans <= 1 { transport.fadeEnded() }
        return isWanted || hasTaps || hasInput || isFading
    }

    /// In virtual time a handler runs in no time: what it schedules sounds in the very next cycle.
    func pumpVirtually() {
        settleHandlers { pump(minimumFrames: Self.maximumFrames) }
    }

    /// Runs `work`, and again as long as handlers that it made due may have scheduled more.
    ///
    /// - Returns: false where one took too long; what it schedules is for the next call.
    @discardableResult
    func settleHandlers(_ work: () -> Void) -> Bool {
        for _ in 0..<Self.mostRounds {
            work()
            var wasIdle = true
            for thread in [completions, tapCalls] {
                switch thread.settle(atMostSeconds: Self.handlerSeconds) {
                case .idle: break
                case .delivered: wasIdle = false
                case .timedOut: return false
                }
            }
            if wasIdle { return true }
        }
        return true
    }

    /// How much sound may wait for the block of a tap or a sink: two seconds, beside what the app asks for at once.
    var mostWaitingSeconds: Double {
        let manual = state.withLock { $0.manual }
        return Self.blockSeconds + (manual.map { Double($0.maximumFrames) / $0.format.sampleRate } ?? 0)
    }

    /// Whether there are taps.
    @discardableResult
    func drainTaps() -> Bool {
        let taps = state.withLock { Array($0.taps.values) }
        guard !taps.isEmpty else { return false }
        let mostWaitingSeconds = mostWaitingSeconds
        for tap in taps { tap.drain(mostWaitingSeconds: mostWaitingSeconds) }
        return true
    }
}
