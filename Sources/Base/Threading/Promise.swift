/// A value that comes once and can be waited for.
///
/// Any thread.
package final class Promise<Value: Sendable>: Sendable {
    private let value = Monitor<Value?>(nil)

    package init() {}

    /// The first value counts.
    package func fulfil(_ value: Value) {
        self.value.update { if $0 == nil { $0 = .some(value) } }
    }

    package func wait() -> Value {
        value.wait(while: Self.isMissing) { value in
            guard let value else { preconditionFailure("the wait ended without a value") }
            return value
        }
    }

    /// - Returns: false when the time passed first.
    @discardableResult
    package func wait(timeoutSeconds: Double) -> Bool {
        value.wait(atMostSeconds: timeoutSeconds, while: Self.isMissing)
    }

    private static func isMissing(_ value: Value?) -> Bool { value == nil }
}

/// An event that happens once and can be waited for.
package typealias Latch = Promise<Void>

extension Promise<Void> {
    package func raise() { fulfil(()) }
}
