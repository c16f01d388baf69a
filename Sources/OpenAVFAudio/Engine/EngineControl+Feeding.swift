import EngineCore
import Foundation
import HostInterface
import Synchronization

// The thread that feeds; in virtual time and manual rendering, the one that asks for frames.
extension EngineControl {
    /// While something is fed or awaited: well below the read-ahead of a block, and short enough that people take it for
    /// the same instant.
    private static let alertSeconds = 0.01
    /// While nothing is.
    private static let restfulSeconds = 0.1
    /// Handlers that answer each other for ever end a test, not hang it.
    private static let mostRounds = 100
    /// A handler that waits for the thread that advances time would wait for ever.
    private static let handlerSeconds = 2.0

    func startFeeding() {
        guard !process.host.hasVirtualTime else { return }
        // The first frames are there before the first cycle asks.
        reading.start { [weak self] in
            guard let self else { return .ended }
            let isWanted = self.pump()
            let isAwake = self.state.withLock { $0.isRunning || $0.isFading }
            guard isAwake else { return .whenWoken }
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
        let (renderer, isFading) = state.withLock { ($0.renderer, $0.isFading) }
        _ = renderer?.takeEvents()
        if isFading, let renderer, renderer.livePlans <= 1 { noteSilence() }
        return isWanted || hasTaps || hasInput || isFading
    }

    /// In virtual time a handler runs in no time: what it schedules sounds in the very next cycle.
    func pumpVirtually() {
        for _ in 0..<Self.mostRounds {
            pump(minimumFrames: Self.maximumFrames)
            let hadCompletions = completions.settle(atMostSeconds: Self.handlerSeconds)
            let hadTaps = tapCalls.settle(atMostSeconds: Self.handlerSeconds)
            if !hadCompletions, !hadTaps { return }
        }
    }

    /// Whether there are taps.
    @discardableResult
    func drainTaps() -> Bool {
        let taps = state.withLock { Array($0.taps.values) }
        for tap in taps { tap.drain() }
        return !taps.isEmpty
    }

    /// The last plan that sounded has been left.
    private func noteSilence() {
        let (isSilent, waiter) = state.withLock { state in
            guard state.isFading else { return (false, Signal?.none) }
            state.isFading = false
            return (true, state.fadeWaiter)
        }
        guard isSilent else { return }
        waiter?.raise()
        process.asynchronously { [weak self] _ in self?.stopUnlessRunning() }
    }
}
