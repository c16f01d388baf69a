import ArgumentParser
import Foundation
import Glibc
import OpenAudioSession
import SessionRuntime

/// `audiosession report`.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Print what a bug report needs, with the names of devices replaced.",
        discussion: """
            The report has the versions, what doctor finds, the ports of the sound server, and a trace of an audio session \
            for some seconds. Do in this time what goes wrong: unplug, call, start the other program.

            Names of devices, programs and files are not in it: port-1 and name-1 stand for them. Read it before you send it.

            EXAMPLES
              audiosession report --seconds 20 >report.txt
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long the trace is, from 0 to 600 seconds. (default: 10)", valueName: "seconds"),
        transform: { try number($0, in: 0...600, rule: "of seconds from 0 to 600, for example: --seconds 20") })
    var seconds = 10.0

    @OptionGroup var host: HostOption

    func run() throws {
        var report = ProblemReport(
            system: Self.system, diagnosis: Diagnosis(server: .gather(), environment: .gather()))
        if report.diagnosis.hasServer || host.host != nil {
            DescriptorOutput(STDERR_FILENO).writeMessage(
                "Recording a trace for \(seconds.fixed(0)) s. Do now what goes wrong.")
            let (name, seconds) = (host.host, seconds)
            let traced = try CommandThread.run { () throws(BackendError) in try Self.trace(name, seconds) }
            (report.ports, report.route, report.trace) = traced
            report.traceSeconds = seconds
            report.pseudonyms = .ofProcess
        }
        try DescriptorOutput.print(report.lines)
    }

    /// A session that plays nothing, with its trace.
    private static func trace(
        _ host: AudioSessionHost?, _ seconds: Double
    ) throws(BackendError) -> (PortInventory, RouteFacts, [String]) {
        let file = FileManager.default.temporaryDirectory.path + "/audiosession-report-\(getpid()).trace"
        setenv(SessionEnvironment.traceVariable, file, 1)
        setenv(SessionEnvironment.traceNamesVariable, "0", 1)
        defer { unlink(file) }
        let backend = try makeBackend(host: host)
        try backend.configure(SessionSettings())
        _ = poll(nil, 0, Int32(seconds * 1000))
        let (ports, route) = (backend.ports, backend.currentRoute)
        backend.close()
        let trace = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return (ports, route, trace.split(separator: "\n").map { String($0).printable })
    }

    private static var system: String {
        let release = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
        let name = release.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        var kernel = utsname()
        uname(&kernel)
        func text<Bytes>(_ bytes: Bytes) -> String {
            withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        let system = name.map { $0.dropFirst("PRETTY_NAME=".count).filter { $0 != "\"" } } ?? "Linux"
        return "\(system), kernel \(text(kernel.release)), \(text(kernel.machine))"
    }
}
