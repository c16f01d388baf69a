import ArgumentParser
import AudioRuntime
import Glibc

/// `audiosession doctor`.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check whether audio playback works here, and report what is missing.",
        discussion: "The exit status is 1 if a requirement is missing. Warnings do not change it.")

    @Flag(help: "Print one JSON object instead of the table.")
    var json = false

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let diagnosis = Diagnosis(server: ServerDiagnosis.gather(), environment: .gather())
        let output = DescriptorOutput(STDOUT_FILENO)
        for line in json ? [diagnosis.json.text] : diagnosis.lines { output.writeLine(line) }
        try output.finish()
        if !diagnosis.canPlay { throw ExitCode(1) }
    }
}
