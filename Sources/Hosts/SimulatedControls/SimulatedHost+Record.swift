package import HostSimulated
internal import Threading

/// What happened, and what reached each port. Any thread.
extension SimulatedHost {
    /// A new machine with its first app, whose sound is recorded.
    ///
    /// - Parameter captureSeconds: how much of the past each port keeps, in seconds of virtual time.
    package convenience init(
        _ machine: SimulatedMachine = .phone, sampleRate: Int = 48000, quantum: Int = 480, captureSeconds: Double = 60,
        appName: String = ""
    ) {
        precondition(
            captureSeconds >= 0 && captureSeconds < 1e6,
            "the capture is \(captureSeconds) s long; allowed are 0 to 1000000")
        self.init(silent: machine, sampleRate: sampleRate, quantum: quantum, appName: appName)
        state.withLock { state in
            var recorder = SoundRecorder(limit: max(1, Int(captureSeconds * Double(sampleRate))))
            recorder.follow(state.hardware.inventory.outputs, from: 0)
            state.recorder = recorder
        }
    }

    /// Everything that happened, in order.
    package var timeline: [TimelineEntry] { state.withLock { $0.timeline } }

    /// What happened, without the times.
    package var facts: [TimelineFact] { timeline.map(\.fact) }

    /// Breaches of the contract by the session, and mistakes of the script ("script: ..."); each text once.
    package var violations: [String] {
        state.withLock { state in
            // During a cycle the memory is in use.
            if state.advancer == nil { state.inspectMemory() }
            return state.violations
        }
    }

    /// Adds a mistake of the script that another module has found.
    package func object(script text: String) { state.withLock { $0.object("script: \(text)") } }

    /// What reached an output port, up to now; nil for a port that never was in the inventory.
    ///
    /// The record begins when the port first appears, or with the last `clearCaptures`; times without the port are
    /// silence. A port that returns with another number of channels starts a new record. All are at the machine's rate.
    package func portCapture(of uid: String) -> PortCapture? {
        state.withLock { state in
            guard var capture = state.captures[uid] else { return nil }
            capture.pad(toFrame: state.frame)
            capture.trim()
            return capture
        }
    }

    /// [channel][frame] of what reached an output port from a frame of virtual time on; see `portCapture`.
    package func capture(of uid: String, since frame: Int = 0) -> [[Float]] {
        portCapture(of: uid)?.samples(since: frame) ?? []
    }

    /// Counts the frames since `frame` in which any channel of the port was above the level, in decibels of full scale.
    package func loudFrames(of uid: String, since frame: Int = 0, aboveDecibels decibels: Double = -60) -> Int {
        portCapture(of: uid)?.loudFrames(since: frame, aboveDecibels: decibels) ?? 0
    }

    /// Hands over what reached each output port since the last call, in the order of the uids.
    ///
    /// One reader. What was trimmed before it was read is left out: read at least as often as the record is long.
    ///
    /// - Parameter body: gets the uid, the frame of virtual time of the first new sample, the channels, and where in them
    ///   that sample is. It must not call the host, nor keep the channels.
    package func readCaptures(_ body: (_ uid: String, _ startFrame: Int, [[Float]], _ offset: Int) -> Void) {
        state.withLock { state in
            for uid in state.captures.keys.sorted() { state.captures[uid]?.read(body: { body(uid, $0, $1, $2) }) }
        }
    }

    /// Forgets what reached the ports; they record on from now.
    package func clearCaptures() {
        state.withLock { state in
            for (uid, capture) in state.captures {
                state.captures[uid] = PortCapture(
                    channelCount: capture.channels.count, startFrame: state.frame, limit: capture.limit)
            }
        }
    }
}

extension MachineState {
    /// Looks for writes to memory that is out of use.
    ///
    /// For calls between cycles only.
    fileprivate mutating func inspectMemory() {
        for key in streamOrder {
            if let fault = streams[key]?.buffers?.strayWrite { object(fault, to: key) }
        }
        for (key, buffers) in retired {
            if let fault = buffers.strayWrite {
                object("stream \(key.number), which is closed: \(fault)", to: key.app)
            }
        }
    }
}

extension PortCapture {
    /// [channel][frame] from this frame of virtual time, or from `startFrame` where that is later.
    package func samples(since frame: Int) -> [[Float]] {
        let skipped = min(max(0, frame - startFrame), frameCount)
        return channels.map { Array($0.dropFirst(skipped)) }
    }

    /// Counts the frames from `frame` on in which any channel is above the level, in decibels of full scale.
    package func loudFrames(since frame: Int, aboveDecibels decibels: Double) -> Int {
        let threshold = Float(pow(10, decibels / 20))
        let skipped = min(max(0, frame - startFrame), frameCount)
        var loud = [Bool](repeating: false, count: frameCount - skipped)
        for channel in channels {
            channel.withUnsafeBufferPointer { samples in
                var index = skipped
                while index < samples.count {
                    if abs(samples[index]) > threshold { loud[index - skipped] = true }
                    index += 1
                }
            }
        }
        return loud.count { $0 }
    }
}
