internal import Foundation

/// A value that is made once, by the first caller that needs it or by choice.
///
/// Any thread.
///
/// `@unchecked Sendable`: `state` is read and written under `condition` only.
package final class OnceMade<Value: Sendable>: @unchecked Sendable {
    /// Legal exits: none -> making; making -> made | none (`make` threw); made -> nowhere.
    private enum State {
        case none
        case making
        case made(Value)
    }

    package enum Outcome {
        case made(Value)
        /// It was there; nothing was made.
        case existed(Value)
    }

    private let condition = NSCondition()
    private var state = State.none

    package init() {}

    /// Waits while another thread makes the value; makes it where there is none.
    ///
    /// The lock is not held while `make` runs: it connects to a server and takes its time.
    package func value<E: Error>(make: () throws(E) -> Value) throws(E) -> Outcome {
        if let value = claim() { return .existed(value) }
        do throws(E) {
            let value = try make()
            finish(.made(value))
            return .made(value)
        } catch {
            finish(.none)
            throw error
        }
    }

    /// The value, once it is made; nil makes the caller the one to make it.
    private func claim() -> Value? {
        condition.withLock {
            while true {
                switch state {
                case .made(let value): return value
                case .making: condition.wait()
                case .none:
                    state = .making
                    return nil
                }
            }
        }
    }

    private func finish(_ newState: State) {
        condition.withLock {
            state = newState
            condition.broadcast()
        }
    }
}
