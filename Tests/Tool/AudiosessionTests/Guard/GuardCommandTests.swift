import GuardCore
import GuardRuntime
import OpenAudioSession
import SessionRuntime
import Testing

@testable import audiosession

struct GuardCommandTests {
    private static func status(
        _ watch: GuardController.Watch = .notNeeded, _ change: (inout GuardStatus) -> Void = { _ in }
    ) -> GuardStatus {
        var status = GuardStatus()
        status.watch = watch
        change(&status)
        return status
    }

    private func run(_ words: [String]) throws -> GuardRunCommand {
        try #require(try AudioSessionTool.command(from: words) as? GuardRunCommand)
    }

    /// Where no file says anything.
    private func options(of command: GuardRunCommand) throws -> GuardController.Options {
        let settings = try command.guardOption.settings(SessionEnvironment([:]))
        settings.read(GuardFiles(directories: []))
        return settings.current.options
    }

    @Test func guardWithoutWords_resumesAndWatchesCalls() throws {
        let command = try run(["guard"])
        #expect(!command.dryRun)
        let options = try options(of: command)
        #expect(options.roles.effect(ofRole: "Game") == .mixes)
        #expect(options.onReturn == .resume(withinSeconds: 600))
        #expect(options.holdsForCalls && options.lowersForAlerts)
        #expect(!options.oneAtATime)
        #expect(!options.armsJacks)
        #expect(options.excluded == [])
    }

    @Test func words_giveTheirOptions_andOptionsGiveTheirWords() throws {
        let words = [
            "--on-return", "stay", "--calls", "off", "--alerts", "off", "--one-at-a-time", "--arm-jack", "--exclude",
            "MPV", "--exclude",
            "orca",
        ]
        #expect(try run(["guard", "--return-within", "20"]).guardOption.words == ["--return-within", "20"])
        #expect(try run(["guard", "--while-recording", "duck"]).guardOption.words == ["--while-recording", "duck"])
        let command = try run(["guard"] + words)
        let options = try options(of: command)
        #expect(options.onReturn == .stay)
        #expect(!options.holdsForCalls)
        #expect(!options.lowersForAlerts)
        #expect(options.oneAtATime)
        #expect(options.armsJacks)
        #expect(options.excluded == ["mpv", "orca"])
        #expect(command.guardOption.words == words)
    }

    /// Nothing that is not said outranks a file.
    @Test func words_canTurnOffWhatAFileHasTurnedOn() throws {
        let words = ["--return-within", "always", "--no-one-at-a-time", "--no-arm-jack"]
        let command = try run(["guard"] + words)
        #expect(command.guardOption.words == words)
        #expect(try options(of: command).onReturn == .resume(withinSeconds: .infinity))
        #expect(try run(["guard"]).guardOption.words == [])
    }

    @Test(arguments: [
        ["--on-return", "go"], ["--calls", "maybe"], ["--alerts", "some"], ["--exclude"], ["--return-within", "soon"],
    ])
    func wrongWords_areRefused(words: [String]) {
        #expect(throws: (any Error).self) { try AudioSessionTool.command(from: ["guard"] + words) }
    }

    @Test func rolesOfTheEnvironment_changeTheTable_andWrongOnesAreRefused() throws {
        let option = try run(["guard"]).guardOption
        let options = try option.settings(SessionEnvironment(["AUDIOSESSION_ROLES": "Game=plays,Music=ignored"]))
            .current.options
        #expect(options.roles.effect(ofRole: "game") == .plays)
        #expect(options.roles.effect(ofRole: "music") == .ignored)
        let error = #expect(throws: BackendError.self) {
            try option.settings(SessionEnvironment(["AUDIOSESSION_ROLES": "Game"]))
        }
        #expect(error?.code == .session(.badParam))
        #expect(error?.message.hasPrefix("AUDIOSESSION_ROLES: \"Game\" does not say") == true)
    }

    @Test(arguments: [["guard"], ["guard", "run"], ["guard", "--dry-run"], ["guard", "--exclude", "mpv"]])
    func guardThatRuns_listensForSignals(words: [String]) { #expect(GuardCommand.runs(words.dropFirst().first)) }

    @Test(arguments: [
        "status", "release", "stop", "log", "install", "uninstall", "repair", "config", "exclude", "off", "on",
    ])
    func requestToAGuard_endsAtASignal(word: String) { #expect(!GuardCommand.runs(word)) }

    @Test func unit_runsThisProgramWithItsOptions() throws {
        let text = try GuardUnit.text(program: "/opt/a b/audiosession", words: ["--exclude", "50% \"x\""])
        #expect(text.contains(#"ExecStart="/opt/a b/audiosession" "guard" "--exclude" "50%% \"x\"""# + "\n"))
        #expect(text.contains(#"ExecStopPost=-"/opt/a b/audiosession" "guard" "repair""# + "\n"))
        #expect(text.contains("Type=notify\n"))
        #expect(text.contains("WantedBy=pipewire.service\n"))
    }

    /// Checked with `systemd-analyze verify` of systemd 252: "$$" in the program's path stays two characters.
    @Test func unit_doublesTheDollarInWords_andNotInTheProgramsPath() throws {
        let text = try GuardUnit.text(program: "/opt/$a 5%/audiosession", words: ["--exclude", "$HOME \\"])
        #expect(text.contains(#"ExecStart="/opt/$a 5%%/audiosession" "guard" "--exclude" "$$HOME \\""# + "\n"))
        #expect(text.contains(#"ExecStopPost=-"/opt/$a 5%%/audiosession" "guard" "repair""# + "\n"))
    }

    @Test(arguments: ["a\"b", "a'b", "a\\b", "a\nb"])
    func unit_ofAPathThatSystemdRefuses_isAnError(name: String) {
        let error = #expect(throws: BackendError.self) { try GuardUnit.text(program: "/opt/\(name)", words: []) }
        let words = "this program is at '/opt/\(name.printable)', and systemd does not start"
        #expect(error?.message.hasPrefix(words) == true)
    }

    @Test(arguments: ["mpv\nExecStartPre=/bin/true", "a\rb", "\u{1B}[2J", "a\u{202E}b"])
    func excludedName_withALineBreakOrAControlCharacter_isRefused(name: String) {
        for word in ["run", "install"] {
            let words = ["guard", word, "--exclude", name]
            #expect(throws: (any Error).self) { try AudioSessionTool.command(from: words) }
        }
    }

    @Test func dryRun_saysWhatItWouldDo() {
        let reason = HeldStream.Reason.lost(uid: "x", name: "Headset")
        func line(_ kind: GuardController.Report.Kind) -> String {
            GuardText.line(GuardController.Report(kind, name: "mpv"), isDryRun: true)
        }
        #expect(line(.held(reason)) == "Would pause mpv: Headset left.")
        #expect(line(.released(.outputReturned)) == "Would continue mpv: the output is back.")
        #expect(line(.ended) == "mpv ended while it would have been paused.")
        #expect(line(.focusEnded) == "mpv would let the others go on.")
        let program = Program(identity: .process(1), name: "orca")
        func holder(_ kind: FocusHolder.Kind) -> FocusHolder {
            FocusHolder(id: .bus(cookie: 1), kind: kind, program: program)
        }
        #expect(line(.focusBegan(holder(.pause))) == "orca would have the others hold.")
        #expect(line(.focusBegan(holder(.pauseSpeech))) == "orca would have those that speak hold.")
        #expect(
            line(.focusBegan(holder(.duck(decibels: 14)))) == "orca would have the others go 14 dB lower.")
        #expect(GuardText.released(0, of: nil, isDryRun: true) == "Nothing would be paused.")
        #expect(GuardText.released(2, of: nil, isDryRun: true) == "2 streams would continue.")
        #expect(GuardText.json(Self.status(.watched) { $0.isDryRun = true }).text.contains(#""dryRun":true"#))
        #expect(
            GuardText.lines(Self.status { $0.isDryRun = true })[0]
                == "A dry run is running: it pauses nothing, and says what it would pause.")
    }

    @Test func status_saysThatTheSessionManagerIsGone() {
        #expect(
            GuardText.lines(Self.status { $0.hasManager = false })[0]
                == "The guard is running, but the session manager is not: nothing can be paused until it is back.")
    }

    @Test(arguments: [
        (GuardController.Watch.noRoom, "Another output ranks as high or was chosen before"),
        (.misranked, "The session manager ranks outputs in an unknown way"), (.pending, "The guard's sink is about to"),
    ])
    func status_saysWhyAPrivateOutputIsNotWatched(watch: GuardController.Watch, words: String) {
        let line = GuardText.lines(Self.status(watch))[0]
        #expect(line.hasPrefix("The guard is running. The current output is not watched. \(words)"), "\(line)")
        #expect(GuardText.json(Self.status(watch)).text.contains(#""unwatched":"\#(words)"#))
    }

    @Test func status_saysThatTheGuardIsOff() {
        func words(_ until: UInt64?) -> (String, String) {
            let status = Self.status { $0.scope = .off(until: until) }
            return (GuardText.lines(status)[0], GuardText.json(status).text)
        }
        let way = "nothing is held but for programs that ask for it. To turn it on: audiosession guard on"
        #expect(words(nil).0 == "The guard is off: \(way)")
        let until = WallClock.now + 60 * 86_400 * 1_000_000
        #expect(words(until).0 == "The guard is off until \(WallClock.words(until)): \(way)")
        #expect(words(nil).1.contains(#""off":true,"offUntil":null"#), "\(words(nil).1)")
        #expect(words(until).1.contains(#""off":true,"offUntil":\#(until / 1_000_000)"#), "\(words(until).1)")
        #expect(GuardText.json(Self.status()).text.contains(#""off":false,"offUntil":null"#))
    }

    @Test func programThatPlaysOn_isNotSaidToBePaused() {
        let line = GuardText.line(GuardController.Report(.notMoved, name: "mpv"))
        #expect(line.hasPrefix("mpv is not paused: it plays on, because nothing lets the guard move it"), "\(line)")
    }

    @Test func unit_hasNoNetworkAndNoNewRights() throws {
        let text = try GuardUnit.text(program: "/usr/bin/audiosession", words: [])
        for line in [
            "NoNewPrivileges=yes", "RestrictAddressFamilies=AF_UNIX", "MemoryDenyWriteExecute=yes",
            "SystemCallFilter=@system-service",
        ] {
            #expect(text.contains(line + "\n"))
        }
        #expect(
            GuardUnit.serviceText(program: "/usr/bin/audiosession").contains(
                "SystemdService=audiosession-guard.service\n"))
    }

    @Test func status_namesTheMutedSpeaker() {
        #expect(
            GuardText.lines(Self.status(.watched) { $0.armed = ["Speaker\u{7}"] }) == [
                "The guard is running. The current output is watched.",
                "Speaker\u{FFFD} is muted while the headphones are in.", "Nothing is paused.",
            ])
        #expect(GuardText.json(Self.status(.watched) { $0.armed = ["Speaker"] }).text.contains(#""muted":["Speaker"]"#))
    }

    @Test(arguments: [
        GuardControl.Request.status, .statusJSON, .config, .log, .follow, .release(nil), .release("mpv"),
        .release("my program"), .turn(.on), .turn(.off(until: nil)), .turn(.off(until: 1_800_000_000_000_000)),
        .stop(keepsHolds: false), .stop(keepsHolds: true),
    ])
    func request_isReadAsItWasWritten(request: GuardControl.Request) {
        #expect(GuardControl.Request(line: request.line) == request)
    }

    @Test(arguments: ["", "release ", "stop it", "off ", "off soon", "off -1", "on x"])
    func otherLines_areNoRequests(line: String) {
        #expect(GuardControl.Request(line: line) == nil)
    }
}
