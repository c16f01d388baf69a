import OpenAVFAudio
import SessionCore

/// A notification of the session.
enum StudioEvent: Hashable, Sendable {
    case routeChanged(reason: RouteChangeReason, previous: RouteFacts, current: RouteFacts)
    case availableInputsChanged([PortFacts])
    case interruptionBegan(reason: InterruptionReason)
    case interruptionEnded(shouldResume: Bool)
    case secondaryAudioHint(begins: Bool)
    case mediaServicesLost
    case mediaServicesReset

    var fact: Event.Fact {
        switch self {
        case .routeChanged(let reason, let previous, let current):
            .routeChange(reason: reason, previous: previous, current: current)
        case .availableInputsChanged(let inputs): .availableInputsChange(inputs)
        case .interruptionBegan(let reason): .interruptionBegan(reason: reason)
        case .interruptionEnded(let shouldResume): .interruptionEnded(shouldResume: shouldResume)
        case .secondaryAudioHint(let begins): .secondaryAudioHint(begins: begins)
        case .mediaServicesLost: .mediaServices(areLost: true)
        case .mediaServicesReset: .mediaServices(areLost: false)
        }
    }
}
