import AudioRuntime
import OpenAudioSession

extension Event {
    /// One line for a person who plays or records, without the time; nil where there is nothing to say.
    ///
    /// `text` has the notifications by Apple's names, for `watch` and `demo`. Untrusted text is made printable.
    func plainText(arrow: String) -> String? {
        guard !isRepetition else { return nil }
        return switch fact {
        case .session(let event): event.plainText
        case .player(let status, let file, let lost): Self.plainText(status, file: Self.short(file), lost: lost)
        case .recorder(let status, let file): Self.plainText(status, file: Self.short(file))
        case .started(let start):
            start.host == "simulated"
                ? "simulated host, no audio output; route: \(start.currentRoute.plainLabel)"
                : "host \(start.host.printable); route: \(start.currentRoute.plainLabel)"
        case .deviceChosen, .channelMapReset, .note, .guardReport, .error: text(arrow: arrow)
        }
    }

    /// The last component of a long path, so that a line is two at most.
    private static func short(_ file: String) -> String {
        DisplayWidth.columns(of: file) > 160
            ? DisplayWidth.cell(String(file.split(separator: "/").last ?? "")) : file.printable
    }

    /// An error, with what to do, follows a failure.
    private static func plainText(_ status: FilePlayer.Status, file: String, lost: [String]) -> String? {
        let place = "\(file) at \(NumberText.clock(status.position))"
        return switch status.state {
        case .ready: "ready: \(file)"
        case .playing: "playing \(place)"
        case .finished: "finished \(file)"
        case .failed: nil
        case .paused:
            switch status.cause {
            case .oldDeviceUnavailable where !lost.isEmpty:
                "paused \(place): \(lost.joined(separator: " + ").printable) left"
            case .oldDeviceUnavailable: "paused \(place): the output was disconnected"
            case .noSuitableRoute where status.playWhenReady: "paused \(place): waiting for a suitable output"
            case .noSuitableRoute: "paused \(place): no output is connected"
            case .interruption where status.playWhenReady:
                "paused \(place): another program or a call has the sound; continues afterwards"
            case .interruption: "paused \(place): another program or a call has the sound"
            case .refusal: "paused \(place): a call is on"
            case .user, .deactivation, .newDeviceAvailable, .endOfFile, .error: "paused \(place)"
            }
        }
    }

    private static func plainText(_ status: FileRecorder.Status, file: String) -> String? {
        let length = NumberText.clock(status.duration)
        let lost = status.lostFrames > 0 ? "; \(status.lostFrames) frames were lost and are silent" : ""
        return switch status.state {
        case .ready: "ready: \(file)"
        case .playing: "recording \(file) at \(length)"
        case .failed: nil
        case .paused where status.cause == .interruption && status.playWhenReady:
            "paused \(file) at \(length): another program or a call has the sound; continues afterwards"
        case .paused where status.cause == .interruption:
            "paused \(file) at \(length): another program or a call has the sound"
        case .paused: "paused \(file) at \(length)"
        case .finished:
            switch status.cause {
            case .newDeviceAvailable: "finished \(file), \(length)\(lost): a device was connected"
            case .oldDeviceUnavailable: "finished \(file), \(length)\(lost): a device was disconnected"
            case .noSuitableRoute: "finished \(file), \(length)\(lost): no input is connected"
            case .deactivation, .user, .interruption, .refusal, .endOfFile, .error: "finished \(file), \(length)\(lost)"
            }
        }
    }
}

extension BackendEvent {
    /// As `Event.plainText`.
    fileprivate var plainText: String? {
        switch self {
        case .routeChanged(_, let previous, let current) where previous == current: nil
        case .routeChanged(.oldDeviceUnavailable, let previous, let current):
            Self.text(of: previous.ports(notIn: current), "disconnected", current)
        case .routeChanged(.newDeviceAvailable, let previous, let current):
            Self.text(of: current.ports(notIn: previous), "connected", current)
        case .routeChanged(_, _, let current): "now on \(current.plainLabel)"
        case .interruptionBegan(.routeDisconnected), .interruptionEnded(shouldResume: true), .secondaryAudioHint,
            .availableInputsChanged:
            nil
        case .interruptionBegan: "another program or a call has the sound"
        case .interruptionEnded(shouldResume: false): "the other program has ended and did not give the sound back"
        case .mediaServicesLost(let reason): reason?.printable ?? "the sound server stopped"
        case .mediaServicesReset: "the sound server is running again"
        }
    }

    private static func text(of ports: [PortFacts], _ what: String, _ current: RouteFacts) -> String {
        let names = ports.map(\.label).joined(separator: " + ")
        return names.isEmpty ? "now on \(current.plainLabel)" : "\(names) \(what); now on \(current.plainLabel)"
    }
}

extension RouteFacts {
    fileprivate func ports(notIn other: RouteFacts) -> [PortFacts] {
        let others = Set((other.outputs + other.inputs).map(\.uid))
        return (outputs + inputs).filter { !others.contains($0.uid) }
    }

    /// Without "no output" where a recording has no input either, and where only an input is in use.
    fileprivate var plainLabel: String {
        if outputs.isEmpty, inputs.isEmpty { return "no device" }
        return outputs.isEmpty ? inputs.map(\.label).joined(separator: " + ") : label
    }
}
