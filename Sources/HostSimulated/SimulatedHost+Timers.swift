package import AudioModel
import HostInterface

/// The sessions' timers, in virtual time.
extension SimulatedHost {
    package func wake(at time: HostTime) {
        change { state in
            state.checkCaller(of: "wake", by: app)
            if state[app].isKilled { return }
            guard state[app].deliver != nil else {
                state.object("wake was called while the session is not connected; call start first", to: app)
                return
            }
            // The session may not have received `connectionLost` yet.
            guard state.serverIsUp else { return }
            state[app].addTimer(time)
            state.fireTimers()
        }
    }
}

extension MachineState {
    var now: HostTime {
        let (seconds, rest) = frame.quotientAndRemainder(dividingBy: rate)
        return HostTime(nanoseconds: UInt64(seconds) * 1_000_000_000 + UInt64(rest) * 1_000_000_000 / UInt64(rate))
    }

    /// The first frame at which `now` is not before this time.
    private func frame(of time: HostTime) -> Int {
        let (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        // At most 2^54 for the last time that can be represented at the highest rate.
        return Int(seconds) * rate + Int((rest * UInt64(rate) + 999_999_999) / 1_000_000_000)
    }

    /// Where a cycle must end for a timer; nil while none is waited for.
    var nextTimerFrame: Int? {
        if sleep.isAsleep { return nil }
        return apps.compactMap(\.timers.first).min().map(frame(of:))
    }

    /// Delivers `timeReached` for the times that have come; none comes while the machine sleeps.
    mutating func fireTimers() {
        if sleep.isAsleep { return }
        for app in connectedApps {
            while let time = self[app].takeTimer(dueAt: now) { emit(.timeReached(time), to: app) }
        }
    }
}
