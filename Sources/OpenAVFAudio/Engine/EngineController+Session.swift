import AudioModel
import AudioRuntime
import EngineCore
import Foundation
import HostInterface
import SessionCore
import Synchronization

// Session thread.
extension EngineController: StreamOwner {
    /// Another channel count or rate than before ends what runs: the app's connections and maps are for the old one.
    ///
    /// Where it goes on, what is played is made for the new ports before they are linked.
    func willLink(to ports: [AudioModel.Port]) {
        let runtime = runtime
        let device = Self.device(of: ports, runtime)
        let isChange = state.withLock { state in
            let old = state.linkedFormat
            state.linkedFormat = device?.format
            state.linkedUIDs = ports.map(\.uid)
            guard let device else { return false }
            if let old, !old.hasShape(of: device.format) { return true }
            let isOther = state.device != device
            if isOther { state.adopt(device) }
            // A slide from what was played before would be heard on ports that it was not meant for.
            if state.aim(by: runtime) || isOther {
                state.renderer?.noteCut()
                state.publish()
            }
            return false
        }
        guard isChange else { return }
        stopItself()
        noteChoice()
    }

    func start() {
        let latencyFrames = state.withLock { $0.stream }?.latencyFrames
        let stream = state.withLock { state -> (any HostStream)? in
            guard state.isWanted, let stream = state.stream else { return nil }
            state.latencyFrames = latencyFrames ?? 0
            state.isRunning = true
            state.isFading = false
            state.refusal = nil
            state.publish()
            return stream
        }
        guard let stream else { return }
        startFeeding()
        stream.start()
    }

    func pause(_ cause: PauseCause) {
        switch cause {
        case .oldDeviceUnavailable: loseDevice()
        case .noSuitableRoute: stopItself()
        // The session pauses only recorders for an arrival.
        case .user, .interruption, .deactivation, .refusal, .newDeviceAvailable: fade()
        }
    }

    /// An engine does not play on by itself when an interruption ends or a port comes: the app starts it again.
    func suppress(_ suppression: Suppression) {
        switch suppression {
        case .interruption:
            fade()
            refuse(SessionError(.cannotInterruptOthers, "The session is interrupted: start the engine when that ends."))
        case .noSuitableRoute:
            stopItself()
            refuse(
                SessionError(
                    .resourceNotAvailable,
                    "The engine has no output device: connect one, or set a category that plays, and start again."))
        }
    }

    func setGain(_ gain: Float) {
        state.withLock {
            $0.gain = gain
            $0.publish()
        }
    }

    func fail(_ error: SessionError) {
        let wasRunning = isRunning
        cut()
        guard error.code != .mediaServicesFailed else {
            return state.withLock {
                $0.isDead = true
                $0.refusal = Self.deadError
            }
        }
        // Only these streams are over: the next start opens others, after these are closed.
        let failed = state.withLock { state in
            defer { state.forgetStreams() }
            state.refusal = error
            return state.streams
        }
        guard !failed.isEmpty else { return }
        runtime.closeStreamsSoon(failed)
        if wasRunning { runtime.notices.post(.engineStopped(subject)) }
    }

    func eventApplied(isInventory: Bool) {
        if isInventory { noteRate() }
        noteChoice()
        tellNews(isInventory: isInventory)
    }

    /// Posts the configuration change that is owed, once.
    func tellNews(isInventory: Bool) {
        let isDue = state.withLock { state in
            if isInventory { state.awaitsInventory = false }
            guard state.owesNews, !state.awaitsInventory else { return false }
            state.owesNews = false
            return true
        }
        if isDue { runtime.notices.post(.engineStopped(subject)) }
    }

    /// Hardware may change its rate under links that stay as they are.
    private func noteRate() {
        let route = runtime.state.route.outputs
        guard let format = Self.format(of: route, runtime) else { return }
        let isChange = state.withLock { state in
            guard let old = state.linkedFormat, state.linkedUIDs == route.map(\.uid),
                old.sampleRate != format.sampleRate
            else { return false }
            state.linkedFormat = format
            return true
        }
        if isChange { stopItself() }
    }

    // MARK: Stopping

    /// Where the host silenced the stream first, what takes the port's place is told by the next inventory: an app that
    /// heard of the loss before would start on a route that is no more.
    private func loseDevice() {
        let route = runtime.state.route.outputs.map(\.uid)
        state.withLock {
            if $0.isRunning || $0.isFading, $0.linkedUIDs == route { $0.awaitsInventory = true }
        }
        stopItself()
    }

    /// At once, without a fade: what sounds is meant for another device.
    func stopItself() {
        let wasRunning = isRunning
        cut()
        guard wasRunning else { return }
        state.withLock { $0.owesNews = true }
        rest()
    }

    func refuse(_ error: SessionError) {
        state.withLock { $0.refusal = error }
        rest()
    }

    /// The session need not start it again.
    private func rest() {
        for id in state.withLock({ $0.streams.map(\.id) }) {
            runtime.asynchronously(applying: { [weak self] in
                // The app may have started it again since.
                self?.isRunning == true ? nil : .playerStopped(id)
            })
        }
    }

    func fade() {
        let isSounding = state.withLock { state in
            state.isWanted = false
            guard state.isRunning else { return false }
            state.isRunning = false
            // Without an output nothing sounds that could fade.
            state.isFading = state.stream != nil && state.usesOutput
            state.publish()
            return true
        }
        if isSounding { reading.wake() }
    }

    private func cut() {
        let (streams, waiter) = state.withLock { state in
            state.isRunning = false
            state.isWanted = false
            state.isFading = false
            state.publish()
            state.renderer?.noteCut()
            return ([state.stream, state.input?.open?.stream], state.fadeWaiter)
        }
        for stream in streams { stream?.stop() }
        waiter?.raise()
    }

    /// The slide to silence is over.
    func stopUnlessRunning() {
        let stream = state.withLock { $0.isRunning || $0.isFading ? nil : $0.stream }
        stream?.stop()
    }
}
