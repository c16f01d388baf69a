import SessionCore

/// A session under all that hosts and apps may do; the bytes take the place of the random script's numbers.
enum SessionFuzz {
    static func run(_ bytes: ByteSource) {
        var script = RandomScript(bytes)
        var session = SessionFeed()
        while !script.random.isAtEnd {
            let wait = script.wait()
            let fact = script.next(session.machine.state)
            script.note(session.apply(fact, afterSeconds: wait))
        }
    }
}
