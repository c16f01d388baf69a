import AudioModel
import SessionCore

/// A host and an app that do anything they may do, at random; it keeps to the contract of `HostEvent`.
struct RandomScript {
    private static let ports = [
        Ports.speaker, Ports.receiver, Ports.headphones, Ports.usb, Ports.hdmi, Ports.a2dp, Ports.hfp, Ports.mic,
        Ports.headsetMic, Ports.hfpMic, Ports.usbMic,
    ]

    private var random: SplitMix
    private var connected: [Port]
    private var isConnected = true
    private var streams: [StreamID] = []
    private var streamCount: UInt64 = 0
    private var callCount: UInt64 = 0
    /// What must come before anything else: the inventory that explains a silence, or a new server's first.
    private var owed: [SessionFact] = []

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
        connected = [Ports.speaker, Ports.mic]
        owed = [.inventoryChanged(Inventory(ports: connected, defaultOutputUID: Ports.speaker.uid))]
    }

    /// Seconds to the next fact: often at once, now and then longer than a port counts as new.
    mutating func wait() -> Double { [0, 0.001, 0.5, 3].randomElement(using: &random)! }

    mutating func next(_ state: SessionState) -> SessionFact {
        if !owed.isEmpty { return owed.removeFirst() }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25: return plugOrUnplug(state)
        case 25..<35: return .inventoryChanged(inventory())
        case 35..<47: return .configurationRequested(call(), configuration())
        case 47..<55: return .outputOverrideRequested(call(), Bool.random(using: &random) ? .speaker : .none)
        case 55..<60: return .outputChosenByUser(uid: Self.ports.randomElement(using: &random)!.uid)
        case 60..<62: return .outputChosenByUser(uid: nil)
        case 62..<70: return .activationRequested(call())
        case 70..<74: return .deactivationRequested(call(), notifyOthers: Bool.random(using: &random))
        case 74..<80: return answer(state)
        case 80..<88: return open()
        case 88..<91: return .streamPolicyChanged(anyStream(), policy())
        case 91..<95: return close()
        case 95..<97: return .streamFailed(anyStream(), SessionError(.mediaServicesFailed, "ended"))
        case 97: return .streamSilenced(anyStream(), lostPortUID: connected.first?.uid ?? "")
        default: return breakOrMend()
        }
    }

    private mutating func plugOrUnplug(_ state: SessionState) -> SessionFact {
        let port = Self.ports.randomElement(using: &random)!
        if let index = connected.firstIndex(where: { PortIdentity($0) == PortIdentity(port) }) {
            connected.remove(at: index)
            // A host that sees a linked port go has silenced its streams by the time it tells.
            let linked = state.streams.filter { $0.ports.contains { $0.uid == port.uid } }
            if Bool.random(using: &random), port.direction == .output, isConnected {
                owed = linked.map { .streamSilenced($0.id, lostPortUID: port.uid) }
            }
        } else {
            connected.insert(port, at: Int.random(in: 0...connected.count, using: &random))
        }
        owed.append(.inventoryChanged(inventory()))
        return owed.removeFirst()
    }

    private mutating func inventory() -> Inventory {
        if let index = connected.indices.randomElement(using: &random), Int.random(in: 0..<6, using: &random) == 0 {
            connected[index].sampleRate = [nil, 44_100, 48_000].randomElement(using: &random)!
            if connected[index].direction == .output {
                connected[index].channels = ChannelLabel.standard(count: Int.random(in: 1...8, using: &random))
            }
        }
        let all = Inventory(ports: connected)
        return Inventory(
            ports: connected,
            defaultOutputUID: Bool.random(using: &random) ? all.outputs.randomElement(using: &random)?.uid : nil,
            defaultInputUID: Bool.random(using: &random) ? all.inputs.randomElement(using: &random)?.uid : nil)
    }

    private mutating func configuration() -> SessionConfiguration {
        let options: [SessionOptions] = [
            [], [], .mixWithOthers, .defaultToSpeaker, .allowBluetoothHFP, .allowBluetoothA2DP,
        ]
        return SessionConfiguration(
            category: SessionCategory.allCases.randomElement(using: &random)!,
            mode: Bool.random(using: &random) ? .default : SessionMode.allCases.randomElement(using: &random)!,
            options: options.randomElement(using: &random)!)
    }

    private mutating func answer(_ state: SessionState) -> SessionFact {
        guard case .claiming(let id) = state.activation else {
            return .claimGranted(ClaimID(number: 0), ClaimPlace(number: 0))
        }
        return Int.random(in: 0..<4, using: &random) == 0
            ? .claimRefused(id, SessionError(.insufficientPriority, "refused"))
            : .claimGranted(id, ClaimPlace(number: id.number))
    }

    private mutating func open() -> SessionFact {
        streamCount += 1
        streams.append(StreamID(number: streamCount))
        return .streamOpened(streams[streams.count - 1], policy())
    }

    private mutating func close() -> SessionFact {
        guard let index = streams.indices.randomElement(using: &random) else { return .connectionRestored }
        return .streamClosed(streams.remove(at: index))
    }

    private mutating func policy() -> StreamPolicy {
        let uid = Self.ports.randomElement(using: &random)!.uid
        return StreamPolicy(
            target: Int.random(in: 0..<4, using: &random) == 0 ? .port(uid: uid) : .sessionRoute,
            onDeviceLoss: Bool.random(using: &random) ? .pause : .continue)
    }

    private mutating func anyStream() -> StreamID { streams.randomElement(using: &random) ?? StreamID(number: 0) }

    private mutating func breakOrMend() -> SessionFact {
        isConnected.toggle()
        guard isConnected else { return .connectionLost }
        owed = [.inventoryChanged(inventory())]
        return .connectionRestored
    }

    private mutating func call() -> CallID {
        callCount += 1
        return CallID(number: callCount)
    }
}
