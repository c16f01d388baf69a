/// A step of a scenario that waits for its frame.
struct ScheduledStep: Sendable {
    let frame: Int
    /// Whose host the step gets: the one through which it was scheduled.
    let app: AppID
    let action: @Sendable (SimulatedHost) -> Void
}
