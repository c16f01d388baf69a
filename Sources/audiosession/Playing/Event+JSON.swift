import AudioModel
import OpenAVFAudio

extension Event {
    /// The object that `docs/events.md` documents.
    var json: JSONValue {
        var fields: [JSONValue.Field] = [.init(name: "time", value: .number(time, digits: 6))]
        func add(_ more: KeyValuePairs<String, JSONValue>) {
            fields += more.map { .init(name: $0.key, value: $0.value) }
        }
        switch fact {
        case .started(let start):
            add([
                "event": .string("started"), "version": .string(start.version), "host": .string(start.host),
                "clock": .number(start.clock, digits: 6), "files": .array(start.files.map { .string($0) }),
                "currentRoute": start.currentRoute.json,
            ])
        case .routeChange(let reason, let previous, let current):
            add([
                "event": .string("routeChange"), "reason": .string("\(reason)"), "previousRoute": previous.json,
                "currentRoute": current.json,
            ])
        case .availableInputsChange(let inputs):
            add(["event": .string("availableInputsChange"), "availableInputs": .array(inputs.map(\.json))])
        case .interruptionBegan(let reason):
            add(["event": .string("interruption"), "type": .string("began"), "reason": .string("\(reason)")])
        case .interruptionEnded(let shouldResume):
            add(["event": .string("interruption"), "type": .string("ended"), "shouldResume": .bool(shouldResume)])
        case .secondaryAudioHint(let begins):
            add(["event": .string("secondaryAudioHint"), "type": .string(begins ? "begin" : "end")])
        case .mediaServices(let areLost):
            add(["event": .string("mediaServices"), "state": .string(areLost ? "lost" : "reset")])
        case .player(let status, let file):
            add([
                "event": .string("player"), "state": .string(status.state.rawValue),
                "cause": .string(status.cause.rawValue), "meantToPlay": .bool(status.playWhenReady),
                "position": .number(status.position, digits: 3), "file": .string(file),
            ])
        case .recorder(let status, let file):
            add([
                "event": .string("recorder"), "state": .string(status.state.rawValue),
                "cause": .string(status.cause.rawValue), "meantToRecord": .bool(status.recordWhenReady),
                "duration": .number(status.duration, digits: 3), "lostFrames": .integer(status.lostFrames),
                "file": .string(file),
            ])
        case .deviceChosen(let choice, let outputs):
            add(["event": .string("deviceChosen")])
            switch choice {
            case .automatic: add(["choice": .string("automatic")])
            case .port(let uid): add(["choice": .string("device"), "uid": .string(uid)])
            case .kind(let kind):
                add(["choice": .string("portType"), "portType": .string(AVAudioSession.Port(kind).rawValue)])
            }
            add(["outputs": .array(outputs.map(\.json))])
        case .channelMapReset(let reset, let file):
            add([
                "event": .string("channelMapReset"), "channelMap": .array(reset.map.map { .integer($0) }),
                "outputChannels": .integer(reset.outputChannels), "file": .string(file),
            ])
        case .error(let code, let message, let file):
            add(["event": .string("error"), "code": .string(code), "message": .string(message)])
            if let file { add(["file": .string(file)]) }
        }
        return .object(fields)
    }
}
