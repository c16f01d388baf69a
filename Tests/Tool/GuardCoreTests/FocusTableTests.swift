import AudioModel
import TestSupport
import Testing

@testable import GuardCore

/// Each cell of Coverage/focus.tsv, as two programs that know nothing of the guard.
struct FocusTableTests: GuardScenes {
    @Test func everyCell_betweenTwoPrograms() throws {
        for cell in try FocusTable().cells {
            let outcome = outcome(of: cell)
            if let fault = cell.fault(outcome, of: "programs under a guard", expected: cell.programs) {
                Issue.record("\(fault)")
            }
        }
    }

    private func outcome(of cell: FocusTable.Cell) -> String {
        var machine = machine()
        let existing = begin(cell.playing, .mpv, &machine)
        machine.wait(seconds: cell.playing.isShort ? 0.1 : 2)
        let incoming = begin(cell.incoming, .browser, &machine)
        if cell.playing.isShort, let existing {
            machine.wait(seconds: 0.1)
            machine.end(existing)
        }
        machine.wait(seconds: cell.incoming.isShort ? 0.2 : 3)
        let held = machine.heldIDs
        if existing.map(held.contains) == true { return "pause existing" }
        if incoming.map(held.contains) == true { return "pause incoming" }
        func isLowered(_ id: UInt64?) -> Bool { id.flatMap { machine.levels[$0] }?.contains(14) ?? false }
        switch (isLowered(existing), isLowered(incoming)) {
        case (true, true): return "both lowered"
        case (true, false): return "duck existing"
        case (false, true): return "duck incoming"
        case (false, false): return "mix"
        }
    }

    /// - Returns: its stream; nil for one that only records.
    private func begin(_ kind: FocusTable.Kind, _ program: Program, _ machine: inout ModelMachine) -> UInt64? {
        guard kind.isCapture else { return machine.play(program, role: kind.role) }
        let capture = CaptureStream(id: 900 + UInt64(program.processID ?? 0), program: program, hearsMicrophone: true)
        machine.ask(.fact(.captureChanged(capture)))
        return nil
    }
}
