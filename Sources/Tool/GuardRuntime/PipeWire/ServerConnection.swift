internal import HostPipeWire

/// A connection that folds the server's messages into facts, with its loop locked.
protocol ServerConnection: AnyObject {
    var loop: ClosableLoop { get }
    var server: PipeWireServerState { get set }
    /// After that, messages are dropped.
    var isClosed: Bool { get }
    func apply(_ fact: PipeWireServerState.Fact)
}

extension ServerConnection {
    func receive(_ message: PipeWireMessage) {
        guard !isClosed else { return }
        let facts = server.receive(message, at: .monotonic)
        sendRequests()
        for fact in facts { apply(fact) }
    }

    /// Carries out what the state asks for; answers that come at once are received first.
    func sendRequests() {
        for request in server.takeRequests() { if let answer = loop.calls.carryOut(request) { receive(answer) } }
    }
}
