internal import CSdBus
package import SessionBus

/// Objects of ours, and their signals. Any thread.
extension BusConnection {
    @discardableResult
    package func export(_ object: BusObject) -> Registration {
        register { thread, id in
            thread.receiveCalls(to: object.path, id) { call, thread in object.answer(call, on: thread) }
        }
    }

    package func emit(path: String, interface: String, member: String, _ arguments: [BusValue] = []) {
        enqueue { thread in
            thread.send(
                thread.make { $0.message_new_signal($1, &$2, path, interface, member) }, arguments)
        }
    }

    /// Tells that properties of an object of ours have these values now.
    package func emitPropertiesChanged(path: String, interface: String, _ values: [String: BusValue]) {
        emit(
            path: path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
            [.string(interface), .properties(values), .strings([])])
    }
}

extension BusObject {
    /// The bus's thread.
    ///
    /// - Returns: false for what the object does not have: the bus answers it with an error.
    fileprivate func answer(_ call: BusMessage, on thread: BusThread) -> Bool {
        let kept = KeptCall(call)
        return answer(interface: call.interface, member: call.member, from: call.sender, call.values) { [weak thread] in
            kept.answer($0, thread)
        }
    }
}

extension BusThread {
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
}

/// A call of another program, until its answer.
///
/// Rule: used on the bus's thread, or after its end.
private final class KeptCall: @unchecked Sendable {
    private let message: BusMessage
    private var isAnswered = false

    init(_ message: BusMessage) {
        self.message = message
        _ = message.functions.message_ref(message.pointer)
    }

    deinit { message.free() }

    func answer(_ result: Result<[BusValue], BusError>, _ thread: BusThread?) {
        guard !isAnswered else { return }
        isAnswered = true
        thread?.send(result, to: message.pointer)
    }
}
