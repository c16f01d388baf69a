import Glibc

/// Tells threads apart; equal only on one and the same living thread.
struct ThreadID: Hashable, Sendable {
    private let value: pthread_t

    private init(value: pthread_t) { self.value = value }

    static var current: ThreadID { ThreadID(value: pthread_self()) }
}
