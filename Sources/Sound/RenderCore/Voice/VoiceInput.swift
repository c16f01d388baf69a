package import CRealtime

/// What an input's cycles go through before their renderer hears them: the echo of what the engine plays is taken out.
///
/// The channels of the device become one, which every channel of the cycle then has. It comes one block of 10 ms later.
///
/// **Alignment.** The canceller needs the echo 5 to 50 ms after the sound that it is an echo of. What is played is read as far
/// back as the host says that the way to the microphone takes, less 30 ms. `EchoDelay` measures the way, and where the
/// echo is outside of what the canceller finds, the measured delay counts from then on.
///
/// Memory: the owner's, until the stream is closed. Thread: the input's data thread, but for `settings`.
package struct VoiceInput: ~Copyable {
    private let reference: UnsafeMutablePointer<EchoReference>
    private let settings: UnsafeMutablePointer<VoiceSettings>
    private let canceller: UnsafeMutablePointer<oav_canceller>
    private let renderer: UnsafeMutablePointer<oav_renderer>
    private let sampleRate: Double
    private let maximumFrames: Int
    /// Frames of 10 ms.
    private let blockFrames: Int

    /// [frame] of a block: captured, played up to the delay, played just now, and cleaned.
    private let captured: UnsafeMutablePointer<Float>
    private let played: UnsafeMutablePointer<Float>
    private let recent: UnsafeMutablePointer<Float>
    private let cleaned: UnsafeMutablePointer<Float>
    /// The same at 8000 Hz, captured and played just now.
    private let low: UnsafeMutablePointer<Float>
    /// What the renderer gets.
    private let output: UnsafeMutablePointer<Float>
    private let channels: UnsafeMutablePointer<UnsafePointer<Float>?>
    private let channelCapacity: Int

    private var filled = 0
    private var delayed = ReferenceReader()
    private var undelayed = ReferenceReader()
    private var delay: EchoDelay
    private var detector = SpeechDetector()
    private var speechGain = SpeechGain()
    /// Of the last frame that was given out, and of the last frame of the block that is given out.
    private var gain: Float = 1
    private var blockGain: Float = 1
    /// Behind what is played now; nil while the host's word counts.
    private var measuredSeconds: Double?
    private var hostRoundTrip: UInt64 = 0
    /// The length of the last cycle, and whether one of this length has come before its output's.
    private var cycleFrames = 0
    private var comesFirst = false
    /// How far `undelayed` is behind what is played now.
    private var undelayedSeconds = 0.0

    /// Floats that `init` works on, for blocks of so many frames.
    @_noLocks @_noAllocation
    package static func roomFloats(blockFrames: Int, maximumFrames: Int) -> Int {
        4 &* blockFrames &+ 2 &* EchoDelay.lowFrames() &+ maximumFrames &+ EchoDelay.lags() &+ 2 &* EchoDelay.bands()
    }

    @_noLocks @_noAllocation
    package static func bands() -> Int { EchoDelay.bands() }

    /// Floats of the table that `init` needs.
    @_noLocks @_noAllocation
    package static func waveFloats() -> Int { EchoDelay.bands() &* EchoDelay.lowFrames() &* 2 }

    @_noLocks @_noAllocation
    package static func historyCount() -> Int { EchoDelay.lags() }

    /// Radians from one frame of the table to the next, in a band.
    @_noLocks @_noAllocation
    package static func waveStep(band: Int) -> Double {
        2 * .pi * Double(EchoDelay.firstBand() &+ band) / Double(EchoDelay.lowFrames())
    }

    /// - Parameters:
    ///   - sampleRate: hertz, a multiple of 100 and at least 8000.
    ///   - room: `roomFloats` floats of silence.
    ///   - waves: [band][frame], cosine and sine in turn.
    ///   - channels: `channelCapacity` pointers; cycles with more channels get no more than these.
    @_noLocks @_noAllocation
    package init(
        reference: UnsafeMutablePointer<EchoReference>, settings: UnsafeMutablePointer<VoiceSettings>,
        canceller: UnsafeMutablePointer<oav_canceller>, renderer: UnsafeMutablePointer<oav_renderer>,
        sampleRate: Double, maximumFrames: Int, room: UnsafeMutablePointer<Float>, waves: UnsafePointer<Float>,
        history: UnsafeMutablePointer<UInt32>, channels: UnsafeMutablePointer<UnsafePointer<Float>?>,
        channelCapacity: Int
    ) {
        self.reference = reference
        self.settings = settings
        self.canceller = canceller
        self.renderer = renderer
        self.sampleRate = sampleRate
        self.maximumFrames = maximumFrames
        blockFrames = Int(sampleRate) / 100
        captured = room
        played = captured + blockFrames
        recent = played + blockFrames
        cleaned = recent + blockFrames
        low = cleaned + blockFrames
        output = low + 2 &* EchoDelay.lowFrames()
        delay = EchoDelay(waves: waves, room: output + maximumFrames, history: history)
        self.channels = channels
        self.channelCapacity = channelCapacity
        for channel in 0..<channelCapacity { channels[channel] = UnsafePointer(output) }
    }

    @_noLocks @_noAllocation
    mutating func run(_ cycle: UnsafePointer<oav_cycle>) {
        let frames = Int(cycle.pointee.frames)
        let inputs = cycle.pointee.inputs == nil ? 0 : Int(cycle.pointee.input_channels)
        let isHeard = cycle.pointee.flags & UInt32(OAV_CYCLE_GATED) == 0
        guard frames > 0, frames <= maximumFrames, inputs > 0, isHeard else {
            return oav_renderer_forward(renderer, cycle)
        }
        let end = reference.pointee.end()
        align(to: cycle, frames: frames, end: end)
        let scale = 1 / Float(inputs)
        for frame in 0..<frames {
            var sum: Float = 0
            for input in 0..<inputs { sum += cycle.pointee.inputs?[input]?[frame] ?? 0 }
            // What comes out belongs to the block before.
            gain += (blockGain - gain) / Float(blockFrames &- filled)
            output[frame] = cleaned[filled] * gain
            captured[filled] = sum.isFinite ? sum * scale : 0
            played[filled] = delayed.next(reference.pointee, end: end)
            recent[filled] = undelayed.next(reference.pointee, end: end)
            filled &+= 1
            if filled == blockFrames { finishBlock() }
        }
        var given = cycle.pointee
        given.inputs = UnsafePointer(channels)
        // What comes out was captured a block earlier.
        given.host_time_ns = given.host_time_ns > 10_000_000 ? given.host_time_ns &- 10_000_000 : 0
        given.input_channels = UInt32(min(inputs, channelCapacity))
        oav_renderer_forward(renderer, &given)
    }

    /// Points both readers at what was rendered when the cycle was captured.
    @_noLocks @_noAllocation
    private mutating func align(to cycle: UnsafePointer<oav_cycle>, frames: Int, end: Int64) {
        guard let now = reference.pointee.index(atHostTime: cycle.pointee.host_time_ns) else { return }
        let rate = reference.pointee.rate()
        let roundTrip = settings.pointee.roundTripNanoseconds()
        if roundTrip != hostRoundTrip {
            // Another way: what was measured on the old one does not count.
            hostRoundTrip = roundTrip
            measuredSeconds = nil
            delay.reset()
        }
        let nominal = rate / sampleRate
        // The curve between frames needs 4 that come later.
        let cycle = Double(frames) * nominal + 4
        let newest = Double(end) - cycle
        // A cycle whose output is rendered after its input has the frames of the cycle before, and those that come after it, too: an
        // order that changes moves nothing.
        if frames != cycleFrames { (cycleFrames, comesFirst) = (frames, false) }
        if now - newest > cycle / 2 { comesFirst = true }
        let latest = min(comesFirst ? now - cycle : now, newest)
        undelayedSeconds = (now - latest) / rate
        if undelayed.begin(at: latest, nominal: nominal, referenceRate: rate) { delay.reset() }
        _ = delayed.begin(at: min(now - readSeconds() * rate, latest), nominal: nominal, referenceRate: rate)
    }

    @_noLocks @_noAllocation
    private mutating func finishBlock() {
        filled = 0
        measureDelay()
        let result = oav_canceller_call(canceller, captured, played, cleaned, UInt32(blockFrames))
        if result < 0 || settings.pointee.isBypassed() { Kernels.copy(captured, into: cleaned, blockFrames) }
        Kernels.replaceNonFinite(cleaned, blockFrames)
        let before = power(captured)
        let after = power(cleaned)
        let isSpeech = detector.add(captured: before, cleaned: after)
        settings.pointee.note(isSpeaking: detector.isSpeaking)
        let isControlled = settings.pointee.isGainControlled() && !settings.pointee.isBypassed()
        speechGain.add(cleaned: after, isSpeech: isSpeech, isEnabled: isControlled)
        blockGain = settings.pointee.isMuted() ? 0 : speechGain.gain
    }

    @_noLocks @_noAllocation
    private mutating func measureDelay() {
        let rate = reference.pointee.rate()
        guard rate > 0 else { return }
        lower(captured, into: low)
        lower(recent, into: low + EchoDelay.lowFrames())
        guard let blocks = delay.add(captured: low, played: low + EchoDelay.lowFrames()) else { return }
        let seconds = Double(blocks) / 100 + undelayedSeconds
        settings.pointee.note(delayMilliseconds: Int(seconds * 1000))
        // The echo is found 5 to 50 ms behind what is read; a block is sure to 5 ms.
        let behind = seconds - max(readSeconds(), undelayedSeconds)
        guard behind < 0.01 || behind > 0.045 else { return }
        measuredSeconds = max(0, seconds - 0.025)
    }

    /// How far what the canceller gets is behind what is played now.
    @_noLocks @_noAllocation
    private func readSeconds() -> Double { measuredSeconds ?? max(0, Double(hostRoundTrip) / 1e9 - 0.03) }

    /// To 8000 Hz, each frame the mean of those around it: the few bits that are made of it need no better.
    @_noLocks @_noAllocation
    private func lower(_ block: UnsafePointer<Float>, into low: UnsafeMutablePointer<Float>) {
        for frame in 0..<EchoDelay.lowFrames() {
            let first = frame &* blockFrames / EchoDelay.lowFrames()
            let end = (frame &+ 1) &* blockFrames / EchoDelay.lowFrames()
            var sum: Float = 0
            for index in first..<end { sum += block[index] }
            low[frame] = sum / Float(end &- first)
        }
    }

    @_noLocks @_noAllocation
    private func power(_ block: UnsafePointer<Float>) -> Float {
        var sum: Float = 0
        for frame in 0..<blockFrames { sum += block[frame] * block[frame] }
        return sum / Float(blockFrames)
    }
}

/// Cleans one cycle of an input stream, and hands it on; the function that hosts get with a `VoiceInput`'s address.
///
/// Data thread.
@c(oav_voice_input) @_noLocks @_noAllocation
package func cleanInput(_ context: UnsafeMutableRawPointer?, _ cycle: UnsafePointer<oav_cycle>?) {
    guard let context, let cycle else { return }
    context.assumingMemoryBound(to: VoiceInput.self).pointee.run(cycle)
}

/// What an output's cycles go through: their renderer, and then the canceller's reference.
package struct VoiceOutput {
    let reference: UnsafeMutablePointer<EchoReference>
    let renderer: UnsafeMutablePointer<oav_renderer>

    @_noLocks @_noAllocation
    package init(
        reference: UnsafeMutablePointer<EchoReference>, renderer: UnsafeMutablePointer<oav_renderer>
    ) {
        (self.reference, self.renderer) = (reference, renderer)
    }
}

/// Renders one cycle of an output stream, and keeps what it plays; the function that hosts get with a `VoiceOutput`'s address.
///
/// Data thread.
@c(oav_voice_output) @_noLocks @_noAllocation
package func keepOutput(_ context: UnsafeMutableRawPointer?, _ cycle: UnsafePointer<oav_cycle>?) {
    guard let context, let cycle else { return }
    let output = context.assumingMemoryBound(to: VoiceOutput.self)
    oav_renderer_forward(output.pointee.renderer, cycle)
    output.pointee.reference.pointee.write(cycle)
}
