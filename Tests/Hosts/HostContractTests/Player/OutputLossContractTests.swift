import AudioModel
import Foundation
import HostPipeWire
import PipeWireRig
import SessionCore
import Synchronization
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFAudio
@testable import OpenAVFoundation
@testable import OpenAudioSession
@testable import SessionRuntime

/// Headphones leave while somebody wants to play and nothing sounds: nothing reaches the speaker before the next request.
///
/// Decision 60; behaviours of docs/behaviours.md by name.
@Suite("Output loss contract", .serialized)
struct OutputLossContractTests {
    private func makePlayer(_ music: Music, in world: any World) -> AVPlayer {
        AVAudioSession.$taskSession.withValue(world.session) { AVPlayer(url: URL(filePath: music.path)) }
    }

    /// A local file, too, is opened after `play` has returned.
    @Test(arguments: WorldKind.allCases)
    func nothingPlaysOnThatWasAskedForBeforeALoss(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones], category: .playback) { world in
            let music = try Music(seconds: 30)
            for round in 1...10 {
                try await world.mark()
                let player = makePlayer(music, in: world)
                player.rate = round.isMultiple(of: 2) ? 1 : 1.5
                try await world.unplug(.headphones)
                try await world.waitForRoute(.speaker)
                try await world.run(seconds: 0.3)
                try await world.settle()
                #expect((player.rate, player.timeControlStatus) == (0, .paused), "round \(round)")
                #expect(try await world.loudFrames(on: .speaker) == 0, "round \(round)")
                if round == 10 {
                    player.play()
                    try await world.untilHeard(on: .speaker)
                }
                player.pause()
                try await world.plug(.headphones)
                try await world.waitForRoute(.headphones)
            }
        }
    }

    /// The app follows the advice: it plays where that is given, and only there.
    @Test(arguments: WorldKind.allCases)
    func shouldResumeIsNotGivenAfterALoss(_ kind: WorldKind) async throws {
        try await withWorld(kind, plugged: [.speaker, .headphones], category: .playback) { world in
            let music = try Music(seconds: 30)
            let byItself = makePlayer(music, in: world)
            let byApp = try AVAudioSession.$taskSession.withValue(world.session) {
                try AVAudioPlayer(contentsOf: URL(filePath: music.path))
            }
            let held = HeldPlayer(player: byApp)
            let observer = Observer(AVAudioSession.interruptionNotification, object: world.session) { notification in
                let options = notification.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt
                if options == AVAudioSession.InterruptionOptions.shouldResume.rawValue { held.player.play() }
            }
            byItself.play()
            byApp.play()
            for isLost in [false, true] {
                try await world.untilHeard(on: .headphones)
                let start = world.journal.count
                let call = try await world.startForeignStream(role: "Phone")
                try await world.journal.wait(for: .interruptionBegan(.default), from: start)
                try await world.mark()
                if isLost {
                    try await world.unplug(.headphones)
                    try await world.waitForRoute(.speaker)
                }
                try await world.stopForeignStream(call)
                try await world.journal.wait(for: .interruptionEnded(shouldResume: !isLost), from: start)
            }
            try await world.run(seconds: 0.5)
            try await world.settle()
            #expect(try await world.loudFrames(on: .speaker) == 0)
            #expect(byItself.rate == 0 && !byApp.isPlaying)
            byItself.play()
            try await world.untilHeard(on: .speaker)
            byItself.pause()
            withExtendedLifetime(observer) {}
        }
    }

    /// `@unchecked`: the observer plays it while the test waits for that.
    private struct HeldPlayer: @unchecked Sendable { let player: AVAudioPlayer }

    private enum EngineRest: CaseIterable { case paused, interrupted, stopped }

    /// An engine that does not run when the device leaves is not heard after `start` alone.
    @Test(arguments: WorldKind.allCases)
    func engineAtRestDuringALossIsSilentUntilANodesPlay(_ kind: WorldKind) async throws {
        for rest in EngineRest.allCases {
            try await withWorld(kind, plugged: [.speaker, .headphones], category: .playback) { world in
                let (engine, player) = try world.startEngine(looping: .level(0.5))
                try await world.untilHeard(on: .headphones)
                var call: UInt64?
                switch rest {
                case .paused: engine.pause()
                case .interrupted:
                    call = try await world.startForeignStream(role: "Phone")
                    try await world.journal.wait(for: .interruptionBegan(.default))
                case .stopped: engine.stop()
                }
                try await world.mark()
                try await world.unplug(.headphones)
                try await world.waitForRoute(.speaker)
                try await world.settle()
                #expect(!player.isPlaying, "\(rest)")
                if let call {
                    try await world.stopForeignStream(call)
                    try await world.journal.wait(for: .interruptionEnded(shouldResume: false))
                }
                try engine.start()
                try await world.run(seconds: 0.3)
                #expect(try await world.loudFrames(on: .speaker) == 0, "\(rest)")
                player.play()
                try await world.untilHeard(on: .speaker)
                engine.stop()
            }
        }
    }

    // MARK: Gaps

    /// Servers that play at once, and gaps of each.
    private static let servers = 5
    private static let gapsOfServer = 10
    /// How long the speaker is listened to after each, in frames at 48 kHz.
    private static let listeningFrames = 24_000

    /// The headphones leave between two items, whose second one's server answers after that.
    @Test func gapBeforeALateServer_fiftyTimes_leaksNothing() async throws {
        let music = try Music(seconds: 30)
        let short = try Music(seconds: 0.2)
        let gaps = Mutex<[Result<[Gap], any Error>]>([])
        await together(
            (0..<Self.servers).map { _ in
                {
                    let result = Result { try self.playGaps(short, music) }
                    gaps.withLock { $0.append(result) }
                }
            })
        let played = try gaps.withLock { $0 }.flatMap { try $0.get() }
        for gap in played { #expect(gap.heard.loudFrames == 0 && gap.rate == 0, "\(gap)") }
        #expect(played.count(where: \.isProof) == Self.servers * Self.gapsOfServer)
    }

    private struct Gap {
        var heard: SinkMeter.Reading
        var rate: Float

        /// One whose meter missed frames, as on a busy machine, proves nothing and is played again.
        var isProof: Bool { heard.missedFrames == 0 }
    }

    private func playGaps(_ short: Music, _ music: Music) throws -> [Gap] {
        let server = try PrivatePipeWire.start()
        defer { server.stop() }
        let speaker = try server.makeSink(name: "speaker", formFactor: "speaker", bus: "pci", priority: 500)
        let sound = [UInt8](try Data(contentsOf: URL(filePath: music.path)))
        var gaps: [Gap] = []
        while gaps.count(where: \.isProof) < Self.gapsOfServer, gaps.count < 2 * Self.gapsOfServer {
            gaps.append(try playGap(of: server, onto: speaker, short, sound))
        }
        return gaps
    }

    private func playGap(
        of server: PrivatePipeWire, onto speaker: VirtualSink, _ short: Music, _ sound: [UInt8]
    ) throws -> Gap {
        let headphones = try server.makeSink(name: "headphones", formFactor: "headphone", bus: "usb", priority: 1500)
        defer { headphones.meter.stop() }
        try server.waitUntilDefaultSink(is: "headphones")
        let runtime = try SessionRuntime(host: PipeWireHost(remote: server.socketPath))
        defer { runtime.shutdown() }
        let session = AVAudioSession(runtime: runtime)
        try session.setCategory(.playback)
        let gate = Gate()
        let web = try HTTPServer(body: sound, answers: [HTTPServer.Answer(stall: (0, gate))])
        defer { web.stop() }
        let late = AVPlayerItem(url: try #require(URL(string: web.address)))
        let player = AVAudioSession.$taskSession.withValue(session) {
            AVQueuePlayer(items: [AVPlayerItem(url: URL(filePath: short.path)), late])
        }
        player.play()
        try headphones.meter.wait(loudFrames: 4800)
        try wait(for: "the gap") { player.currentItem === late }
        speaker.meter.mark()
        _ = headphones.destroy()
        try wait(for: "the speaker as the route") { runtime.state.route.outputs.first?.kind == .builtInSpeaker }
        gate.open()
        try wait(for: "the second item") { late.status == .readyToPlay }
        let gap = Gap(heard: try speaker.meter.wait(frames: Self.listeningFrames), rate: player.rate)
        player.removeAllItems()
        return gap
    }

    private func wait(for what: String, _ isThere: () -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while !isThere() {
            try #require(ContinuousClock.now < deadline, "timed out waiting for \(what)")
            sched_yield()
        }
    }
}
