package import HostSimulated
internal import Threading

/// Virtual time, besides its cycles. Any thread.
extension SimulatedHost {
    /// Frames of one cycle at the machine's rate; a change counts from the next cycle on.
    package var quantum: Int {
        get { state.withLock { $0.quantum } }
        set {
            state.withLock { state in
                guard (1...Self.maximumQuantum).contains(newValue) else {
                    state.object(
                        "script: the quantum was set to \(newValue) frames; allowed are 1 to \(Self.maximumQuantum)")
                    return
                }
                state.quantum = newValue
            }
        }
    }

    /// Moves time on, to the nearest frame; see `advance(frames:)`.
    package func advance(seconds: Double, afterEvents: () -> Void = {}, isBusy: () -> Bool = { false }) {
        let frames = (seconds * sampleRate).rounded()
        // The bound keeps the conversion from trapping; it is 6 000 years at 48 kHz.
        guard frames.isFinite, abs(frames) < 0x1p53 else {
            state.withLock { $0.object("script: advance by \(seconds) s; allowed are finite times from 0 on") }
            return
        }
        advance(frames: Int(frames), afterEvents: afterEvents, isBusy: isBusy)
    }
}
