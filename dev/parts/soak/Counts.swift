import ArgumentParser
import Foundation
import OpenAVFAudio
import OpenAVFoundation
import OpenAudioSession
import TestSupport

struct Unplugs: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Unplug headphones while a player plays, and count what the speaker plays in the second after it.")

    @Argument(help: "How often.")
    var count: Int

    func run() throws {
        try Soak.run { [count] in
            let machine = try Machine()
            let player = try AVAudioPlayer(
                contentsOf: URL(filePath: try machine.tone(seconds: 30, named: "tone.wav")))
            let session = AVAudioSession.sharedInstance()
            try session.setCategory(.playback)
            var (proven, rounds, frames) = (0, 0, 0)
            // A round whose meter missed frames, as on a busy machine, proves nothing and is played again.
            while proven < count {
                rounds += 1
                try machine.plugHeadset()
                try until("a route to the headset") { session.currentRoute.outputs.map(\.portName) == ["headset"] }
                player.currentTime = 0
                guard player.play() else { throw Failure(description: "round \(rounds): play refused") }
                try machine.headset?.meter.wait(loudFrames: 2400)
                machine.speaker.meter.mark()
                machine.pullHeadset()
                let heard = try machine.speaker.meter.wait(frames: 48_000)
                try until("round \(rounds): a pause") { !player.isPlaying }
                frames += heard.loudFrames
                if heard.loudFrames > 0 { report("round \(rounds): \(heard)") }
                if heard.missedFrames == 0 { proven += 1 }
                if rounds % 100 == 0 { report("\(rounds) rounds, \(proven) without missed frames, \(frames) frames") }
            }
            report("\(proven) unplugs, \(frames) frames on the speaker (\(rounds) rounds)")
            if frames > 0 { throw Failure(description: "the speaker played") }
        }
    }
}

struct Gaps: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Unplug headphones between two items, before a server answers, and count what the speaker plays after that."
    )

    @Argument(help: "How often.")
    var count: Int

    func run() throws {
        try Soak.run { [count] in
            let machine = try Machine()
            let short = try machine.tone(seconds: 0.2, named: "short.wav")
            let tone = try machine.tone(seconds: 10, named: "tone.wav")
            let session = AVAudioSession.sharedInstance()
            try session.setCategory(.playback)
            var (proven, rounds, frames) = (0, 0, 0)
            // As in `Unplugs`.
            while proven < count {
                rounds += 1
                try machine.plugHeadset()
                try until("a route to the headset") { session.currentRoute.outputs.map(\.portName) == ["headset"] }
                let queue = try LateQueue(first: short, then: tone)
                queue.player.play()
                try until("round \(rounds): the gap") { queue.isInGap }
                machine.speaker.meter.mark()
                machine.pullHeadset()
                try until("the speaker as the route") { session.currentRoute.outputs.map(\.portName) == ["speaker"] }
                queue.answer()
                try until("round \(rounds): the late item") { queue.late.status == .readyToPlay }
                let heard = try machine.speaker.meter.wait(frames: 24_000)
                frames += heard.loudFrames
                if heard.loudFrames > 0 { report("round \(rounds): \(heard), rate \(queue.player.rate)") }
                if heard.missedFrames == 0 { proven += 1 }
                queue.end()
                if rounds % 100 == 0 { report("\(rounds) rounds, \(proven) without missed frames, \(frames) frames") }
            }
            report("\(proven) gaps, \(frames) frames on the speaker (\(rounds) rounds)")
            if frames > 0 { throw Failure(description: "the speaker played") }
        }
    }
}

struct Servers: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Kill the server and start it again, with a player, a recorder and a watcher.")

    @Argument(help: "How often.")
    var count: Int

    func run() throws {
        try Crowd.outlive(restarts: count, of: "the server") { machine, crowd, round in
            try machine.restartServer()
            try crowd.expectRecordingToEnd(round)
            try crowd.startRecording()
            try until("restart \(round): the watcher hears of each: \(crowd.mediaServices.suffix(6))") {
                crowd.mediaServices == Array(repeating: ["lost", "reset"], count: round).flatMap { $0 }
            }
        }
    }
}

struct Managers: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Kill the session manager and start it again, with a player, a recorder and a watcher.")

    @Argument(help: "How often.")
    var count: Int

    func run() throws {
        try Crowd.outlive(restarts: count, of: "the session manager", isMetered: false) { machine, _, round in
            try machine.restartSessionManager()
            if round == count { report("\(machine.idleSessionManagers) more chose no default") }
        }
    }
}

struct Engines: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make, start and release engines, one after the other or many at a time.")

    @Argument(help: "How often.")
    var count: Int
    @Option(help: "How many of them run at a time.")
    var together = 1

    private static func start() throws -> AVAudioEngine {
        let engine = AVAudioEngine()
        let node = AVAudioPlayerNode()
        engine.attach(node)
        engine.connect(node, to: engine.mainMixerNode, format: nil)
        try engine.start()
        node.play()
        return engine
    }

    func run() throws {
        try Soak.run { [count, together] in
            let machine = try Machine()
            report("before: \(Footprint.now())")
            for round in 1...max(1, count / together) {
                var engines: [AVAudioEngine] = []
                for _ in 0..<together { engines.append(try Self.start()) }
                if together > 1 { report("\(engines.count) engines run: \(Footprint.now())") }
                let seconds = ContinuousClock().measure { for engine in engines { engine.stop() } }
                if together > 1 { report("stopped: \(Footprint.now())") }
                engines = []
                let isTold = round % max(count / together / 10, 1) == 0
                if isTold { report("\(round * together) engines, \(seconds / together) a stop: \(Footprint.now())") }
            }
            withExtendedLifetime(machine) {}
        }
    }
}

/// A player, a recorder and a watcher, each a program.
private final class Crowd {
    let player: Program
    let watcher: Program
    private let machine: Machine
    /// Shows that the server calls players, where there is no meter.
    private let ownPlayer: AVAudioPlayer?
    private var recorder: Program?
    private var take = ""

    /// - Parameter isMetered: PipeWire 0.3.65 may suspend meters for good when a session manager starts (decision 42).
    init(_ machine: Machine, isMetered: Bool) throws {
        self.machine = machine
        let tone = try machine.tone(seconds: 30, named: "tone.wav")
        ownPlayer = isMetered ? nil : try AVAudioPlayer(contentsOf: URL(filePath: tone))
        if let ownPlayer {
            try AVAudioSession.sharedInstance().setCategory(.playback, options: .mixWithOthers)
            ownPlayer.numberOfLoops = -1
            guard ownPlayer.play() else { throw Failure(description: "play refused") }
        }
        player = try machine.start([
            "play", tone, "--loop", "--on-server-loss", "resume", "--options", "mixWithOthers", "--events", "json",
        ])
        watcher = try machine.start(["watch", "--json"])
        try until("a player: \(player.output)") { player.state == "playing" }
        try until("a watcher") { !watcher.output.isEmpty }
    }

    /// Restarts something again and again; after each time all three go on.
    static func outlive(
        restarts count: Int, of what: String, isMetered: Bool = true,
        restart: @escaping @Sendable (Machine, Crowd, Int) throws -> Void
    ) throws -> Never {
        try Soak.run {
            let machine = try Machine()
            try machine.plugMicrophone()
            let crowd = try Crowd(machine, isMetered: isMetered)
            try crowd.startRecording()
            try crowd.check("before the first restart")
            for round in 1...count {
                try restart(machine, crowd, round)
                try crowd.check("restart \(round) of \(what)")
                if round % 10 == 0 { report("\(round) restarts of \(what)") }
            }
            report("\(count) restarts of \(what): player, recorder and watcher went on")
        }
    }

    /// What the watcher has heard of the server.
    var mediaServices: [String] { watcher.values(of: "state", in: "mediaServices") }

    func startRecording() throws {
        take = machine.directory.path("take-\(UUID().uuidString).wav")
        recorder = try machine.start(["record", take, "--events", "json"])
        try until("a recorder: \(recorder!.output)") { recorder!.state == "recording" }
    }

    func expectRecordingToEnd(_ round: Int) throws {
        guard let recorder else { return }
        try until("round \(round): the recording ends: \(recorder.output)") { !recorder.isRunning }
        _ = try AVAudioFile(forReading: URL(filePath: take))
        try FileManager.default.removeItem(atPath: take)
    }

    /// All three go on.
    func check(_ when: String) throws {
        guard player.isRunning, watcher.isRunning, recorder?.isRunning != false else {
            throw Failure(
                description:
                    "\(when): one has ended: \(player.output.suffix(500)) \(recorder?.output.suffix(500) ?? "")")
        }
        try until("\(when): the player plays: \(player.output.suffix(500))") { player.state == "playing" }
        if let ownPlayer {
            let position = ownPlayer.currentTime
            try until("\(when): a player goes on") { ownPlayer.currentTime != position }
        } else {
            machine.speaker.meter.mark()
            _ = try machine.speaker.meter.wait(loudFrames: 4800)
        }
        let size = Self.size(take)
        try until("\(when): the recording grows: \(recorder?.output ?? "")") { Self.size(take) > size }
    }

    private static func size(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }
}
