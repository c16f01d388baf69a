import AudioModel
import HostInterface

/// Sleep, as logind announces it. Any thread, except `allowSleep`, which is the session's.
extension SimulatedHost {
    /// How long the machine waits for the apps, in seconds of virtual time; logind's default.
    static let sleepPatienceSeconds = 5
    /// How long a fade that is under way may sound after `allowSleep`, in seconds of virtual time.
    static let fadeSeconds = 0.1

    package var isAsleep: Bool { state.withLock { $0.sleep.isAsleep } }

    /// Announces sleep to every app; the machine sleeps once all have allowed it, or after 5 s of virtual time.
    ///
    /// While it sleeps, time passes and the hardware may change, but nothing renders and no timer fires.
    package func sleep() {
        let number = change { state in state.announceSleep() }
        guard let number else { return }
        schedule(
            Scenario().at(Double(Self.sleepPatienceSeconds)) { host in
                host.change { $0.endPatience(withSleep: number) }
            })
    }

    /// As `sleep()`, and the machine wakes up so many seconds of virtual time from now.
    package func sleep(seconds: Double) {
        sleep()
        schedule(Scenario().at(seconds) { $0.wakeUp() })
    }

    /// The machine wakes up, or the sleep that was announced is called off; every app hears `wokeFromSleep`.
    package func wakeUp() {
        change { state in
            if case .awake = state.sleep {
                state.object("script: wakeUp while the machine is awake")
                return
            }
            state.sleep = .awake
            state.note(.wokeUp)
            for index in state.apps.indices { state.apps[index].allowedSleepAtFrame = nil }
            state.tellAll(.wokeFromSleep)
            state.fireTimers()
        }
    }

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
    /// Returns the announcement's number; nil if the machine is not awake.
    fileprivate mutating func announceSleep() -> Int? {
        guard case .awake = sleep else {
            object("script: sleep while the machine sleeps, or is about to")
            return nil
        }
        sleepCount += 1
        note(.sleepAnnounced)
        sleep = .announced(number: sleepCount, awaiting: Set(connectedApps))
        for app in connectedApps {
            self[app].sleepsToAllow += 1
            emit(.sleepAnnounced, to: app)
        }
        fallAsleepIfAllowed()
        return sleepCount
    }

    mutating func stopAwaitingSleep(of app: AppID) {
        guard case .announced(let number, var awaiting) = sleep else { return }
        awaiting.remove(app)
        sleep = .announced(number: number, awaiting: awaiting)
        fallAsleepIfAllowed()
    }

    private mutating func fallAsleepIfAllowed() {
        guard case .announced(_, let awaiting) = sleep, awaiting.isEmpty else { return }
        fallAsleep()
    }

    private mutating func fallAsleep() {
        sleep = .asleep
        // Samples from before the sleep must not be heard after it.
        for key in streamOrder { streams[key]?.generation += 1 }
        note(.fellAsleep)
    }

    fileprivate mutating func endPatience(withSleep number: Int) {
        guard case .announced(number, let awaiting) = sleep else { return }
        for app in awaiting.sorted(by: { $0.index < $1.index }) {
            object("sleep was not allowed within \(SimulatedHost.sleepPatienceSeconds) s of its announcement", to: app)
        }
        fallAsleep()
    }

    /// Records a violation if an app renders sound after it has allowed sleep.
    mutating func checkSilence(of part: RenderedCycle, from frame: Int) {
        guard let allowed = self[part.key.app].allowedSleepAtFrame,
            frame > allowed + Int(SimulatedHost.fadeSeconds * Double(rate)), part.isAudible
        else { return }
        object("stream \(part.key.number) sounds although its session has allowed sleep", to: part.key.app)
    }
}
