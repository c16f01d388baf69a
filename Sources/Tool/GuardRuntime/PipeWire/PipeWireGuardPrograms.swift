// What a guard knows of another program, from the properties of its nodes; every text is untrusted.
internal import AudioModel
internal import CPipeWireShims
internal import Foundation
internal import GuardCore
internal import HostPipeWire
internal import SessionCore

extension GuardRival {
    init(_ node: PipeWireProgramNode, _ clients: PipeWireClients) {
        self.init(
            serial: node.serial, name: clients.name(of: node)?.capped ?? "unnamed",
            processID: clients.processID(of: node), machine: node.properties["application.process.host"]?.capped,
            purpose: Purpose(node),
            obeyed: Set(
                (node.properties["audiosession.guard.obeys"] ?? "").split(separator: " ").compactMap { UInt64($0) }))
    }
}

extension GuardRival.Purpose {
    /// The claim mode of a guard that serves only the focus.
    static let focusMode = "focus"
    /// The claim mode of a guard that keeps another guard's holds until the next guard comes.
    static let keepMode = "keep"
    static let handoverKey = "audiosession.guard.hands-over"
    /// The most bytes of another guard's text; a longer text is ignored.
    static let longestHandover = 64 * 1024

    init(_ node: PipeWireProgramNode) {
        let text = node.properties[Self.handoverKey] ?? ""
        if !text.isEmpty, text.utf8.count <= Self.longestHandover,
            let handover = try? JSONDecoder().decode(GuardHandover.self, from: Data(text.utf8))
        {
            self = .leaving(handover)
            return
        }
        self =
            switch node.properties["audiosession.claim.mode"] {
            case Self.focusMode: .focus
            case Self.keepMode: .keeping
            default: .guarding
            }
    }
}

extension FocusHolder {
    /// - Returns: nil for a claim that asks nothing of programs without a session.
    init?(_ node: PipeWireProgramNode, _ clients: PipeWireClients) {
        let claim = PipeWireClaim(node, name: clients.name(of: node))
        let request: FocusRequest
        if let text = node.properties["audiosession.focus"] {
            guard let asked = FocusRequest(text: text) else { return nil }
            request = asked
        } else if claim.isWaiting {
            return nil
        } else if claim.configuration.ducksOthers {
            request = FocusRequest(kind: .duck(decibels: FocusHolder.standardDecibels))
        } else if claim.configuration.interruptsSpokenAudio {
            request = FocusRequest(kind: .pauseSpeech)
        } else {
            return nil
        }
        let program = Program(node, clients)
        self = request.holder(.claim(serial: node.serial), of: request.isForParent ? program.parent : program)
        since = .monotonic
    }
}

extension Optional where Wrapped == FocusClaim {
    /// A claim configuration that has this meaning for other sessions.
    var configuration: SessionConfiguration {
        switch self {
        case .duck: SessionConfiguration(category: .playback, options: .duckOthers)
        case .pauseSpeech: SessionConfiguration(category: .playback, options: .interruptSpokenAudioAndMixWithOthers)
        case .pause: SessionConfiguration(category: .playback)
        case .call: SessionConfiguration(category: .playAndRecord, mode: .voiceChat)
        // This configuration asks nothing of other sessions.
        case nil: SessionConfiguration(category: .ambient)
        }
    }
}

extension Program {
    init(_ node: PipeWireProgramNode, _ clients: PipeWireClients) {
        let process = clients.processID(of: node)
        let binary = node.properties["application.process.binary"] ?? process.flatMap(ProcessTree.binary)
        // FFmpeg's library uses its own name if its program sets none.
        let said = clients.name(of: node).flatMap { $0.isEmpty || $0.hasPrefix("Lavf") ? nil : $0 }
        self.init(
            identity: process.map { .process($0) } ?? .client(node.clientID ?? .max),
            name: (said ?? binary ?? process.flatMap(ProcessTree.name) ?? "unnamed").capped, binary: binary,
            ancestors: process.map(ProcessTree.ancestors) ?? [])
    }
}

extension Program {
    /// The program that has started this one, under this one's name; the same program if it is unknown.
    fileprivate var parent: Program {
        guard let process = ancestors.first else { return self }
        return Program(
            identity: .process(process), name: name, binary: ProcessTree.binary(of: process),
            ancestors: Array(ancestors.dropFirst()))
    }
}

extension ProgramStream.Standing {
    fileprivate init(_ node: PipeWireProgramNode, _ clients: PipeWireClients) {
        guard clients.isForeign(node) else {
            self = .leftAlone
            return
        }
        self = node.isSession ? .session : node.isMovable ? .movable : .leftAlone
    }
}

extension PipeWireGuardGraph.Stream {
    init(_ node: PipeWireProgramNode, _ clients: PipeWireClients) {
        self.init(
            serial: node.serial, nodeID: node.nodeID, program: Program(node, clients),
            role: node.properties["media.role"]?.capped, isRunning: node.isRunning, isSilent: node.isSilent,
            standing: ProgramStream.Standing(node, clients),
            group: node.properties["node.link-group"])
    }
}
