internal import HostInterface
package import HostSimulated
internal import Threading

/// Strict tests. Any thread.
extension SimulatedHost {
    /// The kinds of mistakes of the machine's apps that are kept from now on; none at first.
    package var punished: Int {
        get { state.withLock { $0.punished } }
        set { state.withLock { $0.punished = newValue } }
    }

    /// What the apps did that iOS punishes, in order and each once, with the frame of virtual time.
    package var mistakes: [(frame: Int, text: String)] {
        state.withLock { state in
            state.mistakes.map { frame, app, mistake in
                let name = state[app].name
                return (frame, (name.isEmpty ? "" : "\(name): ") + mistake.text)
            }
        }
    }
}

extension AppMistake {
    /// What the app did, what iOS does, and what to do instead.
    fileprivate var text: String {
        switch self {
        case .staleTap(let call, let tap, let input):
            "\(call) with a tap of \(tap) on the input node, but the microphone has \(input): iOS ends the app with an exception. "
                + "Make a new AVAudioEngine or call reset(), then read inputFormat(forBus: 0) again, or pass nil as the format."
        case .releasedEngine:
            "The AVAudioEngine was released while AVAudioEngineConfigurationChange was posted for it: on iOS this can deadlock "
                + "or crash. Keep the old engine until the handler has returned, for example in DispatchQueue.main.async."
        case .playedInStoppedEngine(let isInterrupted):
            "AVAudioPlayerNode.play() in an engine that does not run\(isInterrupted ? ", as the session is interrupted" : ""): iOS "
                + "ends the app with \"required condition is false: _engine->IsRunning()\". Start the engine first"
                + (isInterrupted ? ", when the interruption has ended." : ".")
        case .playedDuringCall:
            "AVAudioPlayer.play() while a call has the sound: iOS refuses it (560557684, cannotInterruptOthers), and play() "
                + "returns false. Wait for the end of the interruption."
        case .activatedOnMainThread(let active):
            "setActive(\(active)) on the main thread: it may take seconds, and iOS 27 warns that the app can become unresponsive. "
                + "Call \(active ? "activate()" : "deactivate()") instead, or setActive on another thread."
        case .waitedOnMainThread(let seconds):
            "The main thread waited \((seconds * 10).rounded() / 10) s for the session to be activated or deactivated: iOS counts that "
                + "as a hang, and its watchdog may end the app (0x8BADF00D). Call activate() or deactivate() instead, or "
                + "setActive on another thread."
        }
    }
}
