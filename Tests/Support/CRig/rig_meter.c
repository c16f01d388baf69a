// Meters: what a sink played since a mark, frame by frame.
#include "rig_internal.h"

#if OAV_RIG_HAS_PIPEWIRE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct oav_rig_meter {
    struct rig_resource resource;
    struct rig_tap tap;
    struct rig_shared shared;
    struct oav_rig_meter_reading reading;
    uint64_t quiet_frames;    // since the last loud one, or the mark
    float *captured;          // planar ring: channel c begins at c * capacity
    size_t capacity, length, next;
    uint64_t end_position;    // of the driver's clock, behind the newest captured frame
    bool hears_all;           // there was a cycle in which every channel brought something
};

// The data thread is the only writer of the counts.
static void on_cycle(void *data, const struct rig_cycle *cycle) {
    struct oav_rig_meter *meter = data;
    bool hears_all = true;
    for (size_t c = 0; c < cycle->channel_count; c++)
        hears_all = hears_all && cycle->channels[c];
    pthread_mutex_lock(&meter->shared.lock);
    meter->hears_all = meter->hears_all || hears_all;
    struct oav_rig_meter_reading *reading = &meter->reading;
    for (uint32_t i = 0; i < cycle->frames; i++) {
        if (rig_frame_is_loud(cycle, i, &reading->peak)) {
            if (reading->loud_frames++ == 0) {
                reading->first_loud_at = cycle->time;
                reading->first_loud_frame = reading->frames + i;
            }
            reading->last_loud_at = cycle->time;
            reading->last_loud_frame = reading->frames + i;
            meter->quiet_frames = 0;
        } else {
            meter->quiet_frames++;
        }
        if (meter->capacity) {
            for (size_t c = 0; c < cycle->channel_count; c++)
                meter->captured[c * meter->capacity + meter->next] = cycle->channels[c] ? cycle->channels[c][i] : 0;
            meter->next = (meter->next + 1) % meter->capacity;
            if (meter->length < meter->capacity)
                meter->length++;
        }
    }
    reading->frames += cycle->frames;
    reading->missed_frames += cycle->missed_frames;
    meter->end_position = cycle->position + cycle->frames;
    pthread_cond_broadcast(&meter->shared.changed);
    pthread_mutex_unlock(&meter->shared.lock);
}

static void release(struct rig_resource *resource) {
    struct oav_rig_meter *meter = SPA_CONTAINER_OF(resource, struct oav_rig_meter, resource);
    rig_tap_stop(&meter->tap);
    rig_shared_destroy(&meter->shared);
    free(meter->captured);
    free(meter);
}

// The channels are linked one after the other; an account of some of them would be short.
static int wait_for_all_channels(struct oav_rig_meter *meter, uint64_t timeout_ns) {
    uint64_t deadline = oav_rig_now() + timeout_ns;
    int error = 0;
    pthread_mutex_lock(&meter->shared.lock);
    while (!error && !meter->hears_all)
        error = rig_shared_wait(&meter->shared, deadline);
    pthread_mutex_unlock(&meter->shared.lock);
    return error;
}

int oav_rig_meter_create(struct oav_rig *rig, const char *node_name, const char *const *channels, size_t channel_count,
                         size_t captured_frames, uint64_t timeout_ns, struct oav_rig_meter **result) {
    struct oav_rig_meter *meter = calloc(1, sizeof *meter);
    meter->capacity = captured_frames;
    meter->captured = captured_frames ? calloc(captured_frames * channel_count, sizeof(float)) : NULL;
    meter->reading.marked_at = oav_rig_now();
    rig_shared_init(&meter->shared);
    rig_lock(rig);
    rig_keep(rig, &meter->resource, release);
    int error = rig_tap_start(&meter->tap, rig, rig->core, node_name, channels, channel_count, on_cycle, meter);
    rig_unlock(rig);
    if (!error)
        error = wait_for_all_channels(meter, timeout_ns);
    if (!error)
        *result = meter;
    return error;
}

uint64_t oav_rig_meter_mark(struct oav_rig_meter *meter) {
    pthread_mutex_lock(&meter->shared.lock);
    uint64_t time = oav_rig_now();
    meter->reading = (struct oav_rig_meter_reading){.marked_at = time};
    meter->quiet_frames = 0;
    meter->length = meter->next = 0;
    pthread_mutex_unlock(&meter->shared.lock);
    return time;
}

void oav_rig_meter_stop(struct oav_rig *rig, struct oav_rig_meter *meter) {
    rig_lock(rig);
    rig_tap_stop(&meter->tap);
    rig_unlock(rig);
}

void oav_rig_meter_read(struct oav_rig_meter *meter, struct oav_rig_meter_reading *reading) {
    pthread_mutex_lock(&meter->shared.lock);
    *reading = meter->reading;
    pthread_mutex_unlock(&meter->shared.lock);
}

int oav_rig_meter_wait(struct oav_rig_meter *meter, uint64_t frames, uint64_t loud_frames, uint64_t quiet_frames,
                       uint64_t timeout_ns) {
    uint64_t deadline = oav_rig_now() + timeout_ns;
    int error = 0;
    pthread_mutex_lock(&meter->shared.lock);
    while (!error && (meter->reading.frames < frames || meter->reading.loud_frames < loud_frames ||
                      meter->quiet_frames < quiet_frames))
        error = rig_shared_wait(&meter->shared, deadline);
    pthread_mutex_unlock(&meter->shared.lock);
    return error;
}

size_t oav_rig_meter_copy(struct oav_rig_meter *meter, float *samples, size_t capacity_frames,
                          uint64_t *end_position) {
    pthread_mutex_lock(&meter->shared.lock);
    *end_position = meter->end_position;
    size_t count = SPA_MIN(meter->length, capacity_frames);
    for (size_t c = 0; c < meter->tap.channel_count; c++) {
        for (size_t i = 0; i < count; i++) {
            size_t from = (meter->next + meter->capacity - count + i) % meter->capacity;
            samples[c * capacity_frames + i] = meter->captured[c * meter->capacity + from];
        }
    }
    pthread_mutex_unlock(&meter->shared.lock);
    return count;
}

#endif
