import ArgumentParser
import AudioRuntime

/// `audiosession doctor`.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check whether audio playback works here, and report what is missing.",
        discussion: "The exit status is 1 if a requirement is missing. Warnings do not change it.")

    @Flag(help: "Print one JSON object instead of the table.")
    var json = false

    func run() throws {
        let diagnosis = Diagnosis(server: ServerDiagnosis.gather(), environment: .gather())
        try DescriptorOutput.print(json ? [diagnosis.json.text] : diagnosis.lines)
        if !diagnosis.canPlay { throw ExitCode(1) }
    }
}
