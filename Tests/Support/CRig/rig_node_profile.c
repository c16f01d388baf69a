// Profiles: how often a node had not finished when its driver's cycle ended, which pw-top shows as ERR.
#include "rig_internal.h"

#if OAV_RIG_HAS_PIPEWIRE
#include <errno.h>
#include <pipewire/extensions/profiler.h>
#include <pipewire/impl.h>
#include <spa/param/profiler.h>
#include <spa/pod/iter.h>
#include <spa/pod/parser.h>
#include <spa/utils/string.h>
#include <stdlib.h>

// PW_NODE_ACTIVATION_FINISHED of PipeWire's private.h.
#define FINISHED 3

struct oav_rig_node_profile {
    struct rig_resource resource;
    struct oav_rig *rig;
    struct spa_hook hook;
    struct pw_proxy *proxy;
    char *node;
    struct oav_rig_node_profile_reading reading;
};

static void count(struct oav_rig_node_profile *profile, const struct spa_pod *block) {
    uint32_t id = 0;
    const char *name = NULL;
    int64_t times[4];
    int32_t status = FINISHED;
    int result = spa_pod_parse_struct(block, SPA_POD_Int(&id), SPA_POD_String(&name), SPA_POD_Long(&times[0]),
                                      SPA_POD_Long(&times[1]), SPA_POD_Long(&times[2]), SPA_POD_Long(&times[3]),
                                      SPA_POD_Int(&status));
    if (result < 0 || !spa_streq(name, profile->node))
        return;
    profile->reading.cycles++;
    profile->reading.errors += status != FINISHED;
}

static void on_profile(void *data, const struct spa_pod *pod) {
    struct oav_rig_node_profile *profile = data;
    struct spa_pod *object;
    SPA_POD_STRUCT_FOREACH(pod, object) {
        if (!spa_pod_is_object_type(object, SPA_TYPE_OBJECT_Profiler))
            continue;
        struct spa_pod_prop *property;
        SPA_POD_OBJECT_FOREACH((struct spa_pod_object *)object, property) {
            if (property->key == SPA_PROFILER_followerBlock)
                count(profile, &property->value);
        }
    }
    rig_changed(profile->rig);
}

static const struct pw_profiler_events profiler_events = {
    PW_VERSION_PROFILER_EVENTS,
    .profile = on_profile,
};

static void release(struct rig_resource *resource) {
    struct oav_rig_node_profile *profile = SPA_CONTAINER_OF(resource, struct oav_rig_node_profile, resource);
    spa_hook_remove(&profile->hook);
    pw_proxy_destroy(profile->proxy);
    free(profile->node);
    free(profile);
}

static struct pw_proxy *bind_profiler(struct oav_rig *rig, uint32_t id) {
    return pw_registry_bind(rig->registry, id, PW_TYPE_INTERFACE_Profiler, PW_VERSION_PROFILER, 0);
}

int oav_rig_node_profile_create(struct oav_rig *rig, const char *node_name, struct oav_rig_node_profile **result) {
    int error = -ENOENT;
    rig_lock(rig);
    struct oav_rig_object *object;
    spa_list_for_each(object, &rig->objects, link) {
        if (object->kind != OAV_RIG_PROFILER || rig->lost)
            continue;
        // A context knows this interface by a module, which pw-top loads, too.
        struct pw_proxy *proxy = bind_profiler(rig, object->id);
        if (!proxy && pw_context_load_module(rig->context, PW_EXTENSION_MODULE_PROFILER, NULL, NULL))
            proxy = bind_profiler(rig, object->id);
        if (!proxy)
            break;
        struct oav_rig_node_profile *profile = calloc(1, sizeof *profile);
        profile->rig = rig;
        profile->node = strdup(node_name);
        profile->proxy = proxy;
        pw_profiler_add_listener((struct pw_profiler *)proxy, &profile->hook, &profiler_events, profile);
        rig_keep(rig, &profile->resource, release);
        *result = profile;
        error = 0;
        break;
    }
    rig_unlock(rig);
    return error;
}

struct oav_rig_node_profile_reading oav_rig_node_profile_read(struct oav_rig *rig,
                                                              struct oav_rig_node_profile *profile) {
    rig_lock(rig);
    struct oav_rig_node_profile_reading reading = profile->reading;
    rig_unlock(rig);
    return reading;
}
#endif
