package import HostSimulated
internal import Threading

/// Players' items from slow servers and from servers that stall, in virtual time. Any thread.
extension SimulatedHost {
    /// An item whose opening begins from now on takes this long; 0, as at first, is at once.
    package func setOpening(seconds: Double) {
        state.withLock { state in
            let frames = (seconds * Double(state.rate)).rounded()
            guard frames >= 0, frames < 0x1p53 else {
                state.object("script: an item takes \(seconds) s to open; allowed are finite times from 0 on")
                return
            }
            state.openingFrames = Int(frames)
        }
    }

    /// Nothing more of any item's sound comes for this time; what was read ahead is played.
    package func stallItems(seconds: Double) {
        state.withLock { state in
            let frames = (seconds * Double(state.rate)).rounded()
            guard frames >= 0, frames < 0x1p53 else {
                state.object("script: items stall for \(seconds) s; allowed are finite times from 0 on")
                return
            }
            state.itemsStalledUntil = max(state.itemsStalledUntil, state.frame + Int(frames))
        }
    }
}
