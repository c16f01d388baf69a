/// The part of a source node that makes frames and feeds them ahead of the render thread.
package protocol EngineSource: AnyObject, Sendable {
    /// How far ahead in real time; far enough for the thread that feeds to be late.
    var readAheadSeconds: Double { get }
    /// Feeds what its node's engine needs now.
    ///
    /// App threads.
    func sync(for node: NodeController)
    /// A cycle of manual rendering is over.
    func noteRendered()
    /// Forgets what it has made and not played.
    func reset()
    /// The device that it sounded on is gone: what can be played by itself waits for that.
    ///
    /// Session thread.
    func pauseForLoss()
}

extension EngineSource {
    package func noteRendered() {}

    package func pauseForLoss() {}
}
