import AudioModel
import AudioRuntime
import OpenAVFAudio
import SessionCore

extension Event {
    /// One line for people, without the time; untrusted text in it is made printable.
    func text(arrow: String) -> String {
        switch fact {
        case .started(let start):
            start.host == "simulated"
                ? "simulated host, no sound comes out; route: \(start.currentRoute.label)"
                : "host \(start.host.printable); route: \(start.currentRoute.label)"
        case .routeChange(let reason, let previous, let current) where previous == current:
            "route unchanged (\(reason)): \(current.label)"
        case .routeChange(let reason, let previous, let current):
            "route changed (\(reason)): \(previous.label) \(arrow) \(current.label)"
        case .availableInputsChange(let inputs):
            "available inputs changed: " + (inputs.isEmpty ? "none" : inputs.map(\.label).joined(separator: ", "))
        case .interruptionBegan(.default): "interrupted (default): another program has the sound"
        case .interruptionBegan(.routeDisconnected): "interrupted (routeDisconnected): the output in use went away"
        case .interruptionEnded(true): "the interruption is over: what it stopped may go on (shouldResume)"
        case .interruptionEnded(false): "the interruption is over: nothing goes on by itself"
        case .secondaryAudioHint(true): "another program plays: music in the background should be silent"
        case .secondaryAudioHint(false): "no other program plays: music in the background may sound"
        case .mediaServices(true): "media services lost: the sound server went away"
        case .mediaServices(false): "media services reset: the sound server is there again"
        case .player(let status, let file): Self.playerText(status, file: file.printable)
        case .recorder(let status, let file): Self.recorderText(status, file: file.printable)
        case .deviceChosen(let choice, let outputs): Self.choiceText(choice, outputs)
        case .channelMapReset(let reset, let file):
            "\(file.printable): the channel map \(reset.map.map(String.init).joined(separator: ",")) does not fit "
                + "\(reset.outputChannels) channels; the default is back"
        case .error(_, let message, _): message.printable
        }
    }

    private static func recorderText(_ status: FileRecorder.Status, file: String) -> String {
        let length = TimeText.clock(status.duration)
        let lost = status.lostFrames > 0 ? "; \(status.lostFrames) frames were lost and are silent" : ""
        return switch status.state {
        case .ready: "ready: \(file)"
        case .recording: "recording \(file) at \(length)"
        case .failed: "failed: \(file) has \(length)\(lost)"
        case .paused where status.recordWhenReady: "paused \(file) at \(length): interrupted for now (interruption)"
        case .paused: "paused \(file) at \(length)" + (status.cause == .user ? "" : " (\(status.cause.rawValue))")
        case .finished:
            switch status.cause {
            case .newDeviceAvailable: "finished \(file), \(length)\(lost): a device was plugged in (newDeviceAvailable)"
            case .oldDeviceUnavailable: "finished \(file), \(length)\(lost): a device went away (oldDeviceUnavailable)"
            case .noSuitableRoute: "finished \(file), \(length)\(lost): no input is left (noSuitableRoute)"
            case .deactivation: "finished \(file), \(length)\(lost): the session is not active any more (deactivation)"
            case .user, .interruption, .refusal, .endOfRecording, .error: "finished \(file), \(length)\(lost)"
            }
        }
    }

    private static func choiceText(_ choice: OutputChoice, _ outputs: [PortFacts]) -> String {
        let now = RouteFacts(outputs: outputs).label
        return switch choice {
        case .automatic: "device chosen: automatic; plays on \(now)"
        case .port(let uid) where outputs.map(\.uid) == [uid]: "device chosen: \(now)"
        case .port(let uid): "device chosen: \(uid.printable), which is away; plays on \(now)"
        case .kind(let kind): "device chosen: the first \(AVAudioSession.Port(kind).rawValue); plays on \(now)"
        }
    }

    private static func playerText(_ status: FilePlayer.Status, file: String) -> String {
        let place = "\(file) at \(TimeText.clock(status.position))"
        return switch status.state {
        case .ready: "ready: \(file)"
        case .playing: "playing \(place)"
        case .finished: "finished \(file)"
        case .failed: "failed \(place)"
        case .paused:
            switch status.cause {
            case .oldDeviceUnavailable: "paused \(place): the output in use went away (oldDeviceUnavailable)"
            case .noSuitableRoute where status.playWhenReady:
                "paused \(place): no output is left to play on, waiting for one (noSuitableRoute)"
            case .noSuitableRoute: "paused \(place): no output is left to play on (noSuitableRoute)"
            case .interruption where status.playWhenReady:
                "paused \(place): interrupted for now (interruption)"
            case .interruption: "paused \(place): interrupted (interruption)"
            case .deactivation: "paused \(place): the session is not active any more (deactivation)"
            case .refusal: "paused \(place): it may not play now (refusal)"
            case .user, .endOfFile, .error: "paused \(place)"
            }
        }
    }
}
