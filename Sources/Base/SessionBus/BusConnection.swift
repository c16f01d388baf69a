internal import AudioModel
internal import CSdBus
internal import Synchronization
internal import Threading

/// A connection to a message bus (D-Bus), with a thread of its own that sleeps while nothing happens.
///
/// All texts from the bus are untrusted. A bus that ends stays ended: calls then fail, and nothing else comes.
///
/// Threads: every function but `close` may be called from any thread, also inside a handler, and returns at once; what is
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

    private let shared: Shared
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
        shared = Shared(onEnd: onEnd)
        var events = oav_bus_events(
            context: Unmanaged.passUnretained(shared).toOpaque(),
            work: { Shared.of($0).work() },
            lost: { context, reason in Shared.of(context).lose(String(cString: reason).printable) })
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
        guard let pointer else { throw Unavailable(reason: reason.printable) }
        let handle = Handle(pointer: pointer)
        self.handle = Mutex(handle)
        enqueue { $0.begin(handle.pointer) }
    }

    deinit { close() }

    /// Sends what was asked for before, and disconnects; no handler is called after it.
    ///
    /// Never inside a handler: a handler keeps no connection alive. Idempotent.
    ///
    /// - Parameter timeoutSeconds: how long sending may take: a bus that hangs must not keep a program from its end.
    package func close(timeoutSeconds: Double = 0.2) {
        guard let handle = handle.withLock({ $0.take() }) else { return }
        oav_bus_close(handle.pointer, UInt64(timeoutSeconds * 1_000_000))
        shared.end()
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

    package func emit(path: String, interface: String, member: String, _ arguments: [BusValue] = []) {
        enqueue { $0.emit(path, interface, member, arguments) }
    }

    /// Tells that properties of an object of ours have these values now.
    package func emitPropertiesChanged(path: String, interface: String, _ values: [String: BusValue]) {
        emit(
            path: path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
            [.string(interface), .properties(values), .strings([])])
    }

    // MARK: Names

    /// - Parameter reply: whether this connection owns the name from now on.
    package func requestName(_ name: String, reply: @escaping @Sendable (Bool) -> Void = { _ in }) {
        // 4: does not wait for another owner's end.
        call(.bus("RequestName", [.string(name), .uint32(4)])) { result in
            let code = (try? result.get())?.first?.integer
            reply(code == 1 || code == 4)
        }
    }

    /// Waits for the name where another connection has it.
    ///
    /// - Parameter reply: whether this connection has the name; after false, once more when it has.
    package func awaitName(_ name: String, reply: @escaping @Sendable (Bool) -> Void) {
        let isWaiting = Mutex(false)
        watch(
            Match(
                sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameAcquired",
                firstArgument: name)
        ) { _ in
            let hasWaited = isWaiting.withLock { isWaiting in
                defer { isWaiting = false }
                return isWaiting
            }
            if hasWaited { reply(true) }
        }
        call(.bus("RequestName", [.string(name), .uint32(0)])) { result in
            let code = (try? result.get())?.first?.integer
            isWaiting.withLock { $0 = code == 2 }
            reply(code == 1 || code == 4)
        }
    }

    /// Tells the owners of a name, or of all names below it, and every change: name, and the owner's unique name or nil.
    package func watchOwners(
        of nameSpace: String, handler: @escaping @Sendable (_ name: String, _ owner: String?) -> Void
    ) {
        let isBelow: @Sendable (String) -> Bool = { $0 == nameSpace || $0.hasPrefix(nameSpace + ".") }
        watch(
            Match(
                sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
                nameSpace: nameSpace)
        ) { signal in
            guard let name = signal.arguments.first?.string, isBelow(name) else { return }
            handler(name, signal.arguments.last?.string.flatMap { $0.isEmpty ? nil : $0 })
        }
        call(.bus("ListNames")) { [weak self] result in
            for name in (try? result.get())?.first?.strings ?? [] where isBelow(name) {
                self?.call(.bus("GetNameOwner", [.string(name)])) { result in
                    if let owner = (try? result.get())?.first?.string { handler(name, owner) }
                }
            }
        }
    }

    /// The process of a connection; nil where the bus does not know it.
    package func getProcess(of name: String, reply: @escaping @Sendable (UInt32?) -> Void) {
        call(.bus("GetConnectionUnixProcessID", [.string(name)])) { result in
            reply((try? result.get())?.first?.integer.flatMap { UInt32(exactly: $0) })
        }
    }

    /// The name of a connection's process; nil where it is not known.
    package func getProcessName(of name: String, reply: @escaping @Sendable (String?) -> Void) {
        getProcess(of: name) { process in
            reply(process.flatMap { text(ofFile: "/proc/\($0)/comm") }?.split(separator: "\n").first.map(String.init))
        }
    }

    // MARK: Objects

    @discardableResult
    package func export(_ object: BusObject) -> Registration { register { $0.export(object, $1) } }

    package func remove(_ registration: Registration) { enqueue { $0.remove(registration.id) } }

    // MARK: -

    private func register(_ body: @escaping @Sendable (Shared, UInt64) -> Void) -> Registration {
        let id = shared.nextID()
        enqueue { body($0, id) }
        return Registration(id: id)
    }

    private func enqueue(_ job: @escaping @Sendable (Shared) -> Void) {
        shared.jobs.put(job) { handle.withLock { if let handle = $0 { oav_bus_wake(handle.pointer) } } }
    }
}

extension BusConnection.Call {
    /// A call to the bus itself.
    package static func bus(_ member: String, _ arguments: [BusValue] = []) -> Self {
        Self("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member, arguments)
    }
}

/// What sd-bus calls for a match, an object or the reply to a call; it calls nothing once this has gone.
private final class Slot {
    enum Handler {
        case signal(@Sendable (BusConnection.Signal) -> Void)
        case reply(Shared.Reply)
        case object(BusObject)
    }

    unowned let shared: Shared
    let id: UInt64
    let handler: Handler
    private let functions: sd_bus_functions
    var pointer: OpaquePointer?

    init(_ shared: Shared, _ id: UInt64, _ handler: Handler, _ functions: sd_bus_functions) {
        (self.shared, self.id, self.handler, self.functions) = (shared, id, handler, functions)
    }

    deinit { _ = functions.slot_unref(pointer) }

    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static let receive: sd_bus_message_handler_t = { message, context, _ in
        guard let message, let context else { return 0 }
        let slot = Unmanaged<Slot>.fromOpaque(context).takeUnretainedValue()
        return slot.shared.receive(message, slot) ? 1 : 0
    }
}

/// A call of another program that waits for its answer.
///
/// Rule: used on the bus's thread, or after its end.
private final class KeptCall: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let functions: sd_bus_functions
    private var isAnswered = false

    init(_ pointer: OpaquePointer, _ functions: sd_bus_functions) {
        (self.pointer, self.functions) = (pointer, functions)
        _ = functions.message_ref(pointer)
    }

    deinit { _ = functions.message_unref(pointer) }

    func answer(_ result: Result<[BusValue], BusError>, _ shared: Shared?) {
        guard !isAnswered else { return }
        isAnswered = true
        shared?.send(result, to: pointer)
    }
}

/// What the bus's thread works with.
///
/// Rule: jobs and ids are for any thread; everything else is touched on the bus's thread only.
private final class Shared: @unchecked Sendable {
    typealias Job = @Sendable (Shared) -> Void
    typealias Reply = @Sendable (Result<[BusValue], BusError>) -> Void

    private struct Bus {
        let pointer: OpaquePointer
        let functions: sd_bus_functions
    }

    let jobs = SerialQueue<Job>()
    private let lastID = Atomic<UInt64>(0)
    private let onEnd: @Sendable (String) -> Void
    /// nil: not set up yet, or ended.
    private var bus: Bus?
    private var slots: [UInt64: Slot] = [:]

    init(onEnd: @escaping @Sendable (String) -> Void) { self.onEnd = onEnd }

    static func of(_ context: UnsafeMutableRawPointer?) -> Shared {
        guard let context else { preconditionFailure("the shim lost its context") }
        return Unmanaged<Shared>.fromOpaque(context).takeUnretainedValue()
    }

    func nextID() -> UInt64 { lastID.add(1, ordering: .relaxed).newValue }

    func begin(_ connection: OpaquePointer) {
        bus = oav_bus_connection(connection).map { Bus(pointer: $0, functions: oav_bus_functions(connection).pointee) }
    }

    /// Once the thread has ended.
    func end() { slots = [:] }

    // MARK: Events

    func work() {
        while case let jobs = jobs.takeAll(), !jobs.isEmpty { for job in jobs { job(self) } }
    }

    /// - Returns: whether it was answered: what nothing answers gets an error as its reply.
    func receive(_ pointer: OpaquePointer, _ slot: Slot) -> Bool {
        guard let functions = bus?.functions else { return false }
        let message = BusMessage(functions: functions, pointer: pointer)
        switch slot.handler {
        case .signal(let handler):
            handler(
                BusConnection.Signal(
                    sender: text(functions.message_get_sender(pointer)),
                    path: text(functions.message_get_path(pointer)),
                    member: text(functions.message_get_member(pointer)), arguments: message.values))
            // Other watches may match it too.
            return false
        case .reply(let reply):
            slots[slot.id] = nil
            if let error = functions.message_get_error(pointer)?.pointee {
                let words = String(text(error.message).prefix(200)).printable
                reply(.failure(BusError(name: text(error.name), message: words)))
            } else {
                reply(.success(message.values))
            }
            return true
        case .object(let object):
            let arguments = message.values
            let answer = object.answer(
                interface: text(functions.message_get_interface(pointer)),
                member: text(functions.message_get_member(pointer)), arguments)
            switch answer {
            case .none: return false
            case .now(let result): send(result, to: pointer)
            case .later(let call):
                let kept = KeptCall(pointer, functions)
                call(text(functions.message_get_sender(pointer)), arguments) { [weak self] in kept.answer($0, self) }
            }
            return true
        }
    }

    func lose(_ reason: String) {
        bus = nil
        let pending = slots
        slots = [:]
        for slot in pending.values.sorted(by: { $0.id < $1.id }) {
            if case .reply(let reply) = slot.handler { reply(.failure(.disconnected)) }
        }
        onEnd(reason)
    }

    // MARK: Jobs

    func call(_ call: BusConnection.Call, _ timeoutSeconds: Double, _ reply: @escaping Reply) {
        guard bus != nil else { return reply(.failure(.disconnected)) }
        let message = make {
            $0.message_new_method_call($1, &$2, call.destination, call.path, call.interface, call.member)
        }
        guard let message else { return reply(.failure(.invalidArguments("the call has a name that is not valid"))) }
        defer { message.free() }
        guard message.append(call.arguments) else {
            return reply(.failure(.invalidArguments("the call has an argument that is not valid")))
        }
        let isSent = add(nextID(), .reply(reply)) { bus, slot in
            bus.functions.call_async(
                bus.pointer, &slot.pointer, message.pointer, Slot.receive, slot.context,
                UInt64(timeoutSeconds * 1_000_000))
        }
        if !isSent { reply(.failure(.disconnected)) }
    }

    func watch(
        _ match: BusConnection.Match, _ id: UInt64, _ handler: @escaping @Sendable (BusConnection.Signal) -> Void
    ) {
        _ = add(id, .signal(handler)) { bus, slot in
            bus.functions.add_match_async(
                bus.pointer, &slot.pointer, match.rule, Slot.receive, nil, slot.context)
        }
    }

    func export(_ object: BusObject, _ id: UInt64) {
        _ = add(id, .object(object)) { bus, slot in
            bus.functions.add_object(bus.pointer, &slot.pointer, object.path, Slot.receive, slot.context)
        }
    }

    func remove(_ id: UInt64) { slots[id] = nil }

    /// - Parameter body: fills the slot; below 0 is failure.
    private func add(_ id: UInt64, _ handler: Slot.Handler, _ body: (Bus, Slot) -> Int32) -> Bool {
        guard let bus else { return false }
        let slot = Slot(self, id, handler, bus.functions)
        guard body(bus, slot) >= 0 else { return false }
        slots[id] = slot
        return true
    }

    func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]) {
        send(make { $0.message_new_signal($1, &$2, path, interface, member) }, arguments)
    }

    fileprivate func send(_ answer: Result<[BusValue], BusError>, to call: OpaquePointer) {
        switch answer {
        case .success(let values): send(make { $0.message_new_method_return(call, &$2) }, values)
        case .failure(let fault):
            let reply = make { functions, _, pointer in
                fault.name.withCString { name in
                    fault.message.withCString { message in
                        var error = sd_bus_error(name: name, message: message, _need_free: 0)
                        return functions.message_new_method_error(call, &pointer, &error)
                    }
                }
            }
            send(reply, [])
        }
    }

    /// Sends a message without a reply, and frees it; one with values that are not valid is not sent.
    private func send(_ message: BusMessage?, _ values: [BusValue]) {
        guard let bus, let message else { return }
        defer { message.free() }
        if message.append(values) { _ = bus.functions.send(bus.pointer, message.pointer, nil) }
    }

    /// - Parameter body: makes the message; below 0 is failure.
    /// - Returns: the message, which is to be freed; nil where it was not made.
    private func make(
        _ body: (sd_bus_functions, _ bus: OpaquePointer, inout OpaquePointer?) -> Int32
    ) -> BusMessage? {
        var pointer: OpaquePointer?
        guard let bus, body(bus.functions, bus.pointer, &pointer) >= 0, let pointer else { return nil }
        return BusMessage(functions: bus.functions, pointer: pointer)
    }

    private func text(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }
}
