import AudioModel
import SessionCore
import Testing

/// The choice of an output by the app, beside the one by the user in a mixer.
@Suite struct OutputChoiceTests {
    private static let all = [Ports.speaker, Ports.usb, Ports.headphones]

    private func bench(category: SessionCategory = .playback) -> Bench {
        Bench(Self.all, output: Ports.speaker, category: category)
    }

    // Behaviour 79
    @Test func pickerKeepsUserChoice() {
        var bench = bench()
        let stream = bench.open()
        let effects = bench.choose(.port(uid: Ports.usb.uid))
        #expect(effects.silent.first == .linkStream(stream, [Ports.usb]))
        #expect(effects.replyError() == nil)
        #expect(effects.change?.reason == .override)
        // What arrives does not take it away, even as the default.
        let arrived = Self.all + [Ports.a2dp]
        #expect(bench.plug(arrived, output: Ports.a2dp) == [])
        // It leaves: as without a choice.
        #expect(
            bench.plug([Ports.speaker, Ports.a2dp], output: Ports.a2dp).change?.reason == .oldDeviceUnavailable)
        #expect(bench.state.route.outputs == [Ports.a2dp])
        #expect(bench.state.appChoice == .port(uid: Ports.usb.uid))
        #expect(bench.state.chosenOutput == nil)
        // It returns, and holds again.
        #expect(bench.plug(arrived, output: Ports.a2dp).change?.reason == .newDeviceAvailable)
        #expect(bench.state.route.outputs == [Ports.usb])
    }

    // Behaviour 77
    @Test func portTypePicksFirst() {
        let second = Ports.hdmi.named("hdmi-2")
        var bench = Bench([Ports.speaker, Ports.hdmi, second], output: second)
        bench.choose(.kind(.hdmi))
        #expect(bench.state.route.outputs == [Ports.hdmi])
        bench.plug([Ports.speaker, second], output: Ports.speaker)
        #expect(bench.state.route.outputs == [second])
        bench.plug([Ports.speaker], output: Ports.speaker)
        #expect(bench.state.route.outputs == [Ports.speaker])
        bench.plug([Ports.speaker, second, Ports.hdmi], output: Ports.speaker)
        #expect(bench.state.route.outputs == [second])
        bench.choose(.automatic)
        #expect(bench.state.route.outputs == [Ports.speaker])
        #expect(
            bench.reasons == [.override, .oldDeviceUnavailable, .oldDeviceUnavailable, .newDeviceAvailable, .override])
    }

    @Test func newestChoice_ofUserAndApp_counts() {
        var bench = bench()
        bench.choose(.port(uid: Ports.usb.uid))
        bench.feed(.host(.outputChosenByUser(uid: Ports.headphones.uid)))
        #expect(bench.state.route.outputs == [Ports.headphones])
        #expect(bench.state.appChoice == .automatic)
        bench.choose(.port(uid: Ports.usb.uid))
        #expect(bench.state.route.outputs == [Ports.usb])
        // The user lifts a choice that counts no more, or makes one that cannot be followed.
        #expect(bench.feed(.host(.outputChosenByUser(uid: nil))) == [])
        #expect(bench.feed(.host(.outputChosenByUser(uid: "nowhere"))) == [])
        bench.feed(.host(.outputChosenByUser(uid: Ports.headphones.uid)))
        bench.choose(.automatic)
        #expect(bench.state.route.outputs == [Ports.speaker])
        #expect(bench.reasons == Array(repeating: .override, count: 5))
    }

    @Test func choice_ofWhatIsNotThere_isRefusedAndNothingChanges() throws {
        var bench = bench()
        bench.choose(.port(uid: Ports.usb.uid))
        for choice in [OutputChoice.port(uid: "nowhere"), .port(uid: Ports.mic.uid), .kind(.hdmi)] {
            let effects = bench.choose(choice)
            let error = try #require(effects.replyError())
            #expect(error.code == .resourceNotAvailable)
            for port in Self.all { #expect(error.message.contains("\"\(port.uid)\"")) }
            #expect(effects.count == 1)
            #expect(bench.state.appChoice == .port(uid: Ports.usb.uid))
        }
        bench.configure(SessionConfiguration(category: .record))
        #expect(bench.choose(.port(uid: Ports.usb.uid)).replyError()?.code == .incompatibleCategory)
    }

    @Test func choice_acrossCategoriesAndServers_isKept() {
        var bench = bench()
        bench.choose(.port(uid: Ports.usb.uid))
        bench.configure(SessionConfiguration(category: .record))
        bench.configure(SessionConfiguration(category: .playAndRecord))
        #expect(bench.state.route.outputs == [Ports.usb])
        bench.feed(.host(.connectionLost("gone")))
        #expect(bench.choose(.port(uid: Ports.headphones.uid)).replyError()?.code == .mediaServicesFailed)
        bench.feed(.host(.connectionRestored))
        bench.plug(Self.all, output: Ports.speaker)
        #expect(bench.state.route.outputs == [Ports.usb])
        bench.feed(.host(.connectionLost("gone")))
        #expect(bench.choose(.automatic).replyError() == nil)
        bench.feed(.host(.connectionRestored))
        bench.plug(Self.all, output: Ports.speaker)
        #expect(bench.state.route.outputs == [Ports.speaker])
    }

    @Test func equalChoice_isASuccessWithoutEffect() {
        var bench = bench()
        bench.choose(.kind(.usbAudio))
        #expect(bench.choose(.kind(.usbAudio)).silent == [])
        #expect(bench.choose(.port(uid: Ports.usb.uid)).silent == [])
        #expect(bench.reasons == [.override])
    }

    // MARK: multiRoute, where the route stays and the channel target moves

    @Test func aim_whileMultiRoute_pointsAtTheChoiceAndElseAtTheFirst() {
        var bench = Bench([Ports.hdmi, Ports.headphones, Ports.usb], category: .multiRoute)
        let (wide, narrow) = (Ports.hdmi.channels.count, Ports.headphones.channels.count)
        let total = wide + narrow + Ports.usb.channels.count
        func target(_ device: Range<Int>) -> ChannelTarget { ChannelTarget(channelCount: total, device: device) }
        #expect(bench.state.channelTarget == target(0..<wide))
        #expect(bench.choose(.port(uid: Ports.headphones.uid)).silent == [])
        #expect(bench.state.channelTarget == target(wide..<wide + narrow))
        // The television goes to the end of the route.
        bench.plug([Ports.headphones, Ports.usb])
        bench.plug([Ports.hdmi, Ports.headphones, Ports.usb])
        #expect(bench.state.channelTarget == target(0..<narrow))
        bench.plug([Ports.hdmi, Ports.usb])
        #expect(bench.state.channelTarget?.device == 0..<Ports.usb.channels.count)
        bench.configure(SessionConfiguration(category: .playback))
        #expect(bench.state.channelTarget == nil)
    }
}

extension Port {
    fileprivate func named(_ uid: String) -> Port {
        var port = self
        port.uid = uid
        return port
    }
}
