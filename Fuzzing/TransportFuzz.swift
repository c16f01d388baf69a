import TransportCore

/// A player, a recorder or an engine under every event in any order.
enum TransportFuzz {
    static func run(_ bytes: ByteSource) {
        var bytes = bytes
        let kind = TransportKind.allCases[bytes.int(below: TransportKind.allCases.count)]
        var machine = TransportMachine(kind)
        var invariants = TransportInvariants(kind)
        var events = Alphabet.events(generation: machine.seekGeneration)
        while !bytes.isAtEnd {
            let event = events[bytes.int(below: events.count)]
            EventCount.note()
            let before = machine
            let effects = machine.apply(event)
            let violations = invariants.check(event, effects: effects, before: before, after: machine)
            require(violations.isEmpty, "\(before)\n\(event)\n\(effects)\n\(violations)")
            if machine.seekGeneration != before.seekGeneration {
                events = Alphabet.events(generation: machine.seekGeneration)
            }
        }
    }
}
