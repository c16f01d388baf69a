/// What a source node is made of below its Apple face: it makes frames and feeds them ahead of the render thread.
package protocol EngineSource: AnyObject, Sendable {
    /// How far ahead in real time; far enough for the thread that feeds to be late.
    var readAheadSeconds: Double { get }
    /// Asks its node what it feeds now, and does.
    ///
    /// App threads.
    func sync()
    /// A cycle of manual rendering is over.
    func noteRendered()
    /// Forgets what it has made and not played.
    func reset()
}
