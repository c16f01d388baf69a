import Glibc

/// Lets threads wait for a change of state that another lock guards.
///
/// Whoever changes that state calls `notifyAll` after the change and without holding its lock. The predicates may take
/// that lock: the order is always turnstile first, state second.
/// `@unchecked`: the two pthread objects are made for use from many threads and never move or change address.
final class Turnstile: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        // The monotonic clock: setting the time of day must not wake or delay anybody.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func notifyAll() {
        pthread_mutex_lock(mutex)
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    func wait(while predicate: () -> Bool) {
        pthread_mutex_lock(mutex)
        while predicate() { pthread_cond_wait(condition, mutex) }
        pthread_mutex_unlock(mutex)
    }

    /// Waits until the predicate is false or `CLOCK_MONOTONIC` has reached the deadline, in nanoseconds.
    func wait(untilNanoseconds deadline: UInt64, while predicate: () -> Bool) {
        var instant = timespec(
            tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        pthread_mutex_lock(mutex)
        while predicate() {
            if pthread_cond_timedwait(condition, mutex, &instant) == ETIMEDOUT { break }
        }
        pthread_mutex_unlock(mutex)
    }
}
