/// Sleep, as logind announces it. Any thread, except `allowSleep`, which is the session's.
extension SimulatedHost {
    /// How long a fade that is under way may sound after `allowSleep`, in seconds of virtual time.
    static let fadeSeconds = 0.1

    package func allowSleep() {
        change { state in
            state.checkCaller(of: "allowSleep", by: app)
            // Its answer may come late. After a shutdown that is not a violation.
            guard state[app].deliver != nil else { return }
            guard state[app].sleepsToAllow > 0 else {
                state.object("allowSleep was called though no sleep is announced; it answers sleepAnnounced", to: app)
                return
            }
            state[app].sleepsToAllow -= 1
            state.note(.sleepAllowed, of: app)
            // Else this answers an announcement that was called off.
            guard state[app].sleepsToAllow == 0, case .announced = state.sleep else { return }
            state[app].allowedSleepAtFrame = state.frame
            state.stopAwaitingSleep(of: app)
        }
    }
}

extension MachineState {
    mutating func stopAwaitingSleep(of app: AppID) {
        guard case .announced(let number, var awaiting) = sleep else { return }
        awaiting.remove(app)
        sleep = .announced(number: number, awaiting: awaiting)
        fallAsleepIfAllowed()
    }

    package mutating func fallAsleepIfAllowed() {
        guard case .announced(_, let awaiting) = sleep, awaiting.isEmpty else { return }
        fallAsleep()
    }

    package mutating func fallAsleep() {
        sleep = .asleep
        // Samples from before the sleep must not be heard after it.
        for key in streamOrder { streams[key]?.generation += 1 }
        note(.fellAsleep)
    }

    /// Records a violation if an app renders sound after it has allowed sleep.
    mutating func checkSilence(of part: RenderedCycle, from frame: Int) {
        guard let allowed = self[part.key.app].allowedSleepAtFrame,
            frame > allowed + Int(SimulatedHost.fadeSeconds * Double(rate)), part.isAudible
        else { return }
        object("stream \(part.key.number) sounds although its session has allowed sleep", to: part.key.app)
    }
}
