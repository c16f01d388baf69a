package import AudioModel
import EngineCore
import SessionCore
internal import SessionRuntime
package import TransportCore

// Session thread.
//
// The engine owns a stream for each direction; its transport decides what becomes of them.
extension EngineController: TransportMedia {
    package func willLink(_ direction: PortDirection, to ports: [Port]) {
        switch direction {
        case .input:
            if !isCapturing(from: device(of: ports)?.format) { transport.apply(.deviceShapeChanged) }
        case .output: willLinkOutput(to: ports)
        }
    }

    /// Another rate or number of channels than that of the ports before stops the engine; `currentRoute` is the new one
    /// already, and the route change comes before what is told here.
    private func willLinkOutput(to ports: [Port]) {
        let runtime = runtime
        let device = device(of: ports)
        let isLoss = state.withLock { state in
            defer { state.hasUnknownLoss = false }
            return state.hasUnknownLoss && state.hasSounded(outside: ports)
        }
        if isLoss { pauseNodes() }
        let isChange = state.withLock { state in
            let old = state.linkedFormat
            state.linkedFormat = device?.format
            state.linkedPorts = ports
            guard let device else { return false }
            if let old, !old.hasShape(of: device.format) { return true }
            let isOther = state.device != device
            if isOther { state.adopt(device) }
            // A slide from what was played before would be heard on ports that it was not meant for.
            if state.applyChannelTarget(of: runtime) || isOther {
                state.renderer?.noteCut()
                state.publish()
            }
            return false
        }
        guard isChange else { return }
        transport.apply(.deviceShapeChanged)
        noteChoice()
    }

    package func willStart(_ direction: PortDirection) {
        let latencyFrames = transport.latencyFrames(direction)
        noteRoundTrip()
        switch direction {
        case .output:
            state.withLock { state in
                state.latencyFrames = latencyFrames
                state.refusal = nil
                state.publish()
            }
        case .input:
            let core = state.withLock { state in
                state.input?.open?.latencyFrames = latencyFrames
                if !state.usesOutput { state.refusal = nil }
                return state.input?.core
            }
            core?.reset()
        }
    }

    package func beginFade() {
        state.withLock { $0.publish() }
        reading.wake()
    }

    package func cut() {
        state.withLock { state in
            state.publish()
            state.renderer?.noteCut()
        }
    }

    /// Of several devices, the one that is gone may have been silent: that is known when the stream is linked again, before
    /// anything sounds.
    package func pausePlayers() {
        let isOneOfSeveral = state.withLock { state in
            state.hasUnknownLoss = state.linkedPorts.count > 1
            return state.hasUnknownLoss
        }
        // An app that watches only its engine learns of it; one with an input records on (decision 18).
        guard !isOneOfSeveral, pauseNodes(), !transport.openStreams.contains(.input) else { return }
        transport.apply(.deviceShapeChanged)
    }

    /// An output of the route has left: players that wait for the engine's start wait for their own `play` as well.
    ///
    /// An open output stream hears of what concerns it from the session.
    func loseOutput() {
        guard !transport.openStreams.contains(.output), state.withLock({ $0.manual }) == nil else { return }
        pauseNodes()
    }

    /// - Returns: whether any of them played.
    @discardableResult
    private func pauseNodes() -> Bool {
        let sources = state.withLock { $0.nodes.values.compactMap(\.controller.source) }
        return sources.count { $0.pauseForLoss() } > 0
    }

    package func drainCapture() { runtime.clock.catchUp(reading) { drainInput() } }

    package func setGain(_ gain: Float) {
        state.withLock {
            $0.gain = gain
            $0.publish()
        }
    }

    package func setInputMuted(_ isMuted: Bool) { state.withLock { $0.input?.open?.feed.setMuted(isMuted) } }

    /// An engine does not play on by itself when an interruption ends or a port comes: the app starts it again.
    package func refuse(_ refusal: TransportRefusal) {
        state.withLock { state in
            switch refusal {
            case .suppressed(_, .interruption):
                state.refusal = SessionError(
                    .cannotInterruptOthers, "The session is interrupted: start the engine when that ends.")
            case .suppressed(.input, .noSuitableRoute):
                state.refusal = SessionError(.resourceNotAvailable, Self.noInputMessage)
            case .suppressed(.output, .noSuitableRoute):
                state.refusal = SessionError(
                    .resourceNotAvailable,
                    "The engine has no output device: connect one, or set a category that plays, and start again.")
            case .failed(let error):
                // Only these streams are over: the next start opens others, after these are closed.
                state.forgetStreams()
                state.refusal = error
            }
        }
    }

    package func postConfigurationChange() { runtime.notices.post(.engineStopped(subject)) }

    package func sessionEventApplied() {
        noteRate()
        noteChoice()
        noteRoundTrip()
        guard isRunning else { return }
        let session = runtime.state
        // The route's input may have another rate under links that stay, or none after a change of the category.
        let input = device(of: session.route.inputs)?.format
        if !isCapturing(from: input) {
            if input == nil {
                transport.apply(.paused(.input, .noSuitableRoute))
            } else if !transport.restsInput {
                transport.apply(.deviceShapeChanged)
            }
        }
        // The output's device has left, and there is no other one.
        if transport.restsOutput, session.route.outputs.isEmpty { transport.apply(.deviceShapeChanged) }
        // The loss of a device may interrupt the session; what the loss has silenced is not told again.
        if session.interruption != nil { transport.apply(.paused(.output, .interruption)) }
    }

    private func isCapturing(from device: StreamFormat?) -> Bool {
        state.withLock { $0.input?.isCapturing(from: device) ?? true }
    }

    /// Hardware may change its rate under links that stay as they are.
    private func noteRate() {
        let route = runtime.state.route.outputs
        guard let format = device(of: route)?.format else { return }
        let isChange = state.withLock { state in
            guard let old = state.linkedFormat, state.linkedPorts.map(\.uid) == route.map(\.uid),
                old.sampleRate != format.sampleRate
            else { return false }
            state.linkedFormat = format
            return true
        }
        if isChange { transport.apply(.deviceShapeChanged) }
    }
}
