import AudioModel
import HostInterface
import HostSimulated
import SimulatedControls
import Testing

@Suite struct SimulatedAppsTests {
    let speaker = SimulatedDevice.builtInSpeaker.output
    let ports = "ports speaker* receiver microphone*"

    @Test func appsMixAtThePort_eachWithItsOwnStreamOne() throws {
        let music = try Bench(appName: "Music")
        let navigator = try music.anotherApp(named: "Navigator")
        let song = try music.play(1, on: .builtInSpeaker, probe: .constant(0.5))
        music.host.advance(frames: 2)
        let voice = try navigator.play(1, on: .builtInSpeaker, probe: .constant(0.25))
        navigator.host.advance(frames: 2)
        song.close()
        music.host.advance(frames: 2)
        #expect(navigator.host.capture(of: speaker)[0] == [0.5, 0.5, 0.75, 0.75, 0.25, 0.25])
        #expect(music.host.violations.isEmpty)
        voice.close()
    }

    @Test func lossOfAPort_silencesTheStreamsOfEveryApp() throws {
        let music = try Bench(appName: "Music")
        let navigator = try music.anotherApp(named: "Navigator")
        let streams = try [music, navigator].map { try $0.play(on: .builtInSpeaker, probe: .constant(1)) }
        for bench in [music, navigator] { _ = bench.takeEvents() }
        navigator.host.unplug(.builtInSpeaker)
        for bench in [music, navigator] {
            #expect(bench.takeEvents() == ["lost speaker of 1, ports receiver* microphone*"])
        }
        for stream in streams { stream.close() }
    }

    @Test func faultsAndTheUsersChoice_areOneAppsOwn() throws {
        let music = try Bench(appName: "Music")
        let navigator = try music.anotherApp(named: "Navigator")
        let song = try music.play(on: .builtInSpeaker, probe: .constant(1))
        let voice = try navigator.play(on: .builtInSpeaker, probe: .constant(1))
        for bench in [music, navigator] { _ = bench.takeEvents() }
        navigator.host.failNextLink(with: .refused("no"))
        try song.link(to: [speaker])
        navigator.host.chooseOutput(speaker)
        navigator.host.cutLinks(of: voice.id)
        navigator.host.failStream(voice.id, with: .refused("killed"))
        #expect(music.takeEvents() == [])
        #expect(
            navigator.takeEvents() == [
                "chosen speaker", "lost speaker of 1, " + ports, "failed 1 refused(\"killed\")",
            ])
        song.close()
    }

    @Test func recordNamesTheApp() throws {
        let music = try Bench()
        let navigator = try music.anotherApp(named: "Navigator")
        navigator.claim()
        music.claim()
        music.host.plug(.hdmi)
        navigator.release(2)
        navigator.release(3)
        music.release(2)
        #expect(
            music.host.timeline.map(\.description) == [
                "0: connected", "0: Navigator connected",
                "0: Navigator \(TimelineFact.claimGranted(ClaimID(number: 1)))",
                "0: \(TimelineFact.claimGranted(ClaimID(number: 1)))", "0: plugged(\"simulated.hdmi\")",
                "0: defaultOutputChanged(Optional(\"simulated.hdmi\"))",
            ])
        let rule = "was released but is not held; release what was granted, once"
        #expect(
            music.host.violations == [
                "Navigator: claim 2 \(rule)", "Navigator: claim 3 \(rule)", "claim 2 \(rule)",
            ])
    }

    // MARK: Kill

    @Test func killedApp_isGoneFromThePortAndTheRegistry() throws {
        let music = try Bench(appName: "Music")
        let navigator = try music.anotherApp(named: "Navigator")
        navigator.claim()
        let probe = Probe.constant(1)
        let voice = try navigator.play(on: .builtInSpeaker, probe: probe)
        music.host.advance(frames: 2)
        for bench in [music, navigator] { _ = bench.takeEvents() }
        navigator.host.kill()
        navigator.host.kill()
        #expect(music.takeEvents() == ["left 1"], "at once, without a word of its streams")
        music.host.unplug(.builtInReceiver)
        music.host.advance(frames: 4)
        #expect(probe.cycles.count == 1)
        #expect(music.host.loudFrames(of: speaker) == 2)
        #expect(navigator.takeEvents() == [])
        #expect(
            music.host.timeline.filter { $0.app == "Navigator" }.suffix(3).map(\.fact) == [
                .streamGated(voice.id), .streamClosed(voice.id), .killed,
            ])
        #expect(music.host.violations.isEmpty)
    }

    @Test func callsOfAKilledApp_changeNothing() throws {
        let music = try Bench(appName: "Music")
        let navigator = try music.anotherApp(named: "Navigator")
        let stream = try navigator.play(on: .builtInSpeaker, probe: .constant(1))
        navigator.claim()
        music.host.sleep()
        navigator.host.kill()
        let facts = music.host.facts
        _ = music.takeEvents()
        navigator.claim(2)
        navigator.release(1)
        navigator.host.wake(at: .zero)
        navigator.host.allowSleep()
        #expect(throws: HostError.connectionLost) { try navigator.open(2, probe: .constant(1)) }
        #expect(throws: HostError.connectionLost) { try stream.link(to: [speaker]) }
        #expect(throws: HostError.self) { try navigator.host.start { _ in } }
        stream.start()
        stream.stop()
        stream.unlink()
        stream.close()
        navigator.host.shutdown()
        #expect(music.host.facts == facts)
        #expect(music.takeEvents() == [])
        #expect(navigator.takeEvents().last == "sleep")
        #expect(music.host.violations.isEmpty)
    }

    @Test func scenarioKillsTheAppThatItWasScheduledFor() throws {
        let music = try Bench(appName: "Music")
        let navigator = try music.anotherApp(named: "Navigator")
        let song = try music.play(on: .builtInSpeaker, probe: .constant(0.5))
        let voice = try navigator.play(on: .builtInSpeaker, probe: .constant(0.25))
        navigator.host.schedule(Scenario().at(0.03) { $0.kill() })
        music.host.advance(frames: 6)
        #expect(music.host.capture(of: speaker)[0] == [0.75, 0.75, 0.75, 0.5, 0.5, 0.5])
        song.close()
        voice.close()
    }

    // MARK: Held streams

    @Test func heldStream_soundsOnlyAfterALinkThatFollowsItsRelease() throws {
        let music = try Bench(appName: "Music")
        let other = try music.anotherApp(named: "Other")
        music.claim()
        let stream = try music.play(on: .builtInSpeaker, probe: .counting())
        for bench in [music, other] { _ = bench.takeEvents() }
        music.host.advance(frames: 2)
        music.host.holdStream(stream.id)
        #expect(music.takeEvents() == ["held 1"])
        music.host.advance(frames: 2)
        try stream.link(to: [speaker])
        #expect(music.takeEvents() == ["held 1"], "the link is undone at once")
        music.host.advance(frames: 2)
        music.host.releaseStream(stream.id)
        #expect(music.takeEvents() == ["released 1"])
        music.host.advance(frames: 2)
        try stream.link(to: [speaker])
        music.host.advance(frames: 2)
        #expect(music.host.capture(of: speaker)[0] == [1, 2, 0, 0, 0, 0, 0, 0, 3, 4])
        #expect(other.takeEvents() == ["peer 1 Music", "peer 1 Music plays"])
        #expect(
            music.host.facts.filter { [.streamHeld(stream.id), .streamReleased(stream.id)].contains($0) }.count == 2)
        #expect(music.host.violations.isEmpty)
        stream.close()
    }

    @Test func crashEndsTheHold() throws {
        let music = try Bench()
        let stream = try music.play(on: .builtInSpeaker, probe: .counting())
        music.host.holdStream(stream.id)
        music.host.crashServer()
        music.host.releaseStream(stream.id)
        #expect(music.takeEvents() == [ports, "held 1", "lost"])
        #expect(music.host.violations == ["script: stream 1 was released, but nothing holds it"])
        stream.close()
    }
}
