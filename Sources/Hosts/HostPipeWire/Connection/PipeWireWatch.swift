internal import AudioModel
internal import CPipeWireShims
internal import Threading

/// Waits on one thread for a server's socket to appear; any other thread may wake it.
///
/// It uses inotify on the socket's directory or, while that is missing, on the nearest existing parent. It watches the plain cases
/// that the environment may name; `search` also asks the server from time to time.
///
/// Rule: `watched` is used only by the waiting thread; other threads call only `wake`.
package final class PipeWireWatch: @unchecked Sendable {
    private enum End { case timedOut, woken, appeared }

    private static let firstPauseMilliseconds = 50
    private static let longestPauseMilliseconds = 1000
    // The socket's permissions are set after it was created, and a directory may become accessible later.
    private static let mask = UInt32(
        IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

    /// The path components from the root to the socket; empty if the environment names no directory.
    private let names: [String]
    private let inotify: Int32
    private let waker: WakePipe
    /// The watched directory, made of the first `depth` names.
    private var watched: (descriptor: Int32, depth: Int)?

    /// nil if the system has no descriptors left.
    ///
    /// - Parameter remote: the server's socket as an absolute path; nil uses the environment.
    package init?(remote: String?) {
        let path = withShimText { text, size in withOptionalCString(remote) { oav_socket_locate($0, text, size) } }.1
        names = path.hasPrefix("/") ? path.split(separator: "/").map(String.init) : []
        guard let waker = WakePipe() else { return nil }
        self.waker = waker
        inotify = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard inotify >= 0 else { return nil }
    }

    deinit { close(inotify) }

    /// Any thread.
    package func wake() { waker.wake() }

    /// Waits until it is woken or the time has passed; during a search, also until the socket may have appeared.
    ///
    /// - Parameter milliseconds: nil waits without a limit.
    package func wait(milliseconds: Int? = nil) { _ = waitForEnd(milliseconds: milliseconds) }

    /// Calls `attempt` now, when the server's socket appears, when it is woken, and after pauses that double up to 1 s.
    ///
    /// - Parameter attempt: returns whether the search is over.
    package func search(_ attempt: () -> Bool) {
        begin()
        defer { end() }
        var pause = Self.firstPauseMilliseconds
        while !attempt() {
            switch waitForEnd(milliseconds: pause) {
            case .timedOut: pause = min(pause * 2, Self.longestPauseMilliseconds)
            case .appeared: pause = Self.firstPauseMilliseconds
            case .woken: break
            }
        }
    }

    private func begin() {
        // A directory that appears between the lookup and the new watch is found by the next round of this loop.
        var before: Int?
        repeat {
            before = watched?.depth
            watchDeepestDirectory()
        } while watched?.depth != before
    }

    private func end() {
        if let watched { inotify_rm_watch(inotify, watched.descriptor) }
        watched = nil
        drain { _ in }
    }

    private func watchDeepestDirectory() {
        for depth in (0..<names.count).reversed() {
            let found = inotify_add_watch(inotify, "/" + names.prefix(depth).joined(separator: "/"), Self.mask)
            guard found >= 0 else { continue }
            // An unchanged directory keeps its watch descriptor; a directory that was deleted and created again has another one.
            if let watched, watched.descriptor != found { inotify_rm_watch(inotify, watched.descriptor) }
            watched = (found, depth)
            return
        }
    }

    private func waitForEnd(milliseconds: Int?) -> End {
        let deadline = milliseconds.map { HostTime.monotonic.advanced(byMilliseconds: UInt64($0)).nanoseconds }
        var pollers = [waker.descriptor, inotify].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            let now = HostTime.monotonic.nanoseconds
            let left = deadline.map { $0 > now ? Int32(clamping: ($0 - now) / 1_000_000) : 0 } ?? -1
            let ready = poll(&pollers, 2, left)
            if ready < 0, errno == EINTR { continue }
            if waker.clear() { return .woken }
            if ready > 0, hasAppeared() {
                begin()
                return .appeared
            }
            if ready < 0 || left == 0 { return .timedOut }
        }
    }

    /// Whether the socket or a directory on its path has appeared; other programs often create files in the same directory.
    private func hasAppeared() -> Bool {
        var hasAppeared = false
        drain { bytes in
            var offset = 0
            while offset < bytes.count {
                let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let start = offset + MemoryLayout<inotify_event>.size
                offset = start + Int(event.len)
                guard let watched, event.wd == watched.descriptor else { continue }
                // An event without a name is about the directory itself.
                let name = bytes[start..<offset].prefix { $0 != 0 }
                if event.len == 0 || name.elementsEqual(names[watched.depth].utf8) { hasAppeared = true }
            }
        }
        return hasAppeared
    }

    private func drain(_ body: (UnsafeRawBufferPointer) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while case let size = read(inotify, buffer.baseAddress, buffer.count), size > 0 {
                body(UnsafeRawBufferPointer(rebasing: buffer[..<size]))
            }
        }
    }
}
