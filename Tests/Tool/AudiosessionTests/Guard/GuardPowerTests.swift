import Foundation
import GuardRuntime
import Testing

@testable import audiosession

/// How a person says for how long the guard is off.
struct GuardPowerTests {
    @Test(arguments: [
        ("1h", 3600.0), ("90m", 5400), ("1h30m", 5400), ("90s", 90), ("1h1m1s", 3661), ("8784h", 31_622_400),
    ])
    func span_isRead(text: String, seconds: Double) { #expect(GuardPower.seconds(ofSpan: text) == seconds) }

    @Test(arguments: ["", "1", "h", "-1h", "1 h", "0h", "0s", "1m1h", "9999h", "1d", "1h\n", "１h"])
    func otherSpans_areRefused(text: String) {
        #expect(GuardPower.seconds(ofSpan: text) == nil)
        #expect(throws: (any Error).self) { try AudioSessionTool.command(from: ["guard", "off", "--for", text]) }
    }

    /// Whatever the zone of the machine is.
    @Test(arguments: ["00:00", "7:05", "18:00", "23:59"])
    func timeOfDay_isTheNextOne(text: String) throws {
        let now: UInt64 = 1_790_000_000_000_000
        let end = try #require(GuardPower.next(text, after: now))
        #expect(end > now && end - now <= 25 * 3600 * 1_000_000)
        let shown = String(WallClock.words(end, now: end).suffix(5))
        #expect(shown == (text.count == 4 ? "0" + text : text))
        #expect(try #require(GuardPower.next(text, after: end)) > end)
    }

    @Test(arguments: ["", "24:00", "18:60", "18", "18:0", "6 pm", "-1:00", "18:00:00"])
    func otherTimes_areRefused(text: String) {
        #expect(GuardPower.next(text) == nil)
        #expect(throws: (any Error).self) { try AudioSessionTool.command(from: ["guard", "off", "--until", text]) }
    }

    @Test func twoEnds_areRefused() {
        #expect(throws: (any Error).self) {
            try AudioSessionTool.command(from: ["guard", "off", "--for", "1h", "--until", "18:00"])
        }
    }

    @Test func end_isShownWithItsDay_unlessThatIsToday() {
        let now = GuardPower.next("12:00") ?? 0
        #expect(WallClock.words(now + 3600 * 1_000_000, now: now) == "13:00")
        #expect(WallClock.words(now + 48 * 3600 * 1_000_000, now: now).count == "2026-11-29 12:00".count)
    }

    @Test func off_isOverAtItsTime_andOnNever() {
        #expect(GuardPower.off(until: WallClock.now).isOver)
        #expect(!GuardPower.off(until: WallClock.now + 60_000_000).isOver)
        #expect(!GuardPower.off(until: nil).isOver && !GuardPower.on.isOver)
        #expect(GuardPower.off(until: 1).timeoutMilliseconds == 0)
        #expect((1...30_000).contains(GuardPower.off(until: WallClock.now + 5_000_000).timeoutMilliseconds))
        // A machine that sleeps meanwhile does not count the time.
        #expect(GuardPower.off(until: .max).timeoutMilliseconds == 30_000)
        #expect(GuardPower.off(until: nil).timeoutMilliseconds == -1 && GuardPower.on.timeoutMilliseconds == -1)
    }
}
