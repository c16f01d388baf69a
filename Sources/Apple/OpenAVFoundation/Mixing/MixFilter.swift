internal import QueueRuntime
import Synchronization

/// What an item's mix and its track make of its frames, where they are read.
///
/// `@unchecked Sendable`: the `var`s outside the lock belong to the thread that reads, one at a time.
final class MixFilter: FrameFilter, @unchecked Sendable {
    private let state = Mutex(State())
    /// The volume that the last frame was given at the settings before, the frames since then, and the next frame.
    private var change: (from: Float, frames: Int)?
    private var applied = Settings()
    private var lastVolume: Float = 1
    private var nextFrame: Int64 = -1

    private struct State {
        var mix: AVAudioMix?
        var settings = Settings()
        var tap: MTAudioProcessingTap?
    }

    private struct Settings: Equatable {
        var curve = VolumeCurve()
        var isEnabled = true

        var isNeutral: Bool { curve.ramps.isEmpty && isEnabled }
    }

    /// Of a change while the sound goes on: a step that is no click.
    private static let rampSeconds = 0.005

    deinit { endTap() }

    // MARK: Any thread

    var mix: AVAudioMix? { state.withLock { $0.mix } }

    /// - Parameter mix: its parameters of the track hold from the next read on; nil: none.
    func setMix(_ mix: AVAudioMix?) {
        let parameters = mix?.inputParameters.first { $0.trackID == AVAssetTrack.number }
        let (curve, tap) = (parameters?.curve ?? VolumeCurve(), parameters?.audioTapProcessor)
        let old = state.withLock { state in
            defer { (state.mix, state.settings.curve, state.tap) = (mix, curve, tap) }
            return state.tap
        }
        if old !== tap { old?.unprepare() }
    }

    /// The app's tap is not called soon, or never any more.
    func endTap() { state.withLock { $0.tap }?.unprepare() }

    var isEnabled: Bool {
        get { state.withLock { $0.settings.isEnabled } }
        set { state.withLock { $0.settings.isEnabled = newValue } }
    }

    var isActive: Bool { state.withLock { !$0.settings.isNeutral || $0.tap != nil } }

    // MARK: The thread that reads

    func filter(_ frames: UnsafeMutableBufferPointer<Float>, at place: FramePlace) {
        let (settings, tap) = state.withLock { ($0.settings, $0.tap) }
        if let tap, !tap.isAfterVolume { tap.process(frames, at: place) }
        apply(settings, to: frames, at: place)
        if let tap, tap.isAfterVolume { tap.process(frames, at: place) }
    }

    private func apply(_ settings: Settings, to frames: UnsafeMutableBufferPointer<Float>, at place: FramePlace) {
        let goesOn = place.first == nextFrame
        if settings != applied { change = goesOn ? (lastVolume, 0) : nil } else if !goesOn { change = nil }
        (applied, nextFrame) = (settings, place.first + Int64(place.frames))
        guard !settings.isNeutral || change != nil else { return lastVolume = 1 }
        let rampFrames = max(1, Int(place.sampleRate * Self.rampSeconds))
        settings.curve.forEachVolume(frames: place.frames, from: place.first, sampleRate: place.sampleRate) {
            frame, volume in
            var volume = settings.isEnabled ? volume : 0
            if let (from, done) = change {
                volume = from + (volume - from) * Float(done + 1) / Float(rampFrames)
                change = done + 1 < rampFrames ? (from, done + 1) : nil
            }
            lastVolume = volume
            guard volume != 1 else { return }
            for sample in (frame * place.channels)..<((frame + 1) * place.channels) { frames[sample] *= volume }
        }
    }
}
