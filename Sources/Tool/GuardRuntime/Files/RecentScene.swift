package import AudioModel
package import GuardCore
package import SceneCore

/// The last minute of the machine as a guard sees it; becomes a scene on request.
///
/// Older events are kept only as the state at the start of the minute. Bounded: on a busy machine, it covers less than a
/// minute.
package struct RecentScene: Sendable {
    private static let lengthSeconds = 60.0
    private static let mostEntries = 2000

    /// The machine's state at one time.
    private struct State {
        var plugged: [String] = []
        var defaultOutput: String?
        var defaultInput: String?
        /// The last reported volume of each port.
        var volumes: [String: AudioScene.Action] = [:]
        /// The programs that play, by name, and whether they are held.
        var programs: [String: (role: String?, isHeld: Bool)] = [:]
        var hasServer = true

        mutating func apply(_ action: AudioScene.Action) {
            switch action {
            case .plug(let name): plugged.append(name)
            case .unplug(let name): plugged.removeAll { $0 == name }
            case .defaultOutput(let name): defaultOutput = name
            case .defaultInput(let name): defaultInput = name
            case .volume(let name, _, _): volumes[name] = action
            case .programPlays(let name, let role): programs[name] = (role, false)
            case .programStops(let name): programs[name] = nil
            case .programHeld(let name): programs[name]?.isHeld = true
            case .programReleased(let name): programs[name]?.isHeld = false
            case .serverCrashes: self = State(hasServer: false)
            case .serverReturns: hasServer = true
            default: break
            }
        }

        /// The actions with which a scene in this state begins.
        var actions: [AudioScene.Action] {
            var actions = defaultOutput.map { [AudioScene.Action.defaultOutput($0)] } ?? []
            actions += defaultInput.map { [.defaultInput($0)] } ?? []
            actions += plugged.compactMap { volumes[$0] }
            for (name, program) in programs.sorted(by: { $0.key < $1.key }) {
                actions.append(.programPlays(name, role: program.role))
                if program.isHeld { actions.append(.programHeld(name)) }
            }
            return hasServer ? actions : [.serverCrashes]
        }
    }

    private var ports: [AudioScene.Port] = []
    private var old = State()
    private var new = State()
    private var entries: ArraySlice<(time: HostTime, actions: [AudioScene.Action])> = []
    private var streams: [UInt64: String] = [:]

    package init() {}

    // MARK: Facts

    package mutating func add(_ fact: GuardFact, at time: HostTime) {
        var actions: [AudioScene.Action] = []
        if !new.hasServer, fact != .connectionLost { actions.append(.serverReturns) }
        switch fact {
        case .outputsChanged(let outputs): actions += self.actions(outputs)
        case .surroundingsChanged(let surroundings): actions += self.actions(surroundings)
        case .streamChanged(let stream): actions += self.actions(stream)
        case .streamEnded(let id):
            if let name = streams.removeValue(forKey: id), new.programs[name] != nil {
                actions.append(.programStops(name))
            }
        case .connectionLost:
            streams = [:]
            actions = new.hasServer ? [.serverCrashes] : []
        case .guardsChanged, .serverNamed, .settled, .managerChanged, .timeReached, .holderChanged, .holderLeft,
            .captureChanged, .captureEnded, .holdSinkLost, .duckReady, .descriptorsRanOut:
            break
        }
        guard !actions.isEmpty else { return }
        for action in actions { new.apply(action) }
        entries.append((time, actions))
        forget(before: time)
    }

    private mutating func forget(before now: HostTime) {
        while let first = entries.first,
            entries.count > Self.mostEntries || now.seconds(since: first.time) > Self.lengthSeconds
        {
            for action in first.actions { old.apply(action) }
            entries.removeFirst()
        }
    }

    private mutating func actions(_ outputs: GuardOutputs) -> [AudioScene.Action] {
        let active = outputs.outputs.filter(\.isActive)
        let actions = plugActions(
            active.map { AudioScene.Port($0.uid, kind: $0.kind.word, label: $0.name == $0.uid ? nil : $0.name) },
            isInput: false)
        guard case .sink(let sink) = outputs.defaultSink, let port = active.first(where: { $0.sink == sink }) else {
            return actions
        }
        // A port that appears becomes the default in a scene.
        return actions + (actions.hasPlug || new.defaultOutput != port.uid ? [.defaultOutput(port.uid)] : [])
    }

    private mutating func actions(_ surroundings: GuardSurroundings) -> [AudioScene.Action] {
        var actions = plugActions(
            surroundings.inputs.map {
                AudioScene.Port(
                    $0.uid, isInput: true, kind: $0.kind.word, label: $0.name == $0.uid ? nil : $0.name)
            },
            isInput: true)
        var state = new
        for action in actions { state.apply(action) }
        if let uid = surroundings.defaultInputUID, state.plugged.contains(uid),
            actions.hasPlug || state.defaultInput != uid
        {
            actions.append(.defaultInput(uid))
        }
        for uid in state.plugged {
            guard let volume = surroundings.volumes[uid] else { continue }
            let action = AudioScene.Action.volume(uid, level: volume.level, isMuted: volume.isMuted)
            if action != state.volumes[uid] ?? .volume(uid, level: 1, isMuted: false) { actions.append(action) }
        }
        return actions
    }

    /// - Parameter isInput: whether `all` contains all inputs; if not, it contains all outputs.
    private mutating func plugActions(_ all: [AudioScene.Port], isInput: Bool) -> [AudioScene.Action] {
        for port in all where !ports.contains(where: { $0.name == port.name }) { ports.append(port) }
        let names = all.map(\.name)
        let known = ports.filter { $0.isInput == isInput && new.plugged.contains($0.name) }.map(\.name)
        return known.filter { !names.contains($0) }.map { .unplug($0) }
            + names.filter { !known.contains($0) }.map { .plug($0) }
    }

    private mutating func actions(_ stream: ProgramStream) -> [AudioScene.Action] {
        let name = streams[stream.id] ?? "\(stream.program.name.isEmpty ? "program" : stream.program.name) \(stream.id)"
        streams[stream.id] = name
        let isHeld = stream.linkTarget == .hold
        guard let known = new.programs[name] else {
            guard stream.isRunning || isHeld else { return [] }
            return [.programPlays(name, role: stream.role)] + (isHeld ? [.programHeld(name)] : [])
        }
        guard stream.isRunning || isHeld else { return [.programStops(name)] }
        guard known.isHeld != isHeld else { return [] }
        return [isHeld ? .programHeld(name) : .programReleased(name)]
    }

    // MARK: The scene

    /// - Parameters:
    ///   - now: the end of the scene.
    ///   - hasNames: whether the scene shows the names of devices and programs; if not, it shows placeholders.
    package func scene(until now: HostTime, hasNames: Bool) -> AudioScene {
        var recent = self
        recent.forget(before: now)
        let names = Names(ports: ports, hasNames: hasNames)
        var programs: [String: String] = [:]
        let length = min(recent.entries.first.map { now.seconds(since: $0.time) } ?? 0, Self.lengthSeconds)
        var scene = AudioScene(
            title: "The last minute of a guard", machine: .bare, ports: ports.map(names.port),
            plugged: recent.old.plugged.map(names.name))
        func add(_ actions: [AudioScene.Action], at seconds: Double) {
            guard !actions.isEmpty else { return }
            let actions = actions.map { names.action($0, &programs) }
            scene.lines.append(.init(.event(AudioScene.Time(seconds: seconds), actions)))
        }
        add(recent.old.actions, at: 0)
        for entry in recent.entries { add(entry.actions, at: length - now.seconds(since: entry.time)) }
        add([.end], at: length)
        return scene
    }

    /// The names of devices and programs in a scene.
    private struct Names {
        let ports: [String: String]
        let hasNames: Bool

        init(ports: [AudioScene.Port], hasNames: Bool) {
            self.hasNames = hasNames
            let pairs = ports.enumerated().map { index, port in
                (port.name, hasNames ? AudioScene.portName(ofUID: port.name) : "port-\(index + 1)")
            }
            self.ports = Dictionary(pairs) { first, _ in first }
        }

        func name(_ uid: String) -> String { ports[uid] ?? uid }

        func port(_ port: AudioScene.Port) -> AudioScene.Port {
            AudioScene.Port(
                name(port.name), isInput: port.isInput, kind: port.kind, label: hasNames ? port.label : nil)
        }

        /// An unknown role may be a private name, so it is left out.
        private func role(_ role: String?) -> String? {
            role.flatMap { hasNames || ForeignRoles.standard.names.contains($0.lowercased()) ? $0 : nil }
        }

        func action(_ action: AudioScene.Action, _ programs: inout [String: String]) -> AudioScene.Action {
            func program(_ name: String) -> String {
                guard !hasNames else { return name }
                if programs[name] == nil { programs[name] = "name-\(programs.count + 1)" }
                return programs[name] ?? name
            }
            return switch action {
            case .plug(let port): .plug(name(port))
            case .unplug(let port): .unplug(name(port))
            case .defaultOutput(let port): .defaultOutput(name(port))
            case .defaultInput(let port): .defaultInput(name(port))
            case .volume(let port, let percent, let isMuted): .volume(name(port), percent: percent, isMuted: isMuted)
            case .programPlays(let name, let role): .programPlays(program(name), role: self.role(role))
            case .programStops(let name): .programStops(program(name))
            case .programHeld(let name): .programHeld(program(name))
            case .programReleased(let name): .programReleased(program(name))
            default: action
            }
        }
    }
}

extension [AudioScene.Action] {
    fileprivate var hasPlug: Bool { contains { if case .plug = $0 { true } else { false } } }
}
