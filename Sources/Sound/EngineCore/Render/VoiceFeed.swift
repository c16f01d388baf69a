package import CRealtime
import EffectCore
import Foundation
import RenderCore

/// Voice processing of one engine, between a host and the renderers of an input and an output.
///
/// Sendable by rule: the pointers never change, and `VoiceInput`, `EchoReference` and `VoiceSettings` document the
/// rules for the memory that they point to. It lives until both streams are closed.
package final class VoiceFeed: @unchecked Sendable {
    /// Whether the input's sample rate allows the canceller's blocks of 10 ms.
    package static func supports(sampleRate: Double) -> Bool {
        (8000...192_000).contains(sampleRate) && sampleRate.truncatingRemainder(dividingBy: 100) == 0
    }

    /// More than twice the longest echo delay that is searched; see `EchoReference.sample`.
    private static let referenceSeconds = 2.0
    /// The largest number of channels of a stream.
    private static let mostChannels = 64

    /// The sample rate of the input, in hertz.
    package let sampleRate: Double
    private let memory = RenderMemory()
    private let settings: UnsafeMutablePointer<VoiceSettings>
    private let input: UnsafeMutablePointer<VoiceInput>
    private let inputRenderer: UnsafeMutablePointer<oav_renderer>
    private let output: UnsafeMutablePointer<VoiceOutput>
    private let outputRenderer: UnsafeMutablePointer<oav_renderer>

    /// - Parameters:
    ///   - canceller: the canceller; its owner outlives this object.
    ///   - sampleRate: the input's rate in hertz; `supports` allows it.
    ///   - referenceRate: the output's rate in hertz.
    ///   - maximumFrames: the longest cycle of either stream. The input passes longer cycles unchanged.
    package init(canceller: oav_canceller, sampleRate: Double, referenceRate: Double, maximumFrames: Int) {
        precondition(
            Self.supports(sampleRate: sampleRate), "voice is processed at 8000 to 192000 Hz, not \(sampleRate)")
        self.sampleRate = sampleRate
        let capacity = max(2 * maximumFrames, Int(referenceRate * Self.referenceSeconds)).nextPowerOfTwo
        let reference = memory.block(of: EchoReference(samples: memory.silence(capacity), capacity: capacity))
        settings = memory.block(of: VoiceSettings())
        let nowhere = oav_renderer(render: { _, _ in }, context: nil)
        inputRenderer = memory.block(of: nowhere)
        outputRenderer = memory.block(of: nowhere)
        let waves = memory.silence(VoiceInput.waveFloats())
        let frames = VoiceInput.waveFloats() / VoiceInput.bands() / 2
        for band in 0..<VoiceInput.bands() {
            for frame in 0..<frames {
                let angle = VoiceInput.waveStep(band: band) * Double(frame)
                waves[2 * (band * frames + frame)] = Float(cos(angle))
                waves[2 * (band * frames + frame) + 1] = Float(sin(angle))
            }
        }
        let history: UnsafeMutablePointer<UInt32> = memory.room(VoiceInput.historyCount())
        history.initialize(repeating: 0, count: VoiceInput.historyCount())
        input = memory.block(
            of: VoiceInput(
                reference: reference, settings: settings, canceller: memory.block(of: canceller),
                renderer: inputRenderer, sampleRate: sampleRate, maximumFrames: maximumFrames,
                room: memory.silence(
                    VoiceInput.roomFloats(blockFrames: Int(sampleRate) / 100, maximumFrames: maximumFrames)),
                waves: waves, history: history, channels: memory.room(Self.mostChannels),
                channelCapacity: Self.mostChannels))
        output = memory.block(of: VoiceOutput(reference: reference, renderer: outputRenderer))
    }

    // MARK: Before a stream is opened

    /// The renderer that the input's host calls instead of the given one.
    package func cleaning(_ renderer: oav_renderer) -> oav_renderer {
        inputRenderer.pointee = renderer
        return oav_renderer(render: cleanInput, context: input)
    }

    /// The renderer that the output's host calls instead of the given one.
    package func keeping(_ renderer: oav_renderer) -> oav_renderer {
        outputRenderer.pointee = renderer
        return oav_renderer(render: keepOutput, context: output)
    }

    // MARK: Any thread

    package func setBypassed(_ isBypassed: Bool) { settings.pointee.setBypassed(isBypassed) }
    package func setMuted(_ isMuted: Bool) { settings.pointee.setMuted(isMuted) }
    package func setGainControlled(_ isControlled: Bool) { settings.pointee.setGainControlled(isControlled) }

    /// - Parameter seconds: the time from rendering a frame to capturing it, as hosts report it, without the way
    ///   through the air.
    package func setRoundTrip(seconds: Double) {
        settings.pointee.setRoundTrip(nanoseconds: UInt64(min(max(seconds, 0), Self.referenceSeconds / 4) * 1e9))
    }

    /// Whether a person speaks into the microphone, also while it is muted.
    package var isSpeaking: Bool { settings.pointee.isSpeaking() }

    /// Seconds from rendering a frame to capturing its echo, exact to 10 ms; nil until it is measured.
    package var measuredDelaySeconds: Double? {
        settings.pointee.measuredDelayMilliseconds().map { Double($0) / 1000 }
    }

    /// The seconds by which voice processing delays the captured sound.
    package static let latencySeconds = 0.01
}
