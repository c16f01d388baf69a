import AudioModel
import HostInterface
import SessionCore
import TestSupport
import Testing

@testable import OpenAudioSession
@testable import SessionRuntime

/// The session of a program: which host it has, and that it is made once.
@Suite struct SharedSessionTests {
    private let tried = History<HostConnection>()

    /// - Parameter reachable: the hosts that answer.
    private func root(_ value: String?, reachable: Set<HostConnection>) -> CompositionRoot {
        CompositionRoot(
            environment: SessionEnvironment(value.map { [SessionEnvironment.hostVariable: $0] } ?? [:]),
            connect: { [tried] connection, machine, recorders throws(HostError) in
                tried.append(connection)
                guard reachable.contains(connection) else { throw .unreachable("No server at /run/test. Start one.") }
                let name = connection == .pipeWire ? "pipewire" : "simulated"
                return try SessionRuntime(
                    host: UnreachableHost(name: name, because: "test"), machine: machine, recorders: recorders)
            },
            say: { _ in })
    }

    @Test func select_beforeTheSession_decides() throws {
        let shared = SharedSession(root("pipewire", reachable: [.pipeWire, .simulated]))
        try shared.select(.simulated)
        #expect(shared.session().runtime.host.name == "simulated")
        #expect(tried.entries == [.simulated])
    }

    @Test func select_afterTheSession_throwsAndChangesNothing() throws {
        let shared = SharedSession(root("pipewire", reachable: [.pipeWire, .simulated]))
        let session = shared.session()
        let error = try #require(throws: AudioSessionHostError.self) { try shared.select(.simulated) }
        #expect(error.code == .sessionExists)
        #expect(
            error.message == "The host \"simulated\" cannot be selected: the session exists already and uses "
                + "\"pipewire\". Call AudioSessionHost.select before the first AVAudioSession.sharedInstance().")
        #expect(error.localizedDescription == error.message)
        #expect("\(error)" == error.message)
        #expect(shared.session() === session)
    }

    @Test func select_ofAHostThatCannotBeHad_throwsAndLeavesTheChoiceOpen() throws {
        let shared = SharedSession(root(nil, reachable: [.standIn]))
        let error = try #require(throws: AudioSessionHostError.self) { try shared.select(.pipeWire) }
        #expect(error.code == .unavailable)
        #expect(error.message.contains("No server at /run/test."))
        try shared.select(.automatic)
        #expect(shared.session().runtime.host.name == "simulated")
    }

    @Test func session_askedForByManyAtOnce_isMadeOnce() async {
        let shared = SharedSession(root("pipewire", reachable: [.pipeWire]))
        let sessions = await withTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<50 { group.addTask { ObjectIdentifier(shared.session()) } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(sessions.count == 1)
        #expect(tried.entries == [.pipeWire])
    }

    @Test func sharedInstance_withinATestsTask_isThatTestsSession() async {
        let session = AVAudioSession(runtime: unconnectedRuntime())
        await AVAudioSession.$taskSession.withValue(session) {
            #expect(AVAudioSession.sharedInstance() === session)
            await Task { #expect(AVAudioSession.sharedInstance() === session) }.value
        }
    }

    @available(*, deprecated) @Test(.simulated(.phone)) func anotherObject_isTheSameSession() throws {
        let (shared, other) = (AVAudioSession.sharedInstance(), AVAudioSession())
        try other.setCategory(.playback)
        #expect(shared.category == .playback)
        let volumes = History<Float>()
        let observation = other.observe(\.outputVolume, options: [.initial]) { session, _ in
            volumes.append(session.outputVolume)
        }
        #expect(volumes.entries == [shared.outputVolume])
        observation.invalidate()
    }
}
