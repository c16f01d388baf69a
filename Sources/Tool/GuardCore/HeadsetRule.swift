internal import AudioModel

/// A program that opens the microphone of a Bluetooth headset gets another one, so that the headset goes on playing music.
///
/// WirePlumber 0.5 switches the headset to its profile for calls 0.5 s after the stream was linked to that microphone (decision 111).
///
/// Pure. A stream whose user has chosen its microphone, in its program or in a mixer, is left alone.
struct HeadsetRule: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case give(CaptureStream, GuardMicrophone)
        case takeBack(CaptureStream)
        /// There is no other microphone.
        case tellOfOnly(CaptureStream)
    }

    /// More programs than these have no line and no notification each.
    private static let mostTold = 32

    /// Best first.
    var microphones: [GuardMicrophone] = []
    private var streams: [UInt64: CaptureStream] = [:]
    /// The nodes that a stream was given, the present one last.
    private var given: [UInt64: [String]] = [:]
    /// The names of the programs of which was told that they had the headset's microphone alone.
    private var told: Set<String> = []

    mutating func note(_ stream: CaptureStream) { streams[stream.id] = stream }

    mutating func remove(_ id: UInt64) { (streams[id], given[id]) = (nil, nil) }

    /// The session manager keeps the targets.
    mutating func noteManagerLeft() { given = [:] }

    /// - Parameter keepsHeadset: whether the stream may be given another microphone, or keep it.
    mutating func advance(_ keepsHeadset: (CaptureStream) -> Bool) -> [Step] {
        streams.values.sorted { $0.id < $1.id }.compactMap { advance($0, keepsHeadset) }
    }

    private mutating func advance(_ stream: CaptureStream, _ keepsHeadset: (CaptureStream) -> Bool) -> Step? {
        let nodes = given[stream.id] ?? []
        // Its user has chosen another one in a mixer.
        if let target = stream.target, !nodes.contains(target) { return nil }
        if given[stream.id] != nil, !keepsHeadset(stream) {
            given[stream.id] = nil
            return .takeBack(stream)
        }
        // If the one that it was given is there, its target was removed, or the session manager does not follow it.
        guard stream.opensHeadset, stream.isMovable, !microphones.contains(where: { $0.node == nodes.last }),
            keepsHeadset(stream)
        else { return nil }
        guard let other = microphones.first(where: \.isBesideHeadset) else {
            guard told.count < Self.mostTold, told.insert(stream.program.name).inserted else { return nil }
            return .tellOfOnly(stream)
        }
        given[stream.id] = nodes.filter { $0 != other.node } + [other.node]
        return .give(stream, other)
    }
}

extension GuardMicrophone {
    /// Whether it is a microphone of the machine or of a card; a line input may have nothing that sounds.
    fileprivate var isBesideHeadset: Bool {
        switch kind {
        case .builtInMic, .headsetMic, .usbAudio, .pci, .fireWire, .avb, .thunderbolt: true
        case .lineIn, .bluetoothHFP, .bluetoothLE, .bluetoothA2DP, .virtual, .airPlay, .carAudio, .lineOut, .headphones,
            .builtInReceiver, .builtInSpeaker, .hdmi, .displayPort:
            false
        }
    }
}

extension GuardMachine {
    mutating func advanceHeadset() {
        let isOn =
            options.keepsHeadset && options.scope.guards && scene.hasSettled && scene.manager == .present
            && life == .guarding
        var rule = headset
        let steps = rule.advance { stream in
            isOn && !isCall(stream) && scene.policy(of: stream.program, role: stream.role).action != .leaveAlone
        }
        headset = rule
        carryOut(steps)
    }

    /// Has the session manager choose the microphone of each stream again.
    mutating func returnMicrophones() { carryOut(headset.advance { _ in false }) }

    private mutating func carryOut(_ steps: [HeadsetRule.Step]) {
        for step in steps {
            let (stream, order, kind): (CaptureStream, GuardCommand?, GuardReport.Kind) =
                switch step {
                case .give(let stream, let other):
                    (stream, .giveMicrophone(stream: stream.id, node: other.node), .microphoneGiven(other.name))
                case .takeBack(let stream): (stream, .release(stream: stream.id, target: nil), .microphoneReturned)
                case .tellOfOnly(let stream): (stream, nil, .onlyMicrophone)
                }
            if let order { command(order) }
            effects.append(.report(kind, of: stream.program))
        }
    }

    /// Whether the stream is a call, or its program has one.
    private func isCall(_ stream: CaptureStream) -> Bool {
        options.roles.effect(ofRole: stream.role) == .interrupts
            || book.streams.values.contains {
                $0.stream.program.identity == stream.program.identity && $0.isUnderWay
                    && scene.effect(of: $0.stream) == .interrupts
            }
    }
}
