internal import AudioModel

/// The phrases of a scene, and what they mean.
package enum SceneGrammar {
    static let claim =
        "<category:\(SessionCategory.words.joined(separator: "/"))> "
        + "[in <mode:\(SessionMode.words.joined(separator: "/"))>] "
        + "[with {<options:\(SessionOptions.words.joined(separator: "/"))>}]"
    package static let kinds = PortKind.words
    private static let reasons = RouteChangeReason.words.joined(separator: "/")
    private static let machines = AudioScene.Machine.allCases.map(\.rawValue).joined(separator: "/")

    static let header = [
        "scene <version:number>", "title <title:name>", "link <link:name>", "machine <machine:\(machines)>",
        "plugged {<devices:device>}",
        "port <name:name> <direction:output/input> <kind:\(kinds.joined(separator: "/"))> [called <label:name>] "
            + "[channels <channels:count>] [at <hertz:hertz>] [of <device:name>] [in jack of <jack:name>]",
    ].map(Phrase.init)

    package static let actions = [
        "plug <device:device>", "unplug <device:device>", "flap <device:device> <times:count> times in <time:time>",
        "jack <device:device> says <state:full/empty/unknown>", "default output <device:device>",
        "default input <device:device>", "no default", "mixer moves app to <device:device>", "mixer releases app",
        "volume <device:device> <percent:percent> [<muted:muted>]", "rate <device:device> <hertz:hertz>",
        "profile <device:device> <profile:music/call>",
        "call begins", "call ends [, <resume:may resume/must not resume>]", "alarm for <time:time>",
        "notification for <time:time>", "program <name:name> plays [as <role:name>]", "program <name:name> stops",
        "program <name:name> is held", "program <name:name> goes on",
        "app <name:name> takes audio for \(claim)", "app <name:name> waits",
        "app <name:name> leaves [, <resume:others may resume>]", "app <name:name> is killed",
        "machine sleeps", "machine wakes", "server crashes", "server returns", "server stalls for <time:time>",
        "activation takes <time:time>",
        "streams held", "streams released", "links cut", "streams fail",
        "item takes <time:time> to open", "item stalls for <time:time>",
        "events come <time:time> late", "events come twice", "events come once", "events come reversed",
        "events come in order", "observers take <time:time>",
        "player plays", "player pauses", "player seeks to <time:time>", "recorder records", "recorder stops",
        "session is set to \(claim)", "session activates", "session deactivates [, <notify:notifying others>]",
        "session overrides output with <output:speaker/none>", "test looks", "end",
    ].map(Phrase.init)

    package static let expectations = [
        "player <state:playing/paused/waiting>", "recorder <state:recording/paused/waiting>",
        "<output:device> [channel <channel:count>] <sound:silent/heard>", "everything <sound:silent/heard>",
        "<output:device> level <side:above/below> <decibels:decibels>", "no click [on <output:device>]",
        "position continues [on <output:device>]",
        "interruption begins", "interruption ends [, <resume:may resume/must not resume>]",
        "route change [<reason:\(reasons)>]", "route <output:device>",
        "session <state:active/inactive/interrupted/ducked>", "media services lost", "media services reset",
        "no interruption", "no end of interruption", "no route change [<reason:\(reasons)>]", "no media services reset",
    ].map { Phrase($0 + " [within <within:time>] [from <from:time> to <to:time>]") }

    /// The one with this verb.
    static func phrase(_ verb: String, in phrases: [Phrase]) -> Phrase {
        guard let phrase = phrases.first(where: { $0.verb == verb }) else {
            preconditionFailure("SceneGrammar has no phrase \(verb)")
        }
        return phrase
    }
}

// MARK: Values of a phrase

extension AudioScene.Claim {
    init(_ fields: Fields) {
        self.init(fields.text("category"), mode: fields["mode"], options: fields.all("options"))
    }

    var values: [String: [String]] {
        ["category": [category], "mode": mode.map { [$0] } ?? [], "options": options]
    }
}

extension AudioScene.Action {
    /// The meaning of a phrase of `SceneGrammar.actions`, whose values fit their types.
    package init(_ fields: Fields) {
        let device = fields.text("device")
        let name = fields.text("name")
        let time = fields.time("time") ?? .zero
        switch fields.verb {
        case "plug": self = .plug(device)
        case "unplug": self = .unplug(device)
        case "flap times in": self = .flap(device, times: Int(fields.number("times") ?? 1), in: time)
        case "jack says": self = .jack(device, AudioScene.Jack(rawValue: fields.text("state")) ?? .unknown)
        case "default output": self = .defaultOutput(device)
        case "default input": self = .defaultInput(device)
        case "no default": self = .noDefault
        case "mixer moves app to": self = .choose(device)
        case "mixer releases app": self = .choose(nil)
        case "volume":
            self = .volume(device, percent: fields.number("percent") ?? 0, isMuted: fields["muted"] != nil)
        case "rate": self = .rate(device, hertz: fields.number("hertz") ?? 48000)
        case "profile": self = .profile(device, isCall: fields["profile"] == "call")
        case "call begins": self = .callBegins
        case "call ends": self = .callEnds(mayResume: fields["resume"] != "must not resume")
        case "alarm for": self = .alarm(time)
        case "notification for": self = .notification(time)
        case "program plays": self = .programPlays(name, role: fields["role"])
        case "program stops": self = .programStops(name)
        case "program is held": self = .programHeld(name)
        case "program goes on": self = .programReleased(name)
        case "app takes audio for": self = .appTakes(name, AudioScene.Claim(fields))
        case "app waits": self = .appWaits(name)
        case "app leaves": self = .appLeaves(name, mayResume: fields["resume"] != nil)
        case "app is killed": self = .appKilled(name)
        case "machine sleeps": self = .sleep
        case "machine wakes": self = .wake
        case "server crashes": self = .serverCrashes
        case "server returns": self = .serverReturns
        case "server stalls for": self = .stall(time)
        case "activation takes": self = .activationTakes(time)
        case "streams held": self = .streamsHeld
        case "streams released": self = .streamsReleased
        case "links cut": self = .linksCut
        case "streams fail": self = .streamsFail
        case "item takes to open": self = .itemsOpen(in: time)
        case "item stalls for": self = .itemsStall(time)
        case "events come late": self = .eventsLate(time)
        case "events come twice": self = .eventsTwice(true)
        case "events come once": self = .eventsTwice(false)
        case "events come reversed": self = .eventsReversed(true)
        case "events come in order": self = .eventsReversed(false)
        case "observers take": self = .slowObservers(time)
        case "player plays": self = .play
        case "player pauses": self = .pause
        case "player seeks to": self = .seek(time)
        case "recorder records": self = .record
        case "recorder stops": self = .stopRecording
        case "session is set to": self = .configure(AudioScene.Claim(fields))
        case "session activates": self = .activate
        case "session deactivates": self = .deactivate(notifiesOthers: fields["notify"] != nil)
        case "session overrides output with": self = .overrideOutput(speaker: fields["output"] == "speaker")
        case "test looks": self = .testLooks
        default: self = .end
        }
    }

    /// The verb and the values of the phrase that means this.
    var spelling: (verb: String, values: [String: [String]]) {
        switch self {
        case .plug(let device): ("plug", ["device": [device]])
        case .unplug(let device): ("unplug", ["device": [device]])
        case .flap(let device, let times, let length):
            ("flap times in", ["device": [device], "times": ["\(times)"], "time": [length.spelling]])
        case .jack(let device, let state): ("jack says", ["device": [device], "state": [state.rawValue]])
        case .defaultOutput(let device): ("default output", ["device": [device]])
        case .defaultInput(let device): ("default input", ["device": [device]])
        case .noDefault: ("no default", [:])
        case .choose(let device?): ("mixer moves app to", ["device": [device]])
        case .choose(nil): ("mixer releases app", [:])
        case .volume(let device, let percent, let isMuted):
            ("volume", ["device": [device], "percent": [percent.spelling + "%"], "muted": isMuted ? ["muted"] : []])
        case .rate(let device, let hertz): ("rate", ["device": [device], "hertz": [hertz.spelling + "Hz"]])
        case .profile(let device, let isCall):
            ("profile", ["device": [device], "profile": [isCall ? "call" : "music"]])
        case .callBegins: ("call begins", [:])
        case .callEnds(let mayResume): ("call ends", ["resume": [mayResume ? "may resume" : "must not resume"]])
        case .alarm(let time): ("alarm for", ["time": [time.spelling]])
        case .notification(let time): ("notification for", ["time": [time.spelling]])
        case .programPlays(let name, let role): ("program plays", ["name": [name], "role": role.map { [$0] } ?? []])
        case .programStops(let name): ("program stops", ["name": [name]])
        case .programHeld(let name): ("program is held", ["name": [name]])
        case .programReleased(let name): ("program goes on", ["name": [name]])
        case .appTakes(let name, let claim):
            ("app takes audio for", claim.values.merging(["name": [name]]) { $1 })
        case .appWaits(let name): ("app waits", ["name": [name]])
        case .appLeaves(let name, let mayResume):
            ("app leaves", ["name": [name], "resume": mayResume ? ["others may resume"] : []])
        case .appKilled(let name): ("app is killed", ["name": [name]])
        case .sleep: ("machine sleeps", [:])
        case .wake: ("machine wakes", [:])
        case .serverCrashes: ("server crashes", [:])
        case .serverReturns: ("server returns", [:])
        case .stall(let time): ("server stalls for", ["time": [time.spelling]])
        case .activationTakes(let time): ("activation takes", ["time": [time.spelling]])
        case .streamsHeld: ("streams held", [:])
        case .streamsReleased: ("streams released", [:])
        case .linksCut: ("links cut", [:])
        case .streamsFail: ("streams fail", [:])
        case .itemsOpen(let time): ("item takes to open", ["time": [time.spelling]])
        case .itemsStall(let time): ("item stalls for", ["time": [time.spelling]])
        case .eventsLate(let time): ("events come late", ["time": [time.spelling]])
        case .eventsTwice(let isOn): (isOn ? "events come twice" : "events come once", [:])
        case .eventsReversed(let isOn): (isOn ? "events come reversed" : "events come in order", [:])
        case .slowObservers(let time): ("observers take", ["time": [time.spelling]])
        case .play: ("player plays", [:])
        case .pause: ("player pauses", [:])
        case .seek(let time): ("player seeks to", ["time": [time.spelling]])
        case .record: ("recorder records", [:])
        case .stopRecording: ("recorder stops", [:])
        case .configure(let claim): ("session is set to", claim.values)
        case .activate: ("session activates", [:])
        case .deactivate(let notifies):
            ("session deactivates", ["notify": notifies ? ["notifying others"] : []])
        case .overrideOutput(let speaker):
            ("session overrides output with", ["output": [speaker ? "speaker" : "none"]])
        case .testLooks: ("test looks", [:])
        case .end: ("end", [:])
        }
    }

    /// As a line of a scene has it, without its time.
    public var text: String { TextWriter.text(of: spelling, in: SceneGrammar.actions) }
}

extension AudioScene.Expectation {
    /// The meaning of a phrase of `SceneGrammar.expectations`, whose values fit their types.
    package init(_ fields: Fields) {
        let window: AudioScene.Window =
            if let length = fields.time("within") {
                .within(length)
            } else if let start = fields.time("from"), let end = fields.time("to") {
                .during(start, end)
            } else {
                .scene
            }
        self.init(AudioScene.Fact(fields), window)
    }

    var spelling: (verb: String, values: [String: [String]]) {
        var (verb, values) = fact.spelling
        switch window {
        case .within(let length): values["within"] = [length.spelling]
        case .during(let start, let end): (values["from"], values["to"]) = ([start.spelling], [end.spelling])
        case .scene: break
        }
        return (verb, values)
    }

    /// As a line of a scene has it, without the word "expect".
    public var text: String { TextWriter.text(of: spelling, in: SceneGrammar.expectations) }
}

extension AudioScene.Fact {
    init(_ fields: Fields) {
        let output = fields["output"]
        let channel = fields.number("channel").map(Int.init)
        let mayResume = fields["resume"].map { $0 == "may resume" }
        switch fields.verb {
        case "player": self = .player(AudioScene.PlayerState(rawValue: fields.text("state")) ?? .paused)
        case "recorder":
            let state = AudioScene.PlayerState.allCases.first { $0.ofRecorder == fields.text("state") }
            self = .recorder(state ?? .paused)
        case "output", "everything":
            self = fields["sound"] == "silent" ? .silent(output, channel: channel) : .heard(output, channel: channel)
        case "level":
            self = .level(
                fields.text("output"), isAbove: fields["side"] == "above", decibels: Int(fields.number("decibels") ?? 0)
            )
        case "no click": self = .noClick(output)
        case "position continues": self = .positionContinues(output)
        case "interruption begins": self = .interruptionBegins
        case "interruption ends": self = .interruptionEnds(mayResume: mayResume)
        case "route change": self = .routeChange(fields["reason"])
        case "route": self = .route(fields.text("output"))
        case "session": self = .session(AudioScene.SessionState(rawValue: fields.text("state")) ?? .inactive)
        case "media services lost": self = .mediaServicesLost
        case "media services reset": self = .mediaServicesReset
        case "no interruption": self = .noInterruption
        case "no end of interruption": self = .noInterruptionEnd
        case "no media services reset": self = .noMediaServicesReset
        default: self = .noRouteChange(fields["reason"])
        }
    }

    var spelling: (verb: String, values: [String: [String]]) {
        func place(_ output: String?, _ channel: Int?, _ sound: String) -> (String, [String: [String]]) {
            guard let output else { return ("everything", ["sound": [sound]]) }
            return ("output", ["output": [output], "channel": channel.map { ["\($0)"] } ?? [], "sound": [sound]])
        }
        return switch self {
        case .player(let state): ("player", ["state": [state.rawValue]])
        case .recorder(let state): ("recorder", ["state": [state.ofRecorder]])
        case .silent(let output, let channel): place(output, channel, "silent")
        case .heard(let output, let channel): place(output, channel, "heard")
        case .level(let output, let isAbove, let decibels):
            ("level", ["output": [output], "side": [isAbove ? "above" : "below"], "decibels": ["\(decibels)dB"]])
        case .noClick(let output): ("no click", ["output": output.map { [$0] } ?? []])
        case .positionContinues(let output): ("position continues", ["output": output.map { [$0] } ?? []])
        case .interruptionBegins: ("interruption begins", [:])
        case .interruptionEnds(let mayResume):
            ("interruption ends", ["resume": mayResume.map { [$0 ? "may resume" : "must not resume"] } ?? []])
        case .routeChange(let reason): ("route change", ["reason": reason.map { [$0] } ?? []])
        case .route(let output): ("route", ["output": [output]])
        case .session(let state): ("session", ["state": [state.rawValue]])
        case .mediaServicesLost: ("media services lost", [:])
        case .mediaServicesReset: ("media services reset", [:])
        case .noInterruption: ("no interruption", [:])
        case .noInterruptionEnd: ("no end of interruption", [:])
        case .noRouteChange(let reason): ("no route change", ["reason": reason.map { [$0] } ?? []])
        case .noMediaServicesReset: ("no media services reset", [:])
        }
    }
}

extension AudioScene.PlayerState {
    /// The same state of what records.
    var ofRecorder: String { self == .playing ? "recording" : rawValue }
}

extension Double {
    /// The shortest spelling that is read back as the same number.
    var spelling: String { self == rounded() && abs(self) < 1e15 ? "\(Int(self))" : "\(self)" }
}
