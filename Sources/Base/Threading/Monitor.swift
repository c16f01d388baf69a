/// A value with its lock, and a way to wait until the value has changed.
///
/// In the place of `Synchronization.Mutex` for two reasons: that has no condition to wait on, and ThreadSanitizer does
/// not see it on Linux (its slow path is in the uninstrumented standard library), so that every contended use is
/// reported as a race. The pthread calls it sees.
/// `@unchecked`: `value` is touched with the lock held only; the pthread objects never move.
package final class Monitor<Value: Sendable>: @unchecked Sendable {
    private var value: Value
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init(_ value: Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
        // The monotonic clock: setting the time of day must not wake or delay a waiting thread.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        #if !canImport(Darwin)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        #endif
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Not recursive: the body calls nothing that may call this again.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Lets those who wait look again; to be called after the change, without the lock.
    package func notifyAll() { pthread_cond_broadcast(condition) }

    /// As `withLock`, then `notifyAll`.
    package func update<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { notifyAll() }
        return try withLock(body)
    }

    package func wait(while predicate: (Value) -> Bool) { wait(while: predicate) { _ in } }

    /// Waits until the predicate is false, and runs the body before it can change again.
    package func wait<Result>(while predicate: (Value) -> Bool, then body: (inout Value) -> Result) -> Result {
        // Not with `withLock`: the value changes while this waits, which an `inout` argument must not.
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while predicate(value) { pthread_cond_wait(condition, mutex) }
        return body(&value)
    }

    /// Waits until the predicate is false or `monotonicNanoseconds` has reached the deadline.
    ///
    /// - Returns: whether the predicate is false.
    @discardableResult
    package func wait(untilNanoseconds deadline: UInt64, while predicate: (Value) -> Bool) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while predicate(value) {
            #if canImport(Darwin)
                var rest = timespec(nanoseconds: deadline - min(deadline, monotonicNanoseconds()))
                let code = pthread_cond_timedwait_relative_np(condition, mutex, &rest)
            #else
                var instant = timespec(nanoseconds: deadline)
                let code = pthread_cond_timedwait(condition, mutex, &instant)
            #endif
            if code == ETIMEDOUT { return !predicate(value) }
        }
        return true
    }

    /// As `wait(untilNanoseconds:while:)`, from now on; of `seconds`, 0 to a billion count.
    @discardableResult
    package func wait(atMostSeconds seconds: Double, while predicate: (Value) -> Bool) -> Bool {
        let nanoseconds = UInt64(min(max(seconds, 0), 1e9) * 1e9)
        return wait(untilNanoseconds: monotonicNanoseconds() + nanoseconds, while: predicate)
    }
}

extension timespec {
    fileprivate init(nanoseconds: UInt64) {
        self.init(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }
}

/// `CLOCK_MONOTONIC`: no clock that a person sets moves it.
package func monotonicNanoseconds() -> UInt64 {
    var instant = timespec()
    clock_gettime(CLOCK_MONOTONIC, &instant)
    return UInt64(instant.tv_sec) * 1_000_000_000 + UInt64(instant.tv_nsec)
}

/// The same in seconds.
package func monotonicSeconds() -> Double { Double(monotonicNanoseconds()) / 1e9 }

/// Tells threads apart; equal only on one and the same living thread.
///
/// `@unchecked`: a number with glibc, a pointer elsewhere that nothing follows.
package struct ThreadID: Hashable, @unchecked Sendable {
    private let value: pthread_t

    package static var current: ThreadID { ThreadID(value: pthread_self()) }
}
