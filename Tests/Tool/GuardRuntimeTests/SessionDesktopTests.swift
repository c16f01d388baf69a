import BusRig
import GuardRuntime
import SessionBus
import Testing

/// The desktop of a guard that ends at once, as where another one runs already.
@Suite struct SessionDesktopTests {
    @Test func desktop_isReleased_whileTheBusAnswers() async throws {
        let bus = try PrivateBus()
        let player = try BusConnection(address: bus.address)
        for number in 0..<30 { #expect(await player.owns("org.mpris.MediaPlayer2.player\(number)")) }
        for round in 0..<200 {
            let desktop = try SessionDesktop(address: bus.address) { _ in nil }
            desktop.start { _ in }
            // From the first answer to the last.
            for _ in 0..<(round % 10) { await Task.yield() }
        }
    }
}
