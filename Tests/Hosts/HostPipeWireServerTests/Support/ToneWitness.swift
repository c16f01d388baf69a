import CRealtime
import Synchronization

/// An input's renderer: how far it has come, and whether the rig's tone of 1000 Hz has come without a break.
///
/// Held by its test until the stream is closed: the data thread has an unretained pointer.
final class ToneWitness: Sendable {
    /// Samples of one turn: so many at most differ after one place where frames are missing.
    static let period = 48

    private let end = Atomic<UInt64>(0)
    private let frames = Atomic<Int>(0)
    private let breaks = Atomic<Int>(0)
    /// The last turn of the tone; only the data thread looks at it.
    private let turn = UnsafeTurn(count: period)

    /// The frame of the driver's clock behind the last one that was captured.
    var endPosition: UInt64 { end.load(ordering: .acquiring) }
    var frameCount: Int { frames.load(ordering: .acquiring) }
    /// Samples that were not the tone's next.
    var breakCount: Int { breaks.load(ordering: .acquiring) }

    var renderer: oav_renderer {
        oav_renderer(
            render: { context, cycle in
                guard let context, let cycle else { return }
                Unmanaged<ToneWitness>.fromOpaque(context).takeUnretainedValue().capture(cycle.pointee)
            }, context: Unmanaged.passUnretained(self).toOpaque())
    }

    private func capture(_ cycle: oav_cycle) {
        var position = frames.load(ordering: .relaxed)
        for frame in 0..<Int(cycle.frames) {
            let sample = cycle.inputs?[0]?[frame] ?? 0
            let index = position % Self.period
            if position >= Self.period, abs(sample - turn.samples[index]) > 0.001 {
                breaks.add(1, ordering: .relaxed)
            }
            turn.samples[index] = sample
            position += 1
        }
        frames.store(position, ordering: .releasing)
        end.store(cycle.clock_position + UInt64(cycle.frames), ordering: .releasing)
    }

    /// `@unchecked`: one data thread at a time reads and writes it.
    private struct UnsafeTurn: @unchecked Sendable {
        let samples: UnsafeMutablePointer<Float>

        init(count: Int) {
            samples = .allocate(capacity: count)
            samples.initialize(repeating: 0, count: count)
        }
    }

    deinit { turn.samples.deallocate() }
}
