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
        checkHeadset(after: after)
        if let preferred = after.availableInputs.first(where: { $0.uid == session.preferredInputUID }),
            after.configuration.category != .playAndRecord || after.chosenOutput.map(\.isHFP) != !preferred.isHFP,
            after.route.inputs.map(\.uid) != [preferred.uid]
        {
            fail("the input \(preferred.uid) was preferred, and the route is \(after.route.portUIDs)")
        }
    }

    /// Behaviour 88: one direction of HFP without the other only where there is nothing else, and never beside A2DP of the
    /// same headset.
    private mutating func checkHeadset(after: SessionState) {
        for headset in after.inventory.headsets
        where after.route.outputs.contains(where: { $0.uid == headset.a2dpOutputUID })
            && after.route.inputs.contains(where: { $0.uid == headset.hfpInputUID })
        {
            fail("the route is \(after.route.portUIDs): two profiles of a headset")
        }
        guard after.configuration.category == .playAndRecord, let input = after.route.inputs.first,
            let output = after.route.outputs.first, input.isHFP != output.isHFP
        else { return }
        let canMoveInput = after.availableInputs.contains { $0.isHFP == output.isHFP }
        let isChosen = after.chosenOutput != nil
        if canMoveInput, isChosen || input.uid != session.preferredInputUID {
            fail("the route is \(after.route.portUIDs): half of a headset")
        }
    }

    /// The newest choice, the app's or the user's, has the route while its output is there and usable.
    mutating func checkChoice(
        _ event: SessionEvent, _ effects: [SessionEffect], before: SessionState, after: SessionState
    ) {
        switch event.fact {
        case .outputChosenByApp(let call, let choice):
            guard effects.contains(.reply(call, nil)) else { break }
            session.appChoice = choice
            session.userChoiceUID = nil
        case .host(.outputChosenByUser(let uid)):
            session.userChoiceUID = after.inventory.outputs.first { $0.uid == uid }?.uid
            if session.userChoiceUID != nil { session.appChoice = .automatic }
        case .inputPreferred(let call, uid: .some):
            // The newer one of two that do not go together.
            guard effects.contains(.reply(call, nil)), after.configuration.category == .playAndRecord,
                before.chosenOutput.map(\.isHFP) == after.preferredInput.map({ !$0.isHFP })
            else { break }
            session.appChoice = .automatic
            session.userChoiceUID = nil
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
