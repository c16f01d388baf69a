package import Synchronization

extension Mutex where Value: Sendable {
    /// As `withLock`; what the value does not have any more is released after the lock.
    ///
    /// For values that keep closures and objects of the app's: the last reference to one runs deinitialisers of the app's,
    /// which may call what takes the lock.
    package func change<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var before: Value?
        defer { withExtendedLifetime(before) {} }
        return try withLock { value throws(Failure) in
            before = value
            return try body(&value)
        }
    }
}
