import ArgumentParser
import Foundation
import Glibc
import GuardRuntime

/// Whether its user has turned the guard off.
///
/// A guard that is started again in the same session is off, too: the file is in XDG_RUNTIME_DIR, which ends with the session.
enum GuardPower: Hashable, Sendable {
    case on
    /// Until this time, in microseconds since 1970; nil: until it is turned on.
    case off(until: UInt64?)

    /// How late a guard may be on again after the machine has slept: poll does not count that time.
    private static let sleepMilliseconds: Int32 = 30_000

    func applied(to options: GuardController.Options) -> GuardController.Options {
        if case .off(let until) = self { options.turnedOff(until: until) } else { options }
    }

    var request: GuardRequest { if case .off(let until) = self { .off(until: until) } else { .on } }

    var isOver: Bool { if case .off(let until?) = self { until <= WallClock.now } else { false } }

    /// -1 where it does not end by itself.
    var timeoutMilliseconds: Int32 {
        guard case .off(let until?) = self else { return -1 }
        let now = WallClock.now
        return Int32(min(until > now ? (until - now) / 1000 + 1 : 0, UInt64(Self.sleepMilliseconds)))
    }

    // MARK: Words

    var line: String {
        switch self {
        case .on: "on"
        case .off(nil): "off"
        case .off(let until?): "off \(until)"
        }
    }

    init?(line: String) {
        switch line {
        case "on": self = .on
        case "off": self = .off(until: nil)
        default:
            guard line.hasPrefix("off "), let until = UInt64(line.dropFirst(4)) else { return nil }
            self = .off(until: until)
        }
    }

    /// - Parameter text: hours, minutes and seconds: "1h", "1h30m", "90s"; up to a year.
    /// - Returns: seconds; nil for another text.
    static func seconds(ofSpan text: String) -> Double? {
        let parts = text.wholeMatch(of: /(?:(\d{1,4})h)?(?:(\d{1,6})m)?(?:(\d{1,8})s)?/)
        guard let parts else { return nil }
        let numbers = [parts.1, parts.2, parts.3].map { $0.flatMap { Double($0) } ?? 0 }
        let seconds = numbers[0] * 3600 + numbers[1] * 60 + numbers[2]
        return (1...366 * 86_400).contains(seconds) ? seconds : nil
    }

    /// - Parameters:
    ///   - text: a time of the day, "18:00".
    ///   - now: in microseconds since 1970.
    /// - Returns: when the clock next shows that, in microseconds since 1970; nil for another text.
    static func next(_ text: String, after now: UInt64 = WallClock.now) -> UInt64? {
        guard let match = text.wholeMatch(of: /(\d{1,2}):(\d{2})/), let hour = Int32(match.1),
            let minute = Int32(match.2),
            (0...23).contains(hour), (0...59).contains(minute)
        else { return nil }
        for day in 0...1 as ClosedRange<Int32> {
            var (time, parts) = (time_t(clamping: now / 1_000_000), tm())
            localtime_r(&time, &parts)
            (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (hour, minute, 0, -1)
            parts.tm_mday += day
            let end = UInt64(max(mktime(&parts), 0)) * 1_000_000
            if end > now { return end }
        }
        return nil
    }

    // MARK: The session's file

    private static var path: String? {
        ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"].map { "\($0)/audiosession-guard.off" }
    }

    /// On where the file says nothing, or its time has passed.
    static var stored: GuardPower {
        guard let path, let text = UserFile.text(path), let power = GuardPower(line: text), !power.isOver else {
            return .on
        }
        return power
    }

    /// A file that cannot be written is none: the next guard is on.
    func store() {
        guard let path = Self.path else { return }
        if self == .on { unlink(path) } else { try? UserFile.write(line, to: path) }
    }
}

/// Shows what a command says as a notification.
struct NotificationOption: ParsableArguments {
    @Flag(help: "Also show it as a notification on the desktop.")
    var notify = false

    /// - Parameters:
    ///   - isShort: whether the last line alone says it to a person without a terminal.
    ///   - lines: what is said; an error is shown too.
    func show(isShort: Bool = false, _ lines: () throws -> [String]) throws {
        let result = Result { try lines() }
        if notify {
            switch result {
            case .success(let lines):
                let shown = isShort ? lines.suffix(1) : lines.filter { !$0.hasPrefix(GuardText.wayOutPrefix) }
                SessionDesktop.announce(shown.joined(separator: "\n"))
            case .failure(let error): SessionDesktop.announce((error as? BackendError)?.message ?? "\(error)")
            }
        }
        try DescriptorOutput.print(result.get())
    }
}

/// `audiosession guard off`.
struct GuardOffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "off", abstract: "Hold nothing for a time, or until 'audiosession guard on'.",
        discussion: """
            What is held continues. Programs that ask for the focus are still served. It lasts until its time, until \
            'audiosession guard on', or until the end of the login session.
            """)

    @Option(
        name: .customLong("for"), help: ArgumentHelp("How long: 1h, 90m or 1h30m.", valueName: "time"),
        transform: { text in
            guard let seconds = GuardPower.seconds(ofSpan: text) else {
                throw ValidationError(
                    "it is '\(text.printable)', and must be a time of up to a year, such as 1h, 90m or 1h30m")
            }
            return seconds
        })
    var span: Double?

    @Option(
        help: ArgumentHelp("Until when, today or tomorrow: 18:00.", valueName: "time"),
        transform: { text in
            guard let time = GuardPower.next(text) else {
                throw ValidationError("it is '\(text.printable)', and must be a time of the day, such as 18:00")
            }
            return time
        })
    var until: UInt64?

    @OptionGroup var notification: NotificationOption

    func validate() throws {
        if span != nil, until != nil { throw ValidationError("--for and --until say two things. Give one of them.") }
    }

    func run() throws {
        let end = until ?? span.map { WallClock.now + UInt64($0 * 1_000_000) }
        try notification.show { try GuardControl.ask(.turn(.off(until: end))) }
    }
}

/// `audiosession guard on`.
struct GuardOnCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on", abstract: "Guard again after 'off'; install the guard if none is running.")

    @OptionGroup var notification: NotificationOption

    func run() throws {
        try notification.show(isShort: true) {
            GuardPower.on.store()
            if let lines = GuardControl.answer(to: .turn(.on)) { return lines }
            guard GuardControl.runningGuard == nil else { throw GuardControl.noAnswer(from: GuardControl.runningGuard) }
            return try GuardUnit.install(words: [], startsNow: true)
        }
    }
}
