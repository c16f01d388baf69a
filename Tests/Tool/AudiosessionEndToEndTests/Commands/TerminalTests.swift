import Foundation
import TestAudio
import Testing

/// `audiosession play` in a terminal: keys, live content, and a restored terminal.
@Suite("audiosession in a terminal", .ownThread, .serialized)
struct TerminalTests {
    private static let (showCursor, hideCursor) = ("\u{1B}[?25h", "\u{1B}[?25l")

    private let machine: MachineWithoutServer
    private let terminal: PseudoTerminal

    init() throws {
        machine = try MachineWithoutServer()
        terminal = try PseudoTerminal()
    }

    private func play() throws -> ToolRun {
        let path = try TestFile.write(
            .quadrature(hertz: 440), seconds: 60, named: "tone.wav", in: machine.directory)
        return try ToolRun(
            ["play", path, "--host", "simulated"], environment: machine.environment(host: nil), in: terminal)
    }

    @Test func keys_pauseSeekChangeTheVolumeAndQuit() throws {
        let before = terminal.settings
        let run = try play()
        try run.wait(forOutput: "playing")
        try run.wait(forOutput: Self.hideCursor)
        #expect(terminal.settings != before)
        try expect(run, after: " ", "paused")
        // Right seeks 5 s forward; the next event shows the position.
        run.type("\u{1B}[C\u{1B}[C")
        // A long path may break the line before the place.
        try expect(run, after: " ", "0:1")
        try expect(run, after: "\u{1B}[B", "95 %")
        try expect(run, after: "\u{1B}[A", "100 %")
        try expect(run, after: "u", "Headphones left")
        try expect(run, after: "p", "Headphones connected")
        try expect(run, after: "?", "? close")
        run.type("q")
        #expect(try run.waitForEnd() == .exited(0))
        #expect(terminal.settings == before)
        expectSane(run)
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func signal_whilePlaying_givesTheTerminalBack(signal: Int32) throws {
        let before = terminal.settings
        let run = try play()
        try run.wait(forOutput: Self.hideCursor)
        try run.wait(forOutput: "playing")
        run.send(signal)
        #expect(try run.waitForEnd() == (signal == SIGINT ? .killed(bySignal: SIGINT) : .exited(0)))
        #expect(terminal.settings == before)
        expectSane(run)
    }

    @Test func controlC_whilePlaying_isASignalLikeAnyOther() throws {
        let before = terminal.settings
        let run = try play()
        try run.wait(forOutput: Self.hideCursor)
        run.type("\u{03}")
        // A shell's loop over files ends, too.
        #expect(try run.waitForEnd() == .killed(bySignal: SIGINT))
        #expect(terminal.settings == before)
        expectSane(run)
    }

    /// Types, and waits for the text.
    private func expect(_ run: ToolRun, after keys: String, _ text: String) throws {
        let start = run.output.unicodeScalars.count
        run.type(keys)
        try run.wait(forOutput: text, from: start)
    }

    /// Only the control sequences that the program sends on purpose, and a visible cursor at the end.
    private func expectSane(_ run: ToolRun) {
        let rest = run.output.replacing(/\e\[(\?25[lh]|[0-9]+A|J|[0-9]*m)/, with: "")
        let strange = rest.unicodeScalars.filter {
            $0.properties.generalCategory == .control && $0 != "\r" && $0 != "\n"
        }
        #expect(strange.isEmpty, "\(strange.map { $0.escaped(asASCII: true) })")
        let lastShow = run.output.ranges(of: Self.showCursor).last
        let lastHide = run.output.ranges(of: Self.hideCursor).last
        #expect(lastShow.map { show in lastHide.map { $0.lowerBound < show.lowerBound } ?? true } == true)
        #expect(!run.output.contains("rror"))
    }
}
