import EngineCore
import HostInterface
internal import SessionRuntime
import Synchronization

// What iOS punishes, for strict tests (decision 102). App threads.
extension EngineController {
    /// The host of a strict test; nil elsewhere, before the engine has a session, and by hand.
    private var strictHost: (any AudioHost)? {
        manual == nil && isIncluded.load(ordering: .acquiring) && runtime.host.isStrict ? runtime.host : nil
    }

    /// The app is told of the input device: once, or again.
    func announceInput(again: Bool = false) {
        guard strictHost != nil, let device = currentInput?.device else { return }
        state.withLock { if again || $0.input?.announced == nil { $0.input?.announced = device } }
    }

    /// The app has stopped the engine: a phone's tells it of the input device again at the next access.
    func forgetInput() {
        if strictHost?.stoppedEnginesKeepFormats == false { state.withLock { $0.input?.announced = nil } }
    }

    /// A player node is started.
    package func checkPlay() {
        guard let host = strictHost, !isRunning else { return }
        host.note(.playedInStoppedEngine(isInterrupted: runtime.state.interruption != nil))
    }

    /// The app has called this, and the input node has a tap; an old one is judged once for each format of the input.
    func checkInputTap(at call: String, isNew: Bool) {
        guard let host = strictHost, let input = currentInput, let format = input.format else { return }
        let tap = state.withLock { state -> TapController? in
            guard isNew || state.input?.judged != format else { return nil }
            state.input?.judged = format
            return state.nodes[input.node]?.tap
        }
        guard let wanted = tap?.wantedFormat, !wanted.hasShape(of: format) else { return }
        host.note(.staleTap(call: call, tap: wanted.description, input: format.description))
    }
}
