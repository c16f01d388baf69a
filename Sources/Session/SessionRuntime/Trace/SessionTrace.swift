internal import AudioModel
internal import Foundation
package import SessionCore
internal import Synchronization
internal import Threading

/// Writes what the host said and what the session decided to a file; docs/audiosession.md has the format.
///
/// A file whose name ends as a registered `TraceForm` says gets that form instead, of what the host said and what the app asked for.
///
/// The session thread puts values into a queue and does not wait; the thread `oav-trace` encodes and writes them. A full
/// queue drops the event, and a line of the trace counts what was dropped. The file ends at a number of bytes.
package final class SessionTrace: SessionRecorder {
    /// What `AUDIOSESSION_TRACE` and `AUDIOSESSION_TRACE_NAMES` ask for.
    package struct Settings: Sendable {
        package var path: String
        /// False: pseudonyms replace the names of devices and programs and the texts of errors.
        package var hasNames = false
        /// What stands for them; who prints more than the trace takes its own words from here.
        package var pseudonyms: Pseudonyms

        package init(path: String, hasNames: Bool = false, pseudonyms: Pseudonyms = Pseudonyms()) {
            self.path = path
            self.hasNames = hasNames
            self.pseudonyms = pseudonyms
        }
    }

    private enum Message: Sendable {
        case begin(String, SessionState)
        /// - Parameter dropped: how many events just before this one found the queue full.
        case event(SessionEvent, [SessionEffect], dropped: Int)
    }

    private let settings: Settings
    private let maximumBytes: Int
    private let queueLength: Int
    private let say: @Sendable (String) -> Void
    private let queue = SerialQueue<Message>()
    /// Events in the queue: added on the session thread, subtracted on `oav-trace`.
    private let pending = Atomic<Int>(0)
    /// Events dropped since the last one that was not.
    private let dropped = Atomic<Int>(0)
    private let finished = Latch()

    /// - Parameters:
    ///   - maximumBytes: the file's size, without the last line, which says that the trace stops.
    ///   - queueLength: how many events wait at most.
    ///   - say: tells the person at the terminal, on `oav-trace`, why nothing or nothing more is written.
    package init(
        _ settings: Settings, maximumBytes: Int = 16_000_000, queueLength: Int = 1000,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.settings = settings
        self.maximumBytes = maximumBytes
        self.queueLength = queueLength
        self.say = say
    }

    /// Starts the thread, which creates the file.
    package func begin(on host: String, _ state: SessionState) {
        queue.put(.begin(host, state))
        let thread = Thread { [self] in writeAll() }
        thread.name = "oav-trace"
        thread.start()
    }

    package func record(_ event: SessionEvent, _ effects: [SessionEffect], _ state: SessionState) {
        guard pending.load(ordering: .acquiring) < queueLength else {
            dropped.add(1, ordering: .relaxed)
            return
        }
        pending.add(1, ordering: .relaxed)
        queue.put(.event(event, effects, dropped: dropped.exchange(0, ordering: .relaxed)))
    }

    /// Returns when everything is written, after 1 s at the latest.
    package func end() {
        queue.close()
        finished.wait(timeoutSeconds: 1)
    }

    /// `oav-trace`.
    private func writeAll() {
        defer { finished.raise() }
        do {
            try write()
        } catch {
            say("\(SessionEnvironment.traceVariable): \(error) Going on without a trace.")
        }
        // The queue has no reader any more.
        queue.close()
    }

    private func write() throws {
        let limit = "the limit of \(maximumBytes) bytes"
        let form = TraceForms.form(ofFile: settings.path)
        var file = try TraceFile(
            settings.path, maximumBytes: maximumBytes,
            lastLine: form?.comment("Stopped: \(limit).") ?? "{\"stopped\":\"\(limit)\"}\n")
        if let form { try write(form, to: &file) } else { try writeTrace(to: &file) }
    }

    private func write(_ form: (some TraceForm).Type, to file: inout TraceFile) throws {
        var encoder = TraceEncoder(hasNames: settings.hasNames, pseudonyms: settings.pseudonyms)
        var trace = form.init()
        guard try file.append(Data(trace.takeText().utf8)) else { return }
        while let message = queue.next() {
            switch message {
            case .begin(_, let state): encoder.know(state.roles)
            case .event(let event, _, let dropped):
                pending.subtract(1, ordering: .releasing)
                let gap = dropped > 0 ? form.comment("\(dropped) events are missing here.") : ""
                trace.add(try encoder.cleaned(event))
                guard try file.append(Data((gap + trace.takeText()).utf8)) else { return }
            }
        }
        trace.finish()
        try file.end(Data(trace.takeText().utf8))
    }

    private func writeTrace(to file: inout TraceFile) throws {
        var encoder = TraceEncoder(hasNames: settings.hasNames, pseudonyms: settings.pseudonyms)
        guard try file.append(encoder.format()) else { return }
        while let message = queue.next() {
            switch message {
            case .begin(let host, let state):
                guard try file.append(encoder.session(on: host, state)) else { return }
            case .event(let event, let effects, let dropped):
                pending.subtract(1, ordering: .releasing)
                if dropped > 0 { guard try file.append(encoder.dropped(dropped)) else { return } }
                for line in try encoder.lines(event, effects) { guard try file.append(line) else { return } }
            }
        }
        try file.end(encoder.end(dropped: dropped.load(ordering: .relaxed)))
    }
}

/// The file of a trace.
///
/// `oav-trace`. Only its owner may read it (mode 0600), and it replaces no file.
private struct TraceFile: ~Copyable {
    private let descriptor: Int32
    private var bytesLeft: Int
    private let lastLine: String

    struct Fault: Error, CustomStringConvertible {
        let description: String

        init(_ action: String, code: Int32, remedy: String) {
            description = "\(action) (\(String(cString: strerror(code)))). \(remedy)"
        }
    }

    /// - Parameter lastLine: of a file that reached its limit.
    init(_ path: String, maximumBytes: Int, lastLine: String) throws {
        // A write beyond `ulimit -f` then fails, and does not end the program.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGXFSZ)
        pthread_sigmask(SIG_BLOCK, &signals, nil)

        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let code = errno
            throw Fault(
                "cannot create \"\(path.printable)\"", code: code,
                remedy: code == EEXIST ? "Remove that file, or name another one." : "Name another file.")
        }
        self.descriptor = descriptor
        self.lastLine = lastLine
        bytesLeft = maximumBytes
    }

    deinit { close(descriptor) }

    /// False where there is no room for the line; it was the last attempt then.
    mutating func append(_ line: Data) throws -> Bool {
        guard line.count <= bytesLeft else {
            try end(Data(lastLine.utf8))
            return false
        }
        bytesLeft -= line.count
        try write(line)
        return true
    }

    /// Writes the last line.
    func end(_ line: Data) throws { try write(line) }

    private func write(_ line: Data) throws {
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Fault("cannot write", code: errno, remedy: "Make room on the disk.") }
            rest = rest.dropFirst(count)
        }
    }
}
