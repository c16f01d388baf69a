import CRig
import Foundation
import PipeWireRig
import Testing

extension RigTests {
    @Suite struct ServerTests {
        /// Whether a process has ended, waiting for it if need be; zombies count as ended.
        private func hasEnded(_ processID: Int32) -> Bool {
            var status: Int32 = 0
            return oav_rig_wait_for_exit(processID, 10_000_000_000, &status) != -ETIMEDOUT
        }

        @Test func environment_ofAChild_leadsToThisServerOnly() throws {
            let rig = try PrivatePipeWire.start()
            _ = try rig.makeSink(name: "only-here")
            let child = Process()
            let output = Pipe()
            child.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            child.arguments = ["pw-cli", "ls", "Node"]
            child.environment = rig.environment
            child.standardOutput = output
            try child.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            child.waitUntilExit()
            #expect(child.terminationStatus == 0)
            #expect(text.contains("only-here"))
        }

        @Test func start_withoutAProgram_throwsNamingItsPackage() throws {
            for (program, package) in [
                ("dbus-daemon", "dbus-daemon"), ("pipewire", "pipewire-bin"), ("wireplumber", "wireplumber"),
            ] {
                // A directory with all programs but one.
                let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
                try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(at: directory) }
                var options = PrivatePipeWire.Options()
                for other in ["dbus-daemon", "pipewire", "wireplumber"] where other != program {
                    let found = options.programDirectories.map { "\($0)/\(other)" }
                        .first { FileManager.default.isExecutableFile(atPath: $0) }
                    try FileManager.default.createSymbolicLink(
                        atPath: directory.appending(path: other).path, withDestinationPath: #require(found))
                }
                options.programDirectories = [directory.path]
                #expect {
                    _ = try PrivatePipeWire.start(options)
                } throws: { error in
                    "\(error)".contains("\"\(program)\"") && "\(error)".contains("\"\(package)\"")
                        && "\(error)".contains("dev/install-packages test")
                }
            }
        }

        @Test func stop_endsEveryDaemonAndRemovesTheDirectory() throws {
            let rig = try PrivatePipeWire.start()
            let processIDs = rig.processIDs
            #expect(processIDs.count == 3)
            rig.stop()
            for processID in processIDs {
                // Reaped, so that not even a zombie is left.
                #expect(kill(processID, 0) == -1)
            }
            let directory = URL(fileURLWithPath: rig.socketPath).deletingLastPathComponent()
                .deletingLastPathComponent().path
            #expect(!FileManager.default.fileExists(atPath: directory))
            #expect(throws: RigError.self) { try rig.graph }
        }

        @Test func lastReference_whenReleased_endsEveryDaemon() throws {
            var rig: PrivatePipeWire? = try PrivatePipeWire.start()
            let processIDs = try #require(rig?.processIDs)
            rig = nil
            for processID in processIDs {
                #expect(kill(processID, 0) == -1)
            }
        }

        @Test func crash_ofTheTestProcess_leavesNoDaemons() async throws {
            let result = await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
                let rig = try PrivatePipeWire.start()
                print("daemons", rig.processIDs.map(String.init).joined(separator: ","))
                fflush(nil)
                kill(getpid(), SIGKILL)
            }
            let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
            let line = try #require(output.split(separator: "\n").first { $0.hasPrefix("daemons ") })
            let processIDs = line.dropFirst("daemons ".count).split(separator: ",").compactMap { Int32($0) }
            #expect(processIDs.count == 3)
            for processID in processIDs {
                #expect(hasEnded(processID))
            }
        }

        @Test func rigs_sideBySide_doNotMeet() throws {
            let rigs = try (0..<3).map { _ in try PrivatePipeWire.start() }
            for (index, rig) in rigs.enumerated() {
                _ = try rig.makeSink(name: "sink-\(index)")
            }
            for (index, rig) in rigs.enumerated() {
                let sinks = try rig.graph.nodes.filter { $0.mediaClass == "Audio/Sink" }.map(\.name)
                #expect(sinks == ["sink-\(index)"])
            }
        }

        @Test func linkedTone_withoutASessionManager_isCountedExactly() throws {
            let rig = try PrivatePipeWire.start(.withoutSessionManager)
            #expect(rig.processIDs.count == 2)
            let sink = try rig.makeSink(name: "speaker")
            let tone = try rig.makeTone(routing: .linked(to: "speaker"))
            try tone.waitUntilStreaming()
            let reading = try undisturbed({ $0.missedFrames == 0 && $0.loudFrames == 10_000 }) {
                sink.meter.mark()
                tone.play(frames: 10_000)
                return try sink.meter.wait(loudFrames: 1, quietFrames: 8_192)
            }
            #expect(reading.loudFrames == 10_000)
            #expect(reading.missedFrames == 0)
            #expect(try rig.defaultSinkName() == nil)
        }

        @Test func profile_ofAProgramThatStandsStill_countsItsCyclesAsErrors() throws {
            let rig = try PrivatePipeWire.start()
            defer { rig.stop() }
            _ = try rig.makeSink(name: "speaker")
            let profile = try rig.makeProfile(ofNode: "pw-play")
            let program = try rig.play(role: "Music")
            defer { program.terminate() }
            // A busy machine may make it late once.
            try rig.waitUntil("cycles of the program") { _ in profile.reading.cycles - profile.reading.errors > 5 }
            let before = profile.reading.errors
            kill(program.processIdentifier, SIGSTOP)
            defer { kill(program.processIdentifier, SIGCONT) }
            try rig.waitUntil("cycles that it misses") { _ in profile.reading.errors > before + 20 }
        }

        @Test func card_withoutASessionManager_choosesItsProfileAndRoutes() throws {
            let rig = try PrivatePipeWire.start(.withoutSessionManager)
            let card = try rig.makeCard()
            #expect(card.activeOutput == .headphones)
            card.unplugHeadphones()
            #expect(card.activeOutput == .speaker)
        }

        // MARK: Faults

        @Test func pipeWire_whenKilled_isLostToItsClientsAndReturnsOnTheSameSocket() throws {
            let rig = try PrivatePipeWire.start()
            let socketPath = rig.socketPath
            let sink = try rig.makeSink(name: "speaker")
            let processIDs = rig.processIDs
            rig.killPipeWire()
            #expect(rig.processIDs == [processIDs[0]])
            #expect {
                try rig.waitUntil("a node that never comes") { $0.node(named: "nobody") != nil }
            } throws: { error in
                "\(error)".contains("server is gone")
            }
            #expect(sink.destroy() == 0)

            try rig.startPipeWire()
            #expect(rig.socketPath == socketPath)
            #expect(try rig.graph.node(named: "speaker") == nil)
            let again = try rig.makeSink(name: "speaker")
            try rig.waitUntilDefaultSink(is: "speaker")
            let tone = try rig.makeTone()
            tone.play(frames: nil)
            try again.meter.wait(loudFrames: 4_800)
        }

        @Test func sessionManager_whenRestarted_leavesTheServerAndOwnLinksAlone() throws {
            // One that starts while nodes play may choose nothing (PipeWireTier.md): another server is asked in its place.
            let isChosen = try (0..<5).contains { _ in try isSinkChosenAfterARestartOfTheSessionManager() }
            #expect(isChosen)
        }

        private func isSinkChosenAfterARestartOfTheSessionManager() throws -> Bool {
            let rig = try PrivatePipeWire.start()
            let sink = try rig.makeSink(name: "speaker")
            let tone = try rig.makeTone(routing: .linked(to: "speaker"))
            try tone.waitUntilStreaming()
            tone.play(frames: nil)
            try sink.meter.wait(loudFrames: 4_800)
            let processIDs = rig.processIDs
            try rig.killSessionManager()
            #expect(try rig.defaultSinkName() == nil)
            sink.meter.mark()
            try sink.meter.wait(loudFrames: 4_800)
            try rig.startSessionManager()
            #expect(rig.processIDs.dropLast() == processIDs.dropLast())
            #expect(rig.processIDs.last != processIDs.last)
            return (try? rig.waitUntilDefaultSink(is: "speaker")) != nil
        }
    }
}
