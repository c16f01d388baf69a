import Foundation
import Glibc
import GuardRuntime
import Threading

/// Holds the focus while a command runs, or until a file ends.
///
/// The main thread waits; signals are taken on a thread of their own.
struct FocusRun {
    enum Wait {
        case command([String])
        case untilEnd(of: Int32)
    }

    /// How long a guard may take to hold the others before the command begins.
    private static let obeySeconds = 3.0
    /// How long a guard may take that is there already; one that is about to end does not obey.
    private static let answerSeconds = 0.1

    private let hold: FocusHold

    init(_ request: FocusHold.Request) { hold = FocusHold(request) }

    /// - Returns: the exit status; for a command that does not start, as shells, `env` and `timeout` have it.
    func run(_ wait: Wait) -> Int32 {
        let signals = FocusSignals()
        begin()
        defer { hold.shutdown() }
        switch wait {
        case .command(let words):
            let child: pid_t
            do throws(ChildProcess.Failure) {
                child = try ChildProcess.start(words, streams: .inherited)
            } catch {
                DescriptorOutput(STDERR_FILENO).writeMessage("audiosession: \(Self.words(error, words[0]))")
                return error.code == ENOENT ? 127 : 126
            }
            signals.forward(to: child)
            return Self.wait(for: child)
        case .untilEnd(let descriptor):
            signals.endAtOnce { [hold] in hold.shutdown() }
            // Until it was read to its end or is closed; what comes in is not used.
            var buffer = [UInt8](repeating: 0, count: 4096)
            while case let count = read(descriptor, &buffer, buffer.count), count > 0 || count < 0 && errno == EINTR {}
            return 0
        }
    }

    /// Waits until the others hold; without a sound server nothing plays that could.
    private func begin() {
        do {
            try hold.start()
        } catch {
            return DescriptorOutput(STDERR_FILENO).writeLine("audiosession: nothing is held: \(error.message)")
        }
        let stopwatch = Stopwatch()
        var startTime: Double?
        repeat {
            // It takes its time to start.
            if !hold.hasGuard, startTime.map({ stopwatch.seconds - $0 > 1 }) ?? true {
                startTime = stopwatch.seconds
                _ = try? Self.startServer(["guard", "run", "--for-focus"])
            }
            if hold.waitUntilObeyed(timeoutSeconds: Self.answerSeconds) { return }
        } while stopwatch.seconds < Self.obeySeconds
        DescriptorOutput(STDERR_FILENO).writeLine(
            "audiosession: only sessions of open-avfaudio hold: no guard answers; see 'audiosession guard status'.")
    }

    /// What the child does first: it belongs to no terminal.
    static func detach() { setsid() }

    /// A guard of its own, which outlives this process for a moment: it lets the others go on if this process is killed.
    ///
    /// - Parameter words: what this program is given.
    /// - Throws: `BackendError`.
    static func startServer(_ words: [String]) throws(BackendError) -> pid_t {
        let program = GuardUnit.programPath
        do throws(ChildProcess.Failure) {
            return try ChildProcess.start([program] + words, streams: .none)
        } catch {
            throw BackendError(.notStarted, Self.words(error, program))
        }
    }

    private static func words(_ failure: ChildProcess.Failure, _ program: String) -> String {
        "could not start '\(program.printable)' (\(failure.reason)); check its name."
    }

    /// As shells say it.
    private static func wait(for child: pid_t) -> Int32 {
        let status = ChildProcess.wait(for: child)
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}

/// The signals that would end this process before its command: a terminal sends them to both, others to this one alone.
private final class FocusSignals: Sendable {
    /// Call it before other threads start: they inherit the mask.
    init() {
        var set = Self.set
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    func forward(to child: pid_t) {
        listen { number in if number == SIGTERM || number == SIGHUP { kill(child, number) } }
    }

    func endAtOnce(_ end: @escaping @Sendable () -> Void) {
        listen { number in
            end()
            _exit(128 + number)
        }
    }

    private func listen(_ body: @escaping @Sendable (Int32) -> Void) {
        Thread.detachNewThread {
            var set = Self.set
            while true {
                var number: Int32 = 0
                if sigwait(&set, &number) == 0 { body(number) }
            }
        }
    }

    private static var set: sigset_t { sigset_t(of: [SIGINT, SIGQUIT, SIGTERM, SIGHUP]) }
}
