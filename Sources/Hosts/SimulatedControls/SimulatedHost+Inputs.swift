package import HostSimulated
internal import Threading

/// What the microphones pick up. Any thread.
extension SimulatedHost {
    /// What the input with this uid picks up from now on; nil is silence.
    ///
    /// It belongs to the port and stays while that is unplugged.
    package func setInput(of uid: String, _ signal: InputSignal?) {
        state.withLock { state in
            if let port = state.hardware.port(uid: uid), port.direction == .output {
                state.object("script: \(uid) was given something to pick up, but it is an output")
                return
            }
            state.inputSignals[uid] = signal
        }
    }

    /// The input with this uid picks up these samples, [channel][frame], from this frame of virtual time on, and silence
    /// before and after them.
    package func setInput(of uid: String, samples: [[Float]]) {
        let start = frame
        setInput(of: uid) { frame, channel in
            guard samples.indices.contains(channel), samples[channel].indices.contains(frame - start) else { return 0 }
            return samples[channel][frame - start]
        }
    }

    /// From now on another clock drives the inputs than the outputs, or the same again.
    package func setInputsHaveOwnClock(_ haveOwnClock: Bool) { state.withLock { $0.inputsHaveOwnClock = haveOwnClock } }

    /// From now on each cycle calls the outputs first, or the inputs again.
    package func setInputsComeLate(_ comeLate: Bool) { state.withLock { $0.inputsComeLate = comeLate } }

    /// Keeps what the microphones pick up from this app, or no longer: its streams go on, with silence.
    package func setHearsNothing(_ hearsNothing: Bool) {
        state.withLock { $0[app].hearsNothing = hearsNothing }
    }
}
