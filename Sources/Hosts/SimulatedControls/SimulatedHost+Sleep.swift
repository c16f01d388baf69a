package import HostSimulated
internal import Threading

/// Sleep, as logind announces it. Any thread.
extension SimulatedHost {
    /// How long the machine waits for the apps, in seconds of virtual time; logind's default.
    fileprivate static let sleepPatienceSeconds = 5

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
                state.object("script: the machine wakes while it is awake")
                return
            }
            state.sleep = .awake
            state.note(.wokeUp)
            for index in state.apps.indices { state.apps[index].allowedSleepAtFrame = nil }
            state.tellAll(.wokeFromSleep)
            state.fireTimers()
        }
    }
}

extension MachineState {
    /// Returns the announcement's number; nil if the machine is not awake.
    fileprivate mutating func announceSleep() -> Int? {
        guard case .awake = sleep else {
            object("script: the machine sleeps while it sleeps, or is about to")
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

    fileprivate mutating func endPatience(withSleep number: Int) {
        guard case .announced(number, let awaiting) = sleep else { return }
        for app in awaiting.sorted(by: { $0.index < $1.index }) {
            object("sleep was not allowed within \(SimulatedHost.sleepPatienceSeconds) s of its announcement", to: app)
        }
        fallAsleep()
    }
}
