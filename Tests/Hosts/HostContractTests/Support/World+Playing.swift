import AudioModel
import SessionCore
import SessionRest
import Testing

@testable import AudioRuntime
@testable import OpenAudioSession
@testable import SessionRuntime

extension World {
    var runtime: SessionRuntime { app.runtime }
    var session: AVAudioSession { app.session }
    var journal: Journal { app.journal }

    /// The server is back with the devices it had; returns when all apps know.
    func restartServer() async throws { try await restartServer(without: nil) }

    /// Plays a tone and returns when the device hears it.
    ///
    /// - Parameter player: one that is open already.
    @discardableResult
    func startPlaying(
        on device: WorldDevice, policy: StreamPolicy = .resuming, _ player: FilePlayer? = nil
    ) async throws -> FilePlayer {
        let player = try player ?? app.makePlayer(policy: policy)
        try player.play()
        try await untilHeard(on: device)
        runtime.drain()
        return player
    }

    /// Returns once the app's session would play on this device.
    func waitForRoute(_ device: WorldDevice) async throws {
        try await app.wait(for: "\(device) as the route") { $0.route.outputs.first?.kind == device.kind }
    }

    /// Lets the host run until this holds, for at most 10 s of its time.
    func until(_ what: Comment? = nil, _ condition: () -> Bool) async throws {
        for _ in 0..<200 where !condition() { try await run(seconds: 0.05) }
        try #require(condition(), what)
    }

    /// Frames above -60 dBFS that reach the device in 0.3 s, once what fades now is over.
    func loudFramesAfterFades(on device: WorldDevice) async throws -> Int {
        try await fadeOut()
        try await mark()
        try await run(seconds: 0.3)
        return try await loudFrames(on: device)
    }

    func launch(_ name: String) async throws -> App { try await launch(name, recorders: []) }

    /// Starts another program whose session interrupts the app's; returns when the app knows.
    func launchInterruptingApp() async throws -> App {
        let other = try await launch("other")
        try other.activate()
        try await journal.wait(for: .interruptionBegan(.default))
        return other
    }

    /// Starts another program whose session lowers the app's; returns when the app is lowered.
    func launchDuckingApp(_ name: String = "other") async throws -> App {
        let other = try await launch(name)
        try other.activate(options: .duckOthers)
        try await waitForGain(0.2)
        return other
    }

    /// Lets what still fades, and what is on its way to the device, come to its end.
    func fadeOut() async throws { try await run(seconds: 0.2) }
}

extension Journal {
    /// The reasons of all route changes, in order.
    var routeChanges: [RouteChangeReason] {
        events.compactMap { if case .routeChange(let reason, _, _) = $0 { reason } else { nil } }
    }
}

extension Array where Element == Journal.Entry {
    /// The outputs of the newest route change.
    var currentOutputs: [PortKind]? {
        for entry in reversed() {
            if case .routeChange(_, _, let current) = entry { return current }
        }
        return nil
    }
}
