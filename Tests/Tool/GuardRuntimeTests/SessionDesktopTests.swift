import BusRig
import Foundation
import GuardCore
import SessionBus
import TestSupport
import Testing

@testable import GuardRuntime

/// The desktop of a guard that ends at once, as where another one runs already.
@Suite struct SessionDesktopTests {
    @Test func desktop_isReleased_whileTheBusAnswers() async throws {
        let bus = try PrivateBus()
        let player = try BusConnection(address: bus.address)
        for number in 0..<30 { #expect(await player.owns("org.mpris.MediaPlayer2.player\(number)")) }
        for round in 0..<200 {
            let desktop = try SessionDesktop(address: bus.address, words: GuardWords())
            desktop.start(onEvent: { _ in }, onRequest: { _, _ in })
            // From the first answer to the last.
            for _ in 0..<(round % 10) { await Task.yield() }
        }
    }

    /// The headset may return before the guard has found the players on the bus.
    @Test func playerOfTheGuardBefore_plays_whenItIsFoundAfterItsProgramWasReleased() throws {
        let bus = try PrivateBus()
        let desktop = try SessionDesktop(address: bus.address, words: GuardWords())
        defer { desktop.shutdown() }
        desktop.start(onEvent: { _ in }, onRequest: { _, _ in })
        desktop.adopt(Self.thisProgram)
        desktop.resume(Self.thisProgram)
        let player = try PlayerStandIn(address: bus.address, name: "music", status: "Paused")
        try player.log.wait(for: "a start") { $0 == ["Play"] }
    }

    /// A guard that hands over names the player also before the player has shown the pause.
    @Test(.timeLimit(.minutes(1))) func pausedPlayer_isToldOf_beforeItAnswers() async throws {
        let bus = try PrivateBus()
        let player = try PlayerStandIn(address: bus.address, name: "music")
        let events = History<(event: GuardEvent, log: [String])>()
        let connection = try BusConnection(address: bus.address)
        let players = MprisPlayers(connection)
        connection.perform { players.start { [player] in events.append(($0, player.log.entries)) } }
        // Without effect until the player is found.
        while events.count == 0, !Task.isCancelled {
            connection.perform { players.pause(Self.thisProgram) }
            _ = await connection.owns("com.example.guard")
        }
        try player.log.wait(for: "a pause") { $0 == ["Pause"] }
        #expect(events.entries.map(\.event) == [.playerPaused(Self.thisProgram.identity)])
        #expect(events.entries.first?.log == [])
    }

    private static let thisProgram = Program(identity: .process(UInt32(getpid())), name: "music")
}
