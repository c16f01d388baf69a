import AudioDeviceSelection
import CoreMedia
import Foundation
import OpenAVFAudio
import OpenAVFoundation
import OpenAudioSession
import PipeWireRig
import TestSupport

/// An app on a machine where everything happens; now and then all must be well.
///
/// One thread.
final class Storm {
    private let machine: Machine
    private var random: Seeded
    private let session: AVAudioSession
    private let devices: AudioDevices
    private let tone: String
    private let shortTone: String
    /// A queue that is before, or at, the item of a late server.
    private var late: LateQueue?
    private var app: App
    private var programs: [Program] = []
    private var needsNewApp = false
    private var events = 0
    private var sessionManagersReplaced = 0
    private var newest: [String] = []
    private var samples: [Footprint] = []

    /// For two quarters to compare.
    private static let fewestChecks = 8

    /// The app's sound; made again after the server's end, as Apple asks.
    private struct App {
        let players: [AVAudioPlayer]
        let recorder: AVAudioRecorder
        let engine = AVAudioEngine()
        let node = AVAudioPlayerNode()
        let video: AVPlayer
    }

    init(seed: UInt64) throws {
        random = Seeded(seed: seed)
        machine = try Machine()
        // The machine has said which server is meant.
        session = AVAudioSession.sharedInstance()
        devices = AudioDevices(session: session)
        try machine.plugHeadset()
        try machine.plugMicrophone()
        tone = try machine.tone(seconds: 60, named: "tone.wav")
        shortTone = try machine.tone(seconds: 0.2, named: "short.wav")
        app = try Self.makeApp(tone, machine)
    }

    private static func makeApp(_ tone: String, _ machine: Machine) throws -> App {
        let url = URL(filePath: tone)
        let players = try (0..<3).map { _ in try AVAudioPlayer(contentsOf: url) }
        for player in players { player.numberOfLoops = -1 }
        // Each louder than those after it together: equal tones may cancel out, and the meter then hears silence.
        for (player, volume) in zip(players, [1, 0.5, 0.25] as [Float]) { player.volume = volume }
        let recorder = try AVAudioRecorder(
            url: URL(filePath: machine.directory.path("take.wav")),
            settings: [AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1])
        let app = App(players: players, recorder: recorder, video: AVPlayer(url: url))
        app.node.volume = 0.125
        app.video.volume = 0.0625
        let file = try AVAudioFile(forReading: url)
        guard let buffer = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 48_000) else {
            throw Failure(description: "no buffer")
        }
        try file.read(into: buffer)
        app.engine.attach(app.node)
        app.engine.connect(app.node, to: app.engine.mainMixerNode, format: file.processingFormat)
        app.node.scheduleBuffer(buffer, at: nil, options: .loops)
        return app
    }

    // MARK: The run

    func run(minutes: Double) throws {
        let end = Date(timeIntervalSinceNow: minutes * 60)
        var checks = 0
        do {
            try despiteSessionManager { try check() }
            repeat {
                for _ in 0..<50 {
                    try despiteSessionManager { try step() }
                    Thread.sleep(forTimeInterval: .random(in: 0...0.15, using: &random))
                }
                try despiteSessionManager { try check() }
                checks += 1
                samples.append(.now())
                if checks % 10 == 1 { report("check \(checks): \(events) events, \(samples.last!)") }
            } while Date() < end || samples.count < Self.fewestChecks
        } catch {
            throw Failure(description: "after \(events) events: \(error)\nNewest: \(newest.joined(separator: ", "))")
        }
        report("\(events) events, \(checks) checks, nothing stuck")
        report("\(sessionManagersReplaced) times WirePlumber had crashed, or its choice was not seen (decision 47)")
        try checkFootprint()
    }

    /// Does it once more where it failed because WirePlumber had crashed, as 0.4.13 does now and then, or chose no device.
    ///
    /// What played then may be left suspended (decision 42), so that all begins again.
    private func despiteSessionManager(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            if try !machine.server.replaceEndedSessionManager() {
                // The rig waits for WirePlumber's choices only. The server must answer others meanwhile.
                guard error is RigError, (try? freshLook()) != nil else { throw error }
                try machine.server.restartSessionManager()
            }
            report("after \(events) events, with another session manager: \(error)")
            sessionManagersReplaced += 1
            machine.pullHeadset()
            machine.pullMicrophone()
            // The speaker and its meter too: 0.3.65 leaves them suspended (decision 42).
            try machine.restartServer()
            needsNewApp = true
            try body()
        }
    }

    /// The middle of the second quarter against that of the last: what is loaded once comes before.
    private func checkFootprint() throws {
        func middle(_ part: Range<Int>, _ value: (Footprint) -> Int) -> Int {
            samples[part].map(value).sorted()[part.count / 2]
        }
        let (early, late) = (samples.count / 4..<samples.count / 2, samples.count * 3 / 4..<samples.count)
        let limits: [(String, (Footprint) -> Int, Int)] = [
            ("descriptors", \.descriptors, 4), ("threads", \.threads, 4), ("kB", \.kilobytes, 16_000),
        ]
        var grown: [String] = []
        for (name, value, limit) in limits {
            let (before, after) = (middle(early, value), middle(late, value))
            report("\(name): \(before), then \(after)")
            if after > before + limit { grown.append("\(name) grew from \(before) to \(after)") }
        }
        if !grown.isEmpty { throw Failure(description: grown.joined(separator: "; ")) }
    }

    // MARK: Events

    private func step() throws {
        let all: [(weight: Int, name: String, act: () throws -> Void)] = [
            (4, "plug the headset", { try self.machine.plugHeadset() }),
            (4, "pull the headset", { self.machine.pullHeadset() }),
            (2, "plug the microphone", { try self.machine.plugMicrophone() }),
            (2, "pull the microphone", { self.machine.pullMicrophone() }),
            (2, "choose the speaker", { try self.machine.server.setDefault("speaker") }),
            (2, "choose no default", { try self.machine.server.setDefault(nil) }),
            (4, "play", { _ = self.player().play() }),
            (2, "pause", { self.player().pause() }),
            (4, "seek", { self.player().currentTime = .random(in: 0..<60, using: &self.random) }),
            (2, "record", { _ = self.app.recorder.record() }),
            (1, "stop recording", { self.app.recorder.stop() }),
            (
                2, "start the engine",
                {
                    try? self.app.engine.start(); self.app.node.play()
                }
            ),
            (1, "pause the engine", { self.app.engine.pause() }),
            (1, "stop the engine", { self.app.engine.stop() }),
            (2, "play the video", { self.app.video.play() }),
            (2, "seek the video", { self.seekVideo(to: .random(in: 0..<50, using: &self.random)) }),
            (2, "play towards a late server", { try self.playLate() }),
            (2, "the late server answers", { self.late?.answer() }),
            (1, "activate", { try? self.session.setActive(true) }),
            (1, "deactivate", { try? self.session.setActive(false, options: .notifyOthersOnDeactivation) }),
            (3, "another program", { try self.startProgram() }),
            (2, "a program ends", { self.endProgram(by: SIGTERM) }),
            (1, "a program is killed", { self.endProgram(by: SIGKILL) }),
            (3, "a call on the bus", { try self.callOnBus() }),
            // The session manager is not restarted: PipeWire 0.3.65 then leaves nodes suspended (decision 42).
            (
                1, "restart the server",
                {
                    try self.machine.restartServer(); self.needsNewApp = true
                }
            ),
        ]
        var number = Int.random(in: 0..<all.reduce(0) { $0 + $1.weight }, using: &random)
        let event = all.first { event in
            number -= event.weight
            return number < 0
        }!
        events += 1
        newest = newest.suffix(11) + [event.name]
        try event.act()
    }

    private func playLate() throws {
        endLate()
        let queue = try LateQueue(first: shortTone, then: tone)
        queue.player.volume = 0.03125
        queue.player.play()
        late = queue
    }

    private func endLate() {
        late?.end()
        late = nil
    }

    private func player() -> AVAudioPlayer { app.players.randomElement(using: &random)! }

    private func seekVideo(to seconds: Double) {
        app.video.seek(to: CMTime(seconds: seconds, preferredTimescale: 48_000))
    }

    private func startProgram() throws {
        guard programs.count < 4 else { return }
        let options = [[], ["--options", "mixWithOthers"], ["--options", "duckOthers"], ["--mode", "spokenAudio"]]
            .randomElement(using: &random)!
        programs.append(try machine.start(["play", tone, "--on-server-loss", "quit"] + options))
    }

    private func endProgram(by signal: Int32) {
        guard let index = programs.indices.randomElement(using: &random) else { return }
        programs.remove(at: index).end(by: signal)
    }

    /// A desktop's media key, pressed for all programs.
    private func callOnBus() throws {
        let calls = [["play-pause"], ["pause"], ["play"], ["position", "20"], ["volume", "0.5"], ["loop", "Track"]]
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["playerctl", "--all-players"] + calls.randomElement(using: &random)!
        process.environment = machine.server.environment
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
    }

    // MARK: All is well

    /// Brings the machine to rest and asks for everything: everything must sound, and the session must know the machine.
    private func check() throws {
        for program in programs { program.end(by: SIGTERM) }
        programs = []
        endLate()
        try machine.plugHeadset()
        try machine.plugMicrophone()
        // WirePlumber 0.4.13 keeps a choice of before where it is only taken back.
        try machine.server.setDefault("headset")
        try machine.server.waitUntilDefaultSource(is: "mic")
        if needsNewApp { app = try Self.makeApp(tone, machine) }
        needsNewApp = false
        // The server's end resets the category.
        try until("a category") { (try? session.setCategory(.playAndRecord, options: .defaultToSpeaker)) != nil }
        try until("an active session") { (try? session.setActive(true)) != nil }
        try until("a route to the headset: \(session.currentRoute); a new program sees \(freshReport())") {
            session.currentRoute.outputs.map(\.portName) == ["headset"] && session.availableInputs?.isEmpty == false
        }
        for player in app.players { try expectProgress("a player", player.play(), of: { player.currentTime }) }
        app.recorder.stop()
        try expectProgress("the recorder", app.recorder.record(), of: { self.app.recorder.currentTime })
        try app.engine.start()
        app.node.play()
        try expectProgress("the engine", true, of: { Double(self.app.node.lastRenderTime?.sampleTime ?? 0) })
        seekVideo(to: 0)
        app.video.play()
        try expectProgress("the video", true, of: { self.app.video.currentTime().seconds })
        machine.headset?.meter.mark()
        do {
            _ = try machine.headset?.meter.wait(loudFrames: 4800)
        } catch {
            let playing = app.players.map(\.isPlaying)
            throw Failure(
                description: "the headset plays nothing: \(error) Players: \(playing), "
                    + "engine: \(app.engine.isRunning), video: \(app.video.rate), route: \(session.currentRoute)")
        }
        try checkState()
        try checkLoss()
    }

    /// The headset leaves while everything sounds and a queue waits for its server: nothing is heard on the speaker.
    private func checkLoss() throws {
        try playLate()
        try until("the gap before a late server") { late?.isInGap == true }
        machine.speaker.meter.mark()
        machine.pullHeadset()
        try until("the speaker as the route") { session.currentRoute.outputs.map(\.portName) == ["speaker"] }
        late?.answer()
        try until("the late item") { late?.late.status != .unknown }
        let heard = try machine.speaker.meter.wait(frames: 24_000)
        endLate()
        guard heard.loudFrames == 0 else { throw Failure(description: "the speaker plays after a loss: \(heard)") }
    }

    private func expectProgress(_ what: String, _ began: Bool, of time: () -> Double) throws {
        guard began else { throw Failure(description: "\(what) refused to begin") }
        let start = time()
        try until("\(what) goes on; it stands at \(time())") { time() != start }
    }

    /// The session's ports against those that a program sees which has just come, and what the server has of this process.
    private func checkState() throws {
        let ports = try freshLook()
        func uids(_ direction: String) -> [String] {
            ports.filter { $0["direction"] as? String == direction }.compactMap { $0["uid"] as? String }.sorted()
        }
        let outputs = devices.all.map(\.uid).sorted()
        let inputs = (session.availableInputs ?? []).map(\.uid).sorted()
        guard outputs == uids("output"), inputs == uids("input") else {
            throw Failure(description: "the session knows \(outputs) and \(inputs), the machine has \(ports)")
        }
        // A node that is not used any more takes a moment to go. All other programs have ended.
        let sounds = app.players.count + 2
        var nodes: [RigGraph.Node] = []
        try until("one claim and \(sounds) streams: \(nodes)") {
            nodes = try machine.server.graph.nodes.filter { $0.name == "soak" || $0.name == "audiosession.claim" }
            return nodes.count { $0.name == "audiosession.claim" } == 1
                && nodes.count { $0.mediaClass == "Stream/Output/Audio" } == sounds
        }
    }

    /// The ports that a program sees which has just come.
    private func freshLook() throws -> [[String: Any]] {
        let text = freshReport()
        guard let report = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
            let ports = report["ports"] as? [[String: Any]]
        else { throw Failure(description: "no fresh look: \(text)") }
        return ports
    }

    /// What a program that has just come says of the route and the ports.
    private func freshReport() -> String {
        guard let program = try? machine.start(["route", "--json"]) else { return "nothing: it did not start" }
        return program.waitForEnd() == 0 ? program.output : "nothing: \(program.output)"
    }
}
