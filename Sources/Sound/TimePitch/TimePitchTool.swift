import CTimePitch
import EngineCore
import Foundation

/// SoundTouch: speed and pitch, each by itself.
final class TimePitchTool: TimeEffectTool {
    static let allowedChannels = 1...Int(OAV_STRETCHER_MOST_CHANNELS)
    static let highestRate = Double(OAV_STRETCHER_HIGHEST_RATE)

    private let stretcher: OpaquePointer
    private let channels: Int
    /// In force, in cents.
    private var pitch: Float = 0

    /// - Returns: nil for a format beyond these limits.
    init?(_ format: StreamFormat) {
        guard Self.allowedChannels.contains(format.channels.count), (1...Self.highestRate).contains(format.sampleRate),
            let created = oav_stretcher_create(UInt32(format.channels.count), UInt32(format.sampleRate.rounded()))
        else { return nil }
        stretcher = created
        channels = format.channels.count
    }

    deinit { oav_stretcher_destroy(stretcher) }

    /// Upwards SoundTouch stretches and then transposes, downwards it transposes first: on the way from one to the other
    /// it loses what it holds in between.
    func canGoOver(to settings: TimeEffectSettings) -> Bool { (settings.pitch > 0) == (pitch > 0) }

    func apply(_ settings: TimeEffectSettings) -> Double {
        let factor = Self.factor(cents: settings.pitch)
        _ = oav_stretcher_set(stretcher, Double(settings.rate), factor, Int32(settings.overlap.rounded()))
        // What has been transposed downwards is stretched by what undoes the new pitch, not its own.
        defer { pitch = settings.pitch }
        return pitch <= 0 && settings.pitch <= 0 ? factor / Self.factor(cents: pitch) : 1
    }

    /// 1200 cents are an octave.
    private static func factor(cents: Float) -> Double { exp2(Double(cents) / 1200) }

    func convert(
        _ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Float>
    ) -> (consumed: Int, produced: Int) {
        let room = output.count / channels
        var consumed = 0
        if !input.isEmpty, let frames = input.baseAddress, Int(oav_stretcher_ready(stretcher)) < room {
            consumed = input.count / channels
            // Without memory they are lost; silence comes in their place at the end.
            _ = oav_stretcher_put(stretcher, frames, UInt32(consumed))
        }
        guard let frames = output.baseAddress else { return (consumed, 0) }
        return (consumed, Int(oav_stretcher_take(stretcher, frames, UInt32(room))))
    }

    func clear() { _ = oav_stretcher_clear(stretcher) }
}
