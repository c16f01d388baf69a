import AudioModel
import BusObjects
import BusRig
import Foundation
import GuardCore
import GuardRuntime
import PipeWireRig
import SessionBus
import TestSupport
import Testing

extension ServerTests {
    /// What a guard keeps open, whose focus other programs ask for again and again.
    @Suite struct FocusDescriptorTests {
        private static let rounds = Int(ProcessInfo.processInfo.environment["OAV_FOCUS_ROUNDS"] ?? "") ?? 1_500

        private static func descriptors() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
        }

        private static func acquire(_ kind: String, _ bus: BusConnection) async -> Result<[BusValue], BusError> {
            await bus.call(
                "org.openavfaudio.Focus1", "/org/openavfaudio/Focus1", "org.openavfaudio.Focus1", "Acquire",
                [.string(kind), .properties([:])])
        }

        /// Each is closed as soon as it is answered, before the server has registered what the guard makes for it.
        @Test func quickRequests_whileAProgramPlays_leaveNoDescriptorBehind() async throws {
            await #expect(processExitsWith: .success) {
                let server = try PrivatePipeWire.start()
                let sink = try server.makeSink(name: "speaker", bus: "pci", priority: 500)
                try server.waitUntilDefaultSink(is: "speaker")
                let desktop = try SessionDesktop(
                    address: server.busAddress, rate: RequestRate(burst: .max, perSecond: 1), words: GuardWords())
                let controller = GuardController(
                    host: PipeWireGuardHost(remote: server.socketPath), options: GuardOptions(), desktop: desktop,
                    onReport: { _ in })
                try controller.start()
                let bus = try BusConnection(address: server.busAddress)
                /// Until what is under way has ended, which the sink's frames time.
                func settle() throws {
                    for _ in 0..<100 where !controller.status.holders.isEmpty || !controller.held.isEmpty {
                        sink.meter.mark()
                        try sink.meter.wait(frames: 4_800)
                    }
                    sink.meter.mark()
                    try sink.meter.wait(frames: 48_000)
                }
                for kind in ["pause", "duck"] {
                    // In a process of its own: its descriptors are not counted.
                    let music = try server.play(role: "Music")
                    defer { music.terminate() }
                    try server.waitUntil("pw-play", feeds: sink.name)
                    for _ in 0..<20 { _ = try await FocusDescriptorTests.acquire(kind, bus).get() }
                    try settle()
                    let before = try FocusDescriptorTests.descriptors()
                    for _ in 0..<FocusDescriptorTests.rounds {
                        _ = try await FocusDescriptorTests.acquire(kind, bus).get()
                    }
                    try settle()
                    let after = try FocusDescriptorTests.descriptors()
                    let kinds = Dictionary(grouping: after) { $0.prefix(24) }.mapValues(\.count)
                    #expect(after.count <= before.count + 8, "\(kind): \(before.count) -> \(after.count), \(kinds)")
                }
                controller.shutdown()
                server.stop()
            }
        }
    }
}
