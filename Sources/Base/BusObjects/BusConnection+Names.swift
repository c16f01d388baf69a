package import SessionBus
internal import Synchronization
internal import Threading

/// The names on the bus, and the processes behind them. Any thread.
extension BusConnection {
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
}
