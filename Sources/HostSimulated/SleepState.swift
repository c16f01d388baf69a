/// Whether the machine is awake.
enum SleepState: Sendable {
    /// Legal exits: announced.
    case awake
    /// The apps are asked to be silent; the number tells one announcement from the next.
    ///
    /// Legal exits: asleep (the last app allowed it or left, or time is up), awake (it was called off).
    case announced(number: Int, awaiting: Set<AppID>)
    /// Nothing renders and no timer fires.
    ///
    /// Legal exits: awake.
    case asleep

    var isAsleep: Bool { if case .asleep = self { true } else { false } }
}
