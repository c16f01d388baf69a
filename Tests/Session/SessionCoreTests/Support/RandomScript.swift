import AudioModel
import SessionCore
import TestSupport

/// A host and an app that do anything they may do, at random; it keeps to the contract of `HostEvent`.
///
/// A fuzzer gives it numbers of its own.
struct RandomScript<Random: RandomNumberGenerator> {
    private(set) var random: Random
    private var connected: [Port]
    private var isConnected = true
    private var streams: [StreamID] = []
    private var streamCount: UInt64 = 0
    private var callCount: UInt64 = 0
    private var registry = RandomClaimRegistry()
    private var times: [HostTime] = []
    /// Claims that were taken back before they were answered: the answer may be on its way.
    private var (asked, withdrawn): ([ClaimID], [ClaimID]) = ([], [])
    /// What must come before anything else: a new server's first inventory.
    private var pending: [SessionFact] = []

    init(_ random: Random) {
        self.random = random
        connected = [Ports.speaker, Ports.mic]
        pending = [.host(.inventoryChanged(Inventory(ports: connected, defaultOutputUID: Ports.speaker.uid)))]
    }

    init(seed: UInt64) where Random == Seeded { self.init(Seeded(seed: seed)) }

    /// Seconds to the next fact: often at once, now and then longer than a port counts as new or than a player waits.
    mutating func wait() -> Double {
        Int.random(in: 0..<50, using: &random) == 0 ? 700 : [0, 0.001, 0.5, 3].randomElement(using: &random)!
    }

    /// Takes note of what the session asked of its host.
    mutating func note(_ effects: [SessionEffect]) {
        for effect in effects {
            switch effect {
            case .wake(let time): times.append(time)
            case .claim(let id, _): asked.append(id)
            case .release(let id, _):
                guard let index = asked.firstIndex(of: id) else { continue }
                withdrawn.append(asked.remove(at: index))
            default: break
            }
        }
    }

    mutating func next(_ state: SessionState) -> SessionFact {
        if !pending.isEmpty { return pending.removeFirst() }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<14: return plugOrUnplug(state)
        case 14..<18: return .host(.inventoryChanged(inventory()))
        case 18..<24: return .configurationRequested(call(), configuration())
        case 24..<26: return .outputOverrideRequested(call(), Bool.random(using: &random) ? .speaker : .none)
        case 26..<28: return .outputChosenByApp(call(), choice())
        case 28..<30: return .host(.outputChosenByUser(uid: scriptPorts.randomElement(using: &random)!.uid))
        case 30: return .host(.outputChosenByUser(uid: nil))
        case 31..<38: return .activationRequested(call())
        case 38..<41: return deactivation()
        case 41..<53: return answer(state)
        case 53..<58: return open()
        case 58..<60:
            let id = anyStream()
            return .streamPolicyChanged(id, policy(of: id))
        case 60..<63: return close()
        case 63: return .host(.streamFailed(anyStream(), .refused("ended")))
        case 64:
            let loss = PortLoss(anyStream(), portUID: connected.first?.uid ?? "")
            return .host(.inventoryChanged(inventory(), losses: [loss]))
        case 65..<75: return play(state)
        case 75..<77: return .pauseRequested(anyStream())
        case 77: return Int.random(in: 0..<3, using: &random) == 0 ? volume() : .playerStopped(anyStream())
        case 78:
            return Bool.random(using: &random)
                ? .routeDisconnectPreferenceRequested(call(), prefersInterruption: Bool.random(using: &random))
                : preferred(state.preferredSettings)
        case 79: return .inputPreferred(call(), uid: preferredInput(state))
        case 80..<93: return isConnected ? registry.next(using: &random) : .host(.wokeFromSleep)
        case 93..<95: return holdOrRelease(state)
        case 95: return Bool.random(using: &random) ? .host(.sleepAnnounced) : .host(.wokeFromSleep)
        case 96..<98: return times.isEmpty ? answer(state) : .host(.timeReached(times.removeFirst()))
        default: return breakOrMend()
        }
    }

    private mutating func plugOrUnplug(_ state: SessionState) -> SessionFact {
        let port = scriptPorts.randomElement(using: &random)!
        var losses: [PortLoss] = []
        if let index = connected.firstIndex(where: { PortIdentity($0) == PortIdentity(port) }) {
            connected.remove(at: index)
            // A host that sees a linked port go has unlinked its streams by the time it tells.
            let linked = state.streams.filter { $0.ports.contains { $0.uid == port.uid } }
            if Bool.random(using: &random), port.direction == .output, isConnected {
                losses = linked.map { PortLoss($0.id, portUID: port.uid) }
                if let first = losses.first, pending.isEmpty, Bool.random(using: &random) {
                    pending = [.host(.inventoryChanged(inventory(), losses: losses))]
                    return .host(.portLost(first))
                }
            }
        } else {
            connected.insert(port, at: Int.random(in: 0...connected.count, using: &random))
        }
        return .host(.inventoryChanged(inventory(), losses: losses))
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
            defaultInputUID: Bool.random(using: &random) ? all.inputs.randomElement(using: &random)?.uid : nil,
            // One card with two jacks.
            alternatives: [[Ports.headphones.uid, Ports.lineOut.uid]], volumes: volumes(), headsets: headsets())
    }

    /// A headset with both profiles, where its ports are there.
    private mutating func headsets() -> [Headset] {
        let present = Set(connected.map(PortIdentity.init))
        guard present.isSuperset(of: [Ports.a2dp, Ports.hfp, Ports.hfpMic].map(PortIdentity.init)) else { return [] }
        return [
            Headset(
                profile: Bool.random(using: &random) ? .a2dp : .hfp, a2dpOutputUID: Ports.a2dp.uid,
                hfpOutputUID: Ports.hfp.uid, hfpInputUID: Ports.hfpMic.uid)
        ]
    }

    private mutating func volumes() -> [String: PortVolume] {
        var volumes: [String: PortVolume] = [:]
        for port in connected where Bool.random(using: &random) {
            volumes[port.uid] = PortVolume(level: [0, 0.5, 1].randomElement(using: &random)!)
        }
        return volumes
    }

    private mutating func configuration() -> SessionConfiguration {
        let options: [SessionOptions] = [
            [], [], .mixWithOthers, .defaultToSpeaker, .allowBluetoothHFP, .allowBluetoothA2DP, .duckOthers,
        ]
        let common = [SessionCategory.playback, .playback, .playAndRecord, .multiRoute, .multiRoute]
        return SessionConfiguration(
            category: (common + SessionCategory.allCases).randomElement(using: &random)!,
            mode: Bool.random(using: &random) ? .default : SessionMode.allCases.randomElement(using: &random)!,
            options: options.randomElement(using: &random)!)
    }

    private mutating func choice() -> OutputChoice {
        let port = scriptPorts.randomElement(using: &random)!
        return [.automatic, .port(uid: port.uid), .kind(port.kind)].randomElement(using: &random)!
    }

    /// Most often one that may be preferred.
    private mutating func preferredInput(_ state: SessionState) -> String? {
        let available = state.availableInputs.map { Optional($0.uid) }
        return (available + available + [nil, Ports.usbMic.uid]).randomElement(using: &random)!
    }

    private mutating func preferred(_ present: PreferredSettings) -> SessionFact {
        var preferred = present
        preferred.ioBufferDuration = [0, 0.005, 0.02, -1].randomElement(using: &random)!
        preferred.sampleRate = [0, 44_100, .nan].randomElement(using: &random)!
        return .preferencesStated(call(), preferred)
    }

    private mutating func volume() -> SessionFact {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: .inputGainRequested(call(), Float.random(in: -1...2, using: &random))
        case 1: .outputMuteRequested(call(), Bool.random(using: &random))
        default: .inputMuteRequested(call(), Bool.random(using: &random))
        }
    }

    private mutating func deactivation() -> SessionFact {
        .deactivationRequested(
            call(), notifyOthers: Bool.random(using: &random),
            isSuperseded: Int.random(in: 0..<4, using: &random) == 0)
    }

    private mutating func answer(_ state: SessionState) -> SessionFact {
        if isConnected, let stray = state.strayClaim, Bool.random(using: &random) {
            return Bool.random(using: &random)
                ? .host(.claimGranted(stray, registry.nextSerial())) : .host(.claimRefused(stray, .refused("refused")))
        }
        if isConnected, !withdrawn.isEmpty, Int.random(in: 0..<4, using: &random) == 0 {
            return .host(.claimGranted(withdrawn.removeFirst(), registry.nextSerial()))
        }
        if case .active(let id) = state.stage, Int.random(in: 0..<8, using: &random) == 0 {
            return .host(.claimRefused(id, .refused("destroyed")))
        }
        guard let wanted = state.activation.claimUnderWay else {
            return .host(.claimGranted(ClaimID(number: 0), ClaimSerial(number: 0)))
        }
        asked.removeAll { $0 == wanted }
        return Int.random(in: 0..<8, using: &random) == 0
            ? .host(.claimRefused(wanted, .refused("refused")))
            : .host(.claimGranted(wanted, registry.nextSerial()))
    }

    /// Now and then one that has waited too long in a queue.
    private mutating func play(_ state: SessionState) -> SessionFact {
        let isLate = Int.random(in: 0..<8, using: &random) == 0
        let (generation, losses) = (state.generation, state.outputLosses)
        let isFromBeforeLoss = Int.random(in: 0..<8, using: &random) == 0
        return .playRequested(
            call(), anyStream(), generation: isLate && generation > 0 ? generation - 1 : generation,
            knownLosses: isFromBeforeLoss && losses > 0 ? losses - 1 : losses)
    }

    private mutating func holdOrRelease(_ state: SessionState) -> SessionFact {
        if let held = state.streams.first(where: \.isHeld) { return .host(.streamReleased(held.id)) }
        let linked = state.streams.filter { !$0.ports.isEmpty }
        return linked.randomElement(using: &random).map { .host(.streamHeld($0.id)) }
            ?? .host(.streamReleased(anyStream()))
    }

    private mutating func open() -> SessionFact {
        streamCount += 1
        streams.append(StreamID(number: streamCount))
        let id = streams[streams.count - 1]
        return .streamOpened(id, policy(of: id))
    }

    private mutating func close() -> SessionFact {
        guard let index = streams.indices.randomElement(using: &random) else { return .host(.connectionRestored) }
        return .streamClosed(streams.remove(at: index))
    }

    /// A stream's direction is for good: every third is a microphone's.
    private mutating func policy(of id: StreamID) -> StreamPolicy {
        let uid = scriptPorts.randomElement(using: &random)!.uid
        let targets: [StreamTarget] = [
            .port(uid: uid), .ports(uids: [uid, scriptPorts.first { $0.uid != uid }!.uid]), .sessionRoute,
            .sessionRoute,
            .sessionRoute, .sessionRoute,
        ]
        return StreamPolicy(
            direction: id.number % 3 == 0 ? .input : .output,
            target: targets.randomElement(using: &random)!,
            onDeviceLoss: Bool.random(using: &random) ? .pause : .continue,
            onInterruption: [.pause, .pause, .pauseAndResume, .pauseAndResume, .ignore].randomElement(using: &random)!,
            continuesPrivately: id.number % 5 == 2, ducksOthers: id.number % 7 == 3)
    }

    private mutating func anyStream() -> StreamID { streams.randomElement(using: &random) ?? StreamID(number: 0) }

    private mutating func breakOrMend() -> SessionFact {
        isConnected.toggle()
        registry.clear()
        times = []
        (asked, withdrawn) = ([], [])
        guard isConnected else { return .host(.connectionLost("gone")) }
        pending = [.host(.inventoryChanged(inventory()))]
        return .host(.connectionRestored)
    }

    private mutating func call() -> CallID {
        callCount += 1
        return CallID(number: callCount)
    }
}

/// Stored once: a generic type has no stored static properties.
private let scriptPorts = [
    Ports.speaker, Ports.receiver, Ports.headphones, Ports.usb, Ports.hdmi, Ports.lineOut, Ports.a2dp,
    Ports.hfp, Ports.mic, Ports.headsetMic, Ports.hfpMic, Ports.usbMic,
]
