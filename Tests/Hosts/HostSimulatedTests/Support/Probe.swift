import CRealtime
import HostSimulated
import SimulatedControls
import Synchronization
import Threading

/// A renderer that is called through the C boundary, and remembers each cycle.
final class Probe: Sendable {
    struct Cycle: Equatable, Sendable {
        var frames: Int
        var channels: Int
        var isGated: Bool
        var nanoseconds: UInt64
    }

    typealias Body = @Sendable (oav_cycle) -> Void

    private let body: Body
    private let log = Monitor<[Cycle]>([])

    init(_ body: @escaping Body) { self.body = body }

    var cycles: [Cycle] { log.withLock { $0 } }

    /// Valid while the probe lives.
    var renderer: oav_renderer {
        oav_renderer(
            render: { context, cycle in
                guard let context, let cycle = cycle?.pointee else { return }
                Unmanaged<Probe>.fromOpaque(context).takeUnretainedValue().render(cycle)
            },
            context: Unmanaged.passUnretained(self).toOpaque())
    }

    private func render(_ cycle: oav_cycle) {
        log.withLock {
            $0.append(
                Cycle(
                    frames: Int(cycle.frames), channels: Int(cycle.output_channels), isGated: cycle.isGated,
                    nanoseconds: cycle.host_time_ns))
        }
        body(cycle)
    }

    /// Counts its frames from 1 in every channel, plus 1000 per channel; holds its position while gated.
    static func counting() -> Probe {
        let position = Atomic<Int>(0)
        return Probe { cycle in
            cycle.fill { _, _ in 0 }
            if cycle.isGated { return }
            let first = position.load(ordering: .relaxed)
            cycle.fill { channel, frame in Float(first + frame + 1 + 1000 * channel) }
            position.store(first + Int(cycle.frames), ordering: .relaxed)
        }
    }

    static func constant(_ value: Float) -> Probe {
        Probe { cycle in cycle.fill { _, _ in cycle.isGated ? 0 : value } }
    }
}

extension oav_cycle {
    var isGated: Bool { flags & UInt32(OAV_CYCLE_GATED) != 0 }

    func fill(_ sample: (_ channel: Int, _ frame: Int) -> Float) {
        for channel in 0..<Int(output_channels) {
            guard let output = outputs?[channel] else { continue }
            for frame in 0..<Int(frames) { output[frame] = sample(channel, frame) }
        }
    }
}
