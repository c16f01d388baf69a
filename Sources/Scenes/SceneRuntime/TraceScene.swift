package import AudioModel
package import SceneCore
package import SessionCore
internal import SessionRuntime

/// Makes a scene of the trace of a session (docs/audiosession.md): the host's facts become events, and so do the app's requests.
package struct TraceScene: TraceForm {
    package static let nameEnding = ".scene"

    package static func comment(_ text: String) -> String { "# \(text)\n" }

    private var scene = AudioScene(title: "A trace", machine: .bare)
    /// How much of the scene `takeText` has given already.
    private var taken: (ports: Int, plugged: Int, lines: Int)?
    private var lastTime = AudioScene.Time.zero
    private var start: HostTime?
    private var inventory: Inventory?
    /// What the scene has said of each port.
    private var volumes: [String: PortVolume] = [:]
    /// A port has left a stream, and what is there without it has not been told yet.
    private var hasLoss = false
    private var peers: [ClaimSerial: (name: String, peer: Peer)] = [:]
    private var programs: [ForeignStream] = []
    private var isLost = false
    private var knownPorts: Set<String> = []
    /// What the app plays, whatever keeps it from sounding.
    private var playing: Set<StreamID> = []

    /// - Throws: at the first line that is none of a trace.
    package static func scene(ofTrace text: String) throws(SceneError) -> AudioScene {
        var trace = TraceScene()
        var number = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            number += 1
            guard !line.isEmpty else { continue }
            do {
                if let event = try SessionTrace.event(ofLine: line) { trace.add(event) }
            } catch {
                throw SceneError(
                    line: number, column: 1, message: "no line of a trace that this version of the library writes")
            }
        }
        trace.finish()
        return trace.scene
    }

    /// Makes the scene of a session's events.
    package static func scene(of events: [SessionEvent]) -> AudioScene {
        var trace = TraceScene()
        for event in events { trace.add(event) }
        trace.finish()
        return trace.scene
    }

    package init() {}

    /// The scene ends a second after what was added last.
    package mutating func finish() {
        scene.lines.append(.init(.event(lastTime + AudioScene.Time(seconds: 1), [.end])))
    }

    /// The text of what was added since the last call; all of them one after the other are the text of the scene.
    package mutating func takeText() -> String {
        let before = taken
        taken = (scene.ports.count, scene.plugged.count, scene.lines.count)
        guard let before else { return scene.text }
        let part = AudioScene(
            title: "", machine: .phone, ports: Array(scene.ports[before.ports...]),
            plugged: Array(scene.plugged[before.plugged...]), lines: Array(scene.lines[before.lines...]))
        return String(part.text.drop { $0 != "\n" }.dropFirst())
    }

    package mutating func add(_ event: SessionEvent) {
        let start = start ?? event.time
        self.start = start
        let nanoseconds = event.time.nanoseconds - min(event.time.nanoseconds, start.nanoseconds)
        let actions = actions(of: event.fact)
        guard !actions.isEmpty, scene.lines.count < 90_000 else { return }
        // The times of a scene never go back.
        lastTime = max(lastTime, AudioScene.Time(microseconds: Int(clamping: nanoseconds / 1000)))
        scene.lines.append(.init(.event(lastTime, actions)))
    }

    private mutating func actions(of fact: SessionFact) -> [AudioScene.Action] {
        switch fact {
        case .configurationRequested(_, let configuration): [.configure(Self.claim(configuration))]
        case .activationRequested: [.activate]
        case .deactivationRequested(_, let notifies, let isSuperseded):
            isSuperseded ? [] : [.deactivate(notifiesOthers: notifies)]
        case .outputOverrideRequested(_, let override): [.overrideOutput(speaker: override == .speaker)]
        case .playRequested(_, let stream, _, _): play(stream)
        case .pauseRequested(let stream), .playerStopped(let stream): pause(stream)
        // A player that is closed while another one plays makes no silence.
        case .streamClosed(let stream): playing == [stream] ? pause(stream) : []
        case .streamOpened, .streamPolicyChanged, .routeDisconnectPreferenceRequested,
            .channelCountPreferred, .preferencesStated, .inputGainRequested, .outputMuteRequested, .inputMuteRequested,
            .inputPreferred, .outputChosenByApp:
            []
        case .host(let event): actions(of: event)
        }
    }

    private mutating func play(_ stream: StreamID) -> [AudioScene.Action] {
        playing.insert(stream)
        return [.play]
    }

    private mutating func pause(_ stream: StreamID) -> [AudioScene.Action] {
        playing.remove(stream)
        return [.pause]
    }

    private static func claim(_ configuration: SessionConfiguration) -> AudioScene.Claim {
        AudioScene.Claim(
            configuration.category.word, mode: configuration.mode == .default ? nil : configuration.mode.word,
            options: configuration.options.words)
    }

    private mutating func actions(of event: HostEvent) -> [AudioScene.Action] {
        switch event {
        case .inventoryChanged(let new, let losses):
            // A stream that lost a port which is still there: another program has cut its links, or a headset's profile has.
            hasLoss = false
            let isCut = !losses.isEmpty && losses.allSatisfy { new.port(uid: $0.portUID) != nil }
            return inventoryActions(new) + (isCut ? [.linksCut] : [])
        case .outputChosenByUser(let uid):
            return [.choose(uid.flatMap { knownPorts.contains($0) ? Self.name($0) : nil })]
        case .streamFailed: return isLost ? [] : [.streamsFail]
        case .streamHeld: return [.streamsHeld]
        case .streamReleased: return [.streamsReleased]
        case .connectionLost:
            isLost = true
            peers = [:]
            programs = []
            // A server that ends in order takes its ports with it one after the other.
            defer { hasLoss = false }
            return (hasLoss ? [.linksCut] : []) + [.serverCrashes]
        case .connectionRestored:
            isLost = false
            return [.serverReturns]
        case .peerChanged(let peer): return peerActions(peer)
        case .peerLeft(let serial, let notifies):
            return peers.removeValue(forKey: serial).map { [.appLeaves($0.name, mayResume: notifies)] } ?? []
        case .foreignStreamsChanged(let streams): return programActions(streams)
        case .sleepAnnounced: return [.sleep]
        case .wokeFromSleep: return [.wake]
        case .portLost:
            hasLoss = true
            return []
        case .claimGranted, .claimRefused, .timeReached: return []
        }
    }

    // MARK: Ports

    private static func name(_ uid: String) -> String { AudioScene.portName(ofUID: uid) }

    private mutating func inventoryActions(_ new: Inventory) -> [AudioScene.Action] {
        for port in new.ports where knownPorts.insert(port.uid).inserted {
            scene.ports.append(
                AudioScene.Port(
                    Self.name(port.uid), isInput: port.direction == .input, kind: port.kind.word,
                    label: port.name == port.uid ? nil : port.name, channels: min(64, max(1, port.channels.count)),
                    hertz: port.sampleRate.flatMap { (1...768_000).contains($0) && $0 != 48000 ? $0 : nil }))
        }
        defer { inventory = new }
        guard let old = inventory else {
            // The last that is plugged in becomes the default.
            let defaults = [new.defaultOutputUID, new.defaultInputUID]
            let (last, first) = (new.ports.filter { defaults.contains($0.uid) }, new.ports.reversed())
            scene.plugged = (first.filter { !last.contains($0) } + last).map { Self.name($0.uid) }
            return defaultActions(from: nil, to: new) + new.ports.compactMap { volumeAction($0.uid, new) }
        }
        var actions: [AudioScene.Action] = []
        for port in old.ports where new.port(uid: port.uid) == nil { actions.append(.unplug(Self.name(port.uid))) }
        let added = new.ports.filter { old.port(uid: $0.uid) == nil }
        actions += added.reversed().map { .plug(Self.name($0.uid)) }
        for port in new.ports {
            if let before = old.port(uid: port.uid), let hertz = port.sampleRate, before.sampleRate != hertz {
                actions.append(.rate(Self.name(port.uid), hertz: hertz))
            }
            if let action = volumeAction(port.uid, new) { actions.append(action) }
        }
        return actions + (added.isEmpty ? defaultActions(from: old, to: new) : defaultActions(from: nil, to: new))
    }

    private mutating func volumeAction(_ uid: String, _ inventory: Inventory) -> AudioScene.Action? {
        guard let volume = inventory.volumes[uid], volume != volumes[uid] ?? PortVolume(level: 1) else { return nil }
        volumes[uid] = volume
        return .volume(Self.name(uid), level: volume.level, isMuted: volume.isMuted)
    }

    /// - Parameter old: nil where the default has to be said in any case.
    private func defaultActions(from old: Inventory?, to new: Inventory) -> [AudioScene.Action] {
        var actions: [AudioScene.Action] = []
        if let uid = new.defaultOutputUID, uid != old?.defaultOutputUID, new.port(uid: uid) != nil {
            actions.append(.defaultOutput(Self.name(uid)))
        }
        if let uid = new.defaultInputUID, uid != old?.defaultInputUID, new.port(uid: uid) != nil {
            actions.append(.defaultInput(Self.name(uid)))
        }
        return actions
    }

    // MARK: Other programs

    private mutating func peerActions(_ peer: Peer) -> [AudioScene.Action] {
        let known = peers[peer.serial]
        let base = peer.name.isEmpty ? "app" : peer.name
        let name = known?.name ?? (peers.values.contains { $0.name == base } ? "\(base) \(peer.serial.number)" : base)
        defer { peers[peer.serial] = (name, peer) }
        if peer.isWaiting { return known?.peer.isWaiting == true ? [] : [.appWaits(name)] }
        guard known?.peer.configuration != peer.configuration || known?.peer.isWaiting == true else { return [] }
        return [.appTakes(name, Self.claim(peer.configuration))]
    }

    private mutating func programActions(_ streams: [ForeignStream]) -> [AudioScene.Action] {
        func name(_ stream: ForeignStream) -> String { "\(stream.name.isEmpty ? "program" : stream.name) \(stream.id)" }
        // A scene has no mute: what was heard once plays until it stops.
        let streams = streams.filter { stream in !stream.isSilent || programs.contains { $0.id == stream.id } }
        defer { programs = streams }
        var actions: [AudioScene.Action] = []
        for stream in programs where !streams.contains(where: { $0.id == stream.id }) {
            actions.append(.programStops(name(stream)))
        }
        for stream in streams {
            let known = programs.first { $0.id == stream.id }
            if known == nil { actions.append(.programPlays(name(stream), role: stream.role)) }
            if stream.isHeld != known?.isHeld ?? false {
                actions.append(stream.isHeld ? .programHeld(name(stream)) : .programReleased(name(stream)))
            }
        }
        return actions
    }
}

extension AudioScene.Claim {
    /// In the words of the library; a word that it does not know is the default.
    package var configuration: SessionConfiguration {
        SessionConfiguration(
            category: SessionCategory(word: category) ?? .playback,
            mode: mode.flatMap(SessionMode.init(word:)) ?? .default, options: SessionOptions(words: options))
    }
}
