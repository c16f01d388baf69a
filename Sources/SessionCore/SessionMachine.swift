internal import AudioModel

/// The session as a value: facts in, imperatives out. No clock, no threads, no Foundation.
package struct SessionMachine: Sendable {
    package private(set) var state = SessionState()

    package init() {}

    /// Applies one event; the effects are to be carried out in order before the next event is applied.
    package mutating func apply(_ event: SessionEvent) -> [SessionEffect] {
        []
    }
}
