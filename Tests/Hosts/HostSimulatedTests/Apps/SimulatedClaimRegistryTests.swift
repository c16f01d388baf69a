import AudioModel
import HostInterface
import HostSimulated
import SimulatedControls
import Testing
import Threading

/// What the apps of one machine see of each other's claims.
@Suite struct SimulatedClaimRegistryTests {
    let ports = "ports speaker* receiver microphone*"

    @Test func claimIsTold_toTheOthersAndToItsOwner() throws {
        let music = try Bench(appName: "Music")
        let navigator = try music.anotherApp(named: "Navigator")
        music.claim()
        navigator.claim(7)
        music.release(notifyingOthers: true)
        navigator.release(7)
        #expect(music.takeEvents() == [ports, "granted 1", "peer 2 Navigator", "left 2"])
        #expect(navigator.takeEvents() == [ports, "peer 1 Music", "granted 7", "left 1 notifying"])
        #expect(music.host.violations.isEmpty)
    }

    @Test func serialOfTheGrant_isTheOneThatThePeersSee() throws {
        let host = SimulatedHost(.bare)
        let heard = Monitor<[HostEvent]>([])
        let configuration = SessionConfiguration(category: .playback, mode: .spokenAudio, options: [.duckOthers])
        try host.start { event in heard.withLock { $0.append(event) } }
        let other = host.anotherApp(named: "Navigator")
        try other.start { event in heard.withLock { $0.append(event) } }
        heard.withLock { $0 = [] }
        other.claim(SessionClaim(id: ClaimID(number: 5), configuration: configuration))
        let serial = ClaimSerial(number: 1)
        #expect(
            heard.withLock { $0 } == [
                .peerChanged(
                    Peer(serial: serial, configuration: configuration, isPlaying: false, name: "Navigator", owner: 1)),
                .claimGranted(ClaimID(number: 5), serial),
            ])
        other.shutdown()
        host.shutdown()
    }

    @Test func presentPeersAndPrograms_areToldBeforeTheFirstInventory() throws {
        let music = try Bench(appName: "Music")
        let radio = try music.anotherApp(named: "Radio")
        music.claim()
        radio.claim()
        let stream = try music.play(on: .builtInSpeaker, probe: .constant(0))
        music.host.startForeignStream(role: "Game")
        let late = try music.anotherApp(named: "Late")
        #expect(late.takeEvents() == ["peer 1 Music plays", "peer 2 Radio", "foreign 1 Game", ports])
        stream.close()
    }

    @Test func peersHearWhenAnAppBeginsAndCeasesToPlay() throws {
        let music = try Bench(appName: "Music")
        let other = try music.anotherApp(named: "Other")
        _ = other.takeEvents()
        music.claim(1)
        music.claim(2)
        let stream = try music.open(probe: .constant(0))
        stream.start()
        #expect(other.takeEvents() == ["peer 1 Music", "peer 2 Music"], "it runs but is linked nowhere")
        try stream.link(to: [SimulatedDevice.builtInSpeaker.output])
        #expect(other.takeEvents() == ["peer 1 Music plays", "peer 2 Music plays"])
        let second = try music.play(2, on: .builtInSpeaker, probe: .constant(0))
        stream.stop()
        #expect(other.takeEvents() == [], "the second one still plays")
        second.unlink()
        #expect(other.takeEvents() == ["peer 1 Music", "peer 2 Music"])
        stream.start()
        music.claim(3)
        music.release(3)
        #expect(
            other.takeEvents() == ["peer 1 Music plays", "peer 2 Music plays", "peer 3 Music plays", "left 3"],
            "a claim of an app that plays says so from the first")
        music.host.unplug(.builtInSpeaker)
        #expect(
            other.takeEvents() == ["ports receiver* microphone*", "peer 1 Music", "peer 2 Music"])
        for stream in [stream, second] { stream.close() }
        #expect(music.host.violations.isEmpty)
    }

    @Test func shutdownLeavesTheRegistry_withoutNotifying() throws {
        let music = try Bench(appName: "Music")
        let other = try music.anotherApp(named: "Other")
        music.claim()
        let stream = try music.play(on: .builtInSpeaker, probe: .constant(0))
        _ = other.takeEvents()
        music.host.shutdown()
        #expect(other.takeEvents() == ["left 1"])
        music.release()
        try music.host.start { _ in }
        music.claim()
        #expect(other.takeEvents() == ["peer 2 Music"], "a serial is never used again")
        #expect(music.host.violations.isEmpty)
        stream.close()
        music.host.shutdown()
    }

    @Test func refusedClaim_isSeenByNobodyElse() throws {
        let music = try Bench(appName: "Music")
        let other = try music.anotherApp(named: "Other")
        for bench in [music, other] { _ = bench.takeEvents() }
        music.host.refuseNextClaim(with: .refused("no"))
        other.claim()
        music.claim()
        #expect(music.takeEvents() == ["peer 1 Other", "refused 1 refused(\"no\")"])
        #expect(other.takeEvents() == ["granted 1"])
    }

    @Test func crashEmptiesTheRegistry_withoutAWordOfThePeers() throws {
        let music = try Bench(appName: "Music")
        let other = try music.anotherApp(named: "Other")
        music.claim()
        other.claim()
        music.host.receiveCall()
        let stream = try music.play(on: .builtInSpeaker, probe: .constant(1))
        for bench in [music, other] { _ = bench.takeEvents() }
        other.host.crashServer()
        music.release()
        #expect(music.takeEvents() == ["lost"])
        #expect(other.takeEvents() == ["lost"])
        #expect(music.host.foreignStreams == [])
        music.host.restartServer()
        other.claim(2)
        #expect(music.takeEvents() == ["restored", ports, "peer 1 Other"], "a new server counts from 1")
        #expect(other.takeEvents() == ["restored", ports, "granted 2"])
        #expect(throws: HostError.connectionLost) { try stream.link(to: [SimulatedDevice.builtInSpeaker.output]) }
        music.host.receiveCall()
        #expect(music.takeEvents() == ["foreign 2 Phone"])
        #expect(music.host.violations.isEmpty)
        stream.close()
    }
}
