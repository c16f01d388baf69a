import AudioModel

@testable import SessionCore

extension SessionInvariants {
    /// The input that the app preferred last has the route while the configuration may use it.
    mutating func checkPreferredInput(_ event: SessionEvent, _ effects: [SessionEffect], after: SessionState) {
        if case .inputPreferred(let call, let uid) = event.fact, effects.contains(.reply(call, nil)) {
            session.preferredInputUID = uid
        }
        if effects.contains(.postMediaServicesReset) { session.preferredInputUID = nil }
        if after.preferredInput?.uid != session.preferredInputUID { fail("the preferred input is another one") }
        guard after.isConnected, !after.isFreshlyReset, after.override == .none else { return }
        if let preferred = after.availableInputs.first(where: { $0.uid == session.preferredInputUID }),
            after.route.inputs.map(\.uid) != [preferred.uid]
        {
            fail("the input \(preferred.uid) was preferred, and the route is \(after.route.portUIDs)")
        }
    }

    /// The newest choice, the app's or the user's, has the route while its output is there and usable.
    mutating func checkChoice(_ event: SessionEvent, _ effects: [SessionEffect], after: SessionState) {
        switch event.fact {
        case .outputChosenByApp(let call, let choice):
            guard effects.contains(.reply(call, nil)) else { break }
            session.appChoice = choice
            session.userChoiceUID = nil
        case .host(.outputChosenByUser(let uid)):
            session.userChoiceUID = after.inventory.outputs.first { $0.uid == uid }?.uid
            if session.userChoiceUID != nil { session.appChoice = .automatic }
        case .host(.connectionLost):
            session.userChoiceUID = nil
        default:
            break
        }
        guard after.isConnected, !after.isFreshlyReset else { return }
        // The user's is the host's to tell again; the app's is kept.
        if !after.inventory.outputs.contains(where: { $0.uid == session.userChoiceUID }) { session.userChoiceUID = nil }
        guard after.configuration.category != .multiRoute, after.override == .none else { return }
        let choice = session.userChoiceUID.map(OutputChoice.port(uid:)) ?? session.appChoice
        let usable = RoutePolicy.usableOutputs(for: after.configuration.category, in: after.inventory)
        if let chosen = choice.port(among: usable), after.route.outputs.map(\.uid) != [chosen.uid] {
            fail("\(choice) was chosen, and the route is \(after.route.portUIDs)")
        }
    }
}
