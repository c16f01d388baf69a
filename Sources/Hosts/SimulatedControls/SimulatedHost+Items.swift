package import HostSimulated
internal import Threading

/// Players' items from slow servers and from servers that stall, in virtual time. Any thread.
extension SimulatedHost {
    /// An item whose opening begins from now on takes this long; 0, as at first, is at once.
    package func setOpening(seconds: Double) {
        state.withLock { state in
            guard let frames = state.frames(seconds, "an item takes \(seconds) s to open") else { return }
            state.openingFrames = frames
        }
    }

    /// Nothing more of any item's sound comes for this time; what was read ahead is played.
    package func stallItems(seconds: Double) {
        state.withLock { state in
            guard let frames = state.frames(seconds, "items stall for \(seconds) s") else { return }
            state.itemsStalledUntil = max(state.itemsStalledUntil, state.frame + frames)
        }
    }
}

extension MachineState {
    /// A time of a script in frames; nil, with an objection to `what`, where it is none.
    mutating func frames(_ seconds: Double, _ what: String) -> Int? {
        let frames = (seconds * Double(rate)).rounded()
        guard frames >= 0, frames < 0x1p53 else {
            object("script: \(what); allowed are finite times from 0 on")
            return nil
        }
        return Int(frames)
    }
}
