/// Reports the notifications of a silent session, and what a guard that runs reports.
///
/// The command thread.
final class WatchRunner: Runner {
    let context: RunContext<String>
    private let settings: SessionSettings
    private let activates: Bool
    private let followGuard: (@escaping @Sendable (String) -> Void) -> Void

    private(set) var isDone = false
    /// The first activation was refused.
    private(set) var hasFailed = false

    /// - Parameters:
    ///   - activates: whether the session is activated, and again whenever it is allowed to.
    ///   - followGuard: has a guard's reports delivered.
    init(
        _ context: RunContext<String>, settings: SessionSettings, activates: Bool,
        followGuard: @escaping (@escaping @Sendable (String) -> Void) -> Void = GuardControl.follow
    ) {
        self.context = context
        self.settings = settings
        self.activates = activates
        self.followGuard = followGuard
    }

    func begin() {
        context.begin(files: [])
        followGuard { [deliver = context.deliver, stopwatch = log.stopwatch] words in
            deliver(.report(words, time: stopwatch.seconds))
        }
        if activates, !activate() {
            hasFailed = true
            isDone = true
        }
    }

    func handle(_ input: RunInput<String>) {
        guard !isDone else { return }
        switch input {
        case .backend(let event, let time):
            log.write(.session(event), time: time)
            handle(event)
        case .report(let words, let time): log.write(.guardReport(words), time: time)
        case .signal(.leave): isDone = true
        case .signal(.stop), .signal(.resize), .signal(.continue), .key, .note, .remote: break
        }
        if log.isClosed { isDone = true }
    }

    /// Notifies the sessions that were interrupted.
    func close() {
        isDone = true
        backend.deactivate()
    }

    var isMoving: Bool { false }

    private func handle(_ event: BackendEvent) {
        switch event {
        case .interruptionEnded(shouldResume: true): if activates { activate() }
        case .mediaServicesReset:
            // The session on the new server has its initial category.
            do throws(BackendError) { try backend.configure(settings) } catch { return log.write(error) }
            if activates { activate() }
        case .interruptionEnded, .interruptionBegan, .mediaServicesLost, .routeChanged, .availableInputsChanged,
            .secondaryAudioHint:
            break
        }
    }

    /// False if the session refuses; the reason is then shown.
    @discardableResult
    private func activate() -> Bool {
        do throws(BackendError) {
            try backend.activate()
            return true
        } catch {
            log.write(error)
            return false
        }
    }
}
