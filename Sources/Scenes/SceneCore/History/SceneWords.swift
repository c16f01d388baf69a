/// The history in words, as a person would say it.
extension SceneHistory.What {
    /// Whose line of a picture it is on.
    package var lane: String {
        switch self {
        case .event: "scene"
        case .startRoute, .routeChange: "route"
        case .interruptionBegins, .interruptionEnds, .session, .mediaServicesLost, .mediaServicesReset,
            .secondaryAudioHint, .availableInputsChange, .resumptionRecommended:
            "session"
        case .player(let number, let isRecorder, _, _): (isRecorder ? "recorder " : "player ") + "\(number)"
        case .appFailed, .mistake: "app"
        }
    }

    package var words: String {
        switch self {
        case .event(let actions): actions.map(\.text).joined(separator: " and ")
        case .startRoute(let route): route.text
        case .routeChange(let reason, let old, let new): "changed (\(reason)): \(old.text) -> \(new.text)"
        case .interruptionBegins(let cause): "interrupted\(cause.clause)"
        case .interruptionEnds(true): "the interruption is over; the app may resume"
        case .interruptionEnds(false): "the interruption is over; the app must not resume by itself"
        case .session(let state):
            switch state {
            case .active: "active"
            case .inactive: "inactive"
            case .interrupted: "silent until the app or the other program ends that"
            case .ducked: "ducked: 14 dB quieter while the other program plays"
            }
        case .player(_, let isRecorder, let state, let cause):
            switch state {
            case .playing: (isRecorder ? "records" : "plays") + cause.startClause
            case .paused: cause == .endOfSound ? "finished" : "paused\(cause.clause)\(cause.outlook)"
            case .waiting: "waits\(cause.clause); goes on by itself when it may"
            }
        case .mediaServicesLost: "the sound server is gone; every player is dead"
        case .mediaServicesReset: "a new sound server is there; the app sets up everything again"
        case .secondaryAudioHint(true): "hint: secondary audio should be silent"
        case .secondaryAudioHint(false): "hint: secondary audio may play"
        case .availableInputsChange: "the available inputs changed"
        case .resumptionRecommended: "an activation that was refused may succeed now"
        case .appFailed(let reason): "the app could not: \(reason)"
        case .mistake(let text): text
        }
    }

    /// The notice in Apple's words; nil for what the app is not told.
    package var notice: String? {
        switch self {
        case .routeChange(let reason, _, _): "routeChange \(reason)"
        case .interruptionBegins: "interruption began"
        case .interruptionEnds(let mayResume): "interruption ended\(mayResume ? " shouldResume" : "")"
        case .mediaServicesLost: "mediaServicesWereLost"
        case .mediaServicesReset: "mediaServicesWereReset"
        case .secondaryAudioHint(let begins): "silenceSecondaryAudioHint \(begins ? "begin" : "end")"
        case .availableInputsChange: "availableInputsChange"
        case .resumptionRecommended: "resumptionRecommended"
        case .event, .startRoute, .session, .player, .appFailed, .mistake: nil
        }
    }
}

extension SceneHistory.Cause {
    /// " because the headphones left".
    var clause: String {
        switch self {
        case .none: ""
        case .user: " by its user"
        case .deviceLeft(let name): name.isEmpty ? " because its device left" : " because \(name) left"
        case .deviceCame: " because a device came"
        case .noRoute: " because there is nowhere to play"
        case .otherApp(let name):
            name.isEmpty ? " because another app took the sound" : " because \(name) took the sound"
        case .call: " because of a call"
        case .sleep: " because the machine goes to sleep"
        case .sessionManager: " because the session manager holds its sound"
        case .claimLost: " because another program removed its claim"
        case .serverLost: " because the sound server is gone"
        case .deactivation: " because the app deactivated its session"
        case .interruption: " because the session is interrupted"
        case .notGivenBack: " because the interruption ended without the advice to resume"
        case .refusal: " because the sound was refused: a call is on"
        case .endOfSound: " because it came to its end"
        case .failure(let message): " because it failed: \(message)"
        }
    }

    /// What comes next for a player that is paused.
    var outlook: String {
        switch self {
        case .user, .none, .endOfSound: ""
        case .failure, .serverLost: "; the app has to make a new one"
        default: "; will not resume by itself"
        }
    }

    fileprivate var startClause: String {
        switch self {
        case .interruption: " again, because the interruption is over"
        case .noRoute: " again, because there is an output"
        default: ""
        }
    }
}
