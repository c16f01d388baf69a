internal import HostPipeWire
internal import Synchronization
internal import Threading

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Reports when no process has the other end of a pipe open; runs its own thread from the first pipe on.
final class HangUps: Sendable {
    private struct State {
        /// The reading ends, by the holder's cookie.
        var ends: [UInt32: Int32] = [:]
        var thread: StartedThread?
        var isShutDown = false
    }

    private let wake: WakePipe?
    private let state = Mutex(State())
    private let onHangUp: @Sendable (UInt32) -> Void

    /// - Parameter onHangUp: called on this class's thread.
    init(onHangUp: @escaping @Sendable (UInt32) -> Void) {
        wake = WakePipe()
        self.onHangUp = onHangUp
    }

    /// - Returns: the writing end, owned by the caller; `onHangUp` follows when its last copy is closed. nil if the process has
    ///   too many files open, or if no thread is available.
    func makePipe(_ cookie: UInt32) -> Int32? {
        var ends: [Int32] = [-1, -1]
        guard let wake, pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let isWatched = state.withLock { state in
            if state.thread == nil {
                state.thread = StartedThread(named: "oav-focus") { [self] in while waitForHangUps() {} }
            }
            state.ends[cookie] = ends[0]
            return state.thread != nil
        }
        wake.wake()
        if isWatched { return ends[1] }
        for end in ends { close(end) }
        return nil
    }

    /// Waits for the thread's end; must not run on that thread.
    func shutdown() {
        let thread = state.withLock { state in
            state.isShutDown = true
            return state.thread.take()
        }
        wake?.wake()
        thread?.join()
        for end in state.withLock({ $0.ends.values }) { close(end) }
    }

    private func waitForHangUps() -> Bool {
        guard let wake, let ends = state.withLock({ $0.isShutDown ? nil : $0.ends.sorted { $0.key < $1.key } }) else {
            return false
        }
        // A holder's data is not read: only the end of the pipe counts.
        var sources = [pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)]
        sources += ends.map { pollfd(fd: $0.value, events: 0, revents: 0) }
        _ = poll(&sources, nfds_t(sources.count), -1)
        if sources[0].revents != 0 { _ = wake.clear() }
        for (source, end) in zip(sources.dropFirst(), ends) where source.revents != 0 {
            state.withLock { $0.ends[end.key] = nil }
            close(end.value)
            onHangUp(end.key)
        }
        return true
    }
}
