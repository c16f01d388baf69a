import GuardRuntime

/// What the guard says, for people and for programs.
///
/// Pure.
enum GuardText {
    /// - Parameter isDryRun: nothing is done of what the report says.
    static func line(_ report: GuardController.Report, isDryRun: Bool = false) -> String {
        let name = report.name.printable
        switch report.kind {
        case .held(let reason): return "\(isDryRun ? "Would pause" : "Paused") \(name): \(reason.words)."
        case .released(.guardEnds(let isHeard)): return letGo(name, words(.guardEnds(isHeard: isHeard)), isHeard)
        case .released(.descriptorsRanOut(let isHeard)):
            return letGo(name, words(.descriptorsRanOut(isHeard: isHeard)), isHeard)
        case .descriptorsRanOut:
            return
                "The guard has reached its limit of open files, and holds nothing. Raise the limit (ulimit -n, or "
                + "LimitNOFILE= in its unit) and start it again."
        case .focusNameTaken:
            return
                "Programs cannot ask this guard for the focus over the bus: \(name) has the name "
                + "org.openavfaudio.Focus1. The guard takes it when that program ends."
        case .focusNameReturned: return "Programs can ask for the focus over the bus again."
        case .handedOver: return "The next guard has what this one held."
        case .heldAgain:
            return "\(name) \(isDryRun ? "would stay" : "stays") paused: the guard has the server again."
        case .keptHeld: return "\(name) stays paused, as under the guard before."
        case .released(let cause): return "\(isDryRun ? "Would continue" : "Continued") \(name): \(words(cause))."
        case .returnedLate(let output):
            return
                "\(output.printable) is back, and \(name) \(isDryRun ? "would stay" : "stays") paused: it was away for "
                + "long. To continue: audiosession guard release \(name)"
        case .choiceRestored:
            return
                "'Headphones guard' was chosen as the output. It plays nothing, so the output \(isDryRun ? "would be" : "is") "
                + "again the one from before."
        case .managerLeft:
            return
                "The session manager has ended. Nothing can be paused until it is back: systemctl --user start wireplumber"
        case .managerCame: return "The session manager is back."
        case .portMuted: return "While headphones are in, \(name) is muted."
        case .focusBegan(let holder): return line(holder, isDryRun: isDryRun)
        case .focusEnded: return "\(name) \(isDryRun ? "would let" : "lets") the others go on."
        case .microphoneGiven(let microphone):
            return
                "\(name) \(isDryRun ? "would record" : "records") with \(microphone.printable), so that the headset goes on "
                + "playing music."
        case .microphoneReturned: return "\(name) records with the microphone that the session manager chooses."
        case .onlyMicrophone: return onlyMicrophone(name).body
        case .portUnmuted: return "\(name) is as it was before."
        case .portForgotten:
            return
                "\(name) cannot be muted beforehand: this session manager does not remember the mute of a port that is not "
                + "available. When the plug is pulled, up to two cycles of what plays may be heard."
        case .ended: return "\(name) ended while it \(isDryRun ? "would have been" : "was") paused."
        case .waiting(let rival): return waiting(rival)
        case .tookOver: return "The other guard has ended. This one guards from now on."
        case .claimFailed(let text):
            return "The PipeWire server does not let this guard have it (\(text.printable)); start the guard again."
        case .cannotCatch: return misranked
        case .notMoved: return "\(name) is not paused: it \(playsOn)."
        }
    }

    private static func letGo(_ name: String, _ cause: String, _ isHeard: Bool) -> String {
        "Let \(name) go: \(cause). \(isHeard ? "It is heard now." : "It stays paused; press play in it to continue.")"
    }

    /// Why a held stream is heard, and what to do.
    private static let playsOn =
        "plays on, because nothing lets the guard move it; the guard's program needs the permissions rwxm "
        + "(docs/guard.md, Permissions)"

    private static func words(_ watch: GuardController.Watch) -> String {
        if let reason = unwatched(watch) { return "The current output is not watched. \(reason)" }
        return watch == .watched ? "The current output is watched." : "No output is watched now."
    }

    private static let misranked =
        "The session manager ranks outputs in an unknown way: after an unplug, a few milliseconds may be heard."

    /// Why the default output, a private one, has no catching sink; nil where it has one, or is no private one.
    private static func unwatched(_ watch: GuardController.Watch) -> String? {
        switch watch {
        case .watched, .notNeeded: nil
        case .pending: "The guard's sink is about to be there."
        case .noRoom:
            "Another output ranks as high or was chosen before, or a microphone ranks too low: after an unplug, a few "
                + "milliseconds may be heard."
        case .misranked: misranked
        }
    }

    private static func line(_ holder: FocusedProgram.Holder, isDryRun: Bool) -> String {
        let reason = holder.reason.map { " (\($0.printable))" } ?? ""
        let name = holder.program.name.printable + reason
        let has = isDryRun ? "would have" : "has"
        return switch holder.kind {
        case .pause: "\(name) \(has) the others hold."
        case .pauseSpeech: "\(name) \(has) those that speak hold."
        case .duck(let decibels): "\(name) \(has) the others go \(Int(decibels.rounded())) dB lower."
        }
    }

    /// Another guard, for an error or a line.
    static func words(_ rival: GuardController.Rival) -> String {
        let process = rival.processID.map { "process \($0)" } ?? "unknown process"
        return "\(rival.name.printable) (\(process)\(rival.machine.map { " on \($0.printable)" } ?? ""))"
    }

    static func waiting(_ rival: GuardController.Rival) -> String {
        "Another guard is running: \(words(rival)). This one waits until it ends."
    }

    /// Nil where what has the server is a guard that somebody has started.
    static func absence(_ purpose: GuardController.Rival.Purpose) -> String? {
        switch purpose {
        case .focus:
            "no guard is running; a program has the others hold for the moment, which needs none: audiosession focus"
        case .keeping:
            "no guard is running; what the last one held stays silent for a minute, and longer once a guard starts: "
                + "audiosession guard"
        case .guarding, .leaving: nil
        }
    }

    /// nil where nothing is held that its user may miss: who asks others to hold shows so itself.
    static func notice(_ all: [HeldStream]) -> GuardNotice? {
        let held = all.filter { !$0.reasons.allSatisfy(\.isFocus) && !$0.isHeard }
        let isBack = held.contains { stream in
            stream.reasons.contains { if case .returnedLate = $0 { true } else { false } }
        }
        guard !held.isEmpty else { return nil }
        func list(_ texts: [String]) -> String {
            let unique = texts.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            return unique.count > 3
                ? unique.prefix(3).joined(separator: ", ") + ", ..." : unique.joined(separator: ", ")
        }
        return GuardNotice(
            summary: "Paused: " + list(held.map(\.program.printable)),
            body: list(held.flatMap(\.reasons).map(\.words)) + ".",
            buttons: [.init(isBack ? "Continue" : "Play here", .release(program: nil))]
                + leaveAlone(Set(held.map(\.program))),
            click: .release(program: nil))
    }

    /// Where several programs are held, the tray has a line for each.
    private static func leaveAlone(_ programs: Set<String>) -> [GuardNotice.Button] {
        guard programs.count == 1, let program = programs.first, GuardRequest.isName(program) else { return [] }
        return [.init("Leave alone", .leaveAlone(program: program, isLeft: true))]
    }

    static func leftAlone(_ program: String) -> GuardNotice {
        GuardNotice(
            summary: "\(program) is left alone from now on", body: "It plays on when the headphones leave.",
            buttons: [.init("Undo", .leaveAlone(program: program, isLeft: false))])
    }

    /// - Parameter program: printable.
    static func onlyMicrophone(_ program: String) -> GuardNotice {
        GuardNotice(
            summary: "The headset has the only microphone",
            body: "\(program) records with it. Meanwhile the headset sounds as in a call.")
    }

    static let welcome = GuardNotice(
        summary: "Headphones guard is on",
        body:
            "When headphones leave, what plays on them is paused. It continues when they are back. The right button on its "
            + "menu entry turns it off.",
        buttons: [.init("Turn off", .off(until: nil))])

    static func line(_ power: GuardPower) -> String {
        switch power {
        case .on: "The guard is on."
        case .off(let until): "The guard is off\(until.map { " until \(WallClock.words($0))" } ?? ""): \(offNature)."
        }
    }

    private static let offNature = "nothing is held but for programs that ask for it"

    static let heldPrefix = "Held by guard: "
    static let wayOutPrefix = "To continue on the current output: "
    /// Its stream is not touched.
    private static let toldPrefix = "Told to pause: "
    private static let heardPrefix = "Not held: "

    /// What a running guard holds, or a killed one has left, as other commands show it.
    static var heldLines: [String] {
        guard let status = GuardControl.answer(to: .status) else {
            guard !MutedPorts.load().isEmpty, GuardControl.runningGuard == nil else { return [] }
            return MutedPorts.load().sorted().map {
                "Muted by a guard that was killed: \($0.printable). Run: audiosession guard repair"
            }
        }
        return status.filter { $0.hasPrefix(heldPrefix) || $0.hasPrefix(heardPrefix) }.map(\.printable)
    }

    /// The sentence that `guard status` begins with.
    static func summary(_ status: GuardStatus) -> String {
        if let rival = status.rival { return waiting(rival) }
        if case .off(let until) = status.scope {
            return line(.off(until: until)) + " To turn it on: audiosession guard on"
        }
        if !status.hasManager {
            return "The guard is running, but the session manager is not: nothing can be paused until it is back."
        }
        if status.isDryRun { return "A dry run is running: it pauses nothing, and says what it would pause." }
        return "The guard is running. \(words(status.watch))"
    }

    static func lines(_ status: GuardStatus) -> [String] {
        let (summary, held, isDryRun) = (summary(status), status.held, status.isDryRun)
        if status.rival != nil { return [summary] }
        let faults = status.problems.map(fault)
        let muted = faults + status.armed.map { "\($0.printable) is muted while the headphones are in." }
        let focus = status.holders.map {
            "\(line($0.holder, isDryRun: isDryRun)) It began \(Int($0.seconds)) s ago."
        }
        guard !held.isEmpty else {
            return [summary] + muted + focus + [released(0, of: nil, isDryRun: isDryRun)]
        }
        guard !isDryRun else {
            return [summary] + muted + focus + held.map { "Would be paused: " + line($0) }
        }
        let example = held[0].program.printable
        let wayOut = "\(wayOutPrefix)'audiosession guard release \(example)', or pause and play in the program."
        return [summary] + muted + focus + held.map { prefix($0) + line($0) } + [wayOut]
    }

    /// Of the configuration.
    static func fault(_ problem: String) -> String { "Left out of the configuration: \(problem)" }

    /// The configuration: what is in force, and where it was said.
    static func lines(_ configuration: GuardController.Configuration) -> [String] {
        let settings = configuration.lines.map { line in
            "\(line.setting.rawValue) = \(line.text.printable)  # \(line.origin?.printable ?? "default")"
        }
        let rules =
            configuration.options.programRules.map { ("program", $0.text, $0.origin) }
            + configuration.options.excluded.sorted().map {
                ("program", "\($0): guard.action = leave-alone", GuardSettings.commandLine)
            }
            + configuration.options.outputRules.map { ("output", $0.text, $0.origin) }
        return settings + rules.map { "\($0): \($1.printable)  # \($2.printable)" } + configuration.problems.map(fault)
    }

    /// - Parameter isDryRun: nothing was held.
    static func released(_ count: Int, of program: String?, isDryRun: Bool) -> String {
        if count == 0 { return program.map(nothing) ?? "Nothing \(isDryRun ? "would be" : "is") paused." }
        let of = program.map { " of \($0.printable)" } ?? ""
        let streams = count == 1 ? program?.printable ?? "1 stream" : "\(count) streams\(of)"
        return "\(streams) \(isDryRun ? "would continue" : count == 1 ? "continues" : "continue")."
    }

    static func nothing(of program: String) -> String { "Nothing of \(program.printable) is paused." }

    /// The programs that a running guard holds.
    static var heldNames: [String] {
        let lines = GuardControl.answer(to: .status) ?? []
        return lines.compactMap { line in
            guard let prefix = [heldPrefix, toldPrefix, heardPrefix].first(where: line.hasPrefix) else { return nil }
            return line.dropFirst(prefix.count).split(separator: ",").first.map { String($0).printable }
        }
    }

    private static func line(_ stream: HeldStream) -> String {
        let reasons = stream.reasons.map(\.words).joined(separator: "; ")
        let heard = stream.isHeard ? " It \(playsOn)." : ""
        return "\(stream.program.printable), \(reasons) \(Int(stream.seconds)) s ago.\(heard)"
    }

    private static func prefix(_ stream: HeldStream) -> String {
        if stream.isHeard { return heardPrefix }
        return stream.isParked ? heldPrefix : toldPrefix
    }

    static func json(_ status: GuardStatus) -> JSONValue {
        .fields([
            "dryRun": .bool(status.isDryRun),
            "faults": .array(status.problems.map { .string($0) }),
            "running": .bool(true), "watchesOutput": .bool(status.watch == .watched),
            "watchedOutput": status.watchedOutput.map { .string($0) } ?? .null,
            "off": .bool(status.scope.isOff),
            "offUntil": status.scope.offUntil.map { .integer(Int($0 / 1_000_000)) } ?? .null,
            "unwatched": unwatched(status.watch).map { .string($0) } ?? .null,
            "waitsFor": status.rival.map { .string(words($0)) } ?? .null,
            "muted": .array(status.armed.map { .string($0) }),
            "focus": .array(
                status.holders.map { program in
                    .fields([
                        "program": .string(program.holder.program.name),
                        "processID": program.holder.program.processID.map { .integer(Int($0)) } ?? .null,
                        "reason": program.holder.reason.map { .string($0) } ?? .null,
                        "decibels": program.holder.decibels.map { .number($0, digits: 1) } ?? .null,
                        "seconds": .number(program.seconds, digits: 1),
                    ])
                }),
            "held": .array(
                status.held.map { stream in
                    .fields([
                        "program": .string(stream.program),
                        "processID": stream.processID.map { .integer(Int($0)) } ?? .null,
                        "seconds": .number(stream.seconds, digits: 1),
                        "parked": .bool(stream.isParked), "heard": .bool(stream.isHeard),
                        "reasons": .array(stream.reasons.map { .string($0.words) }),
                    ])
                }),
        ])
    }

    private static func words(_ cause: HeldStream.Release) -> String {
        switch cause {
        case .reasonEnded(let words): words
        case .playedByUser: "it was started again"
        case .requested: "as requested"
        case .guardEnds: "the guard ends"
        case .descriptorsRanOut: "the guard has too many files open"
        case .movedByUser: "it was moved in a mixer"
        case .configured: "the configuration has changed"
        case .connectionLost: "the guard had lost the server"
        }
    }
}
