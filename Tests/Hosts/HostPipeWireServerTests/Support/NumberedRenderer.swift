import CRealtime
import Synchronization

/// A renderer whose every sample says which frame of which channel of the stream it is.
///
/// Held by its test until the stream is closed: the data thread has an unretained pointer.
final class NumberedRenderer: Sendable {
    /// A sample is this small part of channel × period + frame + 1: exact in Float32, and below 0.5 for 8 channels.
    private static let unit = Float(0x1p-20)
    private static let period = 1 << 16

    private let position = Atomic<Int>(0)
    private let onCycle: (@Sendable (oav_cycle) -> Void)?

    /// - Parameter onCycle: called on the data thread at the beginning of each cycle.
    init(onCycle: (@Sendable (oav_cycle) -> Void)? = nil) { self.onCycle = onCycle }

    var renderer: oav_renderer {
        oav_renderer(
            render: { context, cycle in
                guard let context, let cycle else { return }
                Unmanaged<NumberedRenderer>.fromOpaque(context).takeUnretainedValue().render(cycle.pointee)
            }, context: Unmanaged.passUnretained(self).toOpaque())
    }

    private func render(_ cycle: oav_cycle) {
        onCycle?(cycle)
        // Held while gated, as the contract of renderers has it.
        let isGated = cycle.flags & OAV_CYCLE_GATED != 0
        let first = position.load(ordering: .relaxed)
        for channel in 0..<Int(cycle.output_channels) {
            guard let plane = cycle.outputs?[channel] else { continue }
            for frame in 0..<Int(cycle.frames) {
                // Frame 0 of a period would be as good as silent; the last one stands for it.
                let number = channel * Self.period + (first + frame) % (Self.period - 1) + 1
                plane[frame] = isGated ? 0 : Float(number) * Self.unit
            }
        }
        if !isGated { position.store(first + Int(cycle.frames), ordering: .relaxed) }
    }

    /// What a sample says; nil for silence, and for anything that no such renderer wrote.
    static func number(_ sample: Float) -> (channel: Int, frame: Int)? {
        let scaled = sample / unit
        let number = Int(scaled)
        guard scaled == Float(number), number > 0 else { return nil }
        return (number / period, number % period - 1)
    }

    /// Frames from `earlier` to `later`, -period/2 ..< period/2.
    static func distance(from earlier: Int, to later: Int) -> Int {
        let count = period - 1
        return ((later - earlier) % count + count + count / 2) % count - count / 2
    }
}
