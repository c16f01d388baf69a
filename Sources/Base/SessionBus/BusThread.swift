internal import AudioModel
package import CSdBus
internal import Synchronization
internal import Threading

/// What the thread of a `BusConnection` works with: the bus, and the handlers of replies, signals and calls.
///
/// Rule: jobs and ids are for any thread; everything else is touched on the bus's thread only.
package final class BusThread: @unchecked Sendable {
    typealias Job = @Sendable (BusThread) -> Void
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

    static func of(_ context: UnsafeMutableRawPointer?) -> BusThread {
        guard let context else { preconditionFailure("the shim lost its context") }
        return Unmanaged<BusThread>.fromOpaque(context).takeUnretainedValue()
    }

    func nextID() -> UInt64 { lastID.add(1, ordering: .relaxed).newValue }

    func begin(_ connection: OpaquePointer) {
        bus = oav_bus_connection(connection).map { Bus(pointer: $0, functions: oav_bus_functions(connection).pointee) }
    }

    /// The last call of the bus's thread.
    func end() {
        bus = nil
        slots = [:]
    }

    // MARK: Events

    func work() {
        while case let jobs = jobs.takeAll(), !jobs.isEmpty { for job in jobs { job(self) } }
    }

    /// - Returns: whether it was answered: what nothing answers gets an error as its reply.
    fileprivate func receive(_ pointer: OpaquePointer, _ slot: Slot) -> Bool {
        guard let functions = bus?.functions else { return false }
        let message = BusMessage(functions: functions, pointer: pointer)
        switch slot.handler {
        case .signal(let handler):
            handler(
                BusConnection.Signal(
                    sender: message.sender, path: String(orEmpty: functions.message_get_path(pointer)),
                    member: message.member,
                    arguments: message.values))
            // Other watches may match it too.
            return false
        case .reply(let reply):
            slots[slot.id] = nil
            if let error = functions.message_get_error(pointer)?.pointee {
                let words = String(String(orEmpty: error.message).prefix(200)).printable
                reply(.failure(BusError(name: String(orEmpty: error.name), message: words)))
            } else {
                reply(.success(message.values))
            }
            return true
        case .calls(let handler): return handler(message, self)
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

    /// Has `handler` called for each call of another program to a path of ours; it returns whether it answers the call.
    package func receiveCalls(
        to path: String, _ id: UInt64, _ handler: @escaping @Sendable (BusMessage, BusThread) -> Bool
    ) {
        _ = add(id, .calls(handler)) { bus, slot in
            bus.functions.add_object(bus.pointer, &slot.pointer, path, Slot.receive, slot.context)
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

    /// Sends a message without a reply, and frees it; one with values that are not valid is not sent.
    package func send(_ message: BusMessage?, _ values: [BusValue]) {
        guard let bus, let message else { return }
        defer { message.free() }
        if message.append(values) { _ = bus.functions.send(bus.pointer, message.pointer, nil) }
    }

    /// - Parameter body: makes the message; below 0 is failure.
    /// - Returns: the message, which is to be freed; nil where it was not made.
    package func make(
        _ body: (sd_bus_functions, _ bus: OpaquePointer, inout OpaquePointer?) -> Int32
    ) -> BusMessage? {
        var pointer: OpaquePointer?
        guard let bus, body(bus.functions, bus.pointer, &pointer) >= 0, let pointer else { return nil }
        return BusMessage(functions: bus.functions, pointer: pointer)
    }
}

/// What sd-bus calls for a match, a path of ours or the reply to a call; it calls nothing once this has gone.
private final class Slot {
    enum Handler {
        case signal(@Sendable (BusConnection.Signal) -> Void)
        case reply(BusThread.Reply)
        case calls(@Sendable (BusMessage, BusThread) -> Bool)
    }

    unowned let thread: BusThread
    let id: UInt64
    let handler: Handler
    private let functions: sd_bus_functions
    var pointer: OpaquePointer?

    init(_ thread: BusThread, _ id: UInt64, _ handler: Handler, _ functions: sd_bus_functions) {
        (self.thread, self.id, self.handler, self.functions) = (thread, id, handler, functions)
    }

    deinit { _ = functions.slot_unref(pointer) }

    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static let receive: sd_bus_message_handler_t = { message, context, _ in
        guard let message, let context else { return 0 }
        let slot = Unmanaged<Slot>.fromOpaque(context).takeUnretainedValue()
        return slot.thread.receive(message, slot) ? 1 : 0
    }
}
