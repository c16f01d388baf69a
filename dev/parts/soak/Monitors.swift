import ArgumentParser
import Foundation
import OpenAVFAudio
import OpenAudioSession
import PipeWireRig
import Synchronization
import TestSupport

struct Monitors: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lose and return a microphone and headphones while an engine plays one on the other.",
        discussion: """
            Counts what that costs a player and a recorder of the engine, and another program on the speaker: its \
            cycles that had not finished in time, as pw-top counts them. The same changes come without a program and \
            with pw-loopback.
            """)

    @Argument(help: "How many changes.")
    var count: Int
    @Option(help: "Chooses the changes.")
    var seed = UInt64.random(in: 0...UInt64.max)

    func run() throws {
        report("seed \(seed)")
        try Soak.run { [count, seed] in
            let machine = try Machine()
            // Longer than any run.
            let other = try machine.server.play(
                role: "Music",
                properties: ["target.object": "speaker", "node.target": "speaker", "node.latency": "1024/48000"],
                seconds: 3600)
            defer { other.terminate() }
            let profile = try machine.server.makeProfile(ofNode: "pw-play")
            try until("cycles of the other program") { profile.reading.cycles > 50 }
            func run(_ what: String, _ rounds: MonitorRounds) throws -> Int {
                let before = profile.reading
                try rounds.run(count)
                let (errors, cycles) = (profile.reading.errors - before.errors, profile.reading.cycles - before.cycles)
                report("\(what): the other program had not finished in \(errors) of \(cycles) cycles\(rounds.result)")
                return errors
            }
            let alone = try run("nothing", MonitorRounds(machine, seed: seed))
            let loopback = try machine.server.spawn(["pw-loopback"])
            let beside = try run("pw-loopback", MonitorRounds(machine, seed: seed))
            loopback.terminate()
            let engine = EngineRounds(machine, seed: seed)
            let ours = try run("the engine", engine)
            // A machine that stalls makes any program late.
            guard ours <= max(alone, beside) + count / 20 else {
                throw Failure(description: "the engine made the other program late")
            }
            guard engine.isWhole else {
                throw Failure(description: "one side of the engine lost sound with the other")
            }
        }
    }
}

/// Changes in random order; nothing but the other program hears of them.
private class MonitorRounds {
    /// How long is listened after a change.
    static let window = 14_400

    let machine: Machine
    private var random: Seeded

    init(_ machine: Machine, seed: UInt64) {
        self.machine = machine
        random = Seeded(seed: seed)
    }

    var result: String { "" }

    func run(_ count: Int) throws {
        try machine.plugMicrophone()
        try machine.plugHeadset()
        try returned()
        for round in 1...count {
            do {
                switch (Bool.random(using: &random), machine.microphone == nil, machine.headset == nil) {
                case (true, false, _): try lose { machine.pullMicrophone() }
                case (true, true, _):
                    try machine.plugMicrophone()
                    try returned()
                case (false, _, false): try lose { machine.pullHeadset() }
                case (false, _, true):
                    try machine.plugHeadset()
                    try returned()
                }
            } catch {
                throw Failure(description: "change \(round): \(error)")
            }
        }
    }

    func lose(_ change: () -> Void) throws {
        change()
        try pass()
    }

    func returned() throws { try pass() }

    private func pass() throws {
        machine.speaker.meter.mark()
        try machine.speaker.meter.wait(frames: Self.window)
    }
}

/// The same with an engine whose input and whose player sound on the output.
private final class EngineRounds: MonitorRounds {
    private let engine = AVAudioEngine()
    private let recorder = ToneRecorder()
    private let session = AVAudioSession.sharedInstance()
    /// Both sides run, on this sink.
    private var sounding: VirtualSink?
    /// Of the player, at each loss of the microphone.
    private var frames: [Int] = []
    /// Of the recorder, at each loss of the headphones.
    private var breaks: [Int] = []

    /// A busy machine loses a cycle now and then, and not at each loss.
    ///
    /// A cycle goes with a sink that drives.
    var isWhole: Bool {
        2 * frames.count { $0 > 0 } <= frames.count && 2 * breaks.count { $0 > 1 } <= breaks.count
    }

    override var result: String {
        "; the player lost frames in \(frames.count { $0 > 0 }) of \(frames.count) losses of the microphone (\(frames.reduce(0, +))), "
            + "the recorder's sound broke once in \(breaks.count { $0 == 1 }) and more often in \(breaks.count { $0 > 1 }) of "
            + "\(breaks.count) losses of the headphones"
    }

    override func run(_ count: Int) throws {
        try machine.plugMicrophone()
        try machine.server.waitUntilDefaultSource(is: "mic")
        try session.setCategory(.playAndRecord, options: .defaultToSpeaker)
        try session.setActive(true)
        try until("an input") { session.isInputAvailable }
        let player = AVAudioSourceNode { _, _, frames, list in
            for buffer in UnsafeMutableAudioBufferListPointer(list) {
                let samples = buffer.mData?.assumingMemoryBound(to: Float.self)
                for frame in 0..<Int(frames) { samples?[frame] = 0.5 }
            }
            return noErr
        }
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: nil)
        engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
        engine.inputNode.volume = 0.5
        engine.inputNode.installTap(onBus: 0, bufferSize: 1024, format: nil) { [recorder] buffer, _ in
            recorder.hear(buffer)
        }
        try super.run(count)
        engine.stop()
    }

    override func lose(_ change: () -> Void) throws {
        guard let sink = sounding else { return try super.lose(change) }
        let (hadMicrophone, breaks, heard) = (machine.microphone != nil, recorder.breaks, recorder.frames)
        sink.meter.mark()
        change()
        if machine.microphone == nil, hadMicrophone {
            let reading = try sink.meter.wait(frames: Self.window)
            // A meter that missed frames, as on a busy machine, proves nothing.
            guard reading.missedFrames == 0 else { return }
            frames.append(reading.frames - reading.loudFrames)
            return
        }
        if hadMicrophone {
            try until("the recorder goes on") { recorder.frames > heard + Self.window }
            self.breaks.append(recorder.breaks - breaks)
        }
        try returned()
    }

    /// Only with a microphone: an engine with an input node does not start without one.
    override func returned() throws {
        sounding = nil
        guard machine.microphone != nil else { return try super.returned() }
        let sink = machine.headset ?? machine.speaker
        try until("a route with an input to \(sink.name)") {
            session.currentRoute.outputs.map(\.portName) == [sink.name] && !session.currentRoute.inputs.isEmpty
        }
        try engine.start()
        sink.meter.mark()
        try sink.meter.wait(loudFrames: Self.window)
        let heard = recorder.frames
        try until("the recorder hears") { recorder.frames > heard + Self.window }
        sounding = sink
    }
}

/// Whether the rig's tone of 1000 Hz comes without a break.
private final class ToneRecorder: Sendable {
    private struct Heard {
        var frames = 0
        var breaks = 0
        /// Since the last frame that was not the tone's next.
        var good = 0
        var turn = [Float](repeating: 0, count: 48)
    }

    private let heard = Mutex(Heard())
    var frames: Int { heard.withLock { $0.frames } }
    /// Places where frames are missing.
    var breaks: Int { heard.withLock { $0.breaks } }

    func hear(_ buffer: AVAudioPCMBuffer) {
        guard let samples = buffer.floatChannelData?[0] else { return }
        heard.withLock { heard in
            for frame in 0..<Int(buffer.frameLength) {
                let index = heard.frames % heard.turn.count
                let isNext = abs(samples[frame] - heard.turn[index]) < 0.001
                if !isNext, heard.good > heard.turn.count { heard.breaks += 1 }
                heard.good = isNext ? heard.good + 1 : 0
                heard.turn[index] = samples[frame]
                heard.frames += 1
            }
        }
    }
}
