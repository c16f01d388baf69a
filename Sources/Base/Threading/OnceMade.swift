/// A value that is made once, by the first caller that needs it or by choice.
///
/// Any thread.
package final class OnceMade<Value: Sendable>: Sendable {
    /// Legal exits: none -> making; making -> made | none (`make` threw); made -> nowhere.
    private enum State {
        case none
        case making
        case made(Value)

        var isMaking: Bool { if case .making = self { true } else { false } }
    }

    private let state = Monitor(State.none)

    package init() {}

    /// Waits while another thread makes the value; makes it where there is none.
    ///
    /// The lock is not held while `make` runs: it connects to a server and takes its time.
    ///
    /// - Returns: the value, and whether this call has made it.
    package func value<E: Error>(make: () throws(E) -> Value) throws(E) -> (value: Value, isNew: Bool) {
        if let value = claim() { return (value, false) }
        do throws(E) {
            let value = try make()
            state.update { $0 = .made(value) }
            return (value, true)
        } catch {
            state.update { $0 = .none }
            throw error
        }
    }

    /// The value, once it is made; nil makes the caller the one to make it.
    private func claim() -> Value? {
        state.wait(while: \.isMaking) { state in
            if case .made(let value) = state { return value }
            state = .making
            return nil
        }
    }
}
