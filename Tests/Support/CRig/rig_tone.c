// Tones: a stream of countable frames.
#include "rig_tone.h"

#if OAV_RIG_HAS_PIPEWIRE
#include <errno.h>
#include <math.h>
#include <spa/param/audio/format-utils.h>
#include <stdlib.h>

struct oav_rig_tone {
    struct rig_resource resource;
    struct oav_rig *rig;
    struct pw_stream *stream;
    struct spa_hook hook;
    struct rig_linker linker;
    enum pw_stream_state state;
    uint32_t node_id;
    size_t channel_count;
    double step;  // radians a frame
    float amplitude;
    struct rig_shared shared;  // guards what follows
    uint64_t index, remaining, played;
};

static float sample(const struct oav_rig_tone *tone, size_t channel, uint64_t index) {
    double phase = (double)index * tone->step;
    if (tone->channel_count == 1)  // a lone sine would have quiet frames around its zeros
        return sin(phase) >= 0 ? tone->amplitude : -tone->amplitude;
    return tone->amplitude * (float)(channel % 2 ? cos(phase) : sin(phase));
}

static void on_process(void *data) {
    struct oav_rig_tone *tone = data;
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(tone->stream);
    if (!buffer)
        return;
    struct spa_data *block = &buffer->buffer->datas[0];
    float *frames = block->data;
    size_t stride = sizeof(float) * tone->channel_count;
    uint64_t count = frames ? block->maxsize / stride : 0;
    if (buffer->requested && buffer->requested < count)
        count = buffer->requested;

    pthread_mutex_lock(&tone->shared.lock);
    uint64_t audible = SPA_MIN(count, tone->remaining), first = tone->index;
    tone->index += audible;
    tone->played += audible;
    if (tone->remaining != UINT64_MAX)
        tone->remaining -= audible;
    pthread_mutex_unlock(&tone->shared.lock);

    for (uint64_t i = 0; i < count; i++) {
        for (size_t c = 0; c < tone->channel_count; c++)
            *frames++ = i < audible ? sample(tone, c, first + i) : 0;
    }
    block->chunk->offset = 0;
    block->chunk->stride = (int32_t)stride;
    block->chunk->size = (uint32_t)(count * stride);
    pw_stream_queue_buffer(tone->stream, buffer);
}

static void on_state_changed(void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error) {
    (void)old, (void)error;
    struct oav_rig_tone *tone = data;
    tone->state = state;
    tone->node_id = pw_stream_get_node_id(tone->stream);
    if (tone->linker.target) {
        tone->linker.node_id = tone->node_id;
        rig_linkers_update(tone->rig);
    }
    rig_changed(tone->rig);
}

static const struct pw_stream_events stream_events = {
    PW_VERSION_STREAM_EVENTS,
    .state_changed = on_state_changed,
    .process = on_process,
};

static struct pw_properties *make_properties(const struct oav_rig *rig, const struct oav_rig_tone_options *options) {
    struct pw_properties *properties = pw_properties_new(PW_KEY_MEDIA_TYPE, "Audio", NULL);
    if (options->routing == OAV_RIG_TONE_SOURCE) {
        pw_properties_set(properties, PW_KEY_MEDIA_CLASS, "Audio/Source");
    } else {
        pw_properties_set(properties, PW_KEY_MEDIA_CATEGORY, "Playback");
        pw_properties_set(properties, PW_KEY_MEDIA_ROLE, "Music");
    }
    if (options->routing == OAV_RIG_TONE_AUTOMATIC && options->target_node)
        pw_properties_set(properties, "target.object", options->target_node);
    if (!rig->has_session_manager)  // then no other program configures the ports
        pw_properties_set(properties, "adapter.auto-port-config", "{ mode=dsp position=preserve }");
    for (size_t i = 0; i < options->property_count; i++)
        pw_properties_set(properties, options->properties[i].key, options->properties[i].value);
    return properties;
}

static int connect_stream(struct oav_rig_tone *tone, const struct oav_rig_tone_options *options) {
    struct spa_audio_info_raw format = {
        .format = SPA_AUDIO_FORMAT_F32,
        .rate = options->rate,
        .channels = (uint32_t)options->channel_count,
    };
    for (size_t c = 0; c < options->channel_count; c++)
        format.position[c] = rig_channel_named(options->channels[c]);
    uint8_t storage[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(storage, sizeof storage);
    const struct spa_pod *parameters[] = {spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat, &format)};
    enum pw_stream_flags flags = PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_RT_PROCESS;
    if (options->routing == OAV_RIG_TONE_AUTOMATIC)
        flags |= PW_STREAM_FLAG_AUTOCONNECT;
    return pw_stream_connect(tone->stream, PW_DIRECTION_OUTPUT, PW_ID_ANY, flags, parameters, 1);
}

static void stop(struct oav_rig_tone *tone) {
    if (!tone->stream)
        return;
    rig_linker_stop(&tone->linker);
    spa_hook_remove(&tone->hook);
    pw_stream_destroy(tone->stream);
    tone->stream = NULL;
    tone->state = PW_STREAM_STATE_UNCONNECTED;
}

void rig_tone_free(struct oav_rig_tone *tone) {
    stop(tone);
    rig_shared_destroy(&tone->shared);
    free(tone);
}

static void release(struct rig_resource *resource) {
    rig_tone_free(SPA_CONTAINER_OF(resource, struct oav_rig_tone, resource));
}

int rig_tone_start(struct oav_rig *rig, struct pw_core *core, const struct oav_rig_tone_options *options,
                   struct oav_rig_tone **result) {
    if (rig->lost)
        return -EPIPE;
    if (options->channel_count == 0 || options->channel_count > OAV_RIG_MAX_CHANNELS || options->rate == 0 ||
        (options->routing == OAV_RIG_TONE_LINKED && !options->target_node))
        return -EINVAL;
    struct oav_rig_tone *tone = calloc(1, sizeof *tone);
    tone->rig = rig;
    tone->node_id = SPA_ID_INVALID;
    tone->channel_count = options->channel_count;
    tone->step = 2 * M_PI * options->frequency / options->rate;
    tone->amplitude = options->amplitude;
    rig_shared_init(&tone->shared);
    tone->stream = pw_stream_new(core, "oav-rig-tone", make_properties(rig, options));
    if (!tone->stream) {
        int error = -errno;
        rig_tone_free(tone);
        return error;
    }
    pw_stream_add_listener(tone->stream, &tone->hook, &stream_events, tone);
    if (options->routing == OAV_RIG_TONE_LINKED)
        rig_linker_start(&tone->linker, rig, RIG_LINK_TO_TARGET, options->target_node);
    *result = tone;
    return connect_stream(tone, options);
}

bool rig_tone_has_ports(const struct oav_rig_tone *tone) {
    return tone->node_id != SPA_ID_INVALID &&
           rig_count_ports(tone->rig, tone->node_id, "out") == tone->channel_count;
}

static bool is_ready(void *context) {
    const struct oav_rig_tone *tone = context;
    return tone->state == PW_STREAM_STATE_ERROR || rig_tone_has_ports(tone);
}

int oav_rig_tone_create(struct oav_rig *rig, const struct oav_rig_tone_options *options, uint64_t timeout_ns,
                        struct oav_rig_tone **result) {
    struct oav_rig_tone *tone = NULL;
    rig_lock(rig);
    struct pw_core *core = rig_export_core(rig);
    int error = core ? rig_tone_start(rig, core, options, &tone) : -EPIPE;
    if (tone)
        rig_keep(rig, &tone->resource, release);
    if (error >= 0)
        error = rig_wait(rig, is_ready, tone, timeout_ns);
    if (error && tone)
        stop(tone);
    rig_unlock(rig);
    if (!error)
        *result = tone;
    return error;
}

void oav_rig_tone_play(struct oav_rig_tone *tone, uint64_t frames) {
    pthread_mutex_lock(&tone->shared.lock);
    tone->index = 0;
    tone->remaining = frames;
    pthread_mutex_unlock(&tone->shared.lock);
}

uint64_t oav_rig_tone_played_frames(struct oav_rig_tone *tone) {
    pthread_mutex_lock(&tone->shared.lock);
    uint64_t played = tone->played;
    pthread_mutex_unlock(&tone->shared.lock);
    return played;
}

uint32_t oav_rig_tone_node_id(struct oav_rig_tone *tone) {
    rig_lock(tone->rig);
    uint32_t id = tone->node_id;
    rig_unlock(tone->rig);
    return id;
}

bool oav_rig_tone_is_streaming(struct oav_rig_tone *tone) {
    rig_lock(tone->rig);
    bool streaming = tone->state == PW_STREAM_STATE_STREAMING;
    rig_unlock(tone->rig);
    return streaming;
}

int oav_rig_tone_set_active(struct oav_rig_tone *tone, bool active) {
    rig_lock(tone->rig);
    int result = tone->stream ? pw_stream_set_active(tone->stream, active) : -EPIPE;
    rig_unlock(tone->rig);
    return result < 0 ? result : 0;
}

void oav_rig_tone_destroy(struct oav_rig_tone *tone) {
    rig_lock(tone->rig);
    stop(tone);
    rig_changed(tone->rig);
    rig_unlock(tone->rig);
}

#endif
