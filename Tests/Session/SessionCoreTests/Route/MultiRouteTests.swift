import AudioModel
import SessionCore
import Testing

/// Category `multiRoute`: which ports, in which order, and what happens to streams as they come and go.
struct MultiRouteTests {
    private func bench(
        _ ports: [Port], input: Port? = nil, speaker: MultiRouteSpeaker = .onlyWhenAlone
    ) -> Bench {
        Bench(ports, input: input, category: .multiRoute, multiRouteSpeaker: speaker)
    }

    private func outputs(
        _ ports: [Port], alternatives: [[String]] = [], speaker: MultiRouteSpeaker = .onlyWhenAlone
    ) -> [Port] {
        RoutePolicy.multiRouteOutputs(
            in: Inventory(ports: ports, alternatives: alternatives), arrivals: ArrivalOrder(), speaker: speaker)
    }

    private func port(_ uid: String, _ kind: PortKind, channels: Int = 2) -> Port {
        Port(uid: uid, name: uid, kind: kind, direction: .output, channels: ChannelLabel.standard(count: channels))
    }

    // MARK: Which ports

    // Behaviour 70, the route's part
    @Test func multiRouteSumsChannels() {
        var bench = bench([Ports.hdmi, Ports.headphones])
        #expect(bench.state.route.outputs == [Ports.hdmi, Ports.headphones])
        #expect(bench.state.route.outputs.map(\.channels.count) == [8, 2])
        let stream = bench.open()
        #expect(bench.effects.last == [.linkStream(stream, [Ports.hdmi, Ports.headphones])])
    }

    // Behaviour 71
    @Test func speakerOnlyWhenAlone() {
        #expect(outputs([Ports.headphones, Ports.speaker]) == [Ports.headphones])
        #expect(outputs([Ports.speaker]) == [Ports.speaker])
        #expect(outputs([Ports.speaker, Ports.a2dp]) == [Ports.speaker])
        // The other documented reading.
        #expect(outputs([Ports.headphones, Ports.speaker], speaker: .always) == [Ports.headphones, Ports.speaker])

        var strict = bench([Ports.headphones, Ports.speaker])
        strict.plug([Ports.speaker])
        strict.plug([Ports.speaker, Ports.usb])
        #expect(strict.routeChanges.map(\.current.outputs) == [[Ports.speaker], [Ports.usb]])
        #expect(strict.reasons == [.oldDeviceUnavailable, .newDeviceAvailable])
        let lenient = bench([Ports.headphones, Ports.speaker], speaker: .always)
        #expect(lenient.state.route.outputs == [Ports.headphones, Ports.speaker])
    }

    @Test func outputs_ofEveryKind_followTheTable() {
        let wired: Set<PortKind> = [
            .usbAudio, .lineOut, .headphones, .hdmi, .displayPort, .pci, .thunderbolt, .fireWire, .avb,
        ]
        let lastResorts: Set<PortKind> = [.builtInSpeaker, .virtual]
        var count = 0
        for kind in PortKind.allCases {
            let port = port("x", kind)
            #expect(outputs([port]) == (wired.contains(kind) || lastResorts.contains(kind) ? [port] : []), "\(kind)")
            // Beside another eligible one.
            let both = outputs([port, Ports.hdmi])
            #expect(both == (wired.contains(kind) ? [port, Ports.hdmi] : [Ports.hdmi]), "\(kind)")
            count += 1
        }
        #expect(count == PortKind.allCases.count)
        #expect(outputs([port("loop", .virtual), Ports.speaker]) == [Ports.speaker])
        #expect(outputs([port("loop", .virtual), Ports.speaker], speaker: .always) == [Ports.speaker])
    }

    @Test func outputsOfOneSink_areAlternatives() {
        let alternatives = [[Ports.speaker.uid, Ports.headphones.uid, Ports.lineOut.uid]]
        let ports = [Ports.speaker, Ports.headphones, Ports.lineOut, Ports.usb]
        #expect(outputs(ports, alternatives: alternatives) == [Ports.headphones, Ports.usb])
        #expect(outputs(ports, alternatives: alternatives, speaker: .always) == [Ports.speaker, Ports.usb])
    }

    @Test func outputs_beyondWhatAStreamCanTake_areLeftOut() {
        let nine = (0..<9).map { port("usb \($0)", .usbAudio) }
        #expect(outputs(nine) == Array(nine.prefix(8)))
        let wide = [port("a", .usbAudio, channels: 40), port("b", .usbAudio, channels: 32), Ports.hdmi]
        #expect(outputs(wide) == [wide[0], Ports.hdmi])
    }

    @Test func routeWithoutAnEligibleOutput_isNoSuitableOne() {
        var bench = bench([Ports.headphones])
        bench.plug([Ports.a2dp])
        #expect(bench.reasons == [.noSuitableRouteForCategory])
        #expect(bench.state.route.outputs == [])
    }

    // MARK: Order

    @Test func outputs_inOrderOfArrival_whateverIsBestOrDefault() {
        var bench = bench([Ports.hdmi, Ports.headphones])
        bench.plug([Ports.usb, Ports.headphones, Ports.hdmi], output: Ports.usb)
        #expect(bench.state.route.outputs == [Ports.hdmi, Ports.headphones, Ports.usb])
        // Another default is no change of this route.
        #expect(bench.plug([Ports.usb, Ports.headphones, Ports.hdmi], output: Ports.hdmi) == [])
        #expect(bench.feed(.host(.outputChosenByUser(uid: Ports.headphones.uid))) == [])
        // Re-plugging puts a device last.
        bench.plug([Ports.usb, Ports.headphones])
        bench.plug([Ports.hdmi, Ports.usb, Ports.headphones])
        #expect(bench.state.route.outputs == [Ports.headphones, Ports.usb, Ports.hdmi])
        #expect(bench.reasons == [.newDeviceAvailable, .oldDeviceUnavailable, .newDeviceAvailable])
    }

    @Test func order_acrossCategoriesAndServers_isKept() {
        var bench = bench([Ports.headphones])
        bench.plug([Ports.hdmi, Ports.headphones])
        bench.configure(SessionConfiguration(category: .playback))
        #expect(bench.state.route.outputs.count == 1)
        bench.configure(SessionConfiguration(category: .multiRoute))
        #expect(bench.state.route.outputs == [Ports.headphones, Ports.hdmi])
        bench.feed(.host(.connectionLost("gone")))
        bench.feed(.host(.connectionRestored))
        bench.plug([Ports.hdmi, Ports.headphones])
        bench.configure(SessionConfiguration(category: .multiRoute))
        #expect(bench.state.route.outputs == [Ports.headphones, Ports.hdmi])
    }

    // Behaviour 72
    @Test func multiRouteInputIsLastIn() {
        var bench = bench([Ports.usb, Ports.mic, Ports.usbMic], input: Ports.mic)
        // Of those that were there at the start, the default.
        #expect(bench.state.route.inputs == [Ports.mic])
        bench.plug([Ports.usb, Ports.headsetMic, Ports.mic, Ports.usbMic], input: Ports.mic)
        #expect(bench.state.route.inputs == [Ports.headsetMic])
        bench.plug([Ports.usb, Ports.headsetMic, Ports.hfpMic, Ports.mic, Ports.usbMic], input: Ports.hfpMic)
        #expect(bench.state.route.inputs == [Ports.headsetMic], "no Bluetooth")
        bench.plug([Ports.usb, Ports.headsetMic, Ports.mic], input: Ports.headsetMic)
        bench.plug([Ports.usb, Ports.headsetMic, Ports.mic, Ports.usbMic], input: Ports.headsetMic)
        #expect(bench.state.route.inputs == [Ports.usbMic])
        bench.plug([Ports.usb, Ports.mic], input: Ports.mic)
        #expect(bench.state.route.inputs == [Ports.mic])
        bench.plug([Ports.usb])
        // Playing needs none.
        #expect(bench.state.route == Route(outputs: [Ports.usb]))
        #expect(bench.reasons.last == .oldDeviceUnavailable)
    }

    // MARK: Streams

    @Test func deviceThatLeaves_pausesTheStreamAndLinksItToTheRest() {
        var bench = bench([Ports.hdmi, Ports.headphones, Ports.usb])
        let (pausing, going) = (bench.open(), bench.open(StreamPolicy(onDeviceLoss: .continue)))
        let rest = [Ports.hdmi, Ports.usb]
        let effects = bench.plug(rest)
        #expect(
            Array(effects.dropLast()) == [
                .pausePlayer(pausing, .oldDeviceUnavailable), .linkStream(pausing, rest), .linkStream(going, rest),
            ])
        #expect(effects.change?.reason == .oldDeviceUnavailable)
        #expect(effects.change?.current.outputs == rest)
    }

    /// The host unlinks the whole stream at once; the ports that stay are linked again.
    @Test func lostDevice_unlinksTheWholeStream_andTheOthersAreLinkedAgain() {
        var bench = bench([Ports.hdmi, Ports.headphones])
        let (pausing, going) = (bench.open(), bench.open(StreamPolicy(onDeviceLoss: .continue)))
        let losses = [pausing, going].map { PortLoss($0, portUID: Ports.headphones.uid) }
        let effects = bench.plug([Ports.hdmi], losses: losses)
        #expect(
            Array(effects.dropLast()) == [
                .pausePlayer(pausing, .oldDeviceUnavailable), .linkStream(pausing, [Ports.hdmi]),
                .linkStream(going, [Ports.hdmi]),
            ])
        #expect(bench.reasons == [.oldDeviceUnavailable])
    }

    @Test func deviceThatComes_joinsTheStreamsWhichPlayOn() {
        var bench = bench([Ports.hdmi])
        let stream = bench.open()
        bench.activate()
        bench.play(stream)
        let effects = bench.plug([Ports.usb, Ports.hdmi])
        #expect(effects.first == .linkStream(stream, [Ports.hdmi, Ports.usb]))
        #expect(effects.change?.reason == .newDeviceAvailable)
        #expect(effects.count == 2)
        #expect(bench.record(stream)?.isStarted == true)
    }

    @Test func channelsOfOnePort_thatChange_linkTheStreamAnew() {
        var bench = bench([Ports.hdmi, Ports.usb])
        let stream = bench.open()
        var wider = Ports.usb
        wider.channels = ChannelLabel.standard(count: 4)
        let effects = bench.plug([Ports.hdmi, wider])
        #expect(effects.first == .linkStream(stream, [Ports.hdmi, wider]))
        #expect(effects.change?.reason == .routeConfigurationChange)
    }

    @Test func categoryThatChanges_movesTheStreamFromAllToOne() {
        var bench = bench([Ports.hdmi, Ports.headphones])
        let stream = bench.open()
        let effects = bench.configure(SessionConfiguration(category: .playback)).silent
        #expect(effects.first == .linkStream(stream, [Ports.hdmi]))
        #expect(effects.change?.reason == .categoryChange)
        #expect(effects.count == 2)
    }

    // MARK: Streams bound to ports

    @Test func streamBoundToOnePort_outsideTheRoute_fails() {
        var bench = bench([Ports.headphones, Ports.speaker])
        let id = bench.open(StreamPolicy(target: .port(uid: Ports.speaker.uid)))
        guard case .failPlayer(id, let error)? = bench.allEffects.last else {
            Issue.record("\(bench.allEffects)")
            return
        }
        #expect(error.message.contains("is no output for category multiRoute. Available outputs: \"headphones\"."))
    }

    @Test func streamBoundToSeveralPorts_keepsToThem_andComesBack() {
        var bench = bench([Ports.hdmi, Ports.headphones, Ports.usb])
        let uids = [Ports.usb.uid, Ports.hdmi.uid]
        let stream = bench.open(StreamPolicy(target: .ports(uids: uids), onDeviceLoss: .continue))
        bench.plug([Ports.hdmi, Ports.headphones])
        bench.plug([Ports.headphones])
        bench.plug([Ports.headphones, Ports.usb])
        bench.plug([Ports.headphones, Ports.usb, Ports.hdmi])
        let links = bench.allEffects.filter { effect in
            switch effect {
            case .linkStream, .unlinkStream: true
            default: false
            }
        }
        #expect(
            links == [
                .linkStream(stream, [Ports.usb, Ports.hdmi]), .linkStream(stream, [Ports.hdmi]),
                .unlinkStream(stream), .linkStream(stream, [Ports.usb]),
                .linkStream(stream, [Ports.usb, Ports.hdmi]),
            ])
    }
}
