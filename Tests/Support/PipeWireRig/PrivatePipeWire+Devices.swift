import CRig

extension PrivatePipeWire {
    /// Makes a sink as a session manager makes one for hardware, and waits until it has ports and its meter runs.
    ///
    /// - Parameters:
    ///   - formFactor: `device.form-factor`, for example "headphone" or "speaker".
    ///   - bus: `device.bus`, for example "usb" or "bluetooth".
    ///   - channels: position names in order, for example FL, FR, LFE, AUX0.
    ///   - priority: the session manager prefers the sink of the highest priority as default.
    ///   - properties: further node properties, for example `api.bluez5.profile`; these win over the others.
    ///   - capturing: how much of the newest sound the meter keeps.
    package func makeSink(
        name: String, description: String? = nil, formFactor: String? = nil, bus: String? = nil,
        channels: [String] = ["FL", "FR"], rate: Int = 48_000, priority: Int = 1000,
        properties: [String: String] = [:], capturing: Duration = .zero
    ) throws(RigError) -> VirtualSink {
        let connection = try connection
        var all = [
            "factory.name": "support.null-audio-sink",
            "media.class": "Audio/Sink",
            "monitor.channel-volumes": "true",
            "audio.channels": String(channels.count),
            // In brackets: PipeWire 1.4 takes a bare list for no list.
            "audio.position": "[ \(channels.joined(separator: ", ")) ]",
            "audio.rate": String(rate),
        ]
        all.merge(
            Self.properties(
                name: name, description: description, formFactor: formFactor, bus: bus, priority: priority)
        ) { $1 }
        all.merge(properties) { $1 }
        let device = try makeDevice(name: name, properties: all)
        let meter = try makeMeter(of: name, channels: channels, rate: rate, capturing: capturing)
        return VirtualSink(rig: self, connection: connection, pointer: device, name: name, meter: meter)
    }

    /// Makes a stereo sink without a meter, with properties that need be no UTF-8, and waits until it has ports.
    package func makeSink(bytes: [String: [UInt8]]) throws(RigError) {
        let all = [
            "factory.name": "support.null-audio-sink", "media.class": "Audio/Sink", "audio.position": "[ FL, FR ]",
        ]
        _ = try makeDevice(name: "of bytes", properties: all, bytes: bytes)
    }

    /// Publishes a node without ports that belongs to the rig's own connection, until the rig ends.
    ///
    /// - Parameter lyingAboutSizes: the node has volumes, in an array that names elements of 2,000 bytes.
    package func publishNode(_ properties: [String: String], lyingAboutSizes: Bool = false) throws(RigError) {
        let connection = try connection
        let timeout = options.timeout
        try withProperties(properties) { items, count throws(RigError) in
            let result = oav_rig_node_publish(
                connection.pointer, items, count, lyingAboutSizes, timeout.nanoseconds)
            try RigError.check(result, "publishing a node", timeout: timeout)
        }
    }

    /// Makes a stereo sink whose driver never begins a cycle, as that of broken hardware, until the rig ends.
    package func makeStillSink(
        name: String, description: String? = nil, formFactor: String? = nil, bus: String? = nil, priority: Int = 1000
    ) throws(RigError) {
        let connection = try connection
        let timeout = options.timeout
        let properties = Self.properties(
            name: name, description: description, formFactor: formFactor, bus: bus, priority: priority)
        try withProperties(properties) { items, count throws(RigError) in
            let result = oav_rig_still_sink_publish(connection.pointer, items, count, timeout.nanoseconds)
            try RigError.check(result, "making the still sink \(name)", timeout: timeout)
        }
    }

    private func makeDevice(
        name: String, properties: [String: String], bytes: [String: [UInt8]] = [:]
    ) throws(RigError) -> OpaquePointer {
        let connection = try connection
        let timeout = options.timeout
        let device = try withProperties(properties, bytes: bytes) { items, count throws(RigError) in
            var device: OpaquePointer?
            let result = oav_rig_device_create(connection.pointer, items, count, timeout.nanoseconds, &device)
            try RigError.check(result, "making the sink \(name)", timeout: timeout)
            return device
        }
        guard let device else { throw .headersMissing }
        return device
    }

    /// Makes a microphone (media.class Audio/Source), silent until told to play, and waits until it has ports.
    ///
    /// Its priority is above a sink's, as hardware's is: a sink's monitor competes with it for being the default.
    package func makeSource(
        name: String, description: String? = nil, formFactor: String? = nil, bus: String? = nil,
        channels: [String] = ["FL", "FR"], rate: Int = 48_000, priority: Int = 2000,
        properties: [String: String] = [:]
    ) throws(RigError) -> VirtualSource {
        let all = Self.properties(
            name: name, description: description, formFactor: formFactor, bus: bus, priority: priority
        ).merging(properties) { $1 }
        let tone = try makeTone(
            routing: OAV_RIG_TONE_SOURCE, target: nil, channels: channels, rate: rate, frequency: 1000,
            amplitude: 0.5, properties: all)
        return VirtualSource(name: name, tone: tone)
    }

    /// Makes a stream that plays countable frames, silent until told to play.
    ///
    /// - Parameters:
    ///   - routing: who links it, and to what.
    ///   - properties: further node properties, for example `media.role`; these win over the others.
    package func makeTone(
        name: String = "tone", routing: ToneGenerator.Routing = .automatic(target: nil),
        channels: [String] = ["FL", "FR"], rate: Int = 48_000, frequency: Double = 1000, amplitude: Float = 0.5,
        properties: [String: String] = [:]
    ) throws(RigError) -> ToneGenerator {
        let all = ["node.name": name, "node.description": name].merging(properties) { $1 }
        return switch routing {
        case .automatic(let target):
            try makeTone(
                routing: OAV_RIG_TONE_AUTOMATIC, target: target, channels: channels, rate: rate,
                frequency: frequency, amplitude: amplitude, properties: all)
        case .linked(let target):
            try makeTone(
                routing: OAV_RIG_TONE_LINKED, target: target, channels: channels, rate: rate,
                frequency: frequency, amplitude: amplitude, properties: all)
        }
    }

    /// Starts metering what a node plays, whoever made it, and waits until the first frames are seen.
    package func makeMeter(
        of name: String, channels: [String] = ["FL", "FR"], rate: Int = 48_000, capturing: Duration = .zero
    ) throws(RigError) -> SinkMeter {
        let connection = try connection
        let timeout = options.timeout
        let frames = Int(capturing / .seconds(1) * Double(rate))
        let meter = try withStrings(channels) { names throws(RigError) in
            var meter: OpaquePointer?
            let result = oav_rig_meter_create(
                connection.pointer, name, names, channels.count, frames, timeout.nanoseconds, &meter)
            try RigError.check(result, "metering \(name)", timeout: timeout)
            return meter
        }
        guard let meter else { throw .headersMissing }
        return SinkMeter(
            rig: self, connection: connection, pointer: meter, channelCount: channels.count, capturedFrames: frames,
            timeout: timeout)
    }

    /// Starts counting the cycles of all nodes of this name, whoever made them.
    package func makeProfile(ofNode name: String) throws(RigError) -> NodeProfile {
        let connection = try connection
        var profile: OpaquePointer?
        let result = oav_rig_node_profile_create(connection.pointer, name, &profile)
        try RigError.check(result, "profiling \(name)", timeout: options.timeout)
        guard let profile else { throw .headersMissing }
        return NodeProfile(connection: connection, pointer: profile)
    }

    /// Makes a sound card with a jack, and waits until the session manager has chosen its profile.
    package func makeCard(_ configuration: VirtualCard.Configuration = .init()) throws(RigError) -> VirtualCard {
        let connection = try connection
        let timeout = options.timeout
        let card = try withStrings([configuration.name]) { names throws(RigError) in
            var options = oav_rig_card_options(
                name: names[0], speaker: configuration.speaker.value, headphones: configuration.headphones.value,
                microphone: configuration.microphone.value,
                speaker_follows_jack: configuration.speakerFollowsJack,
                moves_route_itself: configuration.movesRouteItself, ring_frames: UInt32(configuration.ringFrames),
                is_headset: configuration.isHeadset, has_loopback: configuration.hasLoopback,
                lies_about_sizes: configuration.liesAboutSizes)
            var card: OpaquePointer?
            let result = oav_rig_card_create(connection.pointer, &options, timeout.nanoseconds, &card)
            try RigError.check(
                result, "making the card \(configuration.name)", timeout: timeout,
                seen: RigGraph(of: connection).summary)
            return card
        }
        guard let card else { throw .headersMissing }
        return VirtualCard(
            rig: self, connection: connection, pointer: card, name: configuration.name,
            isHeadset: configuration.isHeadset, hasLoopback: configuration.hasLoopback, timeout: timeout)
    }

    private func makeTone(
        routing: oav_rig_tone_routing, target: String?, channels: [String], rate: Int, frequency: Double,
        amplitude: Float, properties: [String: String]
    ) throws(RigError) -> ToneGenerator {
        let connection = try connection
        let timeout = options.timeout
        let name = properties["node.name"] ?? "tone"
        let tone = try withStrings(channels + [target ?? ""]) { names throws(RigError) in
            try withProperties(properties) { items, count throws(RigError) in
                var options = oav_rig_tone_options(
                    routing: routing, target_node: target == nil ? nil : names[channels.count], channels: names,
                    channel_count: channels.count, rate: UInt32(rate), frequency: frequency, amplitude: amplitude,
                    properties: items, property_count: count)
                var tone: OpaquePointer?
                let result = oav_rig_tone_create(connection.pointer, &options, timeout.nanoseconds, &tone)
                try RigError.check(result, "making the stream \(name)", timeout: timeout)
                return tone
            }
        }
        guard let tone else { throw .headersMissing }
        return ToneGenerator(rig: self, connection: connection, pointer: tone, name: name, timeout: timeout)
    }

    private static func properties(
        name: String, description: String?, formFactor: String?, bus: String?, priority: Int
    ) -> [String: String] {
        var properties = [
            "node.name": name,
            "node.description": description ?? name,
            "device.class": "sound",
            "priority.session": String(priority),
            "priority.driver": String(priority),
        ]
        properties["device.form-factor"] = formFactor
        properties["device.bus"] = bus
        return properties
    }
}
