// The boundary between a host and the renderer: a cycle struct, a function pointer and a gate.
// Everything here may be called on a real-time thread.
#pragma once
#include "crealtimemath.h"
#include <stdbool.h>
#include <stdint.h>

#if defined(__clang__)
#define OAV_SENDABLE __attribute__((swift_attr("@Sendable")))
#else
#define OAV_SENDABLE
#endif
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The host's gate was closed when the cycle began: the renderer writes silence and holds its position.
#define OAV_CYCLE_GATED 1u
/// The app renders by hand, on a thread of its own: no clock waits for the cycle, and no thread for its end.
#define OAV_CYCLE_BY_HAND 2u
/// The frames are for a file or a test: sound begins and ends at the frame, without the ramps that spare ears a click.
#define OAV_CYCLE_CUTS 4u

/// One cycle of rendering, or of capturing. All memory belongs to the host and is valid during the call only.
///
/// An output stream's cycle has outputs, an input stream's has inputs; the other side's count is 0.
struct oav_cycle {
    /// [output_channels] pointers to `frames` floats each, planar, nominal ±1; an entry may be NULL.
    float *_Nullable const *_Nullable outputs;
    uint32_t output_channels;
    /// Frames to render, or captured, now; never above the `max_frames` that the renderer was made for, or it renders silence.
    uint32_t frames;
    /// OAV_CYCLE_ bits.
    uint32_t flags;
    /// Hertz.
    double sample_rate;
    /// When the cycle began, on the host's clock, in nanoseconds.
    uint64_t host_time_ns;
    /// [input_channels] pointers to `frames` floats each, planar, nominal ±1; an entry may be NULL: silence.
    const float *_Nullable const *_Nullable inputs;
    uint32_t input_channels;
    /// The clock that drives the cycle, of all cycles of this process; 0 where it is not known, and where the host resamples
    /// between the clock and the renderer. Streams of one clock have their cycles together, in no certain order.
    uint64_t clock;
    /// Of the first frame, in frames of that clock.
    uint64_t clock_position;
};

typedef void (*oav_render_fn)(void *_Nullable context, const struct oav_cycle *_Nullable cycle);

/// What a host calls once a cycle; a plain value that any thread may hold. `context` must stay valid until the stream's `close` has returned.
struct OAV_SENDABLE oav_renderer {
    oav_render_fn _Nonnull render;
    void *_Nullable context;
};

/// The sound of one bus in one cycle. All memory belongs to the caller and is valid during the call only.
struct oav_bus {
    /// [channel_count] pointers to the cycle's frames each, planar, nominal ±1; none is NULL.
    float *_Nonnull const *_Nonnull channels;
    uint32_t channel_count;
    /// OAV_BUS_ bits.
    uint32_t flags;
};

/// Every frame of the bus is 0, and is written as 0 too: who only adds it may leave it out.
#define OAV_BUS_SILENT 1u

/// What a processor works on: one cycle, from its input busses to its output bus.
struct oav_process {
    /// [input_count]; only read.
    const struct oav_bus *_Nonnull inputs;
    uint32_t input_count;
    /// Frames of every channel; at most the `maximumFrames` that the processor was made for.
    uint32_t frames;
    /// Every frame is to be written. Never the memory of an input.
    struct oav_bus output;
    /// Hertz.
    double sample_rate;
    /// The renderer's sample time of the first frame.
    int64_t sample_time;
    /// When the cycle began, on the host's clock, in nanoseconds.
    uint64_t host_time_ns;
};

/// Processes sound in the render cycle: an effect, a plug-in, an app's unit. A plain value; its owner keeps `context` valid until no
/// plan names it any more. Both functions are called on the render thread: no lock, no allocation.
struct OAV_SENDABLE oav_processor {
    void (*_Nonnull process)(void *_Nullable context, const struct oav_process *_Nonnull process);
    /// Forgets all sound: tails, delays, filter states. NULL where there is nothing to forget.
    void (*_Nullable reset)(void *_Nullable context);
    void *_Nullable context;
    /// Frames of silent input after which the output may be judged: once it is below -100 dBFS then, the processor is not called
    /// until its input sounds again. A delay names its longest delay.
    uint32_t quiet_frames;
};

/// Mark the calling thread as inside, or no longer inside, a real-time section. Calls nest and must balance.
///
/// Where RealtimeSanitizer is linked in (dev/test --lane realtime), a malloc, a lock or another blocking call between the two
/// ends the process with a report; elsewhere they do nothing.
void oav_realtime_enter(void);
void oav_realtime_exit(void);

/// 1 where RealtimeSanitizer is linked in and watches, else 0.
int oav_realtime_is_guarded(void);

/// Renders one cycle. Hosts call this, never the function pointer itself: only here is the section watched.
static inline void oav_renderer_call(
    const struct oav_renderer *_Nonnull renderer, const struct oav_cycle *_Nonnull cycle) {
    oav_realtime_enter();
    renderer->render(renderer->context, cycle);
    oav_realtime_exit();
}

/// Processes one cycle. The renderer calls this, never the function pointer itself: here the compiler's guard ends.
///
/// Floats too small to be normal count as 0 meanwhile: in the tail of a filter they would take a hundred times as long.
static inline OAV_REALTIME void oav_processor_call(
    const struct oav_processor *_Nonnull processor, const struct oav_process *_Nonnull process) {
#if defined(__SSE__)
    const unsigned control = _mm_getcsr();
    _mm_setcsr(control | 0x8040u);
    processor->process(processor->context, process);
    _mm_setcsr(control);
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | 1u << 24) : "memory");
    processor->process(processor->context, process);
    __asm__ volatile("msr fpcr, %0" : : "r"(control) : "memory");
#else
    processor->process(processor->context, process);
#endif
}

/// Has a processor forget all sound; on the render thread.
static inline OAV_REALTIME void oav_processor_reset(const struct oav_processor *_Nonnull processor) {
    if (processor->reset) processor->reset(processor->context);
}

/// Takes out of a microphone's sound what a loudspeaker plays. A plain value; its owner keeps `context` valid.
struct OAV_SENDABLE oav_canceller {
    /// One block of 10 ms: what was captured, what the loudspeaker plays of it, and where the cleaned sound goes. Each is `frames`
    /// floats, nominal ±1; none overlaps another. 0, or below it where the block could not be processed.
    int32_t (*_Nonnull run)(
        void *_Nullable context, const float *_Nonnull captured, const float *_Nonnull played, float *_Nonnull cleaned,
        uint32_t frames);
    void *_Nullable context;
};

/// Cleans one block. The library is not ours, and takes uncontended locks of its own: here the real-time guard ends.
static inline OAV_REALTIME int32_t oav_canceller_call(
    const struct oav_canceller *_Nonnull canceller, const float *_Nonnull captured, const float *_Nonnull played,
    float *_Nonnull cleaned, uint32_t frames) {
    oav_realtime_exit();
    const int32_t result = canceller->run(canceller->context, captured, played, cleaned, frames);
    oav_realtime_enter();
    return result;
}

/// Asks for a line of memory that is used soon, and waits for nothing. Only a hint: any address will do.
static inline OAV_REALTIME void oav_prefetch(const void *_Nonnull memory) { __builtin_prefetch(memory); }

/// Calls the renderer of a stream from the one that stands before it.
static inline OAV_REALTIME void oav_renderer_forward(
    const struct oav_renderer *_Nonnull renderer, const struct oav_cycle *_Nonnull cycle) {
    renderer->render(renderer->context, cycle);
}

/// Calls code of the app's in the cycle: the one place where the real-time section is left. Returns how long that code took,
/// in nanoseconds, without the time in which the system gave the processor to others.
///
/// - may_wait: the app renders by hand, and its code may wait for what it likes.
uint64_t oav_processor_call_app(
    const struct oav_processor *_Nonnull processor, const struct oav_process *_Nonnull process, bool may_wait) OAV_REALTIME;

/// Whether the calling thread is in code of the app's that a host's cycle waits for.
bool oav_is_in_app_call(void);

#ifdef __cplusplus
}
#endif
