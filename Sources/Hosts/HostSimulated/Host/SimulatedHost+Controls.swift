internal import HostInterface

/// What a program's user does to the machine. Any thread.
extension SimulatedHost: ControllableHost {
    package func setHeadphones(arePlugged: Bool) {
        guard isPlugged(.wiredHeadphones) != arePlugged else { return }
        if arePlugged { plug(.wiredHeadphones) } else { unplug(.wiredHeadphones) }
    }

    package func setCall(isOn: Bool) {
        guard isServerRunning, state.withLock({ $0.callID != nil }) != isOn else { return }
        if isOn { receiveCall() } else { endCall() }
    }

    package func advance(bySeconds seconds: Double) { advance(seconds: seconds) }

    package func samplesPlayed(onPort uid: String) -> [[Float]]? {
        portCapture(of: uid).map { capture in
            let silence = [Float](repeating: 0, count: capture.startFrame)
            return capture.channels.map { silence + $0 }
        }
    }
}
