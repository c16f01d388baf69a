import CoreMedia
import SessionRuntime
import Synchronization

/// The blocks that follow a player's time.
///
/// Any thread; the blocks are called on their queues.
final class TimeObservers: Sendable {
    private let state = Mutex(State())

    struct Token: Hashable, Sendable {
        fileprivate let id: UInt64
    }

    private enum Due {
        /// Every so many seconds; `last` is the count of whole intervals at the last call.
        ///
        /// Not an integer: a seek may be on its way to where more intervals lie before than an integer counts.
        case each(seconds: Double, last: Double?)
        /// At these seconds, ascending.
        case at([Double])
    }

    private struct Observer {
        var due: Due
        var call: @Sendable (CMTime) -> Void
    }

    private struct State {
        var observers: [Token: Observer] = [:]
        var lastID: UInt64 = 0
        /// Nil after a jump: nothing has been passed.
        var position: Double?
    }

    /// - Parameter call: hands the block to its queue.
    func addPeriodic(seconds: Double, call: @escaping @Sendable (CMTime) -> Void) -> Token {
        add(Observer(due: .each(seconds: seconds, last: nil), call: call))
    }

    /// - Parameter call: hands the block to its queue.
    func addBoundary(seconds: [Double], call: @escaping @Sendable (CMTime) -> Void) -> Token {
        add(Observer(due: .at(seconds.filter { !$0.isNaN }.sorted()), call: call))
    }

    private func add(_ observer: Observer) -> Token {
        state.withLock { state in
            state.lastID += 1
            let token = Token(id: state.lastID)
            state.observers[token] = observer
            return token
        }
    }

    func remove(_ token: Token) { state.change { $0.observers[token] = nil } }

    /// The player's time went on to this position.
    ///
    /// - Returns: how many seconds of the sound the next call is due after.
    func advance(to position: Double) -> Double {
        let (calls, next) = state.withLock { state -> ([@Sendable () -> Void], Double) in
            var (calls, next): ([@Sendable () -> Void], Double) = ([], .infinity)
            for (token, observer) in state.observers {
                let call = observer.call
                switch observer.due {
                case .each(let seconds, let last):
                    let count = Self.count(of: seconds, in: position)
                    state.observers[token]?.due = .each(seconds: seconds, last: count)
                    if let last, last != count { calls.append { call(CMTime(position: count * seconds)) } }
                    if last == nil { calls.append { call(CMTime(position: position)) } }
                    next = min(next, (count + 1) * seconds - position)
                case .at(let times):
                    for time in times where time <= position && state.position.map({ time > $0 }) == true {
                        calls.append { call(CMTime(position: time)) }
                    }
                    if let time = times.first(where: { $0 > position }) { next = min(next, time - position) }
                }
            }
            state.position = position
            return (calls, next)
        }
        for call in calls { call() }
        return next
    }

    /// A seek went to this position: nothing on the way has been passed.
    func jump(to position: Double) {
        state.withLock { $0.position = position }
        announce(position)
    }

    /// The player started or stopped, or its time jumped: blocks of intervals are told.
    func announce(_ position: Double) {
        let calls = state.withLock { state -> [@Sendable (CMTime) -> Void] in
            state.observers.compactMap { token, observer in
                guard case .each(let seconds, _) = observer.due else { return nil }
                state.observers[token]?.due = .each(seconds: seconds, last: Self.count(of: seconds, in: position))
                return observer.call
            }
        }
        for call in calls { call(CMTime(position: position)) }
    }

    /// A nanosecond makes up for what the division loses.
    private static func count(of seconds: Double, in position: Double) -> Double {
        (position / seconds + 1e-9).rounded(.down)
    }
}
