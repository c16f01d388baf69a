import QueueCore
import TestSupport
import Testing

/// When a player counts as stuck.
///
/// Source of the cases: media3 1.11, `StuckPlayerDetectorTest`.
struct StuckWatchTests {
    private typealias Sight = StuckWatch.Sight

    private static let (first, second) = (QueueItemID(number: 1), QueueItemID(number: 2))
    private static let waitingLooks = Int(StuckWatch.waitingSeconds / StuckWatch.lookSeconds)
    private static let playingLooks = Int(StuckWatch.playingSeconds / StuckWatch.lookSeconds)

    private static func playing(_ frames: Int64, at sampleTime: Int64? = 0, _ item: QueueItemID = first) -> Sight {
        .playing(item, frames: frames, sampleTime: sampleTime)
    }

    /// Looks at the same so often; whether the last look alone found something.
    private func look(_ count: Int, at sight: Sight, _ watch: inout StuckWatch) -> [Bool] {
        (0..<count).map { _ in watch.look(sight) }
    }

    @Test func limits_areMedia3s() {
        #expect((StuckWatch.waitingSeconds, StuckWatch.playingSeconds) == (600, 10))
        #expect((Self.waitingLooks, Self.playingLooks) == (240, 4))
    }

    @Test func soundThatNeverComes_isFoundAtTheLimit_once() {
        var watch = StuckWatch()
        let sight = Sight.waitingForSound(Self.first, arrivals: 0)
        #expect(look(Self.waitingLooks, at: sight, &watch).allSatisfy { !$0 })
        #expect(watch.lack == nil)
        #expect(watch.look(sight) && watch.lack == .sound)
        #expect(look(Self.waitingLooks, at: sight, &watch).allSatisfy { !$0 })
    }

    @Test func soundThatComes_restartsTheWatch() {
        var watch = StuckWatch()
        for arrivals in 0..<4 {
            let sight = Sight.waitingForSound(Self.first, arrivals: UInt64(arrivals))
            #expect(look(Self.waitingLooks / 2, at: sight, &watch).allSatisfy { !$0 })
        }
        let last = Sight.waitingForSound(Self.first, arrivals: 3)
        #expect(look(Self.waitingLooks, at: last, &watch).count(where: \.self) == 1)
        #expect(watch.lack == .sound)
        #expect(watch.look(.waitingForSound(Self.first, arrivals: 4)) && watch.lack == nil)
    }

    @Test func itemThatNeverOpens_isFound() {
        var watch = StuckWatch()
        #expect(look(Self.waitingLooks, at: .opening(Self.first), &watch).allSatisfy { !$0 })
        #expect(watch.look(.opening(Self.first)) && watch.lack == .item)
    }

    @Test func positionThatStands_isFoundAtTheLimit() {
        for sampleTime in [nil, Int64(480)] {
            var watch = StuckWatch()
            #expect(look(Self.playingLooks, at: Self.playing(0, at: sampleTime), &watch).allSatisfy { !$0 })
            #expect(watch.look(Self.playing(0, at: sampleTime)) && watch.lack == .output)
            #expect(watch.look(Self.playing(1, at: 481)) && watch.lack == nil)
        }
    }

    /// As a disk that does not answer.
    @Test func cyclesWithoutFrames_lackSound_andNoOutput() {
        var watch = StuckWatch()
        for look in 0...Self.playingLooks {
            let isFound = watch.look(Self.playing(7, at: Int64(look) * 120_000))
            #expect(isFound == (look == Self.playingLooks))
        }
        #expect(watch.lack == .sound)
    }

    @Test func oneFrame_restartsTheWatch() {
        var watch = StuckWatch()
        for frame in 0..<4 {
            #expect(look(Self.playingLooks, at: Self.playing(Int64(frame)), &watch).allSatisfy { !$0 })
        }
        #expect(watch.look(Self.playing(3)) && watch.lack == .output)
    }

    @Test func anotherItem_restartsTheWatch() {
        for (sight, next, looks) in [
            (Sight.opening(Self.first), .opening(Self.second), Self.waitingLooks),
            (
                .waitingForSound(Self.first, arrivals: 0), .waitingForSound(Self.second, arrivals: 0),
                Self.waitingLooks
            ), (Self.playing(0), Self.playing(0, Self.second), Self.playingLooks),
        ] {
            var watch = StuckWatch()
            _ = look(looks, at: sight, &watch)
            #expect(look(looks, at: next, &watch).allSatisfy { !$0 })
            #expect(watch.look(next) && watch.lack != nil)
        }
    }

    @Test func anotherPhase_hasItsOwnLimit() {
        var watch = StuckWatch()
        _ = look(Self.waitingLooks, at: .opening(Self.first), &watch)
        _ = look(Self.waitingLooks, at: .waitingForSound(Self.first, arrivals: 0), &watch)
        #expect(look(Self.playingLooks, at: Self.playing(0), &watch).allSatisfy { !$0 })
        #expect(look(Self.waitingLooks, at: .waitingForSound(Self.first, arrivals: 0), &watch).allSatisfy { !$0 })
        #expect(watch.lack == nil)
    }

    /// Paused, interrupted, without a route, held by a guard, at its end, or without an item.
    @Test func playerAtRest_isNeverStuck() {
        var watch = StuckWatch()
        #expect(look(10 * Self.waitingLooks, at: .rest, &watch).allSatisfy { !$0 })
        _ = look(Self.playingLooks, at: Self.playing(0), &watch)
        #expect(look(1, at: .rest, &watch) == [false])
        #expect(look(Self.playingLooks, at: Self.playing(0), &watch).allSatisfy { !$0 })
        _ = watch.look(Self.playing(0))
        #expect(watch.lack == .output && watch.look(.rest) && watch.lack == nil)
    }

    /// Against a plain count of equal looks, for random sights that change seldom.
    @Test func randomSights_areStuckWhereTheyStoodForTheLimit() {
        var random = Seeded(seed: 99)
        var findings = 0
        for _ in 0..<200 {
            var (watch, sight, equal) = (StuckWatch(), Sight.rest, 0)
            for _ in 0..<40 {
                let before = sight
                let item = Bool.random(using: &random) ? Self.first : Self.second
                switch Int.random(in: 0..<12, using: &random) {
                case 0: sight = .rest
                case 1: sight = .opening(item)
                case 2: sight = .waitingForSound(item, arrivals: UInt64.random(in: 0..<2, using: &random))
                case 3...4: sight = Self.playing(Int64.random(in: 0..<2, using: &random), item)
                default: break
                }
                equal = sight == before ? equal + 1 : 0
                let (old, hasChanged) = (watch.lack, watch.look(sight))
                #expect(hasChanged == (watch.lack != old))
                let isPlaying = if case .playing = sight { true } else { false }
                #expect((watch.lack == .output) == (isPlaying && equal >= Self.playingLooks))
                if hasChanged, watch.lack != nil { findings += 1 }
            }
        }
        #expect(findings > 50)
    }
}
