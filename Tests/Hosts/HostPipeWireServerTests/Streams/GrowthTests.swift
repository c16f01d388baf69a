import Foundation
import HostInterface
import HostPipeWire
import PipeWireRig
import TestSupport
import Testing

extension ServerTests {
    @Suite struct GrowthTests {
        /// What this process holds.
        struct Holdings: Equatable {
            var descriptors: Int
            var threads: Int
            var residentKilobytes: Int

            static var now: Holdings {
                get throws {
                    let files = FileManager.default
                    let statm = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
                    return Holdings(
                        descriptors: try files.contentsOfDirectory(atPath: "/proc/self/fd").count,
                        threads: try files.contentsOfDirectory(atPath: "/proc/self/task").count(where: isOurs),
                        residentKilobytes: (Int(statm[1]) ?? 0) * 4)
                }
            }

            /// What this process holds once it holds no more threads than that, or after 20 s.
            ///
            /// A thread that was waited for is still listed for a moment: the system frees it after its last word.
            static func after(threadsAtMost count: Int) throws -> Holdings {
                let deadline = ContinuousClock.now + .seconds(20)
                var holdings = try now
                while holdings.threads > count, ContinuousClock.now < deadline {
                    sched_yield()
                    holdings = try now
                }
                return holdings
            }

            /// A loop of ours or of libpipewire's, not a worker of Dispatch's.
            private static func isOurs(_ thread: String) -> Bool {
                let name = try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
                return ["oav-", "data-loop"].contains { name?.hasPrefix($0) == true }
            }

            /// Expects that rounds leave nothing behind.
            ///
            /// The first rounds are not counted: a loop of libpipewire's frees a closed stream a little later, and under load
            /// the number of streams that wait for this rises for some twenty rounds (seen: 8 descriptors and 5 MB).
            static func expectNoGrowth(after first: Int, in rounds: Int, round: () throws -> Void) throws {
                for _ in 0..<first { try round() }
                let before = try now
                for _ in 0..<rounds { try round() }
                let after = try after(threadsAtMost: before.threads)
                // A leak is one of each round, or more. A few come and go with the programs that the rig has just run.
                #expect(after.descriptors - before.descriptors < rounds / 2, "\(before) \(after)")
                #expect(after.threads - before.threads < rounds / 2, "\(before) \(after)")
                // Sanitizers keep what is freed; they look for leaks themselves.
                guard dlsym(nil, "__asan_init") == nil, dlsym(nil, "__tsan_init") == nil else { return }
                // A stream that stays behind has 64 KB of buffers at least.
                #expect(after.residentKilobytes - before.residentKilobytes < 50 * rounds, "\(before) \(after)")
            }
        }

        /// In a process of its own (like the others here), where nothing else comes and goes.
        @Test func plugAndUnplug_fiftyTimes_leavesNothingBehind() async throws {
            await #expect(processExitsWith: .success) {
                let server = try PrivatePipeWire.start()
                let client = try Client(server)
                let renderer = LoudRenderer()
                let stream = try client.openStream(renderer)
                func plugAndUnplug() throws {
                    let start = client.log.count
                    try server.createNode([
                        "node.name": "headphones", "factory.name": "support.null-audio-sink",
                        "media.class": "Audio/Sink", "object.linger": "true", "device.bus": "usb",
                    ])
                    try client.wait(forOutput: "headphones", from: start)
                    try stream.link(to: ["headphones"])
                    try renderer.wait(openCycles: 2)
                    let linked = client.log.count
                    try server.run(["pw-cli", "destroy", "headphones"])
                    try client.log.wait(for: "the loss", from: linked) {
                        $0.lostPorts == ["headphones"] && $0.outputs?.contains("headphones") == false
                    }
                }
                try Holdings.expectNoGrowth(after: 20, in: 50, round: plugAndUnplug)
                stream.close()
                client.host.shutdown()
                server.stop()
            }
        }

        @Test func streams_openedStartedAndClosed_leaveNothingBehind() async throws {
            await #expect(processExitsWith: .success) {
                let server = try PrivatePipeWire.start()
                let sink = try server.makeSink(name: "speaker", bus: "pci")
                let client = try Client(server)
                var number: UInt64 = 0
                func openStartAndClose() throws {
                    number += 1
                    let renderer = LoudRenderer()
                    let stream = try client.openStream(renderer, number: number)
                    try stream.link(to: ["speaker"])
                    try renderer.wait(openCycles: 1)
                    stream.close()
                }
                try Holdings.expectNoGrowth(after: 40, in: 100, round: openStartAndClose)
                client.host.shutdown()
                sink.destroy()
                server.stop()
            }
        }

        @Test func hosts_openedAndClosed_leaveNothingBehind() async throws {
            await #expect(processExitsWith: .success) {
                let server = try PrivatePipeWire.start()
                let sink = try server.makeSink(name: "speaker", bus: "pci")
                func openAndClose() throws {
                    let client = try Client(server)
                    let renderer = LoudRenderer()
                    let stream = try client.openStream(renderer)
                    try stream.link(to: ["speaker"])
                    try renderer.wait(openCycles: 1)
                    client.host.shutdown()
                }
                try Holdings.expectNoGrowth(after: 20, in: 50, round: openAndClose)
                sink.destroy()
                server.stop()
            }
        }
    }
}
