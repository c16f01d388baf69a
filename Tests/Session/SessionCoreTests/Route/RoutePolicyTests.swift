import AudioModel
import SessionCore
import Testing

struct RoutePolicyTests {
    private let phone = [Ports.speaker, Ports.receiver, Ports.mic]

    private func route(
        _ category: SessionCategory, _ ports: [Port], output: Port? = nil, input: Port? = nil,
        mode: SessionMode = .default, options: SessionOptions = [], override: OutputOverride = .none,
        chosen: Port? = nil, current: Route = .empty
    ) -> [Port] {
        let route = RoutePolicy.route(
            for: SessionConfiguration(category: category, mode: mode, options: options),
            in: Inventory(ports: ports, defaultOutputUID: output?.uid, defaultInputUID: input?.uid),
            override: override, chosenOutputUID: chosen?.uid, current: current)
        return route.outputs + route.inputs
    }

    @Test func directions_perCategory_followTheTable() {
        let rows: [(category: SessionCategory, ports: [Port])] = [
            (.ambient, [Ports.speaker]), (.soloAmbient, [Ports.speaker]), (.playback, [Ports.speaker]),
            (.record, [Ports.mic]), (.playAndRecord, [Ports.receiver, Ports.mic]),
        ]
        var count = 0
        for row in rows {
            #expect(route(row.category, phone) == row.ports, "\(row.category)")
            count += 1
        }
        #expect(count == 5)
    }

    @Test func output_byChoiceDefaultCurrentAndOrder_inThatSequence() {
        let ports = [Ports.hdmi, Ports.usb, Ports.speaker, Ports.lineOut]
        let current = Route(outputs: [Ports.speaker])
        #expect(route(.playback, ports, output: Ports.usb, chosen: Ports.lineOut, current: current) == [Ports.lineOut])
        #expect(route(.playback, ports, output: Ports.usb, chosen: Ports.a2dp, current: current) == [Ports.usb])
        #expect(route(.playback, ports, output: Ports.a2dp, current: current) == [Ports.speaker])
        #expect(route(.playback, ports, current: Route(outputs: [Ports.headphones])) == [Ports.hdmi])
        #expect(route(.playback, []) == [])
    }

    @Test func receiver_outsidePlayAndRecord_isNeverUsed() {
        for category in [SessionCategory.ambient, .soloAmbient, .playback] {
            #expect(route(category, [Ports.receiver], output: Ports.receiver) == [])
            #expect(route(category, [Ports.receiver, Ports.speaker], output: Ports.receiver) == [Ports.speaker])
            let current = Route(outputs: [Ports.receiver])
            #expect(route(category, [Ports.receiver, Ports.speaker], current: current) == [Ports.speaker])
        }
    }

    @Test func receiverOrSpeaker_inPlayAndRecord_followsOptionModeOverrideAndChoice() {
        func output(
            _ ports: [Port], default: Port? = Ports.speaker, mode: SessionMode = .default,
            options: SessionOptions = [], override: OutputOverride = .none, chosen: Port? = nil
        ) -> Port? {
            route(
                .playAndRecord, ports, output: `default`, mode: mode, options: options, override: override,
                chosen: chosen
            ).first
        }
        #expect(output(phone) == Ports.receiver)
        #expect(output(phone, default: Ports.receiver) == Ports.receiver)
        #expect(output(phone, default: nil) == Ports.receiver)
        #expect(output(phone, options: .defaultToSpeaker) == Ports.speaker)
        #expect(output(phone, default: Ports.receiver, options: .defaultToSpeaker) == Ports.speaker)
        #expect(output(phone, mode: .videoChat) == Ports.speaker)
        #expect(output(phone, mode: .voiceChat) == Ports.receiver)
        #expect(output(phone, override: .speaker) == Ports.speaker)
        #expect(output(phone, chosen: Ports.speaker) == Ports.speaker)
        // Anything plugged in outranks both, but not the override.
        let plugged = phone + [Ports.headphones]
        #expect(output(plugged, default: Ports.headphones) == Ports.headphones)
        #expect(output(plugged, default: Ports.headphones, options: .defaultToSpeaker) == Ports.headphones)
        #expect(output(plugged, default: Ports.headphones, override: .speaker) == Ports.speaker)
        // A machine with only one of the two.
        #expect(output([Ports.speaker]) == Ports.speaker)
        #expect(output([Ports.receiver], options: .defaultToSpeaker) == Ports.receiver)
    }

    @Test func wirelessOutput_inPlayAndRecord_needsItsOption() {
        let rows: [(default: Port, options: SessionOptions, output: Port)] = [
            (Ports.hfp, [], Ports.lineOut),
            (Ports.hfp, .allowBluetoothA2DP, Ports.lineOut),
            (Ports.hfp, .allowBluetoothHFP, Ports.hfp),
            (Ports.a2dp, [], Ports.lineOut),
            (Ports.a2dp, .allowBluetoothHFP, Ports.lineOut),
            (Ports.a2dp, .allowBluetoothA2DP, Ports.a2dp),
            (Ports.airPlay, .allowBluetoothA2DP, Ports.lineOut),
            (Ports.airPlay, .allowAirPlay, Ports.airPlay),
        ]
        var count = 0
        for row in rows {
            let routed = route(
                .playAndRecord, [row.default, Ports.lineOut], output: row.default, options: row.options)
            #expect(routed == [row.output], "\(row.default.uid) with \(row.options)")
            count += 1
        }
        #expect(count == 8)
    }

    @Test func bluetoothOutput_whereItIsTheOnlyOneOrChosen_needsNoOption() {
        #expect(route(.playAndRecord, [Ports.hfp], output: Ports.hfp) == [Ports.hfp])
        #expect(route(.playAndRecord, [Ports.a2dp, Ports.lineOut], chosen: Ports.a2dp) == [Ports.a2dp])
        #expect(route(.playback, [Ports.lineOut, Ports.hfp], output: Ports.hfp) == [Ports.hfp])
    }

    @Test func input_inPlayAndRecord_followsTheOutput() {
        let ports = [Ports.mic, Ports.headsetMic, Ports.hfpMic, Ports.usbMic]
        let all = ports + [Ports.speaker, Ports.headphones, Ports.hfp, Ports.usb]
        let hfp = SessionOptions.allowBluetoothHFP
        func input(_ output: Port, _ options: SessionOptions = [], override: OutputOverride = .none) -> Port? {
            route(
                .playAndRecord, all, output: output, input: Ports.usbMic, options: options, override: override
            ).last
        }
        #expect(input(Ports.hfp, hfp) == Ports.hfpMic)
        #expect(input(Ports.headphones) == Ports.headsetMic)
        #expect(input(Ports.usb) == Ports.usbMic)
        #expect(input(Ports.headphones, override: .speaker) == Ports.mic)
        #expect(
            route(.playAndRecord, [Ports.headphones, Ports.mic], output: Ports.headphones, input: Ports.mic)
                == [Ports.headphones, Ports.mic])
    }

    @Test func bluetoothMicrophone_withoutItsOption_isUsedOnlyWhereItIsTheOnlyOne() {
        #expect(route(.record, [Ports.hfpMic, Ports.mic], input: Ports.hfpMic) == [Ports.mic])
        #expect(route(.record, [Ports.hfpMic], input: Ports.hfpMic) == [Ports.hfpMic])
        let options = SessionOptions.allowBluetoothHFP
        #expect(route(.record, [Ports.hfpMic, Ports.mic], input: Ports.hfpMic, options: options) == [Ports.hfpMic])

        let inventory = Inventory(ports: [Ports.hfpMic, Ports.mic, Ports.speaker])
        func available(_ configuration: SessionConfiguration) -> [Port] {
            RoutePolicy.availableInputs(for: configuration, in: inventory)
        }
        #expect(available(SessionConfiguration(category: .playback)) == [])
        #expect(available(SessionConfiguration(category: .record)) == [Ports.mic])
        #expect(
            available(SessionConfiguration(category: .playAndRecord, mode: .voiceChat)) == [Ports.hfpMic, Ports.mic])
    }

    /// A Bluetooth headset's microphone would silence the earpieces of another profile; where nothing sounds, it does not.
    @Test func microphone_besideAnOutputThatIsNoHeadset_isNotTheHeadsets() {
        let inputs = [Ports.hfpMic, Ports.mic]
        let options = SessionOptions.allowBluetoothHFP
        #expect(
            route(
                .playAndRecord, inputs + [Ports.lineOut], output: Ports.lineOut, input: Ports.hfpMic, options: options)
                == [Ports.lineOut, Ports.mic])
        #expect(
            route(.playAndRecord, [Ports.hfpMic, Ports.lineOut], output: Ports.lineOut, options: options)
                == [Ports.lineOut, Ports.hfpMic], "the only one")
        #expect(route(.playAndRecord, inputs, input: Ports.hfpMic, options: options) == [Ports.hfpMic], "no output")
        #expect(route(.record, inputs, input: Ports.hfpMic, options: options) == [Ports.hfpMic])
    }

    @Test func headset_ofSeveral_isTheOneWithTheSameUIDOrName() {
        func headset(_ uid: String, _ name: String, _ direction: PortDirection) -> Port {
            Port(uid: uid, name: name, kind: .bluetoothHFP, direction: direction, channels: [.mono], sampleRate: 16_000)
        }
        let (left, right) = (headset("1", "left", .output), headset("2", "right", .output))
        let options = SessionOptions.allowBluetoothHFP
        for mics in [
            [headset("1", "x", .input), headset("2", "y", .input)],
            [headset("8", "left", .input), headset("9", "right", .input)],
        ] {
            for (output, mic) in zip([left, right], mics) {
                #expect(
                    route(.playAndRecord, [left, right] + mics, output: output, options: options) == [output, mic])
            }
        }
        // One has the uid and another one the name: the first of them.
        let both = [headset("1", "x", .input), headset("9", "left", .input)]
        #expect(route(.playAndRecord, [left] + both, output: left, options: options) == [left, both[0]])
        #expect(route(.playAndRecord, [left] + both.reversed(), output: left, options: options) == [left, both[1]])
        // None has either: the first of them.
        let others = [headset("7", "other", .input), headset("6", "another", .input)]
        #expect(route(.playAndRecord, [left, right] + others, output: right, options: options) == [right, others[0]])
    }

    @Test func availableCategories_withoutAnInput_lackThoseThatRecord() {
        #expect(
            RoutePolicy.availableCategories(Inventory(ports: [Ports.speaker, Ports.mic]))
                == [.ambient, .soloAmbient, .playback, .record, .playAndRecord, .multiRoute])
        #expect(
            RoutePolicy.availableCategories(Inventory(ports: [Ports.speaker]))
                == [.ambient, .soloAmbient, .playback, .multiRoute])
    }

    // MARK: A Bluetooth headset with both profiles

    private struct HeadsetRow {
        var category: SessionCategory
        var options: SessionOptions
        var preferred: Port?
        var expected: [Port]
    }

    /// The desktop's default is the headset, whichever profile it is in.
    @Test(arguments: [Headset.Profile.a2dp, .hfp])
    func headset_takesTheProfileOfCategoryOptionsAndPreference(profile: Headset.Profile) {
        let both: SessionOptions = [.allowBluetoothHFP, .allowBluetoothA2DP]
        let rows: [HeadsetRow] = [
            .init(category: .playback, options: [], preferred: nil, expected: [Ports.a2dp]),
            .init(category: .playAndRecord, options: both, preferred: nil, expected: [Ports.hfp, Ports.hfpMic]),
            .init(
                category: .playAndRecord, options: .allowBluetoothHFP, preferred: Ports.hfpMic,
                expected: [Ports.hfp, Ports.hfpMic]),
            .init(category: .playAndRecord, options: both, preferred: Ports.mic, expected: [Ports.a2dp, Ports.mic]),
            .init(
                category: .playAndRecord, options: .allowBluetoothHFP, preferred: Ports.mic,
                expected: [Ports.speaker, Ports.mic]),
            .init(
                category: .playAndRecord, options: .allowBluetoothA2DP, preferred: nil,
                expected: [Ports.a2dp, Ports.mic]),
            .init(category: .playAndRecord, options: [], preferred: nil, expected: [Ports.speaker, Ports.mic]),
            .init(category: .record, options: .allowBluetoothHFP, preferred: Ports.hfpMic, expected: [Ports.hfpMic]),
        ]
        let inventory = headsetInventory(profile, [Ports.a2dp, Ports.hfp, Ports.speaker, Ports.mic, Ports.hfpMic])
        for row in rows {
            let route = RoutePolicy.route(
                for: SessionConfiguration(category: row.category, options: row.options), in: inventory,
                preferredInputUID: row.preferred?.uid)
            #expect(route.outputs + route.inputs == row.expected, "\(row)")
        }
    }

    @Test func headset_inA2DP_hasItsMicrophoneOnlyWithTheOption() {
        let inventory = headsetInventory(.a2dp, [Ports.a2dp, Ports.hfp, Ports.hfpMic])
        func inputs(_ category: SessionCategory, _ options: SessionOptions = []) -> [Port] {
            RoutePolicy.availableInputs(
                for: SessionConfiguration(category: category, options: options), in: inventory)
        }
        #expect(inputs(.playAndRecord) == [])
        #expect(inputs(.playAndRecord, .allowBluetoothHFP) == [Ports.hfpMic])
        // Nothing plays whose quality could suffer.
        #expect(inputs(.record) == [Ports.hfpMic])
        #expect(RoutePolicy.usableOutputs(for: .playback, in: inventory) == [Ports.a2dp])
        #expect(RoutePolicy.usableOutputs(for: .playAndRecord, in: inventory) == [Ports.a2dp, Ports.hfp])
        // The user's choice of A2DP leaves no microphone of the same headset.
        let route = RoutePolicy.route(
            for: SessionConfiguration(category: .playAndRecord, options: .allowBluetoothHFP), in: inventory,
            chosenOutputUID: Ports.a2dp.uid)
        #expect(route == Route(outputs: [Ports.a2dp]))
    }

    private func headsetInventory(_ profile: Headset.Profile, _ ports: [Port]) -> Inventory {
        let headset = Headset(
            profile: profile, a2dpOutputUID: Ports.a2dp.uid, hfpOutputUID: Ports.hfp.uid,
            hfpInputUID: Ports.hfpMic.uid)
        return Inventory(
            ports: ports, defaultOutputUID: headset.outputUID(of: profile), defaultInputUID: nil, headsets: [headset])
    }
}
