package import AudioModel
internal import CLogind
internal import HostInterface
internal import Synchronization

/// The machine's sleep, as systemd-logind announces it.
///
/// From an announcement on, the machine waits until `allow`, 2 s at most. When the bus or logind goes away meanwhile, so
/// that no event would follow, waking is reported at once.
///
/// Threads: the watch has a thread of its own, on which events are delivered; the rest is for the session thread.
package final class LogindSleep: Sendable {
    /// Where the announcements come from.
    package enum Bus: Hashable, Sendable {
        /// `DBUS_SYSTEM_BUS_ADDRESS`, or the machine's.
        case system
        /// A D-Bus address, "unix:path=/run/other/bus".
        case address(String)
        /// Nowhere: sleep is not watched.
        case none
    }

    private let receiver: Receiver
    /// nil once closed.
    private let handle: Mutex<Handle?>

    /// Rule: used under the lock only, but for its end, which is `close`'s alone.
    private struct Handle: @unchecked Sendable { let pointer: OpaquePointer }

    private final class Receiver: Sendable {
        let deliver: @Sendable (HostEvent) -> Void

        init(_ deliver: @escaping @Sendable (HostEvent) -> Void) { self.deliver = deliver }

        static func of(_ context: UnsafeMutableRawPointer?) -> Receiver? {
            context.map { Unmanaged<Receiver>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    /// Why there is no watch on this machine, in words for people; nothing that plays needs one.
    package struct Absence: Error { package let reason: String }

    /// - Parameters:
    ///   - library: to be loaded instead of `libsystemd.so.0`.
    ///   - deliver: gets `sleepAnnounced` and `wokeFromSleep`, in turns.
    package init(
        bus: Bus = .system, library: String? = nil, deliver: @escaping @Sendable (HostEvent) -> Void
    ) throws(Absence) {
        if bus == .none { throw Absence(reason: "not asked for") }
        let address: String? = if case .address(let address) = bus { address } else { nil }
        receiver = Receiver(deliver)
        var events = oav_logind_events(
            context: Unmanaged.passUnretained(receiver).toOpaque(),
            announced: { Receiver.of($0)?.deliver(.sleepAnnounced) },
            woke: { Receiver.of($0)?.deliver(.wokeFromSleep) })
        let (pointer, words) = withShimText { text, size in
            withOptionalCString(address) { address in
                withOptionalCString(library) { oav_logind_open(address, $0, &events, text, size) }
            }
        }
        guard let pointer else { throw Absence(reason: words) }
        handle = Mutex(Handle(pointer: pointer))
    }

    deinit { close() }

    /// No event comes after it; the machine does not wait for us any more.
    ///
    /// Never inside an event. Idempotent.
    package func close() {
        guard let closing = handle.withLock({ $0.take() }) else { return }
        oav_logind_close(closing.pointer)
        withExtendedLifetime(receiver) {}
    }

    /// The answer to one announcement.
    package func allow() { handle.withLock { if let handle = $0 { oav_logind_allow(handle.pointer) } } }

    /// Whether the machine would wait for us, and what there is, in a few words.
    package var status: (isArmed: Bool, words: String) {
        handle.withLock { handle in
            guard let handle else { return (false, "closed") }
            return withShimText { oav_logind_describe(handle.pointer, $0, $1) }
        }
    }
}
