internal import AudioModel

extension SessionMachine {
    mutating func take(_ wishes: SessionWishes, for call: CallID) -> [SessionEffect] {
        guard state.isConnected else { return [.reply(call, .connectionLost)] }
        guard isAmount(wishes.ioBufferDuration) else {
            return [
                .reply(
                    call,
                    SessionError(
                        .badParam,
                        "A buffer of \(wishes.ioBufferDuration) seconds cannot be preferred. Allowed: 0 (no preference) "
                            + "and every finite duration above. Choose one, 0.005 for instance."))
            ]
        }
        guard isAmount(wishes.sampleRate) else {
            return [
                .reply(
                    call,
                    SessionError(
                        .badParam,
                        "A sample rate of \(wishes.sampleRate) Hz cannot be preferred. Allowed: 0 (no preference) and "
                            + "every finite rate above. Choose one, 48000 for instance."))
            ]
        }
        let before = state.wishes
        state.wishes = wishes
        let isNewCycle = wishes.ioBufferDuration != before.ioBufferDuration
        return (isNewCycle ? [.preferCycle(seconds: wishes.ioBufferDuration)] : []) + [.reply(call, nil)]
    }

    private func isAmount(_ value: Double) -> Bool { value.isFinite && value >= 0 }
}
