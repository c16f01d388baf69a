package import HostInterface
internal import Threading

/// Mistakes of apps, for strict tests. Any thread.
extension SimulatedHost {
    package var isStrict: Bool { state.withLock { $0.punished != 0 } }

    package var stoppedEnginesKeepFormats: Bool {
        state.withLock { state in !state.hardware.inventory.ports.contains { $0.kind == .builtInReceiver } }
    }

    package func note(_ mistake: AppMistake) {
        state.withLock { state in
            guard state.punished & mistake.kind != 0, state.mistakes.count < 1000,
                !state.mistakes.contains(where: { $0.app == app && $0.mistake == mistake })
            else { return }
            state.mistakes.append((state.frame, app, mistake))
        }
    }
}
