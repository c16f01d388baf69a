internal import AudioModel
internal import CRealtime
import HostInterface
internal import Threading

/// What a simulated input picks up, as a function of virtual time.
///
/// - Parameters:
///   - frame: of virtual time, at the machine's rate.
///   - channel: of the port, from 0.
/// Called on the thread that advances, once for each frame that a stream captures; it must not call the host.
package typealias InputSignal = @Sendable (_ frame: Int, _ channel: Int) -> Float

/// What the microphones pick up. Any thread.
extension SimulatedHost {
    /// Hands one stream the frames that its ports pick up in a cycle; nothing where it was silenced or stopped meanwhile.
    ///
    /// An unplugging between two cycles ends it on the very frame; one on another thread, during a cycle, after that.
    func capture(_ key: StreamKey, in cycle: Range<Int>) {
        let thread = ThreadID.current
        let capture = state.withLock { state -> (() -> Void)? in
            guard var stream = state.streams[key], stream.isRunning, stream.isGateOpen else { return nil }
            let frames = stream.clock.machineFrames(in: cycle)
            guard !frames.isEmpty else { return nil }
            let sources = state.sources(of: stream, heardBy: key.app)
            var buffers = stream.inputBuffers
            if buffers.map({ $0.channelCount != sources.count || $0.frameCapacity < frames.count }) ?? true {
                let capacity = max(frames.count, stream.clock.streamFrames(in: state.quantum) + 1)
                buffers = InputBuffers(channelCount: sources.count, frameCapacity: capacity)
            }
            guard let buffers else { return nil }
            stream.inputBuffers = buffers
            state.streams[key] = stream
            state.renderer = (key, thread)
            let clock: UInt64 = state.inputsHaveOwnClock ? 2 : 1
            let call = state.cycle(of: stream, frames: frames.count, from: cycle.lowerBound, clock: clock)
            let renderer = stream.configuration.renderer
            return { buffers.capture(renderer, call, from: sources, machineFrames: frames) }
        }
        guard let capture else { return }
        capture()
        state.update { $0.renderer = nil }
    }
}

extension MachineState {
    /// What each channel of an app's input stream hears.
    fileprivate func sources(of stream: StreamState, heardBy app: AppID) -> [(signal: InputSignal?, channel: Int)] {
        stream.links.flatMap { uid in
            let signal = self[app].hearsNothing ? nil : inputSignals[uid]
            return (0..<(hardware.port(uid: uid)?.channels.count ?? 0)).map { (signal, $0) }
        }
    }
}
