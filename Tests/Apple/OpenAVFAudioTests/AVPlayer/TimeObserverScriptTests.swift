import CoreMedia
import TestSupport
import Testing

@testable import OpenAVFoundation

/// Random ways of a player's time: which blocks are called with which times, against the rules in whole milliseconds.
@Suite struct TimeObserverScriptTests {
    /// Times in milliseconds, which are exact.
    private enum Due {
        case each(Int, last: Int?)
        case at(Set<Int>)
    }

    /// What `AVPlayer.addPeriodicTimeObserver` and `addBoundaryTimeObserver` promise.
    private struct Model {
        var observers: [Int: Due] = [:]
        var position: Int?

        /// The calls of one advance, "observer time", in no order, and when the next one is due.
        mutating func advance(to new: Int) -> (calls: [String], next: Int?) {
            var (calls, next): ([String], Int?) = ([], nil)
            func expect(_ wait: Int) { next = min(next ?? wait, wait) }
            for (id, due) in observers {
                switch due {
                case .each(let interval, let last):
                    let count = new / interval
                    // At first it is told where the time is, and then of the multiples that it passes: of the last one.
                    if last == nil { calls.append("\(id) \(new)") }
                    if let last, last != count { calls.append("\(id) \(count * interval)") }
                    observers[id] = .each(interval, last: count)
                    expect((count + 1) * interval - new)
                case .at(let times):
                    // After a jump or at first, nothing lies behind it.
                    if let position { calls += times.filter { $0 > position && $0 <= new }.map { "\(id) \($0)" } }
                    if let time = times.filter({ $0 > new }).min() { expect(time - new) }
                }
            }
            position = new
            return (calls, next)
        }

        mutating func jump(to new: Int) -> [String] {
            position = new
            return observers.compactMap { id, due in
                guard case .each(let interval, _) = due else { return nil }
                observers[id] = .each(interval, last: new / interval)
                return "\(id) \(new)"
            }
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func calls_areThoseOfTheRules(seed: UInt64) {
        var random = Seeded(seed: seed)
        let (times, log) = (TimeObservers(), History<String>())
        var (model, tokens, now, told): (Model, [Int: TimeObservers.Token], Int, Int) = (Model(), [:], 0, 0)
        var calls = 0
        for step in 0..<400 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                let interval = Int.random(in: 1...900, using: &random)
                tokens[step] = times.addPeriodic(seconds: Double(interval) / 1000) {
                    log.append("\(step) \(Int(($0.seconds * 1000).rounded()))")
                }
                model.observers[step] = .each(interval, last: nil)
            case 1:
                let places = Set((0..<5).map { _ in Int.random(in: 0...9000, using: &random) })
                tokens[step] = times.addBoundary(seconds: places.map { Double($0) / 1000 } + [.nan]) {
                    log.append("\(step) \(Int(($0.seconds * 1000).rounded()))")
                }
                model.observers[step] = .at(places)
            case 2:
                guard let (id, token) = tokens.randomElement(using: &random) else { continue }
                times.remove(token)
                (tokens[id], model.observers[id]) = (nil, nil)
            case 3:
                now = Int.random(in: 0...9000, using: &random)
                times.jump(to: Double(now) / 1000)
                check(model.jump(to: now))
            default:
                now += Int.random(in: 0...200, using: &random)
                let wait = times.advance(to: Double(now) / 1000)
                let (expected, next) = model.advance(to: now)
                check(expected)
                #expect(next.map { abs(Double($0) / 1000 - wait) < 1e-6 } ?? (wait == .infinity))
            }
        }
        #expect(calls > 100)

        func check(_ expected: [String]) {
            let new = log.entries.dropFirst(told)
            #expect(new.sorted() == expected.sorted(), "at \(now) ms of seed \(seed)")
            (told, calls) = (told + new.count, calls + new.count)
        }
    }

    /// A seek to such a place is the player's time until it is carried out.
    @Test(arguments: [8e18, -8e18]) func position_beyondEverySound_isTold(position: Double) {
        let (times, log) = (TimeObservers(), History<Double>())
        _ = times.addPeriodic(seconds: 0.5) { log.append($0.seconds) }
        times.announce(position)
        times.jump(to: position)
        _ = times.advance(to: 0)
        #expect(log.entries == [position, position, 0])
    }

    @Test func observer_thatIsRemovedByItsOwnCall_isNotCalledAgain() {
        let (times, log) = (TimeObservers(), History<Double>())
        let tokens = History<TimeObservers.Token>()
        tokens.append(
            times.addPeriodic(seconds: 0.1) {
                log.append($0.seconds)
                for token in tokens.entries { times.remove(token) }
            })
        for step in 0...5 { _ = times.advance(to: Double(step) / 10) }
        #expect(log.entries == [0])
        // An observer that its call adds hears of what comes then.
        let later = History<Double>()
        _ = times.addBoundary(seconds: [1]) { _ in _ = times.addBoundary(seconds: [1, 2]) { later.append($0.seconds) } }
        for position in [0.9, 1, 1.9, 2] { _ = times.advance(to: position) }
        #expect(later.entries == [2])
    }
}
