internal import AudioModel
internal import HostPipeWire

/// A connection of the guard's kind, which the next server's replaces as soon as it is lost.
protocol ReplaceableConnection: AnyObject, Sendable {
    /// Any thread.
    var isLost: Bool { get }

    /// Starts the loop: facts are delivered from this call on.
    func begin()

    /// Idempotent. Must not run on the loop thread.
    func close()

    /// A connection with the same purpose to the server that runs now; it has not begun.
    func successor() throws(HostError) -> Self
}

extension PipeWireReconnector where Connection: ReplaceableConnection {
    convenience init(remote: String?) {
        self.init(remote: remote, isLost: { $0.isLost }) { reconnector in
            guard let lost = reconnector.current else { return true }
            lost.close()
            guard let next = try? lost.successor() else { return false }
            if reconnector.adopt(next) { next.begin() } else { next.close() }
            return true
        }
    }

    /// Begins with this connection; its loss must call `wake`.
    func start(_ makeConnection: () throws(HostError) -> Connection) throws(HostError) {
        guard prepareSearch() else {
            throw .refused("the system has no descriptors left; end other programs and try again")
        }
        let connection = try makeConnection()
        adopt(connection)
        beginSearch()
        connection.begin()
    }
}
