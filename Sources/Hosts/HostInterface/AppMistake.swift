/// What an app did that iOS punishes and this library tolerates: a strict test fails for it (decision 102).
package enum AppMistake: Hashable, Sendable {
    /// The input node has a tap in another format than the microphone's; found in a call of the engine.
    case staleTap(call: String, tap: String, input: String)
    /// The last reference to an engine was dropped while its configuration change was posted.
    case releasedEngine
    /// A player node was started in an engine that does not run.
    case playedInStoppedEngine(isInterrupted: Bool)
    /// A player was started while a call has the sound.
    case playedDuringCall
    /// `setActive` on the main thread.
    case activatedOnMainThread(Bool)
    /// The main thread waited so long for an activation or a deactivation.
    case waitedOnMainThread(seconds: Double)

    /// A bit for each kind: a strict host keeps those that its test asks for.
    package var kind: Int {
        switch self {
        case .staleTap: 1
        case .releasedEngine: 2
        case .playedInStoppedEngine, .playedDuringCall: 4
        case .activatedOnMainThread: 8
        case .waitedOnMainThread: 16
        }
    }
}
