import CRealtime
import Foundation
import Synchronization
import Testing

/// Proves that the sanitizer watches what hosts call.
///
/// Only in dev/test --lane realtime, which links it in, and fails where these tests do not run.
@Suite(.enabled(if: oav_realtime_is_guarded() == 1)) struct SanitizerTests {
    /// Calls a render function as hosts do.
    private static func render(_ context: UnsafeMutableRawPointer? = nil, _ function: @escaping oav_render_fn) {
        var renderer = oav_renderer(render: function, context: context)
        var cycle = oav_cycle()
        oav_renderer_call(&renderer, &cycle)
    }

    @Test func allocation_whileRendering_endsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Self.render { _, _ in free(malloc(64)) }
        }
        #expect(Self.report(of: result).contains("`malloc`"))
    }

    @Test func array_whileRendering_endsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Self.render { _, cycle in
                let samples = [Float](repeating: 1, count: 64 + Int(cycle?.pointee.frames ?? 0))
                keep(samples)
            }
        }
        #expect(Self.report(of: result).contains("RealtimeSanitizer"))
    }

    @Test func lock_whileRendering_endsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Self.render { _, _ in
                var mutex = pthread_mutex_t()
                pthread_mutex_lock(&mutex)
            }
        }
        #expect(Self.report(of: result).contains("`pthread_mutex_lock`"))
    }

    /// The guard is about our code: a block of the app's may do what it likes, and what is behind it may not.
    @Test func allocation_inAppCode_isAllowed_andBehindItEndsTheProcess() async {
        await #expect(processExitsWith: .success) {
            Self.render(AppCall.make()) { context, _ in callApp(context) }
        }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Self.render(AppCall.make()) { context, _ in
                callApp(context)
                free(malloc(64))
            }
        }
        #expect(Self.report(of: result).contains("`malloc`"))
    }

    @Test func allocation_outsideOfRendering_isAllowed() async {
        await #expect(processExitsWith: .success) {
            Self.render { _, _ in }
            free(malloc(64))
        }
    }

    private static func report(of result: ExitTest.Result?) -> String {
        String(decoding: result.map(\.standardErrorContent) ?? [], as: UTF8.self)
    }
}

/// A block of an app's that allocates, and its call, made ahead: Swift takes a lock where it meets a generic type first.
private struct AppCall {
    var processor = oav_processor(process: { _, _ in free(malloc(64)) }, reset: nil, context: nil, quiet_frames: 0)
    var process: oav_process

    static func make() -> UnsafeMutableRawPointer {
        let rows = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: 1)
        rows.initialize(to: .allocate(capacity: 1))
        let bus = UnsafeMutablePointer<oav_bus>.allocate(capacity: 1)
        bus.initialize(to: oav_bus(channels: rows, channel_count: 1, flags: 0))
        let call = UnsafeMutablePointer<AppCall>.allocate(capacity: 1)
        call.initialize(
            to: AppCall(
                process: oav_process(
                    inputs: bus, input_count: 0, frames: 1, output: bus.pointee, sample_rate: 48_000, sample_time: 0,
                    host_time_ns: 0)))
        return UnsafeMutableRawPointer(call)
    }
}

/// Calls the block, as a renderer does.
private func callApp(_ context: UnsafeMutableRawPointer?) {
    guard let call = context?.assumingMemoryBound(to: AppCall.self) else { return }
    _ = oav_processor_call_app(&call.pointee.processor, &call.pointee.process, false)
}

/// Keeps the optimizer from removing the array.
@inline(never) private func keep(_ samples: [Float]) { precondition(!samples.isEmpty) }
