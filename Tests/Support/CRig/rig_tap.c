// A tap reads the monitor of a sink cycle by cycle. It is a filter and not a stream: its ports need no session manager,
// its samples are the graph's own (planar, no conversion), and each cycle comes with the driver's clock, so that a
// frame that was lost on the way is noticed.
#include "rig_internal.h"

#if OAV_RIG_HAS_PIPEWIRE
#include <errno.h>
#include <math.h>
#include <pipewire/filter.h>
#include <stdio.h>

static const float loud = 0.001f;  // -60 dBFS

bool rig_frame_is_loud(const struct rig_cycle *cycle, uint32_t frame, float *peak) {
    bool is_loud = false;
    for (size_t c = 0; c < cycle->channel_count; c++) {
        float level = cycle->channels[c] ? fabsf(cycle->channels[c][frame]) : 0;
        if (level > loud)
            is_loud = true;
        if (level > *peak)
            *peak = level;
    }
    return is_loud;
}

static void on_process(void *data, struct spa_io_position *position) {
    struct rig_tap *tap = data;
    if (!position)
        return;
    uint32_t frames = (uint32_t)position->clock.duration;
    const float *channels[OAV_RIG_MAX_CHANNELS];
    bool any = false;
    for (size_t c = 0; c < tap->channel_count; c++) {
        channels[c] = pw_filter_get_dsp_buffer(tap->ports[c], frames);
        any = any || channels[c];
    }
    // Not linked (yet, or any more): whatever the clock counts until it is linked again is not ours to hear.
    if (!any) {
        tap->has_position = false;
        return;
    }
    uint64_t missed = 0;
    if (tap->has_position && tap->clock_id == position->clock.id && position->clock.position > tap->next_position)
        missed = position->clock.position - tap->next_position;
    tap->has_position = true;
    tap->clock_id = position->clock.id;
    tap->next_position = position->clock.position + position->clock.duration;

    struct rig_cycle cycle = {
        .channels = channels,
        .channel_count = tap->channel_count,
        .frames = frames,
        .missed_frames = missed,
        .position = position->clock.position,
        .time = oav_rig_now(),
    };
    tap->on_cycle(tap->data, &cycle);
}

static void on_state_changed(void *data, enum pw_filter_state old, enum pw_filter_state state, const char *error) {
    (void)old, (void)state, (void)error;
    struct rig_tap *tap = data;
    tap->linker.node_id = pw_filter_get_node_id(tap->filter);
    rig_linkers_update(tap->rig);
    rig_changed(tap->rig);
}

static const struct pw_filter_events filter_events = {
    PW_VERSION_FILTER_EVENTS,
    .state_changed = on_state_changed,
    .process = on_process,
};

int rig_tap_start(struct rig_tap *tap, struct oav_rig *rig, struct pw_core *core, const char *node_name,
                  const char *const *channels, size_t channel_count,
                  void (*on_cycle)(void *data, const struct rig_cycle *cycle), void *data) {
    if (rig->lost)
        return -EPIPE;
    if (channel_count == 0 || channel_count > OAV_RIG_MAX_CHANNELS)
        return -EINVAL;
    tap->rig = rig;
    tap->channel_count = channel_count;
    tap->on_cycle = on_cycle;
    tap->data = data;
    struct pw_properties *properties =
        pw_properties_new(PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CATEGORY, "Monitor", PW_KEY_MEDIA_ROLE, "Test",
                          PW_KEY_NODE_AUTOCONNECT, "false", PW_KEY_NODE_DONT_RECONNECT, "true", NULL);
    pw_properties_setf(properties, PW_KEY_NODE_NAME, RIG_EXPORT_PREFIX ".meter.%s", node_name);
    tap->filter = pw_filter_new(core, "oav-rig-meter", properties);
    if (!tap->filter)
        return -errno;
    pw_filter_add_listener(tap->filter, &tap->filter_hook, &filter_events, tap);
    for (size_t c = 0; c < channel_count; c++) {
        struct pw_properties *port = pw_properties_new(PW_KEY_FORMAT_DSP, "32 bit float mono audio",
                                                       PW_KEY_AUDIO_CHANNEL, channels[c], NULL);
        pw_properties_setf(port, PW_KEY_PORT_NAME, "input_%s", channels[c]);
        tap->ports[c] = pw_filter_add_port(tap->filter, PW_DIRECTION_INPUT, PW_FILTER_PORT_FLAG_MAP_BUFFERS,
                                           sizeof(void *), port, NULL, 0);
    }
    rig_linker_start(&tap->linker, rig, RIG_LINK_FROM_MONITOR, node_name);
    return pw_filter_connect(tap->filter, PW_FILTER_FLAG_RT_PROCESS, NULL, 0);
}

void rig_tap_stop(struct rig_tap *tap) {
    if (!tap->filter)
        return;
    rig_linker_stop(&tap->linker);
    spa_hook_remove(&tap->filter_hook);
    pw_filter_destroy(tap->filter);
    tap->filter = NULL;
}

// ---- The lock between the data thread and the test ----

void rig_shared_init(struct rig_shared *shared) {
    pthread_mutexattr_t mutex;
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setprotocol(&mutex, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&shared->lock, &mutex);
    pthread_mutexattr_destroy(&mutex);

    pthread_condattr_t condition;
    pthread_condattr_init(&condition);
    pthread_condattr_setclock(&condition, CLOCK_MONOTONIC);
    pthread_cond_init(&shared->changed, &condition);
    pthread_condattr_destroy(&condition);
}

void rig_shared_destroy(struct rig_shared *shared) {
    pthread_cond_destroy(&shared->changed);
    pthread_mutex_destroy(&shared->lock);
}

int rig_shared_wait(struct rig_shared *shared, uint64_t deadline) {
    struct timespec until = {
        .tv_sec = (time_t)(deadline / SPA_NSEC_PER_SEC),
        .tv_nsec = (long)(deadline % SPA_NSEC_PER_SEC),
    };
    return -pthread_cond_timedwait(&shared->changed, &shared->lock, &until);
}

#endif
