package import EngineCore

/// The part of a source node that makes frames, in the cycle or ahead of the render thread.
package protocol EngineSource: AnyObject, Sendable {
    /// How far ahead in real time; far enough for the thread that feeds to be late.
    var readAheadSeconds: Double { get }
    /// What makes its frames in the cycle; nil where they are fed ahead.
    ///
    /// Any thread, with the engine's lock.
    func cycleOrigin(_ shape: SourceShape, in renderer: EngineRenderer) -> SourceFeed.Origin?
    /// Whether `cycleOrigin` would give one.
    func isMadeInCycle(_ shape: SourceShape) -> Bool
    /// Feeds what its node's engine needs now.
    ///
    /// App threads.
    func sync(for node: NodeController)
    /// The engine is about to start.
    ///
    /// App threads.
    func willStart()
    /// Makes nothing from the next cycle on, until `willStart`.
    ///
    /// Any thread, the render thread too while it is in code of the app's.
    func hold()
    /// A cycle of manual rendering is over.
    func noteRendered()
    /// Forgets what it has made and not played.
    func reset()
    /// The device that it sounded on is gone: what can be played by itself waits for that.
    ///
    /// Session thread.
    ///
    /// - Returns: whether it played.
    func pauseForLoss() -> Bool
}

extension EngineSource {
    package func cycleOrigin(_ shape: SourceShape, in renderer: EngineRenderer) -> SourceFeed.Origin? { nil }

    package func isMadeInCycle(_ shape: SourceShape) -> Bool { false }

    package func willStart() {}

    package func hold() {}

    package func noteRendered() {}

    package func pauseForLoss() -> Bool { false }
}

/// What decides whether the frames of a source can be made in the cycle.
package struct SourceShape: Hashable, Sendable {
    /// Of the node's output bus.
    var format: StreamFormat
    /// The renderer's.
    var rate: Double
    /// Effects are between the source and the mix.
    var hasTimeEffects: Bool
    var isByHand: Bool
    /// A device waits for the cycle.
    var isWatched: Bool
}
