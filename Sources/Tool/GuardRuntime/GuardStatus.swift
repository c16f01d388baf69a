internal import AudioModel
package import GuardCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What a guard is and holds at one moment: `guard status`, its JSON, the bus and the tray are made from this value.
package struct GuardStatus: Hashable, Sendable {
    /// In the order in which the streams were held.
    package var held: [HeldStream] = []
    package var watch = Watch.notNeeded
    /// The output whose loss is watched; untrusted text, nil if none is.
    package var watchedOutput: String?
    /// The speakers that stay silent if their headphones are unplugged now; untrusted texts.
    package var armed: [String] = []
    /// In the order in which they came.
    package var holders: [FocusedProgram] = []
    /// The other guard that owns the server and for which this guard waits.
    package var rival: GuardRival?
    package var scope = GuardOptions.Scope.everything
    package var tray = GuardOptions.Tray.held
    package var isDryRun = false
    /// Whether a session manager runs; without one, no stream can be held.
    package var hasManager = true
    /// The faults in the configuration.
    package var problems: [String] = []

    package init() {}
}

/// What its user asks of a guard, from the bus, the tray, the notification or the command line.
package enum GuardRequest: Hashable, Sendable {
    /// Lets programs continue here: all of them (nil), or those with this name, binary or process id.
    case release(program: String?)
    /// Leaves a program alone from now on, or no longer.
    case leaveAlone(program: String, isLeft: Bool)
    /// Turns the guard off until this time, in microseconds since 1970; nil: until `on`.
    case off(until: UInt64?)
    case offForAnHour
    case on

    /// Why a request is not carried out.
    package struct Refusal: Error, Hashable, Sendable {
        /// For people; safe to show.
        package let words: String

        package init(words: String) { self.words = words }
    }

    /// - Parameter result: how many streams `release` has released; 0 for other requests.
    package typealias Reply = @Sendable (_ result: Result<Int, Refusal>) -> Void

    /// The longest name in a rule, in bytes.
    package static let longestName = 64

    /// Whether a rule can name the program.
    package static func isName(_ program: String) -> Bool {
        program == program.printable && !program.isEmpty && program.utf8.count <= longestName
            && !"~!".contains(program.prefix(1))
    }
}

/// Times of the clock on the wall, in microseconds since 1970.
package enum WallClock {
    package static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(max(time.tv_sec, 0)) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }

    /// When something was, by the clock on the wall.
    static func microseconds(of time: HostTime) -> UInt64 {
        let age = UInt64(max(HostTime.monotonic.seconds(since: time), 0) * 1e6)
        return now - min(age, now)
    }

    /// The local time.
    ///
    /// - Parameter format: of strftime.
    package static func text(_ microseconds: UInt64, _ format: String) -> String {
        var (time, parts) = (time_t(clamping: microseconds / 1_000_000), tm())
        localtime_r(&time, &parts)
        var bytes = [CChar](repeating: 0, count: 64)
        let count = strftime(&bytes, bytes.count, format, &parts)
        return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// "18:00", and with the day if it is not today's.
    package static func words(_ microseconds: UInt64, now: UInt64 = WallClock.now) -> String {
        let isToday = text(microseconds, "%F") == text(now, "%F")
        return text(microseconds, isToday ? "%H:%M" : "%F %H:%M")
    }
}
