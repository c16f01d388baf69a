// Virtual devices: adapter nodes in the server, as a session manager makes them for hardware.
#include "rig_internal.h"

#if OAV_RIG_HAS_PIPEWIRE
#include <errno.h>
#include <spa/param/audio/format-utils.h>
#include <stdlib.h>
#include <string.h>

struct oav_rig_device {
    struct rig_resource resource;
    struct oav_rig *rig;
    struct pw_proxy *proxy;
    struct spa_hook hook;
    uint32_t id;
    int error;
    bool gone;
};

static void on_bound(void *data, uint32_t id) {
    struct oav_rig_device *device = data;
    device->id = id;
    rig_changed(device->rig);
}

static void on_removed(void *data) {
    struct oav_rig_device *device = data;
    device->gone = true;
    rig_changed(device->rig);
}

static void on_error(void *data, int sequence, int result, const char *message) {
    (void)sequence, (void)message;
    struct oav_rig_device *device = data;
    device->error = result;
    rig_changed(device->rig);
}

static const struct pw_proxy_events proxy_events = {
    PW_VERSION_PROXY_EVENTS,
    .bound = on_bound,
    .removed = on_removed,
    .error = on_error,
};

static bool is_ready(void *context) {
    struct oav_rig_device *device = context;
    if (device->error || device->gone)
        return true;
    return device->id != SPA_ID_INVALID && (rig_count_ports(device->rig, device->id, "in") > 0 ||
                                            rig_count_ports(device->rig, device->id, "out") > 0);
}

static void release(struct rig_resource *resource) {
    struct oav_rig_device *device = SPA_CONTAINER_OF(resource, struct oav_rig_device, resource);
    if (device->proxy) {
        spa_hook_remove(&device->hook);
        pw_proxy_destroy(device->proxy);
    }
    free(device);
}

// Not "adapter.auto-port-config": PipeWire 1.4.2 makes one port of it, and no monitor, for a node that the server makes.
void rig_make_sink_ports(struct pw_proxy *node, const struct pw_properties *properties) {
    struct spa_audio_info_raw format = {
        .format = SPA_AUDIO_FORMAT_F32P,
        .rate = (uint32_t)pw_properties_get_uint32(properties, PW_KEY_AUDIO_RATE, 48000),
    };
    const char *next = pw_properties_get(properties, "audio.position");
    while (next && format.channels < SPA_AUDIO_MAX_CHANNELS) {
        next += strspn(next, "[], ");
        size_t length = strcspn(next, "[], ");
        if (length == 0)
            break;
        char *name = strndup(next, length);
        format.position[format.channels++] = rig_channel_named(name);
        free(name);
        next += length;
    }
    uint8_t storage[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(storage, sizeof storage);
    const struct spa_pod *pod = spa_format_audio_raw_build(&builder, SPA_PARAM_Format, &format);
    pod = spa_pod_builder_add_object(&builder, SPA_TYPE_OBJECT_ParamPortConfig, SPA_PARAM_PortConfig,
                                     SPA_PARAM_PORT_CONFIG_direction, SPA_POD_Id(SPA_DIRECTION_INPUT),
                                     SPA_PARAM_PORT_CONFIG_mode, SPA_POD_Id(SPA_PARAM_PORT_CONFIG_MODE_dsp),
                                     SPA_PARAM_PORT_CONFIG_monitor, SPA_POD_Bool(true),
                                     SPA_PARAM_PORT_CONFIG_format, SPA_POD_Pod(pod));
    pw_node_set_param((struct pw_node *)node, SPA_PARAM_PortConfig, 0, pod);
}

int oav_rig_device_create(struct oav_rig *rig, const struct oav_rig_property *items, size_t count, uint64_t timeout_ns,
                          struct oav_rig_device **result) {
    struct pw_properties *properties = pw_properties_new(NULL, NULL);
    for (size_t i = 0; i < count; i++)
        pw_properties_set(properties, items[i].key, items[i].value);

    struct oav_rig_device *device = calloc(1, sizeof *device);
    device->rig = rig;
    device->id = SPA_ID_INVALID;
    rig_lock(rig);
    rig_keep(rig, &device->resource, release);
    device->proxy = rig->lost ? NULL
                              : pw_core_create_object(rig->core, "adapter", PW_TYPE_INTERFACE_Node, PW_VERSION_NODE,
                                                      &properties->dict, 0);
    int error = device->proxy ? 0 : -EPIPE;
    if (device->proxy) {
        pw_proxy_add_listener(device->proxy, &device->hook, &proxy_events, device);
        if (!rig->has_session_manager)
            rig_make_sink_ports(device->proxy, properties);
        error = rig_wait(rig, is_ready, device, timeout_ns);
        if (!error)
            error = device->error ? device->error : device->gone ? -ENODEV : 0;
    }
    rig_unlock(rig);
    pw_properties_free(properties);
    if (error)
        oav_rig_device_destroy(device);
    else
        *result = device;
    return error;
}

uint32_t oav_rig_device_node_id(struct oav_rig_device *device) { return device->id; }

uint64_t oav_rig_device_destroy(struct oav_rig_device *device) {
    struct oav_rig *rig = device->rig;
    uint64_t time = 0;
    rig_lock(rig);
    if (device->id != SPA_ID_INVALID && !device->gone && !rig->lost) {
        device->gone = true;
        time = oav_rig_now();
        pw_registry_destroy(rig->registry, device->id);
    }
    rig_unlock(rig);
    return time;
}

#endif
