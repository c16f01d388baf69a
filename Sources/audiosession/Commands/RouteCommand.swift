import ArgumentParser
import Glibc

/// `audiosession route`.
struct RouteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route",
        abstract: "Show the current route and every port.",
        discussion: """
            EXAMPLES
              audiosession route
              audiosession route --json | jq -r '.ports[] | select(.default) | .uid'
            """)

    @Flag(help: "One JSON object in place of the table.")
    var json = false

    @OptionGroup var host: HostOption

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let studio = try Library.openStudio(host: host.host)
        defer { studio.close() }
        let report = RouteReport(host: studio.hostName, currentRoute: studio.currentRoute, ports: studio.ports)
        let output = DescriptorOutput(STDOUT_FILENO)
        for line in json ? [report.json.text] : report.lines { output.writeLine(line) }
        try output.finish()
    }
}
