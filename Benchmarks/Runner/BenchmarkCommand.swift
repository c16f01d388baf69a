import ArgumentParser
import Foundation

/// Runs benchmarks and prints a Markdown section for each on standard output; what it is at, on standard error.
///
/// dev/bench builds and starts it.
@main
struct BenchmarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmarks", abstract: "Measures the library side by side with peers.")

    @Argument(help: "\(Benchmark.allCases.map(\.rawValue).joined(separator: ", ")); all without any.")
    var benchmarks: [Benchmark] = []

    @Flag(help: "A tenth of the rounds: to see that it runs, not to quote from.")
    var quick = false

    @Option(
        help: ArgumentHelp(
            "For dev/make walk: one unplug; the functions that begin are listed in this file.", visibility: .private))
    var calls: String?

    func run() throws {
        if let calls { return try PauseLatency.listCalls(to: calls) }
        for benchmark in benchmarks.isEmpty ? Benchmark.allCases : benchmarks {
            let report = try benchmark.run(Rounds(isQuick: quick, benchmark: benchmark.rawValue))
            FileHandle.standardOutput.write(Data((report.markdown + "\n").utf8))
        }
    }
}
