// Virtual devices: adapter nodes in the server, as a session manager makes them for hardware.
#include "rig_internal.h"

#if OAV_RIG_HAS_PIPEWIRE
#include <errno.h>
#include <stdlib.h>

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

int oav_rig_device_create(struct oav_rig *rig, const struct oav_rig_property *items, size_t count, uint64_t timeout_ns,
                          struct oav_rig_device **result) {
    struct pw_properties *properties = pw_properties_new(NULL, NULL);
    for (size_t i = 0; i < count; i++)
        pw_properties_set(properties, items[i].key, items[i].value);
    if (!rig->has_session_manager)  // then nobody else configures the ports
        pw_properties_set(properties, "adapter.auto-port-config", "{ mode=dsp monitor=true position=preserve }");

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
