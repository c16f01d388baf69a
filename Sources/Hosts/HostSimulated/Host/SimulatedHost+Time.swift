package import AudioModel
import CRealtime
import HostInterface
internal import Threading

/// Virtual time. One thread at a time runs its cycles.
extension SimulatedHost {
    /// Frames of virtual time since the machine was made, at the machine's rate.
    package var frame: Int { state.withLock { $0.frame } }

    /// Runs whole cycles of one quantum, and a shorter one at the end or where a scenario's step is due.
    ///
    /// For the thread that has made itself the machine's `advancer`, which renders. Steps that are due run before the first
    /// cycle, between cycles, and after the last one.
    ///
    /// - Parameters:
    ///   - afterEvents: called between two cycles, and after the last one, if an app has received an event since the last
    ///     call or is busy; it may wait until the sessions have applied the events, before time goes on.
    ///   - isBusy: whether an app still works on what a cycle has caused.
    ///   - isOver: ends it before a cycle.
    ///   - callOut: calls code of others: a step, or `afterEvents`.
    package func run(
        frames: Int, afterEvents: () -> Void = {}, isBusy: () -> Bool = { false }, until isOver: () -> Bool = { false },
        callOut: @escaping (() -> Void) -> Void = { $0() }
    ) {
        let target = frame + frames
        var reported = deliveredCount
        func reportEvents() {
            guard deliveredCount != reported || isBusy() else { return }
            callOut(afterEvents)
            reported = deliveredCount
        }
        runDueSteps(callOut)
        reportEvents()
        while frame < target, !isOver() {
            prepareStreams()
            // Not while streams are being linked: a headset takes longer to change its profile.
            change { $0.changeProfiles() }
            let cycle = beginCycle(before: target)
            // Inputs first: an app that plays what it captures does so in the same cycle. A test can turn that.
            let comeLate = state.withLock { $0.inputsComeLate }
            if !comeLate { for key in cycle.inputs { capture(key, in: cycle.frames) } }
            let rendered = cycle.outputs.compactMap { render($0, in: cycle.frames) }
            if comeLate { for key in cycle.inputs { capture(key, in: cycle.frames) } }
            finishCycle(cycle.frames, rendered)
            // What the renderers caused, and the timers: nothing is delivered from inside a renderer.
            flush()
            runDueSteps(callOut)
            reportEvents()
        }
    }

    private func runDueSteps(_ callOut: (() -> Void) -> Void) {
        while let step = state.withLock({ $0.takeDueStep() }) {
            callOut { step.action(SimulatedHost(machine: machine, app: step.app, sampleRate: sampleRate)) }
        }
    }

    /// Lets the streams' read-ahead catch up.
    ///
    /// The session may act meanwhile. It does not wait for these calls.
    private func prepareStreams() {
        for key in state.withLock({ $0.awakeStreams }) {
            // A preparation before this one may have stopped it.
            let prepare = state.withLock { state in
                state.streams[key].flatMap { $0.isRunning ? $0.configuration.beforeVirtualCycle : nil }
            }
            prepare?()
        }
    }

    private func beginCycle(before target: Int) -> (frames: Range<Int>, inputs: [StreamKey], outputs: [StreamKey]) {
        state.withLock { state in
            let running = state.awakeStreams
            var length = min(target - state.frame, state.quantum)
            let stallEnd = state.isStalled ? state.stalledUntil : nil
            let itemsStallEnd = state.frame < state.itemsStalledUntil ? state.itemsStalledUntil : nil
            for next in [state.steps.first?.frame, state.nextTimerFrame, stallEnd, itemsStallEnd] {
                if let next { length = min(length, max(1, next - state.frame)) }
            }
            for key in running {
                guard let stream = state.streams[key] else { continue }
                length = min(length, stream.clock.machineFrames(forAtMost: stream.configuration.maximumFrames))
            }
            let outputs = running.filter { state.streams[$0]?.configuration.direction == .output }
            return (state.frame..<state.frame + length, running.filter { !outputs.contains($0) }, outputs)
        }
    }

    /// Calls one renderer; nil if the stream was stopped since the cycle began, or has no frame in so short a cycle.
    private func render(_ key: StreamKey, in cycle: Range<Int>) -> RenderedCycle? {
        let thread = ThreadID.current
        let begun = state.withLock { state -> (RenderedCycle, oav_renderer, oav_cycle)? in
            guard var stream = state.streams[key], stream.isRunning else { return nil }
            let frames = stream.clock.frames(in: cycle)
            var buffers = stream.buffers
            if buffers.map({ $0.channelCount != stream.channelCount || $0.frameCapacity < frames }) ?? true {
                if let fault = buffers?.strayWrite { state.object(fault, to: key) }
                let capacity = max(frames, stream.clock.streamFrames(in: state.quantum) + 1)
                buffers = RenderBuffers(channelCount: stream.channelCount, frameCapacity: capacity)
            } else if stream.bufferGeneration != stream.generation {
                buffers?.forgetHeld()
            }
            guard let buffers else { return nil }
            if let fault = buffers.strayWrite { state.object(fault, to: key) }
            stream.buffers = buffers
            stream.bufferGeneration = stream.generation
            state.streams[key] = stream
            state.renderer = (key, thread)
            let rendered = RenderedCycle(
                key: key, generation: stream.generation, frames: frames, isGated: !stream.isGateOpen, buffers: buffers)
            return (
                rendered, stream.configuration.renderer,
                state.cycle(of: stream, frames: frames, from: cycle.lowerBound, clock: 1)
            )
        }
        guard let (rendered, renderer, call) = begun else { return nil }
        let faults = rendered.frames > 0 ? rendered.buffers.render(renderer, call) : []
        state.update { state in
            for fault in faults { state.object(fault, to: key) }
            state.renderer = nil
        }
        return rendered
    }

    /// Adds what was rendered to the ports, unless the stream's gate was closed or its links changed meanwhile: a port
    /// that left during a cycle, and the one that took its place, get nothing of it.
    private func finishCycle(_ cycle: Range<Int>, _ rendered: [RenderedCycle]) {
        state.withLock { state in
            for part in rendered {
                if !part.isGated, let stream = state.streams[part.key], stream.generation == part.generation {
                    state.recorder?.add(part, of: stream, hardware: state.hardware, in: cycle)
                    state.checkSilence(of: part, from: cycle.lowerBound)
                }
                part.buffers.clear(frames: part.frames)
            }
            state.frame = cycle.upperBound
            state.fireTimers()
        }
    }
}

/// What one stream rendered in a cycle.
package struct RenderedCycle: Sendable {
    let key: StreamKey
    let generation: Int
    package let frames: Int
    let isGated: Bool
    package let buffers: RenderBuffers

    var isAudible: Bool {
        (0..<buffers.channelCount).contains { channel in
            buffers.rendered(channel: channel, frames: frames).contains { $0 != 0 }
        }
    }
}

extension MachineState {
    /// What a stream's renderer is told of a cycle, but for the sound.
    ///
    /// - Parameter clock: that drives it; a stream of another rate than the machine's has none.
    func cycle(of stream: StreamState, frames: Int, from frame: Int, clock: UInt64) -> oav_cycle {
        var cycle = oav_cycle()
        cycle.frames = UInt32(frames)
        cycle.flags = stream.isGateOpen ? 0 : UInt32(OAV_CYCLE_GATED)
        cycle.sample_rate = stream.configuration.sampleRate
        cycle.host_time_ns = now.nanoseconds
        if stream.clock.isUnity { (cycle.clock, cycle.clock_position) = (clock, UInt64(frame)) }
        return cycle
    }

    fileprivate var isStalled: Bool { frame < stalledUntil }

    /// Those that take part in a cycle.
    fileprivate var awakeStreams: [StreamKey] {
        sleep.isAsleep || isStalled ? [] : streamOrder.filter { streams[$0]?.isRunning == true }
    }
}

/// The sessions' timers, in virtual time.
extension SimulatedHost {
    package func wake(at time: HostTime) {
        change { state in
            state.checkCaller(of: "wake", by: app)
            if state[app].isKilled { return }
            guard state[app].deliver != nil else {
                state.object("wake was called while the session is not connected; call start first", to: app)
                return
            }
            // The session may not have received `connectionLost` yet.
            guard state.serverIsUp else { return }
            state[app].addTimer(time)
            state.fireTimers()
        }
    }
}

extension MachineState {
    var now: HostTime {
        let (seconds, rest) = frame.quotientAndRemainder(dividingBy: rate)
        return HostTime(nanoseconds: UInt64(seconds) * 1_000_000_000 + UInt64(rest) * 1_000_000_000 / UInt64(rate))
    }

    /// The first frame at which `now` is not before this time.
    private func frame(of time: HostTime) -> Int {
        let (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        // At most 2^54 for the last time that can be represented at the highest rate.
        return Int(seconds) * rate + Int((rest * UInt64(rate) + 999_999_999) / 1_000_000_000)
    }

    /// Where a cycle must end for a timer; nil while none is waited for.
    var nextTimerFrame: Int? {
        if sleep.isAsleep { return nil }
        return connectedApps.compactMap { self[$0].timers.first }.min().map(frame(of:))
    }

    /// Delivers `timeReached` for the times that have come; none comes while the machine sleeps.
    package mutating func fireTimers() {
        if sleep.isAsleep { return }
        for app in connectedApps {
            while let time = self[app].takeTimer(dueAt: now) { emit(.timeReached(time), to: app) }
        }
    }
}
