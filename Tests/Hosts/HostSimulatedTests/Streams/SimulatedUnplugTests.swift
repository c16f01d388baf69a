import AudioModel
import HostInterface
import HostSimulated
import SimulatedControls
import Testing

/// Zero frames: what was heard in the headphones is heard nowhere else, whenever they leave.
@Suite struct SimulatedUnplugTests {
    let speaker = SimulatedDevice.builtInSpeaker.output
    let receiver = SimulatedDevice.builtInReceiver.output
    let headphones = SimulatedDevice.wiredHeadphones.output

    @Test(arguments: 0...17)
    func nothingLeaks_whenHeadphonesLeaveAtAnyFrame(frame: Int) throws {
        let bench = try Bench(quantum: 8)
        bench.host.plug(.wiredHeadphones)
        let probe = Probe.counting()
        let stream = try bench.play(on: .wiredHeadphones, probe: probe)
        _ = bench.takeEvents()
        bench.host.schedule(Scenario().at(Double(frame) / 100) { $0.unplug(.wiredHeadphones) })
        bench.host.advance(frames: 32)
        let heard = bench.host.capture(of: headphones)[0]
        #expect(heard == (1...32).map { $0 <= frame ? Float($0) : 0 })
        #expect(bench.host.loudFrames(of: speaker, aboveDecibels: -.infinity) == 0)
        #expect(bench.host.loudFrames(of: receiver, aboveDecibels: -.infinity) == 0)
        #expect(bench.takeEvents() == ["lost headphones of 1, ports speaker* receiver microphone*"])
        #expect(bench.host.violations.isEmpty)
        // Nothing was lost either: what comes next is the frame behind the last one heard.
        try stream.link(to: [speaker])
        bench.host.advance(frames: 1)
        #expect(bench.host.capture(of: speaker, since: 32)[0] == [Float(frame + 1)])
    }

    @Test func nothingLeaks_whenHeadphonesLeaveWhileACycleRenders() throws {
        let bench = try Bench()
        bench.host.plug(.wiredHeadphones)
        let host = bench.host
        let heardDuringCycle = Probe { [unowned bench] cycle in
            cycle.fill { _, _ in cycle.isGated ? 0 : 1 }
            if cycle.host_time_ns == 40_000_000 {
                host.unplug(.wiredHeadphones)
                #expect(bench.takeEvents() == [], "no event comes from the render thread")
            }
        }
        let stream = try bench.play(on: .wiredHeadphones, probe: heardDuringCycle)
        _ = bench.takeEvents()
        host.advance(frames: 12)
        #expect(host.capture(of: headphones)[0] == [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(host.loudFrames(of: speaker, aboveDecibels: -.infinity) == 0)
        #expect(bench.takeEvents() == ["lost headphones of 1, ports speaker* receiver microphone*"])
        #expect(heardDuringCycle.cycles.map(\.isGated) == [false, false, true])
        #expect(host.violations.isEmpty)
        stream.close()
    }

    @Test func cycleThatRendersIsHeardNowhere_whenTheLinkMovesMeanwhile() throws {
        let bench = try Bench()
        bench.host.plug(.wiredHeadphones)
        let host = bench.host
        let first = try bench.play(1, on: .wiredHeadphones, probe: .constant(1))
        // The second stream's renderer stands for another thread that moves the first one between its render and the mix.
        let speaker = speaker
        let mover = Probe { cycle in
            cycle.fill { _, _ in 0 }
            if cycle.host_time_ns == 40_000_000 {
                host.unplug(.wiredHeadphones)
                try? first.link(to: [speaker])
            }
        }
        let second = try bench.play(2, on: .builtInReceiver, probe: mover)
        host.advance(frames: 12)
        #expect(host.capture(of: headphones)[0] == [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(host.capture(of: speaker)[0] == [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
        first.close()
        second.close()
    }

    @Test func onlyStreamsOfThatPortAreSilenced() throws {
        let bench = try Bench()
        bench.host.plug(.usbAudio)
        bench.host.plug(.wiredHeadphones)
        let usb = try bench.play(1, on: .usbAudio, probe: .counting())
        let both = try bench.play(2, on: .usbAudio, .wiredHeadphones, probe: .counting())
        _ = bench.takeEvents()
        bench.host.unplug(.wiredHeadphones)
        #expect(
            bench.takeEvents() == [
                "lost headphones of 2, ports usb-audio/output* speaker receiver usb-audio/input* microphone"
            ])
        #expect(usb.latencyFrames == 4)
        #expect(both.latencyFrames == 0, "a stream with one port lost is unlinked from all")
        bench.host.unplug(.usbAudio)
        #expect(
            bench.takeEvents() == ["lost usb-audio/output of 1, ports speaker* receiver microphone*"])
    }

    @Test func idlePortLeavesWithoutSilencingAnybody() throws {
        let bench = try Bench()
        bench.host.plug(.wiredHeadphones)
        bench.host.plug(.usbHeadphones)
        let stream = try bench.play(on: .usbHeadphones, probe: .counting())
        _ = bench.takeEvents()
        bench.host.unplug(.wiredHeadphones)
        #expect(bench.takeEvents() == ["ports usb-headphones* speaker receiver microphone*"])
        #expect(stream.latencyFrames == 4)
    }

    // MARK: A jack inside one sink

    let cardSpeaker = SimulatedDevice.cardWithJack.output

    @Test func jackAndSpeakerOfOneCard_areAlternatives() throws {
        let bench = try Bench(.bare)
        bench.host.plug(.cardWithJack)
        bench.host.plug(.usbHeadphones)
        #expect(bench.host.inventory.alternatives == [])
        bench.host.plug(.headphonesInJack)
        #expect(bench.host.inventory.alternatives == [[SimulatedDevice.headphonesInJack.output, cardSpeaker]])
    }
    let jack = SimulatedDevice.headphonesInJack.output

    @Test func cardSwitchesItsRoute_whenItsJackIsUsed() throws {
        let bench = try Bench(.laptop)
        #expect(bench.takeEvents() == ["ports card/speaker* microphone*"])
        bench.host.plug(.headphonesInJack)
        #expect(bench.takeEvents() == ["ports card/headphones* card/speaker microphone*"])
        bench.host.unplug(.headphonesInJack)
        #expect(bench.takeEvents() == ["ports card/speaker* microphone*"])
    }

    @Test(arguments: 0...9)
    func nothingLeaks_whenTheJackIsPulledAtAnyFrame(frame: Int) throws {
        let bench = try Bench(.laptop)
        bench.host.plug(.headphonesInJack)
        let stream = try bench.play(on: .headphonesInJack, probe: .counting())
        _ = bench.takeEvents()
        bench.host.schedule(Scenario().at(Double(frame) / 100) { $0.unplug(.headphonesInJack) })
        bench.host.advance(frames: 16)
        #expect(bench.host.capture(of: jack)[0] == (1...16).map { $0 <= frame ? Float($0) : 0 })
        #expect(bench.host.loudFrames(of: cardSpeaker, aboveDecibels: -.infinity) == 0)
        #expect(bench.takeEvents() == ["lost card/headphones of 1, ports card/speaker* microphone*"])
        stream.close()
    }

    @Test func streamFollowsItsSinkIntoTheJack_andIsSilencedWhenItIsPulled() throws {
        let bench = try Bench(.laptop)
        let stream = try bench.play(on: .cardWithJack, probe: .counting())
        bench.host.advance(frames: 2)
        bench.host.plug(.headphonesInJack)
        bench.host.advance(frames: 2)
        _ = bench.takeEvents()
        // Still linked as to the speaker: the sink is the same. It was heard in the headphones, so it must not go on.
        bench.host.unplug(.headphonesInJack)
        bench.host.advance(frames: 2)
        #expect(bench.host.capture(of: cardSpeaker)[0] == [1, 2, 0, 0, 0, 0])
        #expect(bench.host.capture(of: jack)[0] == [3, 4, 0, 0])
        #expect(bench.takeEvents() == ["lost card/headphones of 1, ports card/speaker* microphone*"])
        stream.close()
    }

    @Test func linkingToTheInactiveRouteSwitchesTheCardOver() throws {
        let bench = try Bench(.laptop)
        bench.host.plug(.headphonesInJack)
        _ = bench.takeEvents()
        let stream = try bench.play(on: .cardWithJack, probe: .counting())
        #expect(bench.takeEvents() == ["ports card/speaker* card/headphones microphone*"])
        bench.host.advance(frames: 2)
        #expect(bench.host.capture(of: cardSpeaker)[0] == [1, 2])
        #expect(bench.host.loudFrames(of: jack) == 0)
        // The idle jack leaves; the stream plays on.
        bench.host.unplug(.headphonesInJack)
        #expect(bench.takeEvents() == ["ports card/speaker* microphone*"])
        bench.host.advance(frames: 1)
        #expect(bench.host.capture(of: cardSpeaker)[0] == [1, 2, 3])
        stream.close()
    }

    @Test func cardTakesItsJackWithIt() throws {
        let bench = try Bench(.bare)
        bench.host.plug(.cardWithJack)
        bench.host.plug(.headphonesInJack)
        let stream = try bench.play(on: .headphonesInJack, probe: .counting())
        _ = bench.takeEvents()
        bench.host.unplug(.cardWithJack)
        #expect(bench.takeEvents() == ["lost card/headphones of 1, ports "])
        #expect(!bench.host.isPlugged(.headphonesInJack))
        #expect(bench.host.violations.isEmpty)
        stream.close()
    }

    @Test func unknownAvailabilityIgnored() throws {
        let bench = try Bench(.laptop)
        bench.host.plug(.headphonesInJack)
        let stream = try bench.play(on: .headphonesInJack, probe: .counting())
        _ = bench.takeEvents()
        bench.host.reportAvailability(of: jack, .unknown)
        #expect(bench.takeEvents() == [])
        bench.host.reportAvailability(of: jack, .unavailable)
        #expect(bench.takeEvents() == ["lost card/headphones of 1, ports card/speaker* microphone*"])
        bench.host.reportAvailability(of: jack, .unknown)
        bench.host.reportAvailability(of: jack, .unavailable)
        #expect(bench.takeEvents() == [])
        bench.host.reportAvailability(of: jack, .available)
        #expect(bench.takeEvents() == ["ports card/headphones* card/speaker microphone*"])
        #expect(stream.latencyFrames == 0)
    }
}
