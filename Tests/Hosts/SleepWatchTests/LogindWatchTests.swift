import TestSupport
import Testing

@testable import SleepWatch

/// The rules of a sleep watch, without a bus.
struct LogindWatchTests {
    private typealias Watch = LogindWatch<Int>

    private static func held() -> Watch {
        var watch = Watch()
        _ = watch.apply(.connected)
        _ = watch.apply(.inhibited(7, request: 1))
        return watch
    }

    @Test func sleep_whileInhibited_isHeldUntilItIsAllowed() {
        var watch = Watch()
        #expect(watch.status == nil)
        #expect(watch.apply(.connected) == [.requestInhibitor(request: 1)])
        #expect(watch.apply(.inhibited(7, request: 1)) == [])
        #expect(watch.isHeld && watch.status?.isArmed == true)
        #expect(watch.apply(.preparing(true)) == [.reportSleep(announcement: 1)])
        #expect(watch.isHeld)
        #expect(watch.apply(.allowed) == [])
        #expect(!watch.isHeld && watch.status?.isArmed == true)
        #expect(watch.apply(.preparing(false)) == [.requestInhibitor(request: 2), .reportWake])
    }

    @Test func sleep_thatIsNotAllowed_isHeldForItsOwnDelay() {
        var watch = Self.held()
        _ = watch.apply(.preparing(true))
        #expect(watch.apply(.preparing(false)) == [.reportWake])
        #expect(watch.apply(.preparing(true)) == [.reportSleep(announcement: 2)])
        _ = watch.apply(.delayEnded(announcement: 1))
        _ = watch.apply(.allowed)
        #expect(watch.isHeld, "both were the first announcement's")
        _ = watch.apply(.delayEnded(announcement: 2))
        #expect(!watch.isHeld)
    }

    @Test func allowance_withoutAnAnnouncement_isNotKept() {
        var watch = Self.held()
        _ = watch.apply(.allowed)
        _ = watch.apply(.preparing(true))
        #expect(watch.isHeld)
    }

    @Test func inhibitor_thatComesDuringSleep_isTooLate() {
        var watch = Watch()
        _ = watch.apply(.connected)
        _ = watch.apply(.preparing(true))
        _ = watch.apply(.inhibited(7, request: 1))
        #expect(!watch.isHeld && watch.status == nil)
    }

    @Test func answer_ofAnEarlierLogind_changesNothing() {
        var watch = Watch()
        _ = watch.apply(.connected)
        #expect(watch.apply(.logindChanged(isThere: true)) == [.requestInhibitor(request: 2)])
        _ = watch.apply(.refused("it has gone", request: 1))
        #expect(watch.status == nil)
        _ = watch.apply(.inhibited(7, request: 2))
        #expect(watch.isHeld)
    }

    @Test func bus_thatStaysAway_isTriedAgainAfterTwiceAsLong_upTo30Seconds() {
        var watch = Self.held()
        let pauses = (0..<9).flatMap { _ in watch.apply(.busLost("gone")) }
        let expected = [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]
        #expect(pauses == expected.map { .reconnect(afterMilliseconds: $0) })
        #expect(!watch.isHeld && watch.status?.words == "not announced, the system bus is away: gone")
        _ = watch.apply(.connected)
        _ = watch.apply(.inhibited(7, request: 2))
        #expect(watch.apply(.busLost("gone")) == [.reconnect(afterMilliseconds: 250)])
    }

    /// Sleep and waking come in turns, a loss ends the sleep, and nothing is held against an answer.
    @Test(arguments: 0..<200 as Range<UInt64>) func randomEvents_keepTheInvariants(seed: UInt64) {
        var random = Seeded(seed: seed)
        var watch = Watch()
        var (isAsleep, requests, announcements, allowances) = (false, 0, 0, 0)
        for _ in 0..<300 {
            let event: Watch.Event =
                switch Int.random(in: 0..<9, using: &random) {
                case 0: .connected
                case 1: .busLost("gone")
                case 2: .logindChanged(isThere: Bool.random(using: &random))
                case 3: .inhibited(1, request: requests - Int.random(in: 0...1, using: &random))
                case 4: .refused("no", request: requests - Int.random(in: 0...1, using: &random))
                case 5: .delayEnded(announcement: announcements - Int.random(in: 0...1, using: &random))
                case 6: .allowed
                default: .preparing(Bool.random(using: &random))
                }
            if case .allowed = event { allowances = min(allowances + 1, announcements) }
            for command in watch.apply(event) {
                switch command {
                case .requestInhibitor(let request):
                    #expect(request == requests + 1 && !watch.isHeld)
                    requests = request
                case .reportSleep(let announcement):
                    #expect(!isAsleep && announcement == announcements + 1)
                    (isAsleep, announcements) = (true, announcement)
                case .reportWake:
                    #expect(isAsleep)
                    isAsleep = false
                case .reconnect(let milliseconds): #expect((250...30_000).contains(milliseconds))
                }
            }
            switch event {
            case .busLost, .logindChanged: #expect(!isAsleep && !watch.isHeld)
            case .allowed: #expect(!(isAsleep && watch.isHeld && allowances == announcements))
            case .delayEnded(announcements): #expect(!(isAsleep && watch.isHeld))
            default: break
            }
            if watch.isHeld { #expect(watch.status?.isArmed == true) }
        }
    }
}
