import CoreMedia
import Foundation
import HostSimulated
import RuntimeTestSupport
import SimulatedControls
import TestAudio
import TestSupport
import Testing

@testable import OpenAVFoundation
@testable import OpenAudioSession
@testable import SessionRuntime

// Helpers: AVPlayerTesting.swift

/// Headphones leave while an `AVPlayer` wants to play and has no sound that does: it does not play on the speaker.
@MainActor @Suite struct AVPlayerLossTests {
    /// No frame of it is silent in both channels.
    private static let tone = TestSignal.quadrature(hertz: 1000)
    private let machine: AppMachine

    init() throws { machine = try AppMachine() }

    /// Frames that the speaker has played since this frame of virtual time.
    private func loudFrames(since frame: Int) -> Int { machine.host.loudFrames(of: AppMachine.speaker, since: frame) }

    /// The headphones have left, and whatever comes of it has the time: nothing is heard before the next `play`.
    private func expectSilence(_ player: AVPlayer, _ rates: RateLog, _ name: Comment, since loss: Int) throws {
        machine.advance(frames: 9600)
        #expect(loudFrames(since: loss) == 0, name)
        #expect((player.rate, player.timeControlStatus) == (0, .paused), name)
        #expect(rates.entries.last == "0.0 AudioSessionInterrupted", "\(name): \(rates.entries)")
        if player.currentItem == nil { player.replaceCurrentItem(with: try machine.item(Self.tone, seconds: 3)) }
        player.seek(to: .zero)
        player.play()
        // A server's bytes come in real time.
        try machine.wait(for: "the sound: \(name)") {
            machine.advance(frames: 480)
            return loudFrames(since: loss) > 4000
        }
        player.pause()
        machine.plug(.wiredHeadphones)
        machine.advance(frames: 4800)
    }

    /// `prepare` leaves a player that wants to play; the headphones leave, and `after` is what still comes.
    private func lose(
        _ name: Comment, _ make: () throws -> AVPlayer, _ prepare: (AVPlayer) throws -> Void,
        after: (AVPlayer) throws -> Void = { _ in }
    ) throws {
        let player = try make()
        let rates = RateLog(player)
        try prepare(player)
        #expect(player.rate != 0, name)
        let loss = machine.host.frame
        machine.host.unplug(.wiredHeadphones)
        try after(player)
        try expectSilence(player, rates, name, since: loss)
    }

    private func queue(_ seconds: Double...) throws -> AVQueuePlayer {
        machine.queuePlayer(try seconds.map { try machine.item(Self.tone, seconds: $0) })
    }

    private func insert(_ player: AVPlayer) throws {
        (player as? AVQueuePlayer)?.insert(try machine.item(Self.tone, seconds: 3), after: nil)
    }

    @Test func loss_whileNothingIsOpen_endsTheRate() throws {
        try lose("the item is being opened", { try queue(3) }) { $0.play() }
        try lose("another rate, before the item is ready", { try queue(3) }) { $0.rate = 1.5 }
        try lose("another item", { try queue(3, 3) }) { player in
            player.play()
            machine.advance(frames: 9600)
            player.replaceCurrentItem(with: try machine.item(Self.tone, seconds: 3))
        }
        try lose("the next item by hand", { try queue(3, 3) }) { player in
            player.play()
            machine.advance(frames: 9600)
            (player as? AVQueuePlayer)?.advanceToNextItem()
        }
        try lose("an empty player", { machine.queuePlayer([]) }, { $0.play() }, after: insert)
        try lose(
            "an empty queue, after its end", { try queue(0.1) },
            { player in
                player.play()
                machine.advance(frames: 9600)
                #expect(player.currentItem == nil)
            }, after: insert)
        try lose(
            "an emptied queue", { try queue(3) },
            { player in
                player.play()
                machine.advance(frames: 9600)
                (player as? AVQueuePlayer)?.removeAllItems()
            }, after: insert)
        try lose(
            "a player that is emptied at once", { try queue(3) },
            { player in
                player.play()
                (player as? AVQueuePlayer)?.removeAllItems()
            }, after: insert)
        try lose(
            "staying at its end", { try queue(0.1) },
            { player in
                player.actionAtItemEnd = .none
                player.play()
                machine.advance(frames: 9600)
                #expect(player.currentTime().seconds > 0.09)
            }, after: { $0.seek(to: .zero) })
        try lose("seeking", { try queue(3) }) { player in
            player.play()
            machine.advance(frames: 9600)
            player.seek(to: CMTime(2))
        }
    }

    @Test func loss_whileALooperIsAsked_endsTheRate() throws {
        let player = machine.queuePlayer([])
        let looper = AVPlayerLooper(player: player, templateItem: try machine.item(Self.tone, seconds: 0.5))
        try lose("a looper that is being opened", { player }) { $0.play() }
        try lose("a looper", { player }) { player in
            player.play()
            machine.advance(frames: 24_000 + 240)
        }
        looper.disableLooping()
    }

    /// The first item is gated, or the second one, whose server answers after the loss.
    @Test func loss_whileAServerIsLate_endsTheRate() throws {
        for isSecond in [false, true] {
            let gate = Gate()
            let server = try HTTPServer(
                body: try machine.bytes(Self.tone, seconds: 3), answers: [HTTPServer.Answer(stall: (0, gate))])
            defer { server.stop() }
            let late = try machine.remoteItem(server)
            let player = machine.queuePlayer(
                (isSecond ? [try machine.item(Self.tone, seconds: 0.2)] : []) + [late])
            let rates = RateLog(player)
            player.play()
            if isSecond {
                try machine.waitWithoutLoader(for: "the second item") {
                    machine.host.advance(frames: 480)
                    return player.currentItem === late
                }
            }
            #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
            let loss = machine.host.frame
            machine.host.unplug(.wiredHeadphones)
            try machine.waitWithoutLoader(for: "the pause") { player.rate == 0 }
            gate.open()
            try machine.wait(for: "the sound") { late.status == .readyToPlay }
            try expectSilence(player, rates, "second: \(isSecond)", since: loss)
        }
    }

    /// In the handler of the notification the loss is known: what is asked for there is heard.
    @Test func play_inTheHandlerOfTheRouteChange_isHeard() throws {
        let player = try queue(3)
        player.play()
        let observer = Observer(AVAudioSession.routeChangeNotification, object: machine.session) { _ in player.play() }
        let loss = machine.host.frame
        machine.unplugHeadphones()
        machine.advance(frames: 24_000)
        #expect(loudFrames(since: loss) > 20_000)
        withExtendedLifetime(observer) {}
    }

    /// A call begins, the headphones leave, the call ends: nothing goes on by itself.
    @Test func loss_duringACall_isNotFollowedByAResumption() throws {
        let log = History<Bool>()
        let observer = Observer(AVAudioSession.interruptionNotification, object: machine.session) { notification in
            guard let options = notification.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt else { return }
            log.append(options == AVAudioSession.InterruptionOptions.shouldResume.rawValue)
        }
        for isEmpty in [false, true] {
            let player = isEmpty ? machine.queuePlayer([]) : try queue(3)
            player.play()
            machine.advance(frames: 9600)
            machine.receiveCall()
            let loss = machine.host.frame
            machine.unplugHeadphones()
            if isEmpty { player.insert(try machine.item(Self.tone, seconds: 3), after: nil) }
            machine.endCall()
            machine.advance(frames: 9600)
            #expect(loudFrames(since: loss) == 0)
            #expect(player.rate == 0)
            machine.plug(.wiredHeadphones)
            try machine.activate()
        }
        #expect(log.entries.contains(true) == false)
        withExtendedLifetime(observer) {}
    }

    // MARK: Random scripts

    private func act(_ player: AVQueuePlayer, _ random: inout Seeded, mayPlay: Bool) throws {
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1, 2: if mayPlay { player.rate = [1, 1, 1.5].randomElement(using: &random)! }
        case 3: if Bool.random(using: &random) { player.pause() }
        case 4: player.replaceCurrentItem(with: try machine.item(Self.tone, seconds: 0.1))
        case 5: player.insert(try machine.item(Self.tone, seconds: 0.05), after: nil)
        case 6: player.removeAllItems()
        case 7: player.seek(to: .zero)
        case 8: player.actionAtItemEnd = [.advance, .pause, .none].randomElement(using: &random)!
        case 9: player.advanceToNextItem()
        default: machine.advance(frames: 480 * Int.random(in: 1...12, using: &random))
        }
    }

    /// A loss after some step of each script, then whatever comes but a request to play.
    @Test func longScripts_withALossSomewhere_areNotHeardOnTheSpeaker() throws {
        let own = ProcessInfo.processInfo.environment["AUDIOSESSION_TEST_SEED"].flatMap { UInt64($0) }
        var meant = 0
        for seed in own.map({ [$0] }) ?? Array(1...40) {
            var random = Seeded(seed: seed)
            let player = try queue(0.1, 0.2)
            for _ in 0..<Int.random(in: 1...12, using: &random) { try act(player, &random, mayPlay: true) }
            if player.rate != 0 { meant += 1 }
            let loss = machine.host.frame
            machine.host.unplug(.wiredHeadphones)
            for _ in 0..<8 { try act(player, &random, mayPlay: false) }
            player.seek(to: .zero)
            machine.advance(frames: 9600)
            #expect(loudFrames(since: loss) == 0, "AUDIOSESSION_TEST_SEED=\(seed)")
            #expect(player.rate == 0, "AUDIOSESSION_TEST_SEED=\(seed)")
            player.removeAllItems()
            machine.plug(.wiredHeadphones)
        }
        #expect(own != nil || meant > 10)
    }
}

extension AppMachine {
    /// As `wait`, while the thread that opens items waits for a server.
    fileprivate func waitWithoutLoader(for what: String, _ isThere: () -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: 20)
        while !isThere() {
            try #require(Date() < deadline, "timed out waiting for \(what)")
            runtime.synchronously { _ in }
            sched_yield()
        }
    }
}
