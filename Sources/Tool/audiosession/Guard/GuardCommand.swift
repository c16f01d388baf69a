import ArgumentParser
import GuardRuntime
import SessionRuntime

/// `audiosession guard`.
struct GuardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "guard",
        abstract: "Pause every program when the headphones leave.",
        discussion: """
            Runs until it is stopped. When headphones, a headset or a Bluetooth or USB device leaves, what played on it \
            stands still; new sound plays on the speaker. Programs continue at the same position when the device comes \
            back, when you pause and play in them, or with 'audiosession guard release'. When the plug of a card's jack \
            is pulled, the card's speaker may play a few ms more; --arm-jack prevents that.

            EXAMPLES
              audiosession guard
              audiosession guard --dry-run
              audiosession guard status
              audiosession guard release mpv
              audiosession guard exclude mpv
              audiosession guard config
              audiosession guard off --for 1h
              audiosession guard stop --keep
              audiosession guard install
              audiosession guard repair
            """,
        subcommands: [
            GuardRunCommand.self, GuardStatusCommand.self, GuardReleaseCommand.self, GuardOffCommand.self,
            GuardOnCommand.self, GuardStopCommand.self,
            GuardLogCommand.self, GuardConfigCommand.self, GuardExcludeCommand.self,
            GuardInstallCommand.self, GuardUninstallCommand.self, GuardRepairCommand.self, GuardUnitCommand.self,
        ],
        defaultSubcommand: GuardRunCommand.self)

    /// Whether `audiosession guard WORD...` is a guard, and not a request to one.
    static func runs(_ word: String?) -> Bool {
        let names = configuration.subcommands.compactMap { $0.configuration.commandName }
        return word == GuardRunCommand.configuration.commandName || !names.contains(word ?? "")
    }
}

/// The options of a guard, which outrank its files, and which its unit keeps.
struct GuardOption: ParsableArguments {
    enum Switch: String, CaseIterable, ExpressibleByArgument { case on, off }

    @OptionGroup var back: ReturnOption

    @Option(help: "Whether a call pauses the music and films of other programs. (default: on)")
    var calls: Switch?

    @Option(
        help: """
            Whether alarms, notifications, screen readers, navigation and assistants lower the other programs by 14 dB \
            while they are heard. (default: on)
            """)
    var alerts: Switch?

    enum HeadsetProfile: String, CaseIterable, ExpressibleByArgument { case keep, `switch` }

    @Option(
        help: """
            Whether a Bluetooth headset goes on playing music when a program opens its microphone: the program gets \
            another one, unless it is a call. Needs WirePlumber 0.5.7. (default: switch)
            """)
    var headset: HeadsetProfile?

    @Option(
        help:
            "Whether there is an item in the desktop's tray: while something is held, always or never. (default: held)")
    var tray: Tray?

    enum Tray: String, CaseIterable, ExpressibleByArgument { case held, always, never }

    enum WhileRecording: String, CaseIterable, ExpressibleByArgument { case pause, duck, off }

    @Option(help: "Whether the others pause, or go 14 dB lower, while a program records a microphone. (default: off)")
    var whileRecording: WhileRecording?

    @Flag(inversion: .prefixedNo, help: "Whether a program that begins to play music pauses the others. (default: not)")
    var oneAtATime: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: """
            While headphones are in the jack of a card, keep its speaker muted, so that nothing is heard when they are \
            pulled. Changes what WirePlumber remembers of the speaker, until the guard ends.
            """)
    var armJack: Bool?

    @Option(
        help: ArgumentHelp(
            "A program to leave alone, by name or by file name. Repeat for several.", valueName: "program"))
    var exclude: [String] = []

    func validate() throws {
        // In the unit, a line break would begin a line of its own.
        guard let name = exclude.first(where: { $0 != $0.printable }) else { return }
        throw ValidationError(
            "--exclude was given '\(name.printable)', which has a line break or another character that is not shown; give the name of one "
                + "program, for example: --exclude mpv")
    }

    /// - Throws: `BackendError` for a table of roles that is none.
    func settings(
        _ environment: SessionEnvironment = SessionEnvironment(), scope: GuardController.Options.Scope = .everything
    ) throws(BackendError) -> GuardSettings {
        var standard = GuardController.Options()
        standard.scope = scope
        do {
            standard.roles = try environment.roles()
        } catch {
            throw BackendError(error, lossReason: nil)
        }
        return GuardSettings(standard, overrides: overrides, excluded: exclude)
    }

    private var overrides: [(GuardController.Configuration.Setting, String)] {
        let texts: [(GuardController.Configuration.Setting, String?)] = [
            (.onReturn, back.onReturn?.rawValue), (.returnWithin, back.returnWithin), (.calls, calls?.rawValue),
            (.alerts, alerts?.rawValue), (.whileRecording, whileRecording?.rawValue),
            (.oneAtATime, oneAtATime.map { $0 ? "on" : "off" }),
            (.armJack, armJack.map { $0 ? "on" : "off" }), (.headset, headset?.rawValue), (.tray, tray?.rawValue),
        ]
        return texts.compactMap { setting, text in text.map { (setting, $0) } }
    }

    /// The words that give the same options.
    var words: [String] {
        overrides.flatMap { setting, text in
            switch setting {
            case .oneAtATime, .armJack: [text == "on" ? "--\(setting.rawValue)" : "--no-\(setting.rawValue)"]
            case .onReturn, .returnWithin, .calls, .alerts, .whileRecording, .headset, .tray:
                ["--\(setting.rawValue)", text]
            }
        } + exclude.flatMap { ["--exclude", $0] }
    }
}

/// `audiosession guard run`.
struct GuardRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "run", abstract: "Guard until stopped.")

    @OptionGroup var guardOption: GuardOption

    @Flag(help: "Report what it would do, and do nothing.")
    var dryRun = false

    /// What 'audiosession focus' starts where no guard runs.
    @Flag(help: .private)
    var forFocus = false

    /// What 'audiosession guard stop --keep' starts.
    @Flag(help: .private)
    var forKeeping = false

    func run() throws {
        guard !forFocus, !forKeeping else {
            FocusRun.detach()
            let settings = try guardOption.settings(scope: forFocus ? .focus : .keeping)
            return try GuardRun(settings, mode: .acting).serve()
        }
        try GuardRun(guardOption.settings(), mode: dryRun ? .dryRun : .acting).run()
    }
}

/// `audiosession guard status`.
struct GuardStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what is paused, and why.",
        discussion: "The exit status is 1 if no guard is running.")

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    @OptionGroup var notification: NotificationOption

    func run() throws { try notification.show { try GuardControl.ask(json ? .statusJSON : .status) } }
}

/// `audiosession guard release`.
struct GuardReleaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Let paused programs continue on the current output.")

    @Argument(
        help: ArgumentHelp("A name, file name or process id; or all.", valueName: "program"),
        completion: .custom { _, _, _ in GuardText.heldNames + ["all"] })
    var program = "all"

    func run() throws {
        let lines = try GuardControl.ask(.release(program == "all" ? nil : program))
        guard program == "all" || !lines.contains(GuardText.nothing(of: program)) else {
            let names = GuardText.heldNames
            throw BackendError(
                .notRunning,
                "nothing of '\(program.printable)' is paused; "
                    + (names.isEmpty
                        ? "nothing is paused now."
                        : "paused now: \(names.joined(separator: ", ")). Give one of these, or all.")
            )
        }
        try DescriptorOutput.print(lines)
    }
}

/// `audiosession guard stop`.
struct GuardStopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "End the running guard, and say what is heard then.",
        discussion: """
            What a guard holds is heard when it ends, unless its player shows a pause: that stays paused. With --keep it \
            stays silent until the next guard starts, which holds it further; for a minute at most. A unit that was stopped \
            starts again with: systemctl --user start \(GuardUnit.name)
            """)

    @Flag(help: "Keep silent what is held, for the next guard: before the program is replaced, for example.")
    var keep = false

    func run() throws {
        try DescriptorOutput.print(GuardControl.stop(keepsHolds: keep) + ["The guard has ended."])
    }
}

/// `audiosession guard log`.
struct GuardLogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Show what the guard has done, also one that has ended.")

    @Flag(
        help: "Show the last minute of devices, programs and the server as a scene, which 'audiosession simulate' runs."
    )
    var scene = false

    @Flag(help: "Keep the names of devices and programs in the scene.")
    var names = false

    func validate() throws {
        if names, !scene { throw ValidationError("--names is for --scene. Write 'guard log --scene --names'.") }
    }

    func run() throws {
        if scene { return try DescriptorOutput.print(GuardControl.ask(.scene(hasNames: names))) }
        if let lines = GuardControl.answer(to: .log) { return try DescriptorOutput.print(lines) }
        let (rival, lines) = (GuardControl.runningGuard, GuardLog.stored)
        guard rival == nil, !lines.isEmpty else { throw GuardControl.noAnswer(from: rival) }
        try DescriptorOutput.print(lines)
    }
}

/// `audiosession guard config`.
struct GuardConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show the settings and rules that are in force, and where each was said.",
        discussion: """
            The files are \(GuardSettings.directories.joined(separator: "/*.conf and "))/*.conf, read in the order of their names. \
            A running guard reads them again when they change.
            """)

    func run() throws {
        if let lines = GuardControl.answer(to: .config) { return try DescriptorOutput.print(lines) }
        let settings = GuardSettings()
        settings.read(GuardFiles(directories: GuardSettings.directories))
        try DescriptorOutput.print(
            ["No guard is running. The next one begins with:"] + GuardText.lines(settings.current))
    }
}

/// `audiosession guard exclude`.
struct GuardExcludeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exclude", abstract: "Leave a program alone, now and from now on.",
        discussion: "Writes a file with a rule. A running guard reads it at once.")

    @Argument(
        help: ArgumentHelp("A name, as 'guard status' shows it, or a file name.", valueName: "program"),
        completion: .custom { _, _, _ in GuardText.heldNames })
    var program: String

    @Flag(help: "Remove the rule that 'exclude' has written.")
    var undo = false

    func validate() throws {
        guard GuardRequest.isName(program) else {
            throw ValidationError(
                "'\(program.printable)' has a line break or another character that is not shown, has more than 64 bytes, "
                    + "or begins with ~ or !; give the name of one program, for example: guard exclude mpv")
        }
    }

    func run() throws {
        try DescriptorOutput.print([undo ? ExcludeFile.remove(program) : ExcludeFile.write(program)])
    }
}

/// `audiosession guard install`.
struct GuardInstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install", abstract: "Start the guard now and with every login, as a systemd user unit.",
        discussion: "Without systemd it writes an autostart entry, and starts with every login to a desktop.")

    @OptionGroup var guardOption: GuardOption

    func run() throws { try DescriptorOutput.print(GuardUnit.install(words: guardOption.words)) }
}

/// `audiosession guard uninstall`.
struct GuardUninstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall", abstract: "Stop the guard and remove its unit.")

    func run() throws { try DescriptorOutput.print(GuardUnit.uninstall()) }
}

/// `audiosession guard unit PROGRAM`, for packages: prints the unit of a program that is to be there.
struct GuardUnitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unit", abstract: "Print the systemd unit of a program, for packages.", shouldDisplay: false)

    @Argument var program: String

    func run() throws {
        let text = try GuardUnit.text(program: program, words: [])
        try DescriptorOutput.print(
            text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init))
    }
}

/// `audiosession guard repair`.
struct GuardRepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair", abstract: "Take back what a guard with --arm-jack left behind when it was killed.",
        discussion: "A guard that starts does the same, and so does the systemd unit.")

    func run() throws { try DescriptorOutput.print(GuardRun.repair()) }
}
