// The data thread's cycle: its functions allocate nothing and never wait. The loop thread's side is at the end of this file.
#define _GNU_SOURCE
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <sched.h>
#include <string.h>

static void note_scheduling(struct oav_pw_stream *stream)
{
    struct sched_param param = {0};
    if (atomic_load_explicit(&stream->data_policy, memory_order_relaxed) >= 0) return;
    int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
    if (sched_getparam(0, &param) == 0) atomic_store(&stream->data_priority, param.sched_priority);
    atomic_store(&stream->data_policy, policy);
}

static void ask_loop(struct oav_pw_stream *stream, uint32_t what)
{
    atomic_fetch_or(&stream->wants, what);
    pw_loop_signal_event(pw_thread_loop_get_loop(stream->host->thread), stream->host->wake);
}

static bool is_open(struct oav_pw_stream *stream)
{
    return atomic_load_explicit(&stream->gate_open, memory_order_acquire)
        && !atomic_load_explicit(&stream->doubted, memory_order_acquire);
}

// The second protection: an open gate is valid for one driver. With another driver, the stream is silent until the loop has
// found our links intact (another program's link can merge two graphs); this does not help if two sinks share a driver.
static bool may_sound(struct oav_pw_stream *stream, const struct spa_io_position *position)
{
    if (!is_open(stream)) return false;
    if (!position) return true;
    uint32_t clock = position->clock.id, approved = OAV_PW_NONE;
    if (!atomic_compare_exchange_strong(&stream->approved_clock, &approved, clock) && approved != clock) {
        ask_loop(stream, OAV_STREAM_WANTS_RECHECK);
        // A recorder goes on when the sink that drove its graph leaves. Its source's end closes the gate.
        if (!stream->is_input) return false;
    }
    atomic_store_explicit(&stream->quantum, (uint32_t)position->clock.duration, memory_order_relaxed);
    uint32_t rate = position->clock.rate.denom;
    if (rate > 0 && atomic_exchange(&stream->seen_rate, rate) != rate) ask_loop(stream, OAV_STREAM_WANTS_RATE);
    return true;
}

// The time of a renderer's call.
struct moment {
    uint64_t time_ns, clock, clock_position;
};

static struct moment moment_of(
    const struct oav_pw_stream *stream, const struct spa_io_position *position, uint32_t frames)
{
    struct moment moment = {0};
    if (!position) return moment;
    const struct spa_io_clock *clock = &position->clock;
    moment.time_ns = clock->nsec;
    // If the adapter resamples, its frames are not the clock's.
    if (clock->rate.num == 1 && clock->rate.denom == stream->sample_rate && clock->duration == frames) {
        moment.clock = (uint64_t)clock->id + 1;
        moment.clock_position = clock->position;
    }
    return moment;
}

static void set_moment(struct oav_cycle *cycle, const struct moment *moment, uint32_t done)
{
    cycle->host_time_ns = moment->time_ns + (uint64_t)(done * 1e9 / cycle->sample_rate);
    cycle->clock = moment->clock;
    cycle->clock_position = moment->clock_position + done;
}

// Passes the frames in parts of the renderer's size: a server may deliver more than the renderer was made for.
static void capture(
    struct oav_pw_stream *stream, const float **planes, uint32_t count, uint32_t frames, struct moment moment)
{
    const float *inputs[OAV_PW_MAX_CHANNELS];
    for (uint32_t done = 0; done < frames;) {
        uint32_t part = SPA_MIN(frames - done, stream->max_frames);
        for (uint32_t c = 0; c < count; c++) inputs[c] = planes[c] ? planes[c] + done : NULL;
        struct oav_cycle cycle = {
            .inputs = inputs,
            .input_channels = count,
            .frames = part,
            .sample_rate = stream->sample_rate,
        };
        set_moment(&cycle, &moment, done);
        oav_renderer_call(&stream->renderer, &cycle);
        done += part;
    }
}

static void process_input(struct oav_pw_stream *stream, const struct spa_buffer *spa)
{
    struct spa_io_position *position = atomic_load(&stream->position);
    if (!atomic_load(&stream->running) || !may_sound(stream, position)) return;
    uint32_t count = SPA_MIN(spa->n_datas, (uint32_t)OAV_PW_MAX_CHANNELS);
    const float *planes[OAV_PW_MAX_CHANNELS];
    uint32_t frames = count > 0 ? UINT32_MAX : 0;
    for (uint32_t c = 0; c < count; c++) {
        struct oav_plane plane = oav_plane_of(&spa->datas[c]);
        planes[c] = plane.samples;
        frames = SPA_MIN(frames, plane.frames);
    }
    capture(stream, planes, count, frames, moment_of(stream, position, frames));
}

static void render(
    struct oav_pw_stream *stream, float **planes, uint32_t count, uint32_t frames, bool sounding, struct moment moment)
{
    float *outputs[OAV_PW_MAX_CHANNELS];
    // A server may request more frames than the renderer was made for: several calls then fill one buffer.
    for (uint32_t done = 0; done < frames;) {
        uint32_t part = SPA_MIN(frames - done, stream->max_frames);
        for (uint32_t c = 0; c < count; c++) outputs[c] = planes[c] ? planes[c] + done : NULL;
        struct oav_cycle cycle = {
            .outputs = outputs,
            .output_channels = count,
            .frames = part,
            .flags = sounding ? 0 : OAV_CYCLE_GATED,
            .sample_rate = stream->sample_rate,
        };
        set_moment(&cycle, &moment, done);
        oav_renderer_call(&stream->renderer, &cycle);
        done += part;
    }
}

static void process(struct oav_pw_stream *stream)
{
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(stream->stream);
    if (!buffer) return;
    note_scheduling(stream);
    atomic_fetch_add_explicit(&stream->cycles, 1, memory_order_relaxed);
    atomic_store(&stream->busy, true);
    if (stream->is_input) {
        process_input(stream, buffer->buffer);
        atomic_store(&stream->busy, false);
        pw_stream_queue_buffer(stream->stream, buffer);
        return;
    }
    struct spa_io_position *position = atomic_load(&stream->position);
    bool running = atomic_load(&stream->running);

    struct spa_buffer *spa = buffer->buffer;
    uint32_t count = SPA_MIN(spa->n_datas, (uint32_t)OAV_PW_MAX_CHANNELS);
    float *planes[OAV_PW_MAX_CHANNELS];
    uint32_t frames = UINT32_MAX;
    for (uint32_t c = 0; c < count; c++) {
        planes[c] = spa->datas[c].data;
        frames = SPA_MIN(frames, spa->datas[c].maxsize / (uint32_t)sizeof(float));
    }
    if (count == 0) frames = 0;
    uint64_t wanted = buffer->requested ? buffer->requested : position ? position->clock.duration : frames;
    if (wanted < frames) frames = (uint32_t)wanted;

    bool sounding = running && may_sound(stream, position);
    if (running) render(stream, planes, count, frames, sounding, moment_of(stream, position, frames));
    // The gate may have closed while the renderer ran; a closed gate must also silence this buffer.
    if (!sounding || !is_open(stream)) {
        for (uint32_t c = 0; c < count; c++) {
            if (planes[c]) memset(planes[c], 0, frames * sizeof(float));
        }
    }
    for (uint32_t c = 0; c < count; c++) {
        spa->datas[c].chunk->offset = 0;
        spa->datas[c].chunk->stride = sizeof(float);
        spa->datas[c].chunk->size = frames * sizeof(float);
    }
    atomic_store(&stream->busy, false);
    pw_stream_queue_buffer(stream->stream, buffer);
}

void oav_stream_process(void *data)
{
    struct oav_pw_stream *stream = data;
    process(stream);
    if (!stream->is_input) return;
    // In each cycle, whatever became of ours: the driver waits. Before 0.3.71, this calls the follower's `process`.
    atomic_store(&stream->busy, true);
    struct pw_stream *follower = atomic_load(&stream->follower);
    if (follower) pw_stream_trigger_process(follower);
    atomic_store(&stream->busy, false);
}

// The loop thread's side.

void oav_stream_quiesce(struct oav_pw_stream *stream)
{
    while (atomic_load(&stream->busy)) {
        struct timespec pause = {0, 50 * SPA_NSEC_PER_USEC};
        nanosleep(&pause, NULL);
    }
}

// Reports that the sink's rate is no longer observed.
void oav_stream_forget_rate(struct oav_pw_stream *stream)
{
    struct oav_pw_host *host = stream->host;
    atomic_store(&stream->seen_rate, 0);
    if (stream->reported_rate_node == OAV_PW_NONE) return;
    if (!host->lost) host->events.sink_rate(host->events.context, stream->reported_rate_node, 0);
    stream->reported_rate_node = OAV_PW_NONE;
}

void oav_stream_report_rate(struct oav_pw_stream *stream)
{
    struct oav_pw_host *host = stream->host;
    uint32_t rate = atomic_load(&stream->seen_rate);
    if (rate == 0 || stream->target_count == 0) return;
    stream->reported_rate_node = stream->targets[0].node_id;
    host->events.sink_rate(host->events.context, stream->reported_rate_node, rate);
}
#endif
