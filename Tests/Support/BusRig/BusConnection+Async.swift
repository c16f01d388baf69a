import BusObjects
package import SessionBus

extension BusConnection {
    package func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) async -> Result<[BusValue], BusError> {
        await withCheckedContinuation { continuation in
            call(Call(destination, path, interface, member, arguments)) { continuation.resume(returning: $0) }
        }
    }

    package func property(
        _ name: String, of interface: String, _ path: String, at destination: String
    ) async -> Result<BusValue, BusError> {
        await withCheckedContinuation { continuation in
            getProperty(name, of: interface, path, at: destination) { continuation.resume(returning: $0) }
        }
    }

    package func owns(_ name: String) async -> Bool {
        await withCheckedContinuation { continuation in
            requestName(name) { continuation.resume(returning: $0) }
        }
    }

    /// The signals that match, from now on.
    package func signals(_ match: Match) -> AsyncStream<Signal> {
        let (stream, continuation) = AsyncStream<Signal>.makeStream()
        watch(match) { continuation.yield($0) }
        return stream
    }
}
