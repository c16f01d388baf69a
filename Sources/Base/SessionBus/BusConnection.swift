internal import AudioModel
internal import CSdBus
internal import Synchronization
internal import Threading

/// A connection to a message bus (D-Bus), with a thread of its own that sleeps while nothing happens.
///
/// All texts from the bus are untrusted. A bus that ends stays ended: calls then fail, and nothing else comes.
///
/// Threads: every function may be called from any thread, also inside a handler. All but `close` return at once; what is
/// asked for happens in that order. Handlers run on the bus's thread, one at a time. No lock is held while they run.
package final class BusConnection: Sendable {
    /// The bus could not be reached.
    package struct Unavailable: Error { package let reason: String }

    package enum Kind: Sendable {
        /// The user's.
        case session
        /// The machine's.
        case system
    }

    package struct Call: Hashable, Sendable {
        package var destination: String
        package var path: String
        package var interface: String
        package var member: String
        package var arguments: [BusValue]

        package init(
            _ destination: String, _ path: String, _ interface: String, _ member: String,
            _ arguments: [BusValue] = []
        ) {
            self.destination = destination
            self.path = path
            self.interface = interface
            self.member = member
            self.arguments = arguments
        }
    }

    /// Which signals to hear of.
    package struct Match: Hashable, Sendable {
        let rule: String

        /// - Parameters:
        ///   - sender: nil is any, as for all of them.
        ///   - firstArgument: the first argument; `nameSpace`, a name that it begins with: "org.mpris.MediaPlayer2" for all below it.
        package init(
            sender: String? = nil, path: String? = nil, interface: String? = nil, member: String? = nil,
            firstArgument: String? = nil, nameSpace: String? = nil
        ) {
            let fields = [
                ("sender", sender), ("path", path), ("interface", interface), ("member", member),
                ("arg0", firstArgument), ("arg0namespace", nameSpace),
            ]
            rule = (["type='signal'"] + fields.compactMap { key, value in value.map { "\(key)='\($0)'" } })
                .joined(separator: ",")
        }
    }

    package struct Signal: Hashable, Sendable {
        /// The unique name of the connection that has sent it, ":1.42".
        package var sender: String
        package var path: String
        package var member: String
        package var arguments: [BusValue]
    }

    /// What ends a watch or takes an object back, by `BusConnection.remove`.
    package struct Registration: Hashable, Sendable { fileprivate let id: UInt64 }

    private let thread: BusThread
    /// nil once closed.
    private let handle: Mutex<Handle?>

    /// Rule: made by `init`; woken under the lock, freed by whoever has taken it out.
    private struct Handle: @unchecked Sendable { let pointer: OpaquePointer }

    /// - Parameters:
    ///   - address: "unix:path=/run/user/1000/bus"; nil is the bus of that kind.
    ///   - library: to be loaded instead of `libsystemd.so.0`.
    ///   - threadName: 15 characters at most.
    ///   - onEnd: called on the bus's thread when the bus has ended, after the replies to pending calls, with the reason.
    package init(
        _ kind: Kind = .session, address: String? = nil, library: String? = nil, threadName: String = "oav-bus",
        onEnd: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(Unavailable) {
        thread = BusThread(onEnd: onEnd)
        // The thread may live longer than this connection, whose last reference may be dropped inside a handler.
        let context = Unmanaged.passRetained(thread)
        var events = oav_bus_events(
            context: context.toOpaque(),
            work: { BusThread.of($0).work() },
            lost: { context, reason in BusThread.of(context).lose(String(cString: reason).printable) },
            ended: { context in context.map { Unmanaged<BusThread>.fromOpaque($0).takeRetainedValue().end() } })
        let (pointer, reason) = withShimText { text, size in
            withOptionalCString(address) { address in
                withOptionalCString(library) { library in
                    threadName.withCString { name in
                        oav_bus_open(
                            kind == .system ? OAV_BUS_SYSTEM : OAV_BUS_SESSION, address, library, name, &events, text,
                            size)
                    }
                }
            }
        }
        guard let pointer else {
            context.release()
            throw Unavailable(reason: reason.printable)
        }
        let handle = Handle(pointer: pointer)
        self.handle = Mutex(handle)
        enqueue { $0.begin(handle.pointer) }
    }

    deinit { close() }

    /// Sends what was asked for before, and disconnects; no handler is called after it.
    ///
    /// Inside a handler it returns at once, and the bus's thread does this when that handler has returned. Idempotent.
    ///
    /// - Parameter timeoutSeconds: how long sending may take: a bus that hangs must not keep a program from its end.
    package func close(timeoutSeconds: Double = 0.2) {
        guard let handle = handle.withLock({ $0.take() }) else { return }
        oav_bus_close(handle.pointer, UInt64(timeoutSeconds * 1_000_000))
    }

    /// Runs `body` on the bus's thread, between two handlers.
    package func perform(_ body: @escaping @Sendable () -> Void) { enqueue { _ in body() } }

    // MARK: Calls

    /// - Parameter reply: once, unless the connection is closed before.
    package func call(
        _ call: Call, timeoutSeconds: Double = 5,
        reply: @escaping @Sendable (Result<[BusValue], BusError>) -> Void = { _ in }
    ) {
        enqueue { $0.call(call, timeoutSeconds, reply) }
    }

    package func getProperty(
        _ name: String, of interface: String, _ path: String, at destination: String,
        reply: @escaping @Sendable (Result<BusValue, BusError>) -> Void
    ) {
        call(
            Call(
                destination, path, "org.freedesktop.DBus.Properties", "Get", [.string(interface), .string(name)])
        ) { result in
            reply(
                result.flatMap { values in
                    guard case .variant(let value)? = values.first else {
                        return .failure(.invalidArguments("\(name) came without a value"))
                    }
                    return .success(value)
                })
        }
    }

    // MARK: Signals

    @discardableResult
    package func watch(_ match: Match, handler: @escaping @Sendable (Signal) -> Void) -> Registration {
        register { $0.watch(match, $1, handler) }
    }

    package func remove(_ registration: Registration) { enqueue { $0.remove(registration.id) } }

    // MARK: The bus's thread

    package func register(_ body: @escaping @Sendable (BusThread, UInt64) -> Void) -> Registration {
        let id = thread.nextID()
        enqueue { body($0, id) }
        return Registration(id: id)
    }

    package func enqueue(_ job: @escaping @Sendable (BusThread) -> Void) {
        thread.jobs.put(job) { handle.withLock { if let handle = $0 { oav_bus_wake(handle.pointer) } } }
    }
}

extension BusConnection.Call {
    /// A call to the bus itself.
    package static func bus(_ member: String, _ arguments: [BusValue] = []) -> Self {
        Self("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member, arguments)
    }
}
