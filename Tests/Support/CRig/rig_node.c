// Nodes that this process runs itself: some without ports, with any properties, and sinks that never run.
#include "rig_internal.h"

#if OAV_RIG_HAS_PIPEWIRE
#include <errno.h>
#include <pipewire/filter.h>
#include <pipewire/stream.h>
#include <spa/param/audio/format-utils.h>
#include <spa/param/props.h>
#include <stdlib.h>

struct rig_node {
    struct rig_resource resource;
    struct pw_filter *filter;
};


static void release(struct rig_resource *resource) {
    struct rig_node *node = SPA_CONTAINER_OF(resource, struct rig_node, resource);
    if (node->filter)
        pw_filter_destroy(node->filter);
    free(node);
}

int oav_rig_node_publish(struct oav_rig *rig, const struct oav_rig_property *items, size_t count,
                         bool lies_about_sizes, uint64_t timeout_ns) {
    uint8_t storage[4096];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(storage, sizeof storage);
    struct spa_pod_frame object;
    spa_pod_builder_push_object(&builder, &object, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props);
    spa_pod_builder_prop(&builder, SPA_PROP_channelVolumes, 0);
    rig_add_array(&builder, SPA_TYPE_Float, 0, NULL, true);
    const struct spa_pod *volumes = spa_pod_builder_pop(&builder, &object);
    struct pw_properties *properties = pw_properties_new("node.want-driver", "false", NULL);
    for (size_t i = 0; i < count; i++)
        pw_properties_set(properties, items[i].key, items[i].value);
    const char *name = pw_properties_get(properties, PW_KEY_NODE_NAME);
    struct rig_node *node = calloc(1, sizeof *node);
    rig_lock(rig);
    rig_keep(rig, &node->resource, release);
    int error = rig->lost ? -EPIPE : 0;
    if (!error) {
        node->filter = pw_filter_new(rig->core, name ? name : "node", properties);
        error = node->filter ? pw_filter_connect(node->filter, PW_FILTER_FLAG_INACTIVE, &volumes, lies_about_sizes ? 1 : 0) : -errno;
    } else {
        pw_properties_free(properties);
    }
    rig_unlock(rig);
    return error ? error : oav_rig_round_trip(rig, timeout_ns);
}

struct rig_still_sink {
    struct rig_resource resource;
    struct oav_rig *rig;
    struct pw_stream *stream;
};

static void release_still_sink(struct rig_resource *resource) {
    struct rig_still_sink *sink = SPA_CONTAINER_OF(resource, struct rig_still_sink, resource);
    if (sink->stream)
        pw_stream_destroy(sink->stream);
    free(sink);
}

static bool still_sink_is_ready(void *context) {
    const struct rig_still_sink *sink = context;
    uint32_t id = pw_stream_get_node_id(sink->stream);
    return id != SPA_ID_INVALID && rig_count_ports(sink->rig, id, "in") == 2;
}

// The driver of what is linked to it, which no process callback triggers.
int oav_rig_still_sink_publish(struct oav_rig *rig, const struct oav_rig_property *items, size_t count,
                               uint64_t timeout_ns) {
    uint8_t storage[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(storage, sizeof storage);
    struct spa_audio_info_raw format = {
        .format = SPA_AUDIO_FORMAT_F32,
        .rate = 48000,
        .channels = 2,
        .position = {SPA_AUDIO_CHANNEL_FL, SPA_AUDIO_CHANNEL_FR},
    };
    const struct spa_pod *parameters[] = {spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat, &format)};
    struct pw_properties *properties = pw_properties_new(PW_KEY_MEDIA_CLASS, "Audio/Sink", NULL);
    for (size_t i = 0; i < count; i++)
        pw_properties_set(properties, items[i].key, items[i].value);
    struct rig_still_sink *sink = calloc(1, sizeof *sink);
    sink->rig = rig;
    rig_lock(rig);
    rig_keep(rig, &sink->resource, release_still_sink);
    struct pw_core *core = rig->lost ? NULL : rig_export_core(rig);
    int error = core ? 0 : -EPIPE;
    if (core) {
        sink->stream = pw_stream_new(core, "still", properties);
        error = sink->stream ? pw_stream_connect(sink->stream, PW_DIRECTION_INPUT, PW_ID_ANY,
                                                 PW_STREAM_FLAG_DRIVER | PW_STREAM_FLAG_MAP_BUFFERS, parameters, 1)
                             : -errno;
    } else {
        pw_properties_free(properties);
    }
    if (!error)
        error = rig_wait(rig, still_sink_is_ready, sink, timeout_ns);
    rig_unlock(rig);
    return error;
}

#endif
