import ArgumentParser
import Foundation

/// Long checks of the whole library on a private PipeWire: a storm, and the counts of docs/robustness.md.
@main
struct Soak: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak", abstract: "Check for a long time that nothing gets stuck or lost.",
        subcommands: [
            StormCommand.self, Unplugs.self, Gaps.self, Programs.self, Servers.self, Managers.self, Engines.self,
            Guards.self, Monitors.self,
        ])

    /// Runs the work on a thread of its own, because the main thread delivers notifications, and ends the program.
    static func run(_ work: @escaping @Sendable () throws -> Void) throws -> Never {
        Thread.detachNewThread {
            do {
                try work()
                Foundation.exit(0)
            } catch {
                FileHandle.standardError.write(Data("soak: \(error)\n".utf8))
                Foundation.exit(1)
            }
        }
        while true { RunLoop.main.run(until: .distantFuture) }
    }
}

/// At once, also into a file.
func report(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

struct Failure: Error, CustomStringConvertible {
    var description: String
}

/// Waits until the condition holds; what takes longer than 30 s is stuck.
func until(_ what: @autoclosure () -> String, _ holds: () throws -> Bool) throws {
    let deadline = Date(timeIntervalSinceNow: 30)
    while try !holds() {
        guard Date() < deadline else { throw Failure(description: "30 s have passed without: \(what())") }
        Thread.sleep(forTimeInterval: 0.02)
    }
}

struct StormCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storm", abstract: "Players, recorders, an engine and other programs in a storm of events.")

    @Option(help: "How long.")
    var minutes = 1.0
    @Option(help: "Chooses the events.")
    var seed = UInt64.random(in: 0...UInt64.max)

    func run() throws {
        report("seed \(seed)")
        try Soak.run {
            do {
                try Storm(seed: seed).run(minutes: minutes)
            } catch {
                throw Failure(description: "seed \(seed): \(error)")
            }
        }
    }
}
