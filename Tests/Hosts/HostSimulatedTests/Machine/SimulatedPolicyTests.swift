import AudioModel
import HostInterface
import HostSimulated
import SimulatedControls
import Testing

/// The machine's own choice of defaults.
@Suite struct SimulatedPolicyTests {
    @Test func machinesHaveTheirBuiltInPorts() {
        #expect(
            withoutVolumes(SimulatedHost(.phone).inventory)
                == Inventory(
                    ports: [SimulatedDevice.builtInSpeaker, .builtInReceiver, .builtInMic].flatMap(\.ports),
                    defaultOutputUID: "simulated.speaker", defaultInputUID: "simulated.microphone"))
        #expect(
            withoutVolumes(SimulatedHost(.desktop).inventory)
                == Inventory(
                    ports: [SimulatedDevice.lineOut, .builtInMic].flatMap(\.ports),
                    defaultOutputUID: "simulated.line-out", defaultInputUID: "simulated.microphone"))
        #expect(SimulatedHost(.bare).inventory == .empty)
        let volumes = SimulatedHost(.phone).inventory.volumes
        #expect(volumes.count == 3 && volumes.values.allSatisfy { $0 == PortVolume(level: 1) })
    }

    private func withoutVolumes(_ inventory: Inventory) -> Inventory {
        var inventory = inventory
        inventory.volumes = [:]
        return inventory
    }

    @Test func devicesAreWhatTheyAreCalled() {
        #expect(SimulatedDevice.wiredHeadset.ports.map(\.kind) == [.headphones, .headsetMic])
        #expect(SimulatedDevice.bluetoothHFP.ports.map(\.kind) == [.bluetoothHFP, .bluetoothHFP])
        #expect(SimulatedDevice.bluetoothHFP.ports.map(\.channels) == [[.mono], [.mono]])
        #expect(SimulatedDevice.bluetoothHFP.ports.map(\.sampleRate) == [16000, 16000])
        #expect(SimulatedDevice.hdmi.ports.map(\.channels.count) == [8])
        #expect(SimulatedDevice.usbAudio.ports.map(\.direction) == [.output, .input])
        let custom = SimulatedDevice.output(
            uid: "pro", name: "Pro", kind: .thunderbolt, channels: 3, sampleRate: 96000)
        #expect(
            custom.ports == [
                Port(
                    uid: "pro", name: "Pro", kind: .thunderbolt, direction: .output,
                    channels: [.discrete(0), .discrete(1), .discrete(2)], sampleRate: 96000)
            ])
    }

    @Test func lastInWins_andRemovalFallsBackToThePreviousOne() throws {
        let bench = try Bench()
        bench.host.plug(.wiredHeadset)
        bench.host.plug(.bluetoothA2DP)
        bench.host.unplug(.wiredHeadset)
        bench.host.plug(.wiredHeadset)
        bench.host.unplug(.wiredHeadset)
        bench.host.unplug(.bluetoothA2DP)
        #expect(
            bench.takeEvents() == [
                "ports speaker* receiver microphone*",
                "ports headset/output* speaker receiver headset/input* microphone",
                "ports bluetooth-a2dp* headset/output speaker receiver headset/input* microphone",
                "ports bluetooth-a2dp* speaker receiver microphone*",
                "ports headset/output* bluetooth-a2dp speaker receiver headset/input* microphone",
                "ports bluetooth-a2dp* speaker receiver microphone*",
                "ports speaker* receiver microphone*",
            ])
        #expect(bench.host.violations.isEmpty)
    }

    @Test func userSetsTheDefault_untilTheNextDeviceComes() throws {
        let bench = try Bench()
        bench.host.plug(.usbAudio)
        _ = bench.takeEvents()
        bench.host.setDefaultOutput("simulated.speaker")
        bench.host.setDefaultInput("simulated.microphone")
        bench.host.setDefaultInput("simulated.microphone")
        bench.host.plug(.hdmi)
        bench.host.unplug(.hdmi)
        #expect(
            bench.takeEvents() == [
                "ports speaker* usb-audio/output receiver usb-audio/input* microphone",
                "ports speaker* usb-audio/output receiver microphone* usb-audio/input",
                "ports hdmi* speaker usb-audio/output receiver microphone* usb-audio/input",
                "ports speaker* usb-audio/output receiver microphone* usb-audio/input",
            ])
    }

    @Test func userChoosesAnOutputForTheSession_whileTheDefaultStays() throws {
        let bench = try Bench()
        bench.host.plug(.hdmi)
        _ = bench.takeEvents()
        bench.host.chooseOutput("simulated.speaker")
        bench.host.chooseOutput(nil)
        #expect(bench.takeEvents() == ["chosen speaker", "chosen none"])
        #expect(bench.host.inventory.defaultOutputUID == "simulated.hdmi")
    }

    @Test func nullDefaultKeepsDevice() throws {
        let bench = try Bench()
        bench.host.plug(.hdmi)
        let stream = try bench.play(on: .hdmi, probe: .counting())
        _ = bench.takeEvents()
        bench.host.clearDefault()
        #expect(bench.takeEvents() == ["ports hdmi speaker receiver microphone"])
        #expect(stream.latencyFrames == 4)
        bench.host.setDefaultOutput("simulated.hdmi")
        #expect(bench.takeEvents() == ["ports hdmi* speaker receiver microphone"])
        bench.host.clearDefault()
        bench.host.plug(.usbAudio)
        #expect(bench.takeEvents().last == "ports usb-audio/output* hdmi speaker receiver usb-audio/input* microphone")
    }

    @Test func sampleRateChangesThePortAndNothingElse() throws {
        let bench = try Bench()
        let stream = try bench.play(on: .builtInSpeaker, probe: .counting())
        let before = bench.host.inventory
        _ = bench.takeEvents()
        bench.host.setSampleRate(of: "simulated.speaker", to: 44100)
        bench.host.setSampleRate(of: "simulated.speaker", to: 44100)
        #expect(bench.takeEvents() == ["ports speaker* receiver microphone*"], "the second one is no change")
        var expected = before
        expected.ports[0].sampleRate = 44100
        #expect(bench.host.inventory == expected)
        #expect(bench.host.sampleRate == 100)
        #expect(stream.latencyFrames == 4)
    }

    @Test func deviceIsFoundByItsPortsToo() throws {
        let bench = try Bench()
        bench.host.plug(.wiredHeadset)
        #expect(bench.host.isPlugged(.wiredHeadset))
        #expect(bench.host.isPlugged(uid: "simulated.headset/input"))
        bench.host.unplug(uid: "simulated.headset/input")
        #expect(!bench.host.isPlugged(.wiredHeadset))
        #expect(bench.host.violations.isEmpty)
    }
}
