import CRealtime
import Dispatch
import Synchronization

/// A renderer that is loud in every frame of every open cycle, and counts what it is asked for.
///
/// Held by its test until the stream is closed: the data thread has an unretained pointer.
final class LoudRenderer: Sendable {
    private let calls = Atomic<Int>(0)
    private let gatedCalls = Atomic<Int>(0)
    private let channels = Atomic<Int>(0)
    private let frames = Atomic<Int>(0)
    /// Set by a test once its stream is closed: the renderer must not be called any more.
    private let isOver = Atomic<Bool>(false)
    private let lateCalls = Atomic<Int>(0)
    private let openCycle = DispatchSemaphore(value: 0)
    private let gatedCycle = DispatchSemaphore(value: 0)

    var callCount: Int { calls.load(ordering: .relaxed) }
    var gatedCount: Int { gatedCalls.load(ordering: .relaxed) }
    var lateCount: Int { lateCalls.load(ordering: .relaxed) }
    var channelCount: Int { channels.load(ordering: .relaxed) }

    func end() { isOver.store(true, ordering: .sequentiallyConsistent) }

    struct TimedOut: Error {}

    /// Waits for so many cycles from now on in which the gate is open.
    func wait(openCycles count: Int) throws {
        while openCycle.wait(timeout: .now()) == .success {}
        for _ in 0..<count {
            guard openCycle.wait(timeout: .now() + 20) == .success else { throw TimedOut() }
        }
    }

    /// Waits until there have been so many cycles in which the gate was closed; each counts once.
    func wait(gatedCycles count: Int) throws {
        for _ in 0..<count {
            guard gatedCycle.wait(timeout: .now() + 20) == .success else { throw TimedOut() }
        }
    }

    /// Waits until the open cycles have that many frames.
    func wait(cyclesOfFrames count: Int) throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            try wait(openCycles: 1)
            if frames.load(ordering: .relaxed) == count { return }
        }
        throw TimedOut()
    }

    var renderer: oav_renderer {
        oav_renderer(
            render: { context, cycle in
                guard let context, let cycle else { return }
                Unmanaged<LoudRenderer>.fromOpaque(context).takeUnretainedValue().render(cycle.pointee)
            }, context: Unmanaged.passUnretained(self).toOpaque())
    }

    private func render(_ cycle: oav_cycle) {
        if isOver.load(ordering: .sequentiallyConsistent) { lateCalls.add(1, ordering: .relaxed) }
        let isGated = cycle.flags & OAV_CYCLE_GATED != 0
        calls.add(1, ordering: .relaxed)
        frames.store(Int(cycle.frames), ordering: .relaxed)
        if isGated { gatedCalls.add(1, ordering: .relaxed) }
        (isGated ? gatedCycle : openCycle).signal()
        channels.store(Int(cycle.output_channels), ordering: .relaxed)
        // Loud also where it should be silent: what keeps it off the speaker is the host's gate alone.
        for channel in 0..<Int(cycle.output_channels) {
            guard let plane = cycle.outputs?[channel] else { continue }
            for frame in 0..<Int(cycle.frames) { plane[frame] = 0.5 }
        }
    }
}
