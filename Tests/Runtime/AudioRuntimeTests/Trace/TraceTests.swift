import AudioModel
import Foundation
import HostInterface
import HostSimulated
import RuntimeTestSupport
import SceneCore
import SceneRuntime
import SessionCore
import SessionRest
import SimulatedControls
import TestAudio
import TestSupport
import Testing

@testable import AudioRuntime
@testable import SessionRuntime

@Suite struct TraceTests {
    private let directory: TemporaryDirectory
    private let said = History<String>()
    private var path: String { directory.path("session.trace") }

    init() throws { directory = try TemporaryDirectory() }

    private func trace(hasNames: Bool = false, maximumBytes: Int = 16_000_000, queueLength: Int = 1000) -> SessionTrace
    {
        SessionTrace(
            .init(path: path, hasNames: hasNames), maximumBytes: maximumBytes, queueLength: queueLength
        ) { [said] in said.append($0) }
    }

    /// A session to which a lot happens.
    private func live(_ trace: SessionTrace) throws {
        let machine = try RuntimeMachine(recorders: [trace])
        let runtime = machine.runtime
        try machine.configure(.playback)
        let player = try machine.playing(seconds: 60)
        machine.unplugHeadphones()
        try player.play()
        machine.advance(frames: 4800)
        machine.plug(.wiredHeadphones)
        machine.receiveCall()
        machine.endCall()
        machine.host.startForeignStream(role: "Notification", name: "a talker")
        machine.host.startForeignStream(role: "Gossip", name: "another talker")
        #expect(throws: SessionError.self) {
            try runtime.perform { call, _ in .inputPreferred(call, uid: "a secret port") }
        }
        #expect(throws: SessionError.self) {
            try runtime.perform { call, _ in
                var settings = PreferredSettings()
                settings.sampleRate = .nan
                return .preferencesStated(call, settings)
            }
        }
        machine.host.crashServer()
        runtime.drain()
        machine.host.restartServer()
        runtime.drain()
        player.close()
        try machine.deactivate()
        runtime.shutdown()
    }

    @Test(arguments: [true, false])
    func trace_ofAFullSession_replaysToTheSameEffects(hasNames: Bool) throws {
        try live(trace(hasNames: hasNames))
        let reader = try TraceReader(path: path)
        #expect(reader.format.format == "open-avfaudio trace" && reader.format.version == 1)
        #expect(reader.format.stability == "unstable" && reader.format.library == LibraryVersion.current)
        #expect(reader.format.hasNames == hasNames)
        #expect(reader.session?.host == "simulated")
        #expect(reader.divergentSteps().isEmpty, "\(reader.divergentSteps())")
        #expect(reader.ending == .end(dropped: 0))
        #expect(reader.gaps == [])
        #expect(said.entries == [])
        let reasons = reader.effects.compactMap {
            if case .postRouteChange(let change) = $0 { change.reason } else { nil }
        }
        #expect(reasons.contains(.oldDeviceUnavailable))
        #expect(
            reader.steps.contains { step in
                if case .host(.inventoryChanged(_, let losses)) = step.event.fact { !losses.isEmpty } else { false }
            })
        #expect(reader.effects.contains { if case .postMediaServicesReset = $0 { true } else { false } })
        #expect(reader.steps.count > 20)
        #expect(try reader.strings().contains(RuntimeMachine.headphones) == hasNames)
        #expect(try reader.strings().contains("a talker") == hasNames)
    }

    @Test func strings_withoutNames_arePseudonymsOrWordsOfTheLibrary() throws {
        try live(trace())
        let words = Set(SessionCategory.allCases.map(\.rawValue) + SessionMode.allCases.map(\.rawValue))
        let others = try TraceReader(path: path).strings().subtracting(words)
            .filter { $0.wholeMatch(of: /(port|name|role|text)-[0-9]+/) == nil }
        #expect(others == ["", "Notification", "Phone", "nan"])
    }

    @Test func text_whereverItStands_isInNoTraceWithoutNames() throws {
        let port = Port(
            uid: "SECRET uid", name: "SECRET name", kind: .headphones, direction: .output, channels: [.left, .right])
        let error = SessionError(.unspecified, "SECRET message")
        let inventory = Inventory(
            ports: [port], defaultOutputUID: "SECRET default", defaultInputUID: "SECRET input",
            alternatives: [["SECRET alternative"]], volumes: ["SECRET volume": PortVolume(level: 0.3)],
            headsets: [
                Headset(
                    profile: .hfp, a2dpOutputUID: "SECRET a2dp", hfpOutputUID: "SECRET out", hfpInputUID: "SECRET in")
            ])
        let (call, stream) = (CallID(number: .max), StreamID(number: 1))
        let facts: [SessionFact] = [
            .streamOpened(stream, StreamPolicy(target: .port(uid: "SECRET target"))),
            .streamPolicyChanged(stream, StreamPolicy(target: .ports(uids: ["SECRET a", "SECRET b"]))),
            .inputPreferred(call, uid: "SECRET input"), .outputChosenByApp(call, .port(uid: "SECRET output")),
            .host(.inventoryChanged(inventory, losses: [PortLoss(stream, portUID: "SECRET loss")])),
            .host(.portLost(PortLoss(stream, portUID: "SECRET loss"))),
            .host(.outputChosenByUser(uid: "SECRET choice")),
            .host(.streamFailed(stream, .noSuchPort(uid: "SECRET port"))),
            .host(.claimRefused(ClaimID(number: 1), .refused("SECRET words"))),
            .host(.claimRefused(ClaimID(number: 1), .unreachable("SECRET path"))),
            .host(.connectionLost("SECRET reason")),
            .host(
                .peerChanged(Peer(serial: ClaimSerial(number: 1), configuration: .init(), name: "SECRET program"))),
            .host(.foreignStreamsChanged([ForeignStream(id: 1, role: "SECRET role", name: "SECRET player")])),
        ]
        let effects: [SessionEffect] = [
            .reply(call, error), .linkStream(stream, [port]), .setPortVolume(call, uid: "SECRET", PortVolume(level: 1)),
            .failPlayer(stream, error),
            .postRouteChange(
                RouteChange(
                    time: .zero, reason: .override, previous: Route(inputs: [port]), current: Route(outputs: [port]))),
        ]
        let trace = trace()
        trace.begin(on: "pipewire", SessionState())
        for fact in facts { trace.record(SessionEvent(time: .zero, fact: fact), effects, SessionState()) }
        trace.end()
        let reader = try TraceReader(path: path)
        #expect(reader.steps.count == facts.count)
        #expect(reader.lines.allSatisfy { !$0.contains("SECRET") })
        // The same text has the same pseudonym, and another one has another.
        #expect(
            reader.steps[4].event.fact
                == .host(
                    .inventoryChanged(
                        Inventory(
                            ports: [
                                Port(
                                    uid: "port-2", name: "name-1", kind: .headphones, direction: .output,
                                    channels: [.left, .right])
                            ],
                            defaultOutputUID: "port-9", defaultInputUID: "port-6",
                            alternatives: [["port-8"]], volumes: ["port-13": PortVolume(level: 0.3)],
                            headsets: [
                                Headset(
                                    profile: .hfp, a2dpOutputUID: "port-10", hfpOutputUID: "port-12",
                                    hfpInputUID: "port-11")
                            ]),
                        losses: [PortLoss(stream, portUID: "port-14")])))
    }

    @Test func controlCharacters_withNames_areNotInTheFile() throws {
        let trace = trace(hasNames: true)
        trace.begin(on: "pipewire", SessionState())
        let name = "evil\u{1B}[2J\u{9B}\u{202E}\nname"
        let stream = ForeignStream(id: 1, role: name, name: name)
        trace.record(SessionEvent(time: .zero, fact: .host(.foreignStreamsChanged([stream]))), [], SessionState())
        trace.end()
        let reader = try TraceReader(path: path)
        #expect(try reader.strings() == [name.printable])
        #expect(reader.lines.allSatisfy { $0 == $0.printable })
    }

    // MARK: Bounds

    private func event(_ number: UInt64) -> SessionEvent {
        SessionEvent(time: HostTime(nanoseconds: number), fact: .host(.wokeFromSleep))
    }

    @Test func fullQueue_dropsAndCounts_andTheSessionDoesNotWait() throws {
        let trace = trace(queueLength: 2)
        // Nothing is written before the session begins.
        for number in 1...5 { trace.record(event(UInt64(number)), [], SessionState()) }
        trace.begin(on: "simulated", SessionState())
        while (try? TraceReader(path: path))?.session == nil { sched_yield() }
        trace.record(event(6), [], SessionState())
        trace.end()
        let reader = try TraceReader(path: path)
        #expect(reader.steps.map(\.event) == [event(1), event(2), event(6)])
        #expect(reader.steps.map(\.followsGap) == [false, false, true])
        #expect(reader.gaps == [3])
        #expect(reader.ending == .end(dropped: 0))
    }

    @Test func droppedEvents_afterTheLastOneThatWasWritten_areInTheLastLine() throws {
        let trace = trace(queueLength: 1)
        for number in 1...5 { trace.record(event(UInt64(number)), [], SessionState()) }
        trace.begin(on: "simulated", SessionState())
        trace.end()
        let reader = try TraceReader(path: path)
        #expect(reader.steps.map(\.event) == [event(1)])
        #expect(reader.ending == .end(dropped: 4))
    }

    @Test func file_atItsLimit_endsWithALineThatSaysSo() throws {
        let trace = trace(maximumBytes: 1500)
        trace.begin(on: "simulated", SessionState())
        for number in 1...100 { trace.record(event(UInt64(number)), [], SessionState()) }
        trace.end()
        let reader = try TraceReader(path: path)
        #expect(reader.ending == .stopped("the limit of 1500 bytes"))
        #expect(reader.steps.count > 5 && reader.steps.count < 30)
        let size = reader.lines.dropLast().reduce(0) { $0 + $1.utf8.count + 1 }
        #expect(size <= 1500 && size > 1400)
        #expect(said.entries == [])
    }

    @Test(arguments: [true, false])
    func fileOfAScene_hasTheSceneOfTheTrace(hasNames: Bool) throws {
        TraceForms.register(TraceScene.self)
        let path = directory.path("app.scene")
        let scene = SessionTrace(.init(path: path, hasNames: hasNames), say: { [said] in said.append($0) })
        try live(scene)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let read = try AudioScene(text: text)
        #expect(said.entries == [])
        try live(trace(hasNames: hasNames))
        #expect(try TraceScene.scene(ofTrace: String(contentsOfFile: self.path, encoding: .utf8)) == read)
        #expect(text.contains("player plays") && text.contains("server crashes") && text.hasSuffix(" end\n"))
        #expect(text.contains("talker") == hasNames)
    }

    /// A program that is killed.
    @Test func fileOfAScene_isASceneAfterEachEvent() throws {
        TraceForms.register(TraceScene.self)
        let path = directory.path("app.scene")
        let trace = SessionTrace(.init(path: path), maximumBytes: 300, say: { [said] in said.append($0) })
        trace.begin(on: "simulated", SessionState())
        for number in 1...100 { trace.record(event(UInt64(number)), [], SessionState()) }
        trace.end()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.hasSuffix("# Stopped: the limit of 300 bytes.\n"))
        #expect(try AudioScene(text: text).events.count > 5)
    }

    // MARK: The file

    @Test func file_isNobodyElsesToRead() throws {
        let trace = trace()
        trace.begin(on: "simulated", SessionState())
        trace.end()
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func fileThatExists_isNotReplaced_andTheSessionGoesOn() throws {
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        try live(trace())
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
        #expect(
            said.entries == [
                "AUDIOSESSION_TRACE: cannot create \"\(path)\" (File exists). Remove that file, or name another one. "
                    + "Going on without a trace."
            ])
    }

    @Test func link_isNotFollowed() throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory.path("elsewhere"))
        try live(trace())
        #expect(!FileManager.default.fileExists(atPath: directory.path("elsewhere")))
        #expect(said.count == 1)
    }

    @Test func environment_namesTheFile_andNamesAreLeftOutUnlessAsked() throws {
        for (names, hasNames) in [(nil, false), ("1", true), ("0", false)] {
            let path = directory.path("trace-\(names ?? "none")")
            var variables = [SessionEnvironment.hostVariable: "simulated", SessionEnvironment.traceVariable: path]
            variables[SessionEnvironment.traceNamesVariable] = names
            let root = CompositionRoot(
                environment: SessionEnvironment(variables), connect: CompositionRoot().connect
            ) { [said] in said.append($0) }
            let runtime = root.runtime()
            try runtime.perform { call, _ in .activationRequested(call) }
            runtime.shutdown()
            let reader = try TraceReader(path: path)
            #expect(reader.format.hasNames == hasNames)
            #expect(reader.ending == .end(dropped: 0))
            #expect(reader.effects.contains(.postBecameActive))
            #expect(reader.divergentSteps().isEmpty)
        }
        #expect(said.entries == [])
    }
}
