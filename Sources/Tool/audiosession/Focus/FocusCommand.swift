import ArgumentParser
import Glibc
import GuardRuntime

/// `audiosession focus`.
struct FocusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "focus",
        abstract: "Have the other programs hold, or go quieter, while a command runs.",
        discussion: """
            What plays now stands still, or is lowered, until the command ends, and then continues as before. What was \
            not playing is not started, and no volume is changed. Without a command, the others hold until the standard \
            input ends, or the file of --fd, and the program that has started this one plays on. The command's exit \
            status is passed on; 127 says that there is no such command, and 126 that it cannot be started.

            EXAMPLES
              audiosession focus -- arecord -d 5 memo.wav
              audiosession focus --duck -- spd-say --wait "Dinner is ready"
              audiosession focus --duck=20 --reason dictation --except zoom -- dictate
            """)

    /// What parses as `--duck` with its level.
    ///
    /// The parser knows no option whose value may be left out.
    static func folding(_ words: [String]) -> [String] {
        let end = words.firstIndex(of: "--") ?? words.endIndex
        return words[..<end].flatMap { word in
            word.hasPrefix("--duck=") ? ["--duck", "--decibels=" + word.dropFirst(7)] : [word]
        } + words[end...]
    }

    @Flag(help: "The others stand still. This is the default.")
    var pause = false

    @Flag(help: "The others go 14 dB lower; --duck=20 is another number of decibels, from 1 to 60.")
    var duck = false

    @Option(help: .private) var decibels: String?

    @Flag(help: "It is a call: sessions of this library hold even if they mix with others.")
    var call = false

    @Option(help: ArgumentHelp("Why, for 'audiosession guard status'.", valueName: "text"))
    var reason: String?

    @Option(
        help: ArgumentHelp(
            "The one program that holds, by name or by file name. Repeat for several.", valueName: "program"))
    var only: [String] = []

    @Option(
        help: ArgumentHelp(
            "A program that is left alone, by name or by file name. Repeat for several.", valueName: "program"))
    var except: [String] = []

    @Option(help: ArgumentHelp("Hold until this open file ends, and not the standard input.", valueName: "number"))
    var fd: Int32?

    @Argument(
        parsing: .postTerminator, help: ArgumentHelp("What runs meanwhile.", valueName: "command"),
        completion: .custom { words, index, word in
            index == words.firstIndex(of: "--").map { $0 + 1 } ? Completions.programs(word) : Completions.files(word)
        })
    var command: [String] = []

    /// nil for what is no level.
    private var level: Double? {
        guard let decibels else { return FocusedProgram.Holder.standardDecibels }
        return Double(decibels).flatMap { FocusedProgram.Holder.decibelRange.contains($0) ? $0 : nil }
    }

    func validate() throws {
        if pause, duck { throw ValidationError("--pause and --duck exclude each other; give one of them") }
        if let decibels, level == nil {
            throw ValidationError(
                "--duck was given '\(decibels.printable)'; it takes decibels from 1 to 60, for example: --duck=14")
        }
        if call, duck { throw ValidationError("--call holds the others; leave out --duck, or --call") }
        if fd != nil, !command.isEmpty {
            throw ValidationError("--fd was given with a command; give one of them: what ends first is not defined")
        }
        if let fd, fcntl(fd, F_GETFD) < 0 {
            throw ValidationError("--fd was given \(fd), which is not open; open it first, for example: exec 9<fifo")
        }
        let texts = [reason].compactMap { $0 } + only + except
        if let long = texts.first(where: { $0.count > FocusHold.Request.longestText || $0 != $0.printable }) {
            throw ValidationError(
                "'\(long.printable.prefix(40))' is longer than \(FocusHold.Request.longestText) characters or has one that is "
                    + "not shown; give a shorter text")
        }
        if only.count > FocusHold.Request.mostNames || except.count > FocusHold.Request.mostNames {
            throw ValidationError("--only and --except take \(FocusHold.Request.mostNames) programs each at most")
        }
    }

    var request: FocusHold.Request {
        FocusHold.Request(
            kind: duck ? level.map { .duck(decibels: $0) } ?? .pause : .pause,
            program: program, isCall: call, isForParent: isForParent, reason: reason, only: only, except: except)
    }

    /// Who has the others hold: the command, or the program that holds the file; nil for a person at a terminal.
    var program: String? {
        if let name = command.first?.split(separator: "/").last {
            return String(name.prefix(FocusHold.Request.longestText)).printable
        }
        return isForParent ? FocusHold.parentName?.printable : nil
    }

    /// The program that holds the file plays on; a person at a terminal has started everything else there too.
    private var isForParent: Bool { command.isEmpty && (fd != nil || isatty(STDIN_FILENO) != 1) }

    func run() throws {
        let status = FocusRun(request).run(command.isEmpty ? .untilEnd(of: fd ?? STDIN_FILENO) : .command(command))
        if status != 0 { throw ExitCode(status) }
    }
}
