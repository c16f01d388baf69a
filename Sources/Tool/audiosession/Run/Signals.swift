import Foundation
import Glibc
import Synchronization

/// Signals as messages: a thread waits for them, so that no code runs in a signal handler.
///
/// The first of SIGINT, SIGTERM, SIGHUP and SIGQUIT is reported; a later one ends the process at once, whatever the
/// command thread is waiting for.
enum Signals {
    enum Event: Hashable, Sendable {
        case leave
        case resize
        /// Control-Z. The receiver prepares for the stop and calls `stopProcess`.
        case stop
        case `continue`
    }

    /// SIGINT was the first signal to end.
    private static let isInterrupted = Atomic(false)

    private static let leaving = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// A second signal within this time is the same request: `timeout` signals its child, then the child's group.
    ///
    /// A person does not press Control-C twice as quickly.
    private static let sameRequestSeconds = 0.1

    /// Keeps the signals for `listen`; call it first in the process, before other threads start: they inherit the mask.
    ///
    /// A signal that arrives before `listen` is delivered when `listen` starts.
    static func block() {
        signal(SIGPIPE, SIG_IGN)
        var set = awaited
        for number in all where !isIgnored(number) {
            // A shell starts `command &` with SIGINT ignored; SIGINT must end this program all the same.
            signal(number, SIG_DFL)
        }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    private static var all: [Int32] { leaving + [SIGWINCH, SIGTSTP, SIGCONT] }

    private static var awaited: sigset_t { sigset_t(of: all.filter { !isIgnored($0) }) }

    /// Call once, after `block`.
    ///
    /// - Parameters:
    ///   - patience: the process ends so many seconds after the first signal to end, also if code that hangs, as that of a plug-in,
    ///     keeps it from ending; nil if it may take as long as it wants.
    ///   - beforeExit: runs on the signal thread before the second signal ends the process.
    ///   - deliver: runs on the signal thread.
    static func listen(
        patience: Int? = nil, beforeExit: @escaping @Sendable () -> Void,
        deliver: @escaping @Sendable (Event) -> Void
    ) {
        let set = awaited
        Thread.detachNewThread { [set] in
            var set = set
            let stopwatch = Stopwatch()
            var leaving: (signal: Int32, time: Double)?
            while true {
                if let leaving, let patience, stopwatch.seconds - leaving.time >= Double(patience) {
                    beforeExit()
                    DescriptorOutput(STDERR_FILENO).writeMessage(
                        "audiosession: something did not end within \(patience) s of the signal, so it was cut off.")
                    _exit(128 + leaving.signal)
                }
                let number: Int32
                if leaving != nil, patience != nil {
                    var second = timespec(tv_sec: 1, tv_nsec: 0)
                    number = sigtimedwait(&set, nil, &second)
                } else {
                    number = sigwaitinfo(&set, nil)
                }
                guard number > 0 else { continue }
                switch number {
                case SIGWINCH: deliver(.resize)
                case SIGTSTP: deliver(.stop)
                case SIGCONT: deliver(.continue)
                default:
                    guard let first = leaving else {
                        leaving = (number, stopwatch.seconds)
                        isInterrupted.store(number == SIGINT, ordering: .releasing)
                        deliver(.leave)
                        continue
                    }
                    guard stopwatch.seconds - first.time > sameRequestSeconds else { continue }
                    beforeExit()
                    _exit(128 + number)
                }
            }
        }
    }

    /// Ends the process by SIGINT if that has told it to end; any thread.
    static func dieIfInterrupted() {
        guard isInterrupted.load(ordering: .acquiring) else { return }
        signal(SIGINT, SIG_DFL)
        var set = sigset_t(of: [SIGINT])
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        // To this thread: the thread that waits for signals would take one that is for the process.
        pthread_kill(pthread_self(), SIGINT)
    }

    /// Stops every thread until SIGCONT, as Control-Z does by default.
    static func stopProcess() { kill(getpid(), SIGSTOP) }

    /// `nohup` ignores SIGHUP: the program must outlive the terminal.
    private static func isIgnored(_ number: Int32) -> Bool {
        guard number == SIGHUP else { return false }
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

extension sigset_t {
    init(of signals: [Int32]) {
        self.init()
        sigemptyset(&self)
        for number in signals { sigaddset(&self, number) }
    }
}
