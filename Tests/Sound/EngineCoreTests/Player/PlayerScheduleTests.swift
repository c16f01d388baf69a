import EngineCore
import Testing

@Suite struct PlayerScheduleTests {
    /// What a player did, in order.
    enum Act: Equatable {
        case hold(Int64)
        case fed(UInt64, from: Int64, count: Int)
        case done(UInt64, ScheduledItem.Callback)
        case flushed
    }

    /// Does what the schedule says, `chunk` frames at a time, and writes it down.
    struct Feeder {
        var schedule = PlayerSchedule()
        var acts: [Act] = []

        mutating func note(_ due: [ItemCompletion]) { acts += due.map { .done($0.item, $0.callback) } }

        mutating func schedule(_ item: ScheduledItem, _ interruption: ScheduleInterruption = .none) {
            let outcome = schedule.schedule(item, interrupting: interruption)
            if outcome.mustFlush { acts.append(.flushed) }
            note(outcome.due)
        }

        mutating func feed(_ frames: Int) {
            var left = frames
            while left > 0, let step = schedule.step(limit: left) {
                switch step {
                case .hold(let time):
                    acts.append(.hold(time))
                    schedule.advanceHold()
                case .frames(let item, let from, let count):
                    acts.append(.fed(item, from: from, count: count))
                    note(schedule.advance(frames: count))
                    left -= count
                }
            }
        }

        mutating func update(_ rendered: Int64, now: Int64) { note(schedule.update(rendered: rendered, now: now)) }

        mutating func takeActs() -> [Act] {
            defer { acts = [] }
            return acts
        }
    }

    @Test func items_comeOneAfterTheOther() {
        var feeder = Feeder()
        feeder.schedule(ScheduledItem(id: 1, frames: 5))
        feeder.schedule(ScheduledItem(id: 2, frames: 3))
        feeder.feed(4)
        feeder.feed(10)
        #expect(
            feeder.acts == [
                .fed(1, from: 0, count: 4), .fed(1, from: 4, count: 1), .done(1, .dataConsumed),
                .fed(2, from: 0, count: 3), .done(2, .dataConsumed),
            ])
        #expect(feeder.schedule.isEmpty)
        #expect(feeder.schedule.fedFrames == 8)
    }

    @Test func completions_ofEachKind_areDueInTheirTime() {
        var feeder = Feeder()
        feeder.schedule.latencyFrames = 7
        feeder.schedule(ScheduledItem(id: 1, frames: 5, callback: .dataRendered))
        feeder.schedule(ScheduledItem(id: 2, frames: 5, callback: .dataPlayedBack))
        feeder.schedule(ScheduledItem(id: 3, frames: 5))
        feeder.feed(100)
        #expect(feeder.takeActs().last == .done(3, .dataConsumed))
        feeder.update(4, now: 4)
        #expect(feeder.takeActs() == [])
        feeder.update(5, now: 5)
        #expect(feeder.takeActs() == [.done(1, .dataRendered)])
        feeder.update(12, now: 12)
        feeder.update(15, now: 18)
        #expect(feeder.takeActs() == [])
        feeder.update(15, now: 19)
        #expect(feeder.takeActs() == [.done(2, .dataPlayedBack)])
        #expect(feeder.schedule.isEmpty)
    }

    @Test func stop_completesAllInOrder() {
        var feeder = Feeder()
        feeder.schedule(ScheduledItem(id: 1, frames: 5, callback: .dataPlayedBack))
        feeder.schedule(ScheduledItem(id: 2, frames: 5, loops: -1, callback: .dataRendered))
        feeder.schedule(ScheduledItem(id: 3, frames: 5))
        feeder.feed(12)
        _ = feeder.takeActs()
        feeder.note(feeder.schedule.stop())
        #expect(feeder.acts == [.done(1, .dataPlayedBack), .done(2, .dataRendered), .done(3, .dataConsumed)])
        #expect(feeder.schedule.isEmpty)
        #expect(feeder.schedule.fedFrames == 0)
        #expect(feeder.schedule.step(limit: 1) == nil)
    }

    @Test func time_ofAnItem_isHeldOnceBeforeItsFirstFrame() {
        var feeder = Feeder()
        feeder.schedule(ScheduledItem(id: 1, frames: 2))
        feeder.schedule(ScheduledItem(id: 2, frames: 4, time: 100))
        feeder.feed(3)
        feeder.feed(3)
        #expect(
            feeder.acts == [
                .fed(1, from: 0, count: 2), .done(1, .dataConsumed), .hold(100), .fed(2, from: 0, count: 1),
                .fed(2, from: 1, count: 3), .done(2, .dataConsumed),
            ])
    }

    @Test func loop_goesOnUntilInterruptedAtItsEnd() {
        var feeder = Feeder()
        feeder.schedule(ScheduledItem(id: 1, frames: 3, loops: -1))
        feeder.schedule(ScheduledItem(id: 2, frames: 9))
        feeder.feed(8)
        #expect(
            feeder.takeActs() == [
                .fed(1, from: 0, count: 3), .fed(1, from: 0, count: 3), .fed(1, from: 0, count: 2),
            ])
        feeder.schedule(ScheduledItem(id: 3, frames: 2), .atLoopEnd)
        feeder.feed(8)
        #expect(
            feeder.takeActs() == [
                .done(2, .dataConsumed), .fed(1, from: 2, count: 1), .done(1, .dataConsumed),
                .fed(3, from: 0, count: 2), .done(3, .dataConsumed),
            ])
    }

    @Test func loop_interruptedBetweenPasses_isOver() {
        var feeder = Feeder()
        feeder.schedule(ScheduledItem(id: 1, frames: 3, loops: -1))
        feeder.feed(3)
        feeder.schedule(ScheduledItem(id: 2, frames: 1, loops: -1), .atLoopEnd)
        feeder.feed(2)
        #expect(
            feeder.acts == [
                .fed(1, from: 0, count: 3), .done(1, .dataConsumed), .fed(2, from: 0, count: 1),
                .fed(2, from: 0, count: 1),
            ])
    }

    @Test func loop_interruptedBeforeItBegan_playsOnce() {
        var feeder = Feeder()
        feeder.schedule(ScheduledItem(id: 1, frames: 3, loops: -1))
        feeder.schedule(ScheduledItem(id: 2, frames: 1), .atLoopEnd)
        feeder.feed(9)
        #expect(
            feeder.acts == [
                .fed(1, from: 0, count: 3), .done(1, .dataConsumed), .fed(2, from: 0, count: 1),
                .done(2, .dataConsumed),
            ])
    }

    @Test func interruptionAtLoop_withoutALoop_waitsItsTurn() {
        var feeder = Feeder()
        feeder.schedule(ScheduledItem(id: 1, frames: 3))
        feeder.schedule(ScheduledItem(id: 2, frames: 1), .atLoopEnd)
        feeder.feed(9)
        #expect(feeder.acts.last == .done(2, .dataConsumed))
        #expect(feeder.acts.count == 4)
    }

    @Test func interruption_dropsWhatWasBefore() {
        var feeder = Feeder()
        feeder.schedule.latencyFrames = 4
        feeder.schedule(ScheduledItem(id: 1, frames: 2, callback: .dataPlayedBack))
        feeder.schedule(ScheduledItem(id: 2, frames: 2, callback: .dataRendered))
        feeder.schedule(ScheduledItem(id: 3, frames: 9, loops: -1))
        feeder.feed(6)
        feeder.update(3, now: 3)
        _ = feeder.takeActs()
        feeder.schedule(ScheduledItem(id: 4, frames: 1, callback: .dataRendered), .atOnce)
        #expect(feeder.takeActs() == [.flushed, .done(2, .dataRendered), .done(3, .dataConsumed)])
        #expect(feeder.schedule.fedFrames == 0)
        feeder.feed(6)
        feeder.update(1, now: 7)
        // The first is still heard after it was rendered at 3.
        #expect(
            feeder.takeActs() == [.fed(4, from: 0, count: 1), .done(1, .dataPlayedBack), .done(4, .dataRendered)])
    }

    @Test func interruption_beforeAnythingWasFed_needsNoFlush() {
        var feeder = Feeder()
        feeder.schedule(ScheduledItem(id: 1, frames: 2))
        feeder.schedule(ScheduledItem(id: 2, frames: 2), .atOnce)
        #expect(feeder.acts == [.done(1, .dataConsumed)])
    }

    @Test func item_withoutFrames_isDoneInItsTurn() {
        var feeder = Feeder()
        feeder.schedule(ScheduledItem(id: 1, frames: 0))
        feeder.schedule(ScheduledItem(id: 2, frames: 1))
        feeder.schedule(ScheduledItem(id: 3, frames: 0, loops: -1))
        feeder.schedule(ScheduledItem(id: 4, frames: 0, callback: .dataRendered))
        feeder.feed(4)
        feeder.update(1, now: 1)
        #expect(
            feeder.acts == [
                .done(1, .dataConsumed), .fed(2, from: 0, count: 1), .done(2, .dataConsumed), .done(3, .dataConsumed),
                .done(4, .dataRendered),
            ])
    }

    @Test func item_thatEndsEarly_isDoneWhereItEnded() {
        var feeder = Feeder()
        feeder.schedule(ScheduledItem(id: 1, frames: 10, callback: .dataRendered))
        feeder.schedule(ScheduledItem(id: 2, frames: 1))
        feeder.feed(4)
        feeder.note(feeder.schedule.abandonFirst())
        feeder.update(4, now: 4)
        #expect(feeder.acts == [.fed(1, from: 0, count: 4), .done(1, .dataRendered)])
        #expect(feeder.schedule.step(limit: 9) == .frames(item: 2, from: 0, count: 1))
    }
}
