import AudioModel
import Foundation
import HostInterface
import ProgramRuntime
import SessionCore
import TestAudio
import TestSupport
import Testing

@testable import AudioRuntime
@testable import SessionRuntime

@Suite struct CompositionRootTests {
    private let tried = History<HostConnection>()
    private let said = History<String>()
    private let speakers = History<MultiRouteSpeaker>()

    /// - Parameter reachable: the hosts that answer.
    private func root(
        _ value: String?, roles: String? = nil, reachable: Set<HostConnection>, speaker: String? = nil
    ) -> CompositionRoot {
        let (tried, said, speakers) = (tried, said, speakers)
        let environment = [
            SessionEnvironment.hostVariable: value, SessionEnvironment.rolesVariable: roles,
            SessionEnvironment.multiRouteSpeakerVariable: speaker,
        ]
        return CompositionRoot(
            environment: SessionEnvironment(environment.compactMapValues { $0 }),
            connect: { connection, machine, recorders throws(HostError) in
                speakers.append(machine.state.multiRouteSpeaker)
                tried.append(connection)
                guard reachable.contains(connection) else { throw .unreachable("No server at /run/test. Start one.") }
                let name = connection == .pipeWire ? "pipewire" : "simulated"
                return try SessionRuntime(
                    host: UnreachableHost(name: name, because: "test"), machine: machine, recorders: recorders)
            },
            say: { said.append($0) })
    }

    @Test(arguments: [nil, "", "auto"])
    func auto_whereAServerAnswers_takesItWithoutAWord(_ value: String?) {
        let runtime = root(value, reachable: [.pipeWire, .simulated]).runtime()
        #expect(runtime.host.name == "pipewire")
        #expect(tried.entries == [.pipeWire])
        #expect(said.entries == [])
    }

    @Test func auto_withoutAServer_takesASimulatedSpeakerAndSaysSoOnce() {
        let runtime = root("auto", reachable: [.simulated, .standIn]).runtime()
        #expect(runtime.host.name == "simulated")
        #expect(tried.entries == [.pipeWire, .standIn])
        #expect(
            said.entries == [
                "PipeWire is unavailable: No server at /run/test. Start one. Using a simulated speaker; there is no "
                    + "audio output, and nothing can be recorded."
            ])
    }

    @Test func simulatedPhone_plays_inRealTime() throws {
        let runtime = try CompositionRoot().connect(.simulated, SessionMachine(), [])
        defer { runtime.shutdown() }
        try play(on: runtime)
    }

    private func play(on runtime: SessionRuntime) throws {
        let directory = try TemporaryDirectory()
        let states = History<FilePlayer.State>()
        let player = try FilePlayer(
            path: try TestFile.write(.ramp, seconds: 0.01, in: directory), runtime: runtime
        ) { states.append($0.state) }
        try player.play()
        try states.wait(for: "the end") { $0.last == .finished }
        player.close()
    }

    // Behaviour 97
    @Test func simulatedHostRunsForApps() throws {
        let root = CompositionRoot()
        let runtime = try root.connect(.standIn, SessionMachine(), [])
        defer { runtime.shutdown() }
        try play(on: runtime)
        // A program that records gets an error, not silence.
        let directory = try TemporaryDirectory()
        let configuration = SessionConfiguration(category: .playAndRecord)
        try runtime.perform { call, _ in .configurationRequested(call, configuration) }
        let recorder = try FileRecorder(
            path: directory.path("memo.wav"), channelCount: 1, runtime: runtime, onChange: { _ in })
        let error = #expect(throws: SessionError.self) { try recorder.record() }
        #expect(error?.code == .resourceNotAvailable)
        recorder.stop()
    }

    @Test func speakerOfMultiRoute_isTheOneTheEnvironmentNames() {
        _ = root("simulated", reachable: [.simulated]).runtime()
        _ = root("simulated", reachable: [.simulated], speaker: "always").runtime()
        #expect(said.entries == [])
        _ = root("auto", reachable: [.simulated, .standIn], speaker: "loud").runtime()
        #expect(speakers.entries == [.onlyWhenAlone, .always, .onlyWhenAlone, .onlyWhenAlone])
        #expect(
            said.entries.first
                == "AUDIOSESSION_MULTIROUTE_SPEAKER is \"loud\", which is not one of: onlyWhenAlone, always. Set one of "
                + "these. Going on with onlyWhenAlone.")
        #expect(said.entries.count == 2, "and one line for the host")
    }

    @Test func simulated_isTakenWithoutAskingPipeWire() {
        let runtime = root("simulated", reachable: [.pipeWire, .simulated]).runtime()
        #expect(runtime.host.name == "simulated")
        #expect(tried.entries == [.simulated])
        #expect(said.entries == [])
    }

    @Test func pipewire_withoutAServer_isNotReplacedByAHostThatOnlyPretends() {
        let runtime = root("pipewire", reachable: [.simulated]).runtime()
        #expect(runtime.host is UnreachableHost)
        #expect(tried.entries == [.pipeWire])
        #expect(
            said.entries == [
                "The host \"pipewire\" is unavailable: No server at /run/test. Start one. "
                    + "Set AUDIOSESSION_HOST=simulated to go on without a sound server; there is no audio output then."
            ])
    }

    @Test func unknownValue_isNamedWithTheAllowedAndThenAutoApplies() {
        let runtime = root("alsa\u{1B}[2J", reachable: [.pipeWire]).runtime()
        #expect(runtime.host.name == "pipewire")
        #expect(
            said.entries == [
                "AUDIOSESSION_HOST is \"alsa\u{FFFD}[2J\", which is not one of: auto, pipewire, simulated. "
                    + "Set one of these. Going on with auto."
            ])
    }

    /// Of a stream without a role, and of one of role Game.
    private func effects(of runtime: SessionRuntime) -> [[String?]] {
        [true, false].map { isHint in
            [nil, "Game"].filter { role in
                runtime.apply(.host(.foreignStreamsChanged([ForeignStream(id: 1, role: role)])))
                return isHint ? runtime.state.secondaryAudioShouldBeSilenced : runtime.state.isOtherAudioPlaying
            }
        }
    }

    @Test func roles_ofTheEnvironment_areTheSessions() {
        let standard = root("simulated", reachable: [.simulated]).runtime()
        #expect(effects(of: standard) == [[nil], [nil, "Game"]])
        let runtime = root("simulated", roles: "game=plays, none=ignored", reachable: [.simulated]).runtime()
        #expect(effects(of: runtime) == [["Game"], ["Game"]])
        #expect(said.entries == [])
    }

    @Test func roles_thatMakeNoSense_areNamedOnceWithTheAllowed_andTheStandardTableApplies() {
        let runtime = root("auto", roles: "Game=loud\u{1B}", reachable: [.simulated, .standIn]).runtime()
        #expect(effects(of: runtime) == [[nil], [nil, "Game"]])
        #expect(said.entries.count == 2, "the other one tells of the host")
        #expect(
            said.entries.first == "AUDIOSESSION_ROLES: \"loud\u{FFFD}\" is not an effect of role \"Game\". "
                + "Allowed effects: interrupts, ducks, plays, mixes, ignored. Write, for example, Game=plays. "
                + "Going on with the standard table.")
    }

    @Test(arguments: [
        (HostError.unreachable("no server answers; start one"), "No server answers; start one."),
        (.refused("No."), "No."), (.unreachable(""), ""), (.refused("evil\u{1B}[2J"), "Evil\u{FFFD}[2J."),
    ])
    func hostsWords_becomeSentencesThatOthersMayFollow(_ error: HostError, _ expected: String) {
        #expect(error.message == expected)
    }
}
