// The ducking sink: its sound reaches one output at our gain. It consists of two streams in one group, as in PipeWire's
// loopback: the sink passes each cycle on to the player. Both end with this process, and no program's volume is changed.
#include "internal.h"
#include "oav_pipewire_guard.h"
#ifdef OAV_HAS_PIPEWIRE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <spa/param/audio/format-utils.h>

#define CHANNELS 2
// PW_STREAM_FLAG_ASYNC, which PipeWire has since 0.3.73: the player's process gives the sink's buffer back, and not the sink's own.
// Without it there is one buffer: in every second cycle the sink has none, and the output gets the same old frames again.
// Source: PipeWire 1.4.2, stream.h, module-loopback.c (setup_streams), audioadapter.c (negotiate_buffers).
#define STREAM_FLAG_ASYNC (1 << 10)

struct duck_link {
    struct spa_list link;
    struct pw_proxy *proxy;
};

struct oav_pw_duck {
    struct oav_pw_host *host;
    struct pw_stream *sink, *player;
    struct spa_hook sink_hook, player_hook;
    struct spa_list links;
    float last_target;  // the loop's
    // Written by the loop, read by the data thread once in each cycle.
    _Atomic float target, step;
    // A thread that removes the streams first sets this to false and then waits until `busy` is 0.
    _Atomic bool running;
    _Atomic int busy;  // the sink's process may call the player's
    float gain;  // the data thread's
};

static void on_sink_process(void *data)
{
    struct oav_pw_duck *duck = data;
    atomic_fetch_add(&duck->busy, 1);
    if (atomic_load(&duck->running)) pw_stream_trigger_process(duck->player);
    atomic_fetch_sub(&duck->busy, 1);
}

static float next_gain(float gain, float target, float step)
{
    return gain < target ? fminf(gain + step, target) : fmaxf(gain - step, target);
}

static uint32_t copy(struct oav_pw_duck *duck, const struct spa_buffer *in, struct spa_buffer *out)
{
    float target = atomic_load_explicit(&duck->target, memory_order_relaxed);
    float step = atomic_load_explicit(&duck->step, memory_order_relaxed);
    float first = duck->gain, last = first;
    uint32_t frames = UINT32_MAX;
    uint32_t count = SPA_MIN(SPA_MIN(in->n_datas, out->n_datas), (uint32_t)CHANNELS);
    struct oav_plane sources[CHANNELS];
    for (uint32_t c = 0; c < count; c++) {
        sources[c] = oav_plane_of(&in->datas[c]);
        uint32_t room = out->datas[c].data ? out->datas[c].maxsize / (uint32_t)sizeof(float) : 0;
        frames = SPA_MIN(frames, sources[c].samples ? SPA_MIN(sources[c].frames, room) : 0);
    }
    if (count == 0) frames = 0;
    for (uint32_t c = 0; c < count; c++) {
        const float *source = sources[c].samples;
        float *result = out->datas[c].data;
        last = first;
        for (uint32_t i = 0; i < frames; i++) {
            last = next_gain(last, target, step);
            result[i] = source[i] * last;
        }
    }
    duck->gain = last;
    // These buffers still contain old samples.
    for (uint32_t c = count; c < out->n_datas; c++) {
        struct spa_data *to = &out->datas[c];
        if (to->data) memset(to->data, 0, SPA_MIN(to->maxsize, frames * (uint32_t)sizeof(float)));
    }
    return frames;
}

static void on_player_process(void *data)
{
    struct oav_pw_duck *duck = data;
    struct pw_buffer *in = NULL, *newer, *out = NULL;
    atomic_fetch_add(&duck->busy, 1);
    if (atomic_load(&duck->running)) {
        // If a cycle was missed, there are two buffers: the newest counts.
        while ((newer = pw_stream_dequeue_buffer(duck->sink))) {
            if (in) pw_stream_queue_buffer(duck->sink, in);
            in = newer;
        }
        out = in ? pw_stream_dequeue_buffer(duck->player) : NULL;
        if (out) {
            uint32_t frames = copy(duck, in->buffer, out->buffer);
            for (uint32_t c = 0; c < out->buffer->n_datas; c++) {
                struct spa_data *to = &out->buffer->datas[c];
                to->chunk->offset = 0;
                to->chunk->stride = sizeof(float);
                to->chunk->size = frames * sizeof(float);
            }
            pw_stream_queue_buffer(duck->player, out);
        }
        if (in) pw_stream_queue_buffer(duck->sink, in);
    }
    atomic_fetch_sub(&duck->busy, 1);
}

static const struct pw_stream_events sink_events = {PW_VERSION_STREAM_EVENTS, .process = on_sink_process};
static const struct pw_stream_events player_events = {PW_VERSION_STREAM_EVENTS, .process = on_player_process};

static struct pw_properties *duck_properties(const char *name, const char *description)
{
    struct pw_properties *properties = pw_properties_new(
        PW_KEY_NODE_NAME, name,
        PW_KEY_NODE_DESCRIPTION, description,
        // WirePlumber stores volumes by this name: one entry for all guards, and none if it supports the next two properties.
        PW_KEY_MEDIA_NAME, "audiosession guard",
        "state.restore-props", "false",
        "state.restore-target", "false",
        PW_KEY_NODE_VIRTUAL, "true",
        // Without an output, the node must stop: a dummy driver would run it, and its frames would be lost.
        "node.want-driver", "false",
        "session.suspend-timeout-seconds", "0",
        NULL);
    if (properties) {
        pw_properties_setf(properties, PW_KEY_NODE_GROUP, "%s", name);
        pw_properties_setf(properties, PW_KEY_NODE_LINK_GROUP, "%s", name);
    }
    return properties;
}

static struct pw_stream *connect_end(
    struct oav_pw_duck *duck, struct pw_properties *properties, struct spa_hook *hook,
    const struct pw_stream_events *events, enum spa_direction direction, enum pw_stream_flags flags)
{
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    if (!properties) return NULL;
    struct pw_stream *stream = pw_stream_new(duck->host->export_core, "audiosession guard", properties);
    if (!stream) return NULL;
    pw_stream_add_listener(stream, hook, events, duck);
    // No rate is set: the node runs at the graph's rate.
    const struct spa_pod *params[] = {spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat,
        &SPA_AUDIO_INFO_RAW_INIT(.format = SPA_AUDIO_FORMAT_F32P, .channels = CHANNELS,
            .position = {SPA_AUDIO_CHANNEL_FL, SPA_AUDIO_CHANNEL_FR}))};
    int result = pw_stream_connect(stream, direction, PW_ID_ANY,
        flags | PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_RT_PROCESS, params, SPA_N_ELEMENTS(params));
    if (result >= 0) return stream;
    spa_hook_remove(hook);
    pw_stream_destroy(stream);
    return NULL;
}

static void free_links(struct oav_pw_duck *duck)
{
    struct duck_link *link;
    spa_list_consume(link, &duck->links, link) {
        spa_list_remove(&link->link);
        pw_proxy_destroy(link->proxy);
        free(link);
    }
}

void oav_pw_duck_free(struct oav_pw_duck *duck)
{
    atomic_store(&duck->running, false);
    while (atomic_load(&duck->busy)) {
        struct timespec pause = {0, 50 * SPA_NSEC_PER_USEC};
        nanosleep(&pause, NULL);
    }
    free_links(duck);
    if (duck->sink) {
        spa_hook_remove(&duck->sink_hook);
        oav_host_retire(duck->host, duck->sink);
    }
    if (duck->player) {
        spa_hook_remove(&duck->player_hook);
        oav_host_retire(duck->host, duck->player);
    }
    free(duck);
}

struct oav_pw_duck *oav_pw_duck_new(struct oav_pw_host *host, const char *node_name, const char *description)
{
    struct oav_pw_duck *duck = host->lost ? NULL : calloc(1, sizeof *duck);
    if (!duck) return NULL;
    duck->host = host;
    duck->gain = duck->last_target = 1;
    spa_list_init(&duck->links);
    atomic_init(&duck->target, 1);
    atomic_init(&duck->running, false);
    struct pw_properties *properties = duck_properties(node_name, description);
    if (properties) {
        pw_properties_set(properties, PW_KEY_MEDIA_CLASS, OAV_PW_PARKING_CLASS);
        pw_properties_set(properties, PW_KEY_PRIORITY_SESSION, "1");
    }
    duck->sink = connect_end(duck, properties, &duck->sink_hook, &sink_events, PW_DIRECTION_INPUT, STREAM_FLAG_ASYNC);
    // Its class is not a stream's: no mixer lists it, no session manager links it or stores its volume, and WirePlumber creates its ports.
    properties = duck->sink ? duck_properties(node_name, description) : NULL;
    if (properties) {
        pw_properties_setf(properties, PW_KEY_NODE_NAME, "%s.out", node_name);
        pw_properties_set(properties, PW_KEY_MEDIA_CLASS, "Audio/Output/Guard");
        pw_properties_set(properties, PW_KEY_NODE_AUTOCONNECT, "false");
        duck->player = connect_end(
            duck, properties, &duck->player_hook, &player_events, PW_DIRECTION_OUTPUT, PW_STREAM_FLAG_TRIGGER);
    }
    if (!duck->player) {
        oav_pw_duck_free(duck);
        return NULL;
    }
    atomic_store(&duck->running, true);
    return duck;
}

uint32_t oav_pw_duck_sink_node(struct oav_pw_duck *duck) { return pw_stream_get_node_id(duck->sink); }
uint32_t oav_pw_duck_player_node(struct oav_pw_duck *duck) { return pw_stream_get_node_id(duck->player); }

void oav_pw_duck_unlink(struct oav_pw_duck *duck) { free_links(duck); }

bool oav_pw_duck_link(struct oav_pw_duck *duck, uint32_t our_port, uint32_t their_port)
{
    struct duck_link *link = duck->host->lost ? NULL : calloc(1, sizeof *link);
    struct pw_properties *properties = link ? pw_properties_new(NULL, NULL) : NULL;
    if (properties) {
        pw_properties_setf(properties, PW_KEY_LINK_OUTPUT_PORT, "%u", our_port);
        pw_properties_setf(properties, PW_KEY_LINK_INPUT_PORT, "%u", their_port);
        link->proxy = pw_core_create_object(
            duck->host->core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK, &properties->dict, 0);
    }
    pw_properties_free(properties);
    if (!link || !link->proxy) {
        free(link);
        return false;
    }
    spa_list_append(&duck->links, &link->link);
    return true;
}

void oav_pw_duck_fade(struct oav_pw_duck *duck, float gain, float seconds)
{
    float frames = SPA_MAX(seconds * 48000, 1.0f);
    atomic_store_explicit(&duck->step, fabsf(gain - duck->last_target) / frames, memory_order_relaxed);
    atomic_store_explicit(&duck->target, gain, memory_order_relaxed);
    duck->last_target = gain;
}
#endif
