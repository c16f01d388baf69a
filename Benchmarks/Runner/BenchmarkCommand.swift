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

    func run() throws {
        for benchmark in benchmarks.isEmpty ? Benchmark.allCases : benchmarks {
            let report = try benchmark.run(Rounds(isQuick: quick, benchmark: benchmark.rawValue))
            FileHandle.standardOutput.write(Data((report.markdown + "\n").utf8))
        }
    }
}
