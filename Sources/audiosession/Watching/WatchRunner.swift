import AudioModel

/// Tells what a silent session hears.
///
/// The verb's thread.
final class WatchRunner {
    private let studio: any Studio
    private let configuration: SessionConfiguration
    private let takesPart: Bool
    private let display: any Display
    private let stopwatch: Stopwatch
    private let deliver: @Sendable (Watch.Input) -> Void
    private var lastTime = 0.0

    private(set) var isDone = false
    /// It could not take part from the start.
    private(set) var hasFailed = false

    /// - Parameter deliver: called on other threads; brings the input to `handle` on the verb's thread.
    init(
        studio: any Studio, configuration: SessionConfiguration, takesPart: Bool, display: any Display,
        stopwatch: Stopwatch, deliver: @escaping @Sendable (Watch.Input) -> Void
    ) {
        self.studio = studio
        self.configuration = configuration
        self.takesPart = takesPart
        self.display = display
        self.stopwatch = stopwatch
        self.deliver = deliver
    }

    func begin() {
        studio.observe { [stopwatch, deliver] event in deliver(.studio(event, time: stopwatch.seconds)) }
        let start = Event.Start(
            version: Version.current, host: studio.hostName, clock: stopwatch.zero, files: [],
            currentRoute: studio.currentRoute)
        display.show(Event(time: 0, fact: .started(start)))
        if takesPart, !takePart() {
            hasFailed = true
            isDone = true
        }
    }

    func handle(_ input: Watch.Input) {
        guard !isDone else { return }
        switch input {
        case .studio(let event, let time):
            show(event.fact, time: time)
            follow(event)
        case .signal(.leave): isDone = true
        case .signal(.stop), .signal(.resize), .signal(.continue): break
        }
        if display.isClosed { isDone = true }
    }

    /// Gives the sound back to whom it was taken from.
    func close() {
        isDone = true
        studio.deactivate()
    }

    private func follow(_ event: StudioEvent) {
        switch event {
        case .interruptionEnded(shouldResume: true): if takesPart { takePart() }
        case .mediaServicesReset:
            // The new server's session has the categories of the beginning.
            do throws(StudioError) { try studio.configure(configuration) } catch { return show(error) }
            if takesPart { takePart() }
        case .interruptionEnded, .interruptionBegan, .mediaServicesLost, .routeChanged, .availableInputsChanged,
            .secondaryAudioHint:
            break
        }
    }

    /// False, and the reason is shown, when the session refuses.
    @discardableResult
    private func takePart() -> Bool {
        do throws(StudioError) {
            try studio.activate()
            return true
        } catch {
            show(error)
            return false
        }
    }

    private func show(_ error: StudioError) {
        show(.error(code: error.code, message: error.message, file: nil), time: stopwatch.seconds)
    }

    private func show(_ fact: Event.Fact, time: Double) {
        // News is stamped on the threads that bring it: two may swap places on the way, by microseconds.
        lastTime = max(lastTime, time)
        display.show(Event(time: lastTime, fact: fact))
    }
}
