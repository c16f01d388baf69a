internal import AudioModel
internal import Foundation
package import SceneCore
internal import SessionCore

/// Makes scenes of what programs write: the two spellings of a scene, a trace of a session, and `pw-dump --monitor`.
package enum SceneImport {
    /// The scene of a text, whatever wrote it.
    package static func scene(_ text: String) throws(SceneError) -> AudioScene {
        let start = text.drop { $0.isWhitespace }
        if start.hasPrefix("{\"trace\"") { return try TraceScene.scene(ofTrace: text) }
        if start.hasPrefix("[") { return try DumpScene.scene(ofDump: text) }
        return start.hasPrefix("{") ? try AudioScene(json: text) : try AudioScene(text: text)
    }
}

/// Makes a scene of the trace of a session (docs/audiosession.md): the host's facts become events, and so do the app's requests.
struct TraceScene {
    private struct Line: Decodable {
        let event: SessionEvent?
    }

    private var scene = AudioScene(title: "A trace", machine: .bare)
    private var start: HostTime?
    private var inventory: Inventory?
    private var peers: [ClaimSerial: (name: String, peer: Peer)] = [:]
    private var programs: [ForeignStream] = []
    private var isLost = false
    private var knownPorts: Set<String> = []

    /// - Throws: at the first line that is none of a trace.
    static func scene(ofTrace text: String) throws(SceneError) -> AudioScene {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        var trace = TraceScene()
        var number = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            number += 1
            guard !line.isEmpty else { continue }
            do {
                let read = try decoder.decode(Line.self, from: Data(line.utf8))
                if let event = read.event { trace.add(event) }
            } catch {
                throw SceneError(
                    line: number, column: 1, message: "no line of a trace that this version of the library writes")
            }
        }
        return trace.finished
    }

    /// Makes the scene of a session's events.
    static func scene(of events: [SessionEvent]) -> AudioScene {
        var trace = TraceScene()
        for event in events { trace.add(event) }
        return trace.finished
    }

    private var finished: AudioScene {
        var scene = scene
        let last = scene.events.last?.time ?? .zero
        scene.lines.append(.init(.event(last + AudioScene.Time(seconds: 1), [.end])))
        return scene
    }

    private mutating func add(_ event: SessionEvent) {
        let start = start ?? event.time
        self.start = start
        let nanoseconds = event.time.nanoseconds - min(event.time.nanoseconds, start.nanoseconds)
        let actions = actions(of: event.fact)
        guard !actions.isEmpty, scene.lines.count < 90_000 else { return }
        scene.lines.append(.init(.event(AudioScene.Time(microseconds: Int(clamping: nanoseconds / 1000)), actions)))
    }

    private mutating func actions(of fact: SessionFact) -> [AudioScene.Action] {
        switch fact {
        case .configurationRequested(_, let configuration): [.configure(Self.claim(configuration))]
        case .activationRequested: [.activate]
        case .deactivationRequested(_, let notifies, let isSuperseded):
            isSuperseded ? [] : [.deactivate(notifiesOthers: notifies)]
        case .outputOverrideRequested(_, let override): [.overrideOutput(speaker: override == .speaker)]
        case .playRequested: [.play]
        case .pauseRequested, .playerStopped: [.pause]
        case .streamOpened, .streamPolicyChanged, .streamClosed, .routeDisconnectPreferenceRequested,
            .channelCountPreferred, .preferencesStated, .inputGainRequested, .outputMuteRequested, .inputMuteRequested,
            .inputPreferred, .outputChosenByApp:
            []
        case .host(let event): actions(of: event)
        }
    }

    private static func claim(_ configuration: SessionConfiguration) -> AudioScene.Claim {
        let options = AudioScene.Claim.optionNames.filter { configuration.options.isSuperset(of: $0.option) }
        return AudioScene.Claim(
            configuration.category.rawValue,
            mode: configuration.mode == .default ? nil : configuration.mode.rawValue, options: options.map(\.name))
    }

    private mutating func actions(of event: HostEvent) -> [AudioScene.Action] {
        switch event {
        case .inventoryChanged(let new, let losses):
            // A stream that lost a port which is still there: another program has cut its links, or a headset's profile has.
            let isCut = !losses.isEmpty && losses.allSatisfy { new.port(uid: $0.portUID) != nil }
            return inventoryActions(new) + (isCut ? [.linksCut] : [])
        case .outputChosenByUser(let uid):
            return [.choose(uid.flatMap { knownPorts.contains($0) ? $0 : nil })]
        case .streamFailed: return isLost ? [] : [.streamsFail]
        case .streamHeld: return [.streamsHeld]
        case .streamReleased: return [.streamsReleased]
        case .connectionLost:
            isLost = true
            peers = [:]
            programs = []
            return [.serverCrashes]
        case .connectionRestored:
            isLost = false
            return [.serverReturns]
        case .peerChanged(let peer): return peerActions(peer)
        case .peerLeft(let serial, let notifies):
            return peers.removeValue(forKey: serial).map { [.appLeaves($0.name, mayResume: notifies)] } ?? []
        case .foreignStreamsChanged(let streams): return programActions(streams)
        case .sleepAnnounced: return [.sleep]
        case .wokeFromSleep: return [.wake]
        case .portLost, .claimGranted, .claimRefused, .timeReached: return []
        }
    }

    // MARK: Ports

    private mutating func inventoryActions(_ new: Inventory) -> [AudioScene.Action] {
        for port in new.ports where knownPorts.insert(port.uid).inserted {
            scene.ports.append(
                AudioScene.Port(
                    port.uid, isInput: port.direction == .input, kind: "\(port.kind)",
                    label: port.name == port.uid ? nil : port.name, channels: min(64, max(1, port.channels.count)),
                    hertz: port.sampleRate.flatMap { (1...768_000).contains($0) && $0 != 48000 ? $0 : nil }))
        }
        defer { inventory = new }
        guard let old = inventory else {
            // The last that is plugged in becomes the default.
            scene.plugged = new.ports.reversed().map(\.uid)
            return defaultActions(from: nil, to: new)
        }
        var actions: [AudioScene.Action] = []
        for port in old.ports where new.port(uid: port.uid) == nil { actions.append(.unplug(port.uid)) }
        let added = new.ports.filter { old.port(uid: $0.uid) == nil }
        actions += added.reversed().map { .plug($0.uid) }
        for port in new.ports {
            if let before = old.port(uid: port.uid), let hertz = port.sampleRate, before.sampleRate != hertz {
                actions.append(.rate(port.uid, hertz: hertz))
            }
            if let volume = new.volumes[port.uid], volume != old.volumes[port.uid] ?? PortVolume(level: 1) {
                actions.append(
                    .volume(port.uid, percent: Double(volume.level) * 100, isMuted: volume.isMuted))
            }
        }
        return actions + (added.isEmpty ? defaultActions(from: old, to: new) : defaultActions(from: nil, to: new))
    }

    /// - Parameter old: nil where the default has to be said in any case.
    private func defaultActions(from old: Inventory?, to new: Inventory) -> [AudioScene.Action] {
        var actions: [AudioScene.Action] = []
        if let uid = new.defaultOutputUID, uid != old?.defaultOutputUID, new.port(uid: uid) != nil {
            actions.append(.defaultOutput(uid))
        }
        if let uid = new.defaultInputUID, uid != old?.defaultInputUID, new.port(uid: uid) != nil {
            actions.append(.defaultInput(uid))
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
