import AudioDeviceSelection
import AudioRuntime
import OpenAudioSession

/// Something that happened, with its time: one line of output.
struct Event: Hashable, Sendable {
    /// Seconds since the start.
    var time: Double
    var fact: Fact
    /// Another line for people says the same.
    var isRepetition = false

    enum Fact: Hashable, Sendable {
        case started(Start)
        case session(BackendEvent)
        /// - Parameter lost: the outputs whose loss has paused it.
        case player(FilePlayer.Status, file: String, lost: [String] = [])
        case recorder(FileRecorder.Status, file: String)
        /// The new choice of an output, and the outputs that play now.
        case deviceChosen(AudioDevices.Choice, outputs: [PortFacts])
        case channelMapReset(ChannelMapReset, file: String)
        /// What a library printed about the file: "Note: Trying to resync...".
        case note(String, file: String?)
        /// A guard has paused another program, or let it continue, in its own words.
        case guardReport(String)
        case error(BackendError, file: String?)
    }

    /// The first event: the context of all later ones.
    struct Start: Hashable, Sendable {
        var version: String
        var host: String
        /// CLOCK_MONOTONIC at time 0, in seconds.
        var clock: Double
        var files: [String]
        var currentRoute: RouteFacts
    }
}

// MARK: JSON

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
        case .session(let event): add(event.fields)
        case .player(let status, let file, _):
            add([
                "event": .string("player"), "state": .string(status.state.rawValue),
                "cause": .string(status.cause.rawValue), "playWhenReady": .bool(status.playWhenReady),
                // The name of this field in version 0.1; to be removed with version 2.
                "meantToPlay": .bool(status.playWhenReady),
                "position": .number(status.position, digits: 3), "file": .string(file),
            ])
        case .recorder(let status, let file):
            add([
                "event": .string("recorder"),
                "state": .string(status.state == .playing ? "recording" : status.state.rawValue),
                "cause": .string(status.cause == .endOfFile ? "endOfRecording" : status.cause.rawValue),
                "meantToRecord": .bool(status.playWhenReady),
                "duration": .number(status.duration, digits: 3), "lostFrames": .integer(status.lostFrames),
                "file": .string(file),
            ])
        case .deviceChosen(let choice, let outputs):
            add(["event": .string("deviceChosen")])
            switch choice {
            case .automatic: add(["choice": .string("automatic")])
            case .device(let uid): add(["choice": .string("device"), "uid": .string(uid)])
            case .portType(let type): add(["choice": .string("portType"), "portType": .string(type.rawValue)])
            }
            add(["outputs": .array(outputs.map(\.json))])
        case .channelMapReset(let reset, let file):
            add([
                "event": .string("channelMapReset"), "channelMap": .array(reset.map.map { .integer($0) }),
                "outputChannels": .integer(reset.outputChannels), "file": .string(file),
            ])
        case .note(let message, let file):
            add(["event": .string("note"), "message": .string(message)])
            if let file { add(["file": .string(file)]) }
        case .guardReport(let words): add(["event": .string("guard"), "message": .string(words)])
        case .error(let error, let file):
            add(["event": .string("error"), "code": .string(error.code.word), "message": .string(error.message)])
            if let file { add(["file": .string(file)]) }
        }
        return .object(fields)
    }
}

// MARK: Text

extension Event {
    /// One line with Apple's names, without the time; untrusted text in it is made printable.
    func text(arrow: String) -> String {
        switch fact {
        case .started(let start):
            start.host == "simulated"
                ? "simulated host, no audio output; route: \(start.currentRoute.label)"
                : "host \(start.host.printable); route: \(start.currentRoute.label)"
        case .session(let event): event.text(arrow: arrow)
        case .player(let status, let file, _): Self.playerText(status, file: file.printable)
        case .recorder(let status, let file): Self.recorderText(status, file: file.printable)
        case .deviceChosen(let choice, let outputs): Self.choiceText(choice, outputs)
        case .channelMapReset(let reset, let file):
            "\(file.printable): the channel map \(reset.map.map(String.init).joined(separator: ",")) does not fit "
                + "\(reset.outputChannels) output channels; using the default map"
        case .note(let message, let file):
            "\(file.map { $0.printable + " may be damaged" } ?? "damaged"): \(message.printable)"
        case .guardReport(let words): "guard: \(words.printable)"
        case .error(let error, _): error.message.printable
        }
    }

    private static func recorderText(_ status: FileRecorder.Status, file: String) -> String {
        let length = NumberText.clock(status.duration)
        let lost = status.lostFrames > 0 ? "; \(status.lostFrames) frames were lost and are silent" : ""
        return switch status.state {
        case .ready: "ready: \(file)"
        case .playing: "recording \(file) at \(length)"
        case .failed: "failed: \(file) has \(length)\(lost)"
        case .paused where status.playWhenReady:
            "paused \(file) at \(length): interrupted, resumes automatically (interruption)"
        case .paused: "paused \(file) at \(length)" + (status.cause == .user ? "" : " (\(status.cause.rawValue))")
        case .finished:
            switch status.cause {
            case .newDeviceAvailable: "finished \(file), \(length)\(lost): a device was plugged in (newDeviceAvailable)"
            case .oldDeviceUnavailable:
                "finished \(file), \(length)\(lost): a device was disconnected (oldDeviceUnavailable)"
            case .noSuitableRoute: "finished \(file), \(length)\(lost): no input is available (noSuitableRoute)"
            case .deactivation: "finished \(file), \(length)\(lost): the session was deactivated (deactivation)"
            case .user, .interruption, .refusal, .endOfFile, .error: "finished \(file), \(length)\(lost)"
            }
        }
    }

    private static func choiceText(_ choice: AudioDevices.Choice, _ outputs: [PortFacts]) -> String {
        let now = RouteFacts(outputs: outputs).label
        return switch choice {
        case .automatic: "device chosen: automatic; playing on \(now)"
        case .device(let uid) where outputs.map(\.uid) == [uid]: "device chosen: \(now)"
        case .device(let uid): "device chosen: \(uid.printable) (not connected); playing on \(now)"
        case .portType(let type): "device chosen: the first \(type.rawValue); playing on \(now)"
        }
    }

    private static func playerText(_ status: FilePlayer.Status, file: String) -> String {
        let place = "\(file) at \(NumberText.clock(status.position))"
        return switch status.state {
        case .ready: "ready: \(file)"
        case .playing: "playing \(place)"
        case .finished: "finished \(file)"
        case .failed: "failed \(place)"
        case .paused:
            switch status.cause {
            case .oldDeviceUnavailable: "paused \(place): the output in use was disconnected (oldDeviceUnavailable)"
            case .noSuitableRoute where status.playWhenReady:
                "paused \(place): no suitable output is available, waiting for one (noSuitableRoute)"
            case .noSuitableRoute: "paused \(place): no output is available (noSuitableRoute)"
            case .interruption where status.playWhenReady:
                "paused \(place): interrupted, resumes automatically (interruption)"
            case .interruption: "paused \(place): interrupted (interruption)"
            case .deactivation: "paused \(place): the session was deactivated (deactivation)"
            case .refusal: "paused \(place): playback is not allowed now (refusal)"
            case .user, .newDeviceAvailable, .endOfFile, .error: "paused \(place)"
            }
        }
    }
}

extension BackendEvent {
    /// As in `Event.json`.
    fileprivate var fields: KeyValuePairs<String, JSONValue> {
        switch self {
        case .routeChanged(let reason, let previous, let current):
            [
                "event": .string("routeChange"), "reason": .string("\(reason)"), "previousRoute": previous.json,
                "currentRoute": current.json,
            ]
        case .availableInputsChanged(let inputs):
            ["event": .string("availableInputsChange"), "availableInputs": .array(inputs.map(\.json))]
        case .interruptionBegan(let reason):
            ["event": .string("interruption"), "type": .string("began"), "reason": .string("\(reason)")]
        case .interruptionEnded(let shouldResume):
            ["event": .string("interruption"), "type": .string("ended"), "shouldResume": .bool(shouldResume)]
        case .secondaryAudioHint(let begins):
            ["event": .string("secondaryAudioHint"), "type": .string(begins ? "begin" : "end")]
        case .mediaServicesLost(nil): ["event": .string("mediaServices"), "state": .string("lost")]
        case .mediaServicesLost(let reason?):
            ["event": .string("mediaServices"), "state": .string("lost"), "reason": .string(reason)]
        case .mediaServicesReset: ["event": .string("mediaServices"), "state": .string("reset")]
        }
    }

    /// As `Event.text`.
    fileprivate func text(arrow: String) -> String {
        switch self {
        case .routeChanged(let reason, let previous, let current) where previous == current:
            "route unchanged (\(reason)): \(current.label)"
        case .routeChanged(let reason, let previous, let current):
            "route changed (\(reason)): \(previous.label) \(arrow) \(current.label)"
        case .availableInputsChanged(let inputs):
            "available inputs changed: " + (inputs.isEmpty ? "none" : inputs.map(\.label).joined(separator: ", "))
        case .interruptionBegan(.routeDisconnected):
            "interrupted (routeDisconnected): the output in use was disconnected"
        case .interruptionBegan(let reason): "interrupted (\(reason)): another program took over the audio"
        case .interruptionEnded(true): "interruption ended (shouldResume): interrupted players may resume"
        case .interruptionEnded(false): "interruption ended: no player resumes automatically"
        case .secondaryAudioHint(true): "another program started to play: background music should be silent"
        case .secondaryAudioHint(false): "no other program plays: background music may play"
        case .mediaServicesLost(let reason):
            "media services lost: \(reason?.printable ?? "the sound server stopped")"
        case .mediaServicesReset: "media services reset: the sound server is running again"
        }
    }
}
