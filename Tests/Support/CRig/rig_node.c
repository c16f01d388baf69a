// Nodes without ports that this process runs itself, with any properties.
#include "rig_internal.h"

#if OAV_RIG_HAS_PIPEWIRE
#include <errno.h>
#include <pipewire/filter.h>
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

#endif
