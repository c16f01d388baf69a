import AudioModel
import OpenAVFAudio

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
        case .player(let state, let cause, let position, let file):
            Self.playerText(state, cause, position: position, file: file.printable)
        case .error(_, let message, _): message.printable
        }
    }

    private static func playerText(
        _ state: FilePlayer.State, _ cause: FilePlayer.Cause, position: Double, file: String
    ) -> String {
        let place = "\(file) at \(TimeText.clock(position))"
        return switch state {
        case .ready: "ready: \(file)"
        case .playing: "playing \(place)"
        case .finished: "finished \(file)"
        case .failed: "failed \(place)"
        case .paused:
            switch cause {
            case .oldDeviceUnavailable: "paused \(place): the output in use went away (oldDeviceUnavailable)"
            case .noSuitableRoute: "paused \(place): no output is left to play on (noSuitableRoute)"
            case .user, .interruption, .deactivation, .refusal, .endOfFile, .error: "paused \(place)"
            }
        }
    }
}
