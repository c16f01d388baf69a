import CToolRun
import Foundation
import Synchronization

/// One run of the built `audiosession` as a child process, which ends with the tests at the latest.
///
/// Every wait is for an action of the program, has a deadline, and blocks the calling thread: see `OwnThread`.
final class ToolRun: @unchecked Sendable {
    enum Ending: Equatable, Sendable {
        case exited(Int32)
        case killed(bySignal: Int32)
    }

    struct TimedOut: Error, CustomStringConvertible {
        var description: String
    }

    /// Far more than a loaded machine needs: only a fault reaches it.
    static let deadlineSeconds = 30.0

    /// The executable, which the build puts beside the tests' own.
    static let path = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("audiosession").path

    let processID: pid_t
    private let input: Int32
    // @unchecked: what follows is touched only while `condition` is locked.
    private let condition = NSCondition()
    private var bytes: [Stream: Data] = [:]
    private var openStreams: Set<Stream> = []
    private var ending: Ending?

    private enum Stream { case output, errors }

    /// Starts the program with pipes, as a script would.
    ///
    /// - Parameter prelude: a command of the shell that becomes the program.
    init(_ arguments: [String], environment: [String: String], after prelude: String? = nil) throws {
        let (output, errors) = (try Self.makePipe(), try Self.makePipe())
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { for end in [nothing, output.write, errors.write] { close(end) } }
        processID = try Self.spawn(arguments, environment, [nothing, output.write, errors.write], prelude: prelude)
        input = -1
        openStreams = [.output, .errors]
        follow(output.read, .output)
        follow(errors.read, .errors)
        reap { _ in }
    }

    /// Starts the program in a terminal, as its session's leader.
    ///
    /// Both outputs are in `output`.
    init(_ arguments: [String], environment: [String: String], in terminal: PseudoTerminal) throws {
        var environment = environment
        environment["TERM"] = "xterm-256color"
        processID = try Self.spawn(arguments, environment, [-1, -1, -1], terminal: terminal.path)
        input = terminal.primary
        openStreams = [.output]
        follow(dup(terminal.primary), .output)
        // Reading ends when no process has the other side open.
        reap { _ in terminal.closeSecondary() }
    }

    // MARK: Output

    /// What it has written to its standard output so far.
    var output: String { text(of: .output) }
    /// What it has written to its standard error so far.
    var errors: String { text(of: .errors) }
    /// The whole lines of its standard output so far.
    var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }

    /// Waits for a line of its standard output, the first one that satisfies the condition.
    ///
    /// - Parameter start: the number of lines to leave out.
    /// - Returns: the number of lines up to and with this one.
    @discardableResult
    func wait(forLine what: String, from start: Int = 0, where isWanted: (String) -> Bool) throws -> Int {
        var found: Int?
        try wait(for: what) {
            found = lines.dropFirst(start).firstIndex(where: isWanted)
            return found != nil
        }
        return found.map { $0 + 1 } ?? 0
    }

    /// Waits until its output, from this many Unicode scalars on, contains the text.
    func wait(forOutput text: String, from start: Int = 0) throws {
        try wait(for: "\"\(text)\"") { String(output.unicodeScalars.dropFirst(start)).contains(text) }
    }

    /// Waits for a row of its terminal, painted after this many Unicode scalars of output.
    func wait(forRow what: String, from start: Int, where isWanted: (String) -> Bool) throws -> String {
        var row: String?
        try wait(for: what) {
            // A terminal's line ends are of two scalars, which are one character.
            let painted = output.unicodeScalars.dropFirst(start).split(separator: "\n").dropLast()
            row = painted.map { String($0) }.first(where: isWanted)
            return row != nil
        }
        return row ?? ""
    }

    /// Waits for its end, and for the end of its output.
    func waitForEnd() throws -> Ending {
        try wait(for: "its end", mayHaveEnded: true) { ending != nil && openStreams.isEmpty }
        return condition.withLock { ending! }
    }

    // MARK: Input

    func send(_ signal: Int32) { kill(processID, signal) }

    /// From now on it may have so many files open; those that are open stay so.
    func limitFiles(to count: Int) throws { try Self.check(oav_tool_limit_files(processID, UInt32(count))) }

    /// Has the kernel send it a signal when it reads a file of the directory for the first time.
    ///
    /// - Returns: a descriptor to close after that.
    func send(_ signal: Int32, whenReadingIn directory: String) throws -> Int32 {
        try Self.check(oav_tool_signal_at_read(directory, processID, signal))
    }

    func type(_ keys: String) {
        let bytes = Array(keys.utf8)
        _ = write(input, bytes, bytes.count)
    }

    // MARK: Inside

    private func text(of stream: Stream) -> String {
        condition.withLock { String(decoding: bytes[stream] ?? Data(), as: UTF8.self) }
    }

    /// Evaluates `isThere` after all output so far, without the lock.
    private func wait(for what: String, mayHaveEnded: Bool = false, _ isThere: () -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: Self.deadlineSeconds)
        var isOver = false
        while true {
            let progress = condition.withLock { (bytes.values.reduce(0) { $0 + $1.count }, openStreams.count, ending) }
            if isThere() { return }
            if isOver || (!mayHaveEnded && progress.1 == 0 && progress.2 != nil) {
                throw TimedOut(
                    description:
                        "\(isOver ? "\(Self.deadlineSeconds) s have passed" : "it has ended (\(progress.2!))") "
                        + "without \(what).\nOutput: \(output)\nErrors: \(errors)")
            }
            condition.withLock {
                while !isOver, progress == (bytes.values.reduce(0) { $0 + $1.count }, openStreams.count, ending) {
                    isOver = !condition.wait(until: deadline)
                }
            }
        }
    }

    private func follow(_ descriptor: Int32, _ stream: Stream) {
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0 && errno == EINTR { continue }
                condition.withLock {
                    if count > 0 {
                        bytes[stream, default: Data()].append(contentsOf: buffer[..<count])
                    } else {
                        openStreams.remove(stream)
                    }
                    condition.broadcast()
                }
                if count <= 0 { break }
            }
            close(descriptor)
        }
    }

    private func reap(_ whenEnded: @escaping @Sendable (Ending) -> Void) {
        Children.shared.add(processID)
        Thread.detachNewThread { [self] in
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
            Children.shared.remove(processID)
            let signal = status & 0x7F
            let ending: Ending = signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(bySignal: signal)
            whenEnded(ending)
            condition.withLock {
                self.ending = ending
                condition.broadcast()
            }
        }
    }

    private static func makePipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        try check(oav_tool_pipe(&ends))
        return (ends[0], ends[1])
    }

    private static func spawn(
        _ arguments: [String], _ environment: [String: String], _ descriptors: [Int32], terminal: String? = nil,
        prelude: String? = nil
    ) throws -> pid_t {
        let shell = prelude.map { ["sh", "-c", "\($0); exec \"$0\" \"$@\"", path] }
        let words = ((shell ?? ["audiosession"]) + arguments).map { strdup($0) } + [nil]
        // What dev/test --lane address asks of the sanitizer, the program too is to do.
        let sanitizer = ProcessInfo.processInfo.environment.filter { $0.key == "ASAN_OPTIONS" }
        let variables = environment.merging(sanitizer) { $1 }.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (words + variables).forEach { free($0) } }
        return try check(oav_tool_spawn(shell == nil ? path : "/bin/sh", words, variables, descriptors, terminal))
    }

    @discardableResult
    private static func check(_ result: Int32) throws -> Int32 {
        guard result >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: -result) ?? .EIO) }
        return result
    }
}

/// The runs that have not ended.
private final class Children: Sendable {
    static let shared = Children()

    private let running = Mutex<Set<pid_t>>([])

    private init() { atexit { for child in Children.shared.running.withLock({ $0 }) { kill(child, SIGKILL) } } }

    func add(_ child: pid_t) { running.withLock { _ = $0.insert(child) } }

    func remove(_ child: pid_t) { running.withLock { _ = $0.remove(child) } }
}
