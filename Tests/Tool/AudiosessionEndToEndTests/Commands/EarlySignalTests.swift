import Foundation
import TestAudio
import Testing

/// A signal in the first moments of the program.
@Suite("audiosession and early signals", .ownThread, .serialized)
struct EarlySignalTests {
    /// What the kernel says of a process that has not ended.
    private struct ProcessStatus {
        var isStopped: Bool
        var blocksTERM: Bool
        var threads: Int

        init(_ run: ToolRun) throws {
            let text = try String(contentsOfFile: "/proc/\(run.processID)/status", encoding: .utf8)
            func field(_ name: String) -> String {
                let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
                return line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
            }
            guard !field("State").hasPrefix("Z") else {
                throw ToolRun.TimedOut(description: "the program has ended: \(run.errors)")
            }
            isStopped = field("State").hasPrefix("T")
            blocksTERM = (UInt64(field("SigBlk"), radix: 16) ?? 0) & 1 << (SIGTERM - 1) != 0
            threads = Int(field("Threads")) ?? 0
        }
    }

    private func wait(_ run: ToolRun, until isReached: (ProcessStatus) -> Bool) throws {
        while try !isReached(ProcessStatus(run)) { sched_yield() }
    }

    /// Lists of 2 000 lines that name each other have no end.
    @Test(arguments: [1, 8])
    func term_whileListsAreRead_endsAsALaterOneDoes(depth: Int) throws {
        let machine = try MachineWithoutServer()
        let (lists, tones) = (machine.directory, try TemporaryDirectory())
        let tone = try TestFile.write(.quadrature(hertz: 1000), seconds: 60, named: "tone.wav", in: tones)
        var list = tone
        for level in 0..<depth {
            let lines = String(repeating: list + "\n", count: depth == 1 ? 1 : 2_000)
            list = try TestFile.write(bytes: Array(lines.utf8), named: "list\(level).m3u", in: lists)
        }
        let run = try ToolRun(
            ["play", list, "--host", "simulated", "--events", "json"], environment: machine.environment(host: nil),
            after: "kill -STOP $$")
        try wait(run) { $0.isStopped }
        // A kernel may have no dnotify. The signal then comes at any time after the program has blocked it.
        let notification = try? run.send(SIGTERM, whenReadingIn: lists.path)
        defer { _ = notification.map(close) }
        run.send(SIGCONT)
        if notification == nil {
            try wait(run) { $0.blocksTERM }
            run.send(SIGTERM)
        }
        #expect(try run.waitForEnd() == .exited(0))
        #expect(run.story.first == "started on simulated, Headphones")
        #expect(run.errors == "")
        #expect(try run.faults() == [])
    }

    /// The main, signal, command and session threads come one after the other.
    @Test(arguments: [["play", "tone.wav", "--events", "json"], ["watch", "--json"]])
    func term_whileThreadsStart_endsAsALaterOneDoes(command: [String]) throws {
        let machine = try TestMachine()
        let tone = try machine.tone(seconds: 60)
        let arguments = command.map { $0 == "tone.wav" ? tone : $0 }
        for host in ["simulated", "pipewire"] {
            for threads in 1...4 {
                let run = try ToolRun(arguments + ["--host", host], environment: machine.environment)
                try wait(run) { $0.blocksTERM && $0.threads >= threads }
                run.send(SIGTERM)
                #expect(try run.waitForEnd() == .exited(0), "\(host), \(threads) threads")
                #expect(run.errors == "", "\(host), \(threads) threads")
                #expect(try run.faults() == [])
            }
        }
    }
}
