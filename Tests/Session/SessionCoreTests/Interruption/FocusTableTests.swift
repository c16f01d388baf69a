import AudioModel
import SessionCore
import TestSupport
import Testing

/// Each cell of Coverage/focus.tsv, as two apps of this library.
struct FocusTableTests {
    private let table: FocusTable

    init() throws { table = try FocusTable() }

    @Test func table_isWhole_andEachVerdictHasAReason() {
        #expect(table.kinds.count == 16 && table.cells.count == 256)
        #expect(Set(table.cells.map { [$0.playing, $0.incoming] }).count == 256)
        let verdicts = Set(table.cells.flatMap { [$0.sessionsVerdict, $0.programsVerdict] })
        #expect(verdicts.subtracting(["same"]) == Set(table.reasons.keys))
        for reason in table.reasons.values {
            #expect(reason.hasPrefix("differs: Apple documents: ") || reason.hasPrefix("differs: on a desktop: "))
        }
        for cell in table.cells {
            for (ours, verdict) in [(cell.sessions, cell.sessionsVerdict), (cell.programs, cell.programsVerdict)] {
                let isSame = ours == cell.theirs.replacing("stop", with: "pause")
                #expect(isSame == (verdict == "same"), "\(cell): \(cell.theirs), \(ours), \(verdict)")
            }
        }
    }

    @Test func everyCell_betweenTwoSessions() throws {
        for cell in table.cells {
            let outcome = try outcome(of: cell)
            if let fault = cell.fault(outcome, of: "sessions", expected: cell.sessions) { Issue.record("\(fault)") }
        }
    }

    private func outcome(of cell: FocusTable.Cell) throws -> String {
        var registry = SharedClaimRegistry(seed: 1, clients: 2)
        for (owner, kind) in [cell.playing, cell.incoming].enumerated() {
            let ports = Inventory(
                ports: [Ports.speaker, Ports.mic], defaultOutputUID: Ports.speaker.uid, defaultInputUID: Ports.mic.uid)
            registry.feed(owner, .host(.inventoryChanged(ports, losses: [])))
            registry.feed(owner, .configurationRequested(registry.call(), try SessionConfiguration(kind)))
            if kind.session[0] != "record" { registry.play(owner) }
            registry.feed(owner, .activationRequested(registry.call()))
            let isSettled = registry.settle()
            try #require(isSettled)
            if owner == 0 { #expect(registry.clients[0]?.machine.state.activation.isActive == true, "\(cell)") }
        }
        try #require(registry.violations.isEmpty)
        let states = try [0, 1].map { try #require(registry.clients[$0]?.machine.state) }
        let isLowered = zip(states, [cell.playing, cell.incoming]).map { state, kind in
            // A recording has no level.
            kind.session[0] != "record" && state.isDucked
        }
        switch (states[0].activation.isActive, states[1].activation.isActive) {
        case (false, true): return "pause existing"
        case (true, false): return "deny"
        case (false, false): return "both silent"
        case (true, true):
            return isLowered[0]
                ? (isLowered[1] ? "both lowered" : "duck existing") : isLowered[1] ? "duck incoming" : "mix"
        }
    }
}

extension SessionConfiguration {
    fileprivate init(_ kind: FocusTable.Kind) throws {
        let category = try #require(SessionCategory(word: kind.session[0]))
        let mode = try #require(SessionMode(word: kind.session[1]))
        self.init(category: category, mode: mode)
        for word in kind.session[2].split(separator: ",") where word != "-" {
            options.formUnion(try #require(SessionOptions.all.first { $0.word == word }).bits)
        }
    }
}
