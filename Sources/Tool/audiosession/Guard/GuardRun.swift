import Foundation
import Glibc
import GuardRuntime
import Synchronization
import Threading

/// A guard in the foreground, until a signal ends it.
///
/// The main thread waits for signals; reports come on the host's thread, and requests on one of their own.
final class GuardRun {
    private enum Message: Sendable {
        case leave
        case leaveKeeping
        case report(GuardController.Report)
        case watching(Bool)
        case holders(count: Int)
        case request(GuardRequest, GuardRequest.Reply)
        /// A connection whose client follows the reports.
        case follower(Int32)
    }

    private static let mostFollowers = 16
    /// How long a guard that only serves those that hold the focus outlives the last: scripts ask again and again.
    private static let lingerSeconds = 1.0
    /// How long what a guard held stands still without the next guard.
    private static let keepSeconds = 60.0

    private let mailbox: Mailbox<Message>
    private let runtime: GuardController
    private let settings: GuardSettings
    private let files: GuardFiles
    private let output = DescriptorOutput(STDOUT_FILENO)
    private let notifier = ServiceNotifier()
    private let log = GuardLog()
    /// The connections of those who follow the reports.
    private var followers: [Int32] = []
    private var isDone = false
    private var keepsHolds = false
    /// When a guard that only serves those that hold the focus ends, or one that keeps what another held; nil while there
    /// are some that hold the focus, and for any other guard.
    private var endTime: Double?
    private let startTime = monotonicSeconds()
    private let scope: GuardController.Options.Scope
    private let desktop: SessionDesktop?
    private var power = GuardPower.stored
    /// Why it ends without being told to.
    private var failure: BackendError?

    /// - Parameters:
    ///   - directories: of the files with the configuration.
    ///   - hasDesktop: whether players and the user are told.
    init(
        _ settings: GuardSettings, mode: GuardController.Mode, directories: [String] = GuardSettings.directories,
        hasDesktop: Bool = true
    ) throws(BackendError) {
        let mailbox = try Mailbox<Message>()
        self.mailbox = mailbox
        self.settings = settings
        files = GuardFiles(directories: directories)
        settings.read(files)
        let options = try Self.checked(settings.current.options, mode)
        scope = options.scope
        desktop = hasDesktop ? Self.makeDesktop(mode, output, offersServices: scope == .everything) : nil
        runtime = GuardController(
            options: scope == .everything ? power.applied(to: options) : options, muted: { MutedPorts.load() },
            mode: mode, desktop: desktop,
            onReport: { mailbox.post(.report($0)) }, onMuted: { try? MutedPorts.store($0) },
            onWatching: { mailbox.post(.watching($0)) }, onHolders: { mailbox.post(.holders(count: $0.count)) },
            onRequest: { mailbox.post(.request($0, $1)) })
    }

    /// Has the session manager forget what a guard that was killed has muted.
    ///
    /// - Returns: lines that say so.
    /// - Throws: `BackendError`.
    static func repair() throws(BackendError) -> [String] {
        guard !MutedPorts.load().isEmpty else { return ["There is nothing to repair."] }
        try GuardRun(GuardSettings(), mode: .acting, directories: [], hasDesktop: false).takeMutesBack()
        return [stillMuted ?? "Every speaker is as it was before."]
    }

    /// - Throws: `BackendError` where it cannot be written down what is muted: then nothing is.
    private static func checked(
        _ options: GuardController.Options, _ mode: GuardController.Mode
    ) throws(BackendError) -> GuardController.Options {
        var options = options
        // A dry run switches no card, so arming would wait for an answer that does not come.
        if mode == .dryRun { options.armsJacks = false }
        if options.armsJacks { try MutedPorts.check() }
        return options
    }

    /// A file has changed, or a directory.
    private func readAgain() {
        files.drain()
        guard settings.read(files) else { return }
        configure()
        say("The configuration was read again.")
        sayProblems()
    }

    private func configure() {
        var options = settings.current.options
        do {
            options = try Self.checked(options, runtime.mode)
        } catch {
            options.armsJacks = false
            say(error.message)
        }
        runtime.configure(scope == .everything ? power.applied(to: options) : options)
    }

    /// Turns the guard on or off, also for a guard that is started again in this session.
    private func turn(_ new: GuardPower) {
        guard new != power else { return }
        power = new
        power.store()
        configure()
        say(GuardText.line(power))
    }

    private func sayProblems() { for problem in settings.current.problems { say(GuardText.fault(problem)) } }

    private func takeMutesBack() throws(BackendError) {
        try start()
        runtime.shutdown()
    }

    /// As the unit has it: each stream that is held or lowered has some descriptors.
    private static func raiseFileLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let wanted = min(limit.rlim_max, 65_536)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private func start() throws(BackendError) {
        Self.raiseFileLimit()
        do {
            try runtime.start()
        } catch {
            switch error {
            case .host(let error): throw BackendError(.unreachable, error.message)
            case .taken(let rival):
                throw BackendError(
                    .alreadyRunning,
                    "another guard is running: \(GuardText.words(rival)); stop it first, or see "
                        + "'audiosession guard status'.")
            }
        }
    }

    /// nil where WirePlumber remembers every port as before.
    private static var stillMuted: String? {
        let ports = MutedPorts.load()
        guard !ports.isEmpty else { return nil }
        let names = ports.sorted().map(\.printable).joined(separator: ", ")
        return "Still muted, because its card is not there or plays something that is not held: \(names). Run later: "
            + "audiosession guard repair"
    }

    private static func makeDesktop(
        _ mode: GuardController.Mode, _ output: DescriptorOutput, offersServices: Bool
    ) -> SessionDesktop? {
        guard mode == .acting else { return nil }
        do {
            return try SessionDesktop(
                offersServices: offersServices,
                words: GuardWords(notice: GuardText.notice, sentence: GuardText.summary))
        } catch {
            output.writeLine(
                "Players are not told that they are paused, and no notification is shown: \(error.reason).")
            return nil
        }
    }

    /// Serves those that hold the focus until the last has left, or keeps what another guard held until the next one has it.
    ///
    /// A signal ends it earlier.
    func serve() throws(BackendError) {
        endTime = monotonicSeconds() + (scope == .keeping ? Self.keepSeconds : Self.lingerSeconds)
        Signals.listen(beforeExit: {}) { [mailbox] event in if case .leave = event { mailbox.post(.leave) } }
        try start()
        while !isDone { wait() }
        runtime.shutdown()
    }

    func run() throws(BackendError) {
        let path = try GuardControl.socketPath()
        Signals.listen(beforeExit: {}) { [mailbox] event in if case .leave = event { mailbox.post(.leave) } }
        try start()
        do {
            serve(try GuardControl.listen(at: path))
        } catch {
            runtime.shutdown()
            throw error
        }
        notifier.send("READY=1")
        output.writeLine(
            runtime.mode == .dryRun ? "The guard is running, and only says what it would do." : "The guard is running.")
        sayProblems()
        if runtime.mode == .acting, power == .on { welcome() }
        while !isDone { wait() }
        // Before the server has room for the next guard, which listens there too.
        unlink(path)
        if keepsHolds { runtime.handOver() }
        runtime.shutdown()
        // What the guard lets go at its end is said too.
        for message in mailbox.takeAll() { handle(message) }
        if let line = Self.stillMuted { output.writeLine(line) }
        if let failure { throw failure }
    }

    /// Has requests answered on a thread that ends with the process.
    private func serve(_ listener: Int32) {
        let answers = GuardAnswers(
            runtime: runtime, settings: settings, log: log,
            request: { [mailbox] in mailbox.post(.request($0, $1)) },
            leave: { [mailbox] keepsHolds in mailbox.post(keepsHolds ? .leaveKeeping : .leave) })
        Thread.detachNewThread { [mailbox] in
            let server = GuardServer(
                listener: listener, answer: { answers.answer($0) }, follow: { mailbox.post(.follower($0)) })
            while true { server.serve() }
        }
    }

    private func wait() {
        // poll leaves out a negative descriptor.
        var sources = [mailbox.descriptor, files.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let left = endTime.map { Int32(max($0 - monotonicSeconds(), 0) * 1000) + 1 }
        let timeouts = [left ?? notifier.timeoutMilliseconds, power.timeoutMilliseconds]
        _ = poll(&sources, 2, timeouts.filter { $0 >= 0 }.min() ?? -1)
        if power.isOver { turn(.on) }
        if sources[1].revents != 0 { readAgain() }
        if let endTime, endTime <= monotonicSeconds() {
            isDone = scope == .keeping || runtime.retireIfUnused() || hasKeptLong
            self.endTime = monotonicSeconds() + Self.lingerSeconds
        }
        for message in mailbox.takeAll() { handle(message) }
        // It hangs where the loop does. The watchdog then hears nothing, and the service ends this process.
        notifier.keepAlive { _ = runtime.status }
    }

    /// One that serves the focus alone may have taken over what it does not guard.
    private var hasKeptLong: Bool {
        runtime.status.holders.isEmpty && monotonicSeconds() - startTime > Self.keepSeconds
    }

    private func handle(_ message: Message) {
        switch message {
        case .leave: isDone = true
        case .leaveKeeping: (isDone, keepsHolds) = (true, true)
        case .watching(let isWatching): notifier.setWatching(isWatching)
        case .follower(let descriptor): add(descriptor)
        case .holders(let count):
            guard scope == .focus else { return }
            endTime = count == 0 ? monotonicSeconds() + Self.lingerSeconds : nil
        case .request(let request, let reply): reply(answer(request))
        case .report(let report):
            let text = GuardText.line(report, isDryRun: runtime.mode == .dryRun)
            say(text)
            if case .handedOver = report.kind { isDone = true }
            if case .onlyMicrophone = report.kind { desktop?.say(GuardText.onlyMicrophone(report.name.printable)) }
            if case .claimFailed = report.kind {
                failure = BackendError(.unreachable, text)
                isDone = true
            }
        }
    }

    private func answer(_ request: GuardRequest) -> Result<Int, GuardRequest.Refusal> {
        switch request {
        case .release(let program): return .success(runtime.release(program))
        case .off(let until): turn(.off(until: until))
        case .offForAnHour: turn(.off(until: WallClock.now + 3600 * 1_000_000))
        case .on: turn(.on)
        case .leaveAlone(let program, let isLeft):
            do {
                _ = try isLeft ? ExcludeFile.write(program) : ExcludeFile.remove(program)
            } catch {
                say(error.message)
                desktop?.say(GuardNotice(summary: "Headphones guard", body: error.message))
                return .failure(GuardRequest.Refusal(words: error.message))
            }
            readAgain()
            if isLeft { desktop?.say(GuardText.leftAlone(program)) }
        }
        return .success(0)
    }

    /// Says once what the guard does: who installs a package with the mouse reads no manual.
    private func welcome() {
        let path = UserFile.folder("XDG_STATE_HOME", ".local/state") + "/audiosession/guard-welcome"
        guard !FileManager.default.fileExists(atPath: path) else { return }
        desktop?.say(GuardText.welcome) { try? UserFile.write("", to: path) }
    }

    private func say(_ text: String) {
        log.append(text)
        output.writeLine(text)
        for follower in followers where !GuardControl.tell(text, to: follower) { remove(follower) }
    }

    private func add(_ follower: Int32) {
        if followers.count == Self.mostFollowers { remove(followers[0]) }
        followers.append(follower)
    }

    private func remove(_ follower: Int32) {
        close(follower)
        followers.removeAll { $0 == follower }
    }
}

/// What the guard has said, with the local times; the file outlives a guard that is killed.
final class GuardLog: Sendable {
    private static let longest = 500
    /// Then the file is put aside, in place of the one before.
    private static let mostBytes = 256 * 1024

    private let entries = Mutex<[String]>([])

    var lines: [String] { entries.withLock { $0 } }

    func append(_ text: String) {
        let line = "\(WallClock.text(WallClock.now, "%F %T")) \(text)"
        entries.withLock { entries in
            entries.append(line)
            entries.removeFirst(max(entries.count - Self.longest, 0))
            Self.store(line + "\n")
        }
    }

    /// What guards have said before, the newest last; empty where nothing is stored.
    static var stored: [String] {
        let texts = [path + ".1", path].map { (try? String(contentsOfFile: $0, encoding: .utf8)) ?? "" }
        return texts.joined().split(separator: "\n").suffix(longest).map { String($0).printable }
    }

    /// A log that cannot be written is none: the guard goes on.
    private static func store(_ line: String) {
        let path = path
        try? FileManager.default.createDirectory(
            atPath: String(path.dropLast("/guard.log".count)), withIntermediateDirectories: true)
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        let bytes = Array(line.utf8)
        _ = write(file, bytes, bytes.count)
        if lseek(file, 0, SEEK_END) > mostBytes { rename(path, path + ".1") }
    }

    private static var path: String {
        UserFile.folder("XDG_STATE_HOME", ".local/state") + "/audiosession/guard.log"
    }
}

/// What a guard answers to those that ask.
///
/// Any thread.
struct GuardAnswers: Sendable {
    let runtime: GuardController
    let settings: GuardSettings
    let log: GuardLog
    /// Carries out what its user asks.
    let request: @Sendable (GuardRequest, @escaping GuardRequest.Reply) -> Void
    /// Ends the guard.
    ///
    /// - keepsHolds: what it holds is handed over.
    let leave: @Sendable (_ keepsHolds: Bool) -> Void

    private static let answerSeconds = 1.0

    private var isDryRun: Bool { runtime.mode == .dryRun }

    private var status: GuardStatus {
        var status = runtime.status
        status.problems = settings.current.problems
        return status
    }

    func answer(_ request: GuardControl.Request) -> [String] {
        switch request {
        case .status: return GuardText.lines(status)
        case .statusJSON: return [GuardText.json(status).text]
        case .follow: return []
        case .stop(let keepsHolds):
            leave(keepsHolds)
            return []
        case .config: return GuardText.lines(settings.current)
        case .log: return log.lines
        case .scene(let hasNames):
            let text = runtime.recentScene(hasNames: hasNames).text
            return text.split(separator: "\n").map(String.init)
        case .release(let program):
            if let rival = runtime.status.rival { return [GuardText.waiting(rival)] }
            return [GuardText.released(runtime.release(program), of: program, isDryRun: isDryRun)]
        case .turn(let power):
            let isDone = Latch()
            self.request(power.request) { _ in isDone.raise() }
            isDone.wait(timeoutSeconds: Self.answerSeconds)
            return [GuardText.line(power)]
        }
    }
}

/// Tells systemd that the guard is ready, and, while a hung guard would do harm, that it is alive.
///
/// The main thread.
final class ServiceNotifier {
    /// Shorter than the 10 s after which a hung guard must be gone.
    private static let watchdogSeconds = 8

    private let path = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"]
    private var isWatching = false

    /// -1 while there is nothing to tell: an idle guard does not wake up.
    var timeoutMilliseconds: Int32 { isWatching && path != nil ? Int32(Self.watchdogSeconds * 1000 / 3) : -1 }

    func setWatching(_ isWatching: Bool) {
        self.isWatching = isWatching
        send(isWatching ? "WATCHDOG_USEC=\(Self.watchdogSeconds)000000\nWATCHDOG=1" : "WATCHDOG_USEC=0")
    }

    func keepAlive(_ proof: () -> Void) {
        guard isWatching, path != nil else { return }
        proof()
        send("WATCHDOG=1")
    }

    func send(_ text: String) {
        guard let path else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let message = Array(text.utf8)
        _ = GuardControl.withAddress(path) {
            Int32(sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, $1))
        }
    }
}
