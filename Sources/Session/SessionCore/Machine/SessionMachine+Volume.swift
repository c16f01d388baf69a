internal import AudioModel

// Volumes of ports, and the app's own mute switches.
extension SessionMachine {
    func setInputGain(_ gain: Float, for call: CallID) throws(SessionError) -> [SessionEffect] {
        guard let input = state.route.inputs.first else {
            throw SessionError(
                .incompatibleCategory,
                "The input gain cannot be set: the route has no input in category "
                    + "\(state.configuration.category). Set record or playAndRecord, and connect a microphone.")
        }
        guard let volume = state.inventory.volumes[input.uid] else {
            throw SessionError(
                .resourceNotAvailable,
                "The input \"\(input.uid.printable)\" has no gain that the server could set. Check "
                    + "isInputGainSettable first.")
        }
        guard !gain.isNaN else { throw SessionError(.badParam, "The input gain is not a number. Allowed: 0 to 1.") }
        return [.setPortVolume(call, uid: input.uid, PortVolume(level: gain, isMuted: volume.isMuted))]
    }

    /// Source: Apple documentation, `setOutputMuted(_:)`: with playAndRecord only in mode default.
    mutating func muteOutput(_ isMuted: Bool) throws(SessionError) -> [SessionEffect] {
        guard !isMuted || state.configuration.allowsOutputMute else {
            throw SessionError(
                .incompatibleCategory,
                "The output cannot be muted in category playAndRecord with mode \(state.configuration.mode). "
                    + "Set mode default first.")
        }
        guard isMuted != state.isOutputMuted else { return [] }
        state.requested.isOutputMuted = isMuted
        return [.postOutputMuteChange(isMuted)]
    }

    mutating func muteInput(_ isMuted: Bool) -> [SessionEffect] {
        guard isMuted != state.isInputMuted else { return [] }
        state.requested.isInputMuted = isMuted
        return [.postInputMuteChange(isMuted)]
    }

    /// A mode that allows no muted output ends the mute.
    mutating func unmuteForConfiguration() -> [SessionEffect] {
        guard state.isOutputMuted, !state.configuration.allowsOutputMute else { return [] }
        state.requested.isOutputMuted = false
        return [.postOutputMuteChange(false)]
    }

    /// The user turns up the output in use while the app has muted it.
    func noteRaisedVolume(since before: SessionState) -> [SessionEffect] {
        guard state.isOutputMuted, before.isOutputMuted, state.route.portUIDs == before.route.portUIDs,
            let uid = state.route.outputs.first?.uid, let old = before.inventory.volumes[uid],
            let new = state.inventory.volumes[uid], new.audibleLevel > old.audibleLevel
        else { return [] }
        return [.postUserIntentToUnmute]
    }
}

extension SessionConfiguration {
    fileprivate var allowsOutputMute: Bool { category != .playAndRecord || mode == .default }
}

extension PortVolume {
    /// What reaches the ear: 0 while the port is muted.
    package var audibleLevel: Float { isMuted ? 0 : level }
}
