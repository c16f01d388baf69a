import ArgumentParser
import Glibc

/// `audiosession doctor`.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find out whether sound can be played here, and what is missing.",
        discussion: "The exit status is 1 when something that is needed is missing; a warning does not count.")

    @Flag(help: "One JSON object in place of the table.")
    var json = false

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let diagnosis = Diagnosis(server: Library.serverFacts(), environment: .gather())
        let output = DescriptorOutput(STDOUT_FILENO)
        for line in json ? [diagnosis.json.text] : diagnosis.lines { output.writeLine(line) }
        try output.finish()
        if !diagnosis.canPlay { throw ExitCode(1) }
    }
}
