import Threading

/// Writes the events of a run to a display.
///
/// The command thread.
final class EventLog {
    let stopwatch: Stopwatch
    private let display: Display
    /// The time of the newest line.
    private var lastTime = 0.0

    init(display: Display, stopwatch: Stopwatch = Stopwatch()) {
        self.display = display
        self.stopwatch = stopwatch
    }

    /// The reader is gone.
    var isClosed: Bool { display.isClosed }

    /// - Parameters:
    ///   - time: nil for now.
    ///   - isRepetition: another line for people says the same.
    func write(_ fact: Event.Fact, time: Double? = nil, isRepetition: Bool = false) {
        // Other threads stamp their events: two may change their order on the way, by microseconds.
        lastTime = max(lastTime, time ?? stopwatch.seconds)
        display.show(Event(time: lastTime, fact: fact, isRepetition: isRepetition))
    }

    /// Says what a person can do, where only lines are shown.
    func advise(_ text: String) {
        lastTime = max(lastTime, stopwatch.seconds)
        display.advise(text, time: lastTime)
    }

    func write(_ error: BackendError, file: String? = nil) {
        write(.error(error, file: file))
    }
}

/// Seconds since the program began, on CLOCK_MONOTONIC.
struct Stopwatch: Sendable {
    /// CLOCK_MONOTONIC at time 0, in seconds.
    let zero = monotonicSeconds()

    /// Any thread.
    var seconds: Double { monotonicSeconds() - zero }
}
