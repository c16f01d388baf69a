import ArgumentParser
import GuardRuntime

/// `audiosession outputs`.
struct OutputsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outputs",
        abstract: "Show which output takes over, and put outputs in order.",
        discussion: """
            Sound goes to the first output of the list that is connected: when a device arrives above the current one it takes \
            over, and when the current one leaves, the next one does. --prefer writes WirePlumber's own settings; nothing of \
            this program runs afterwards. What you choose in a mixer is above all of them, until --forget.

            EXAMPLES
              audiosession outputs
              audiosession outputs --prefer headphones,"USB Headset",HDMI
              audiosession outputs --forget
            """)

    @Option(
        help: ArgumentHelp(
            "The outputs to take first, in this order, separated by commas: names, uids or types; or the sink of one that is "
                + "not connected.", valueName: "outputs"),
        completion: .custom { _, _, _ in Completions.outputs() })
    var prefer: String?

    @Flag(help: "Take back what was chosen in mixers, so that the order decides.")
    var forget = false

    @Flag(help: "Take back --prefer.")
    var reset = false

    @Flag(help: "Print one JSON object instead of the table.")
    var json = false

    func validate() throws {
        guard prefer == nil || !reset else {
            throw ValidationError("--prefer and --reset exclude each other. Give one of them.")
        }
        if let prefer, prefer.split(separator: ",", omittingEmptySubsequences: false).contains(where: \.isEmpty) {
            throw ValidationError(
                "--prefer was given '\(prefer.printable)', in which an output has no name. Write names with one comma in "
                    + "between, for example: --prefer headphones,HDMI")
        }
    }

    func run() throws {
        let choice: OutputChoice
        do {
            choice = try OutputChoice()
        } catch {
            throw BackendError(.unreachable, "\(error.message) 'audiosession doctor' says what is missing.")
        }
        guard let outputs = choice.outputs else {
            throw BackendError.lacksSessionManager("an output", next: "Then try again.")
        }
        var report = OutputsReport(outputs: outputs, rules: OutputRules.stored)
        if let prefer { report.rules = try report.rules(for: prefer.split(separator: ",").map(String.init)) }
        if reset { report.rules = OutputRules() }
        if prefer != nil || reset { try report.rules.store(report.outputs.ranking.rules) }
        if forget {
            guard let outputs = choice.forget() else {
                throw BackendError(
                    .noSessionManager,
                    "the session manager has not taken the choice back; see 'audiosession doctor', then try again.")
            }
            report.outputs = outputs
        }
        try DescriptorOutput.print(json ? [report.json.text] : report.lines)
    }
}
