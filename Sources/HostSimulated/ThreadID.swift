import Glibc

/// Tells threads apart; equal only on one and the same living thread.
struct ThreadID: Hashable, Sendable {
    private let value: pthread_t

    static var current: ThreadID { ThreadID(value: pthread_self()) }
}
