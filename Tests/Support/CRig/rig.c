// The rig's connection: the loop, the mirror of the server's registry, and waiting.
#include "rig_internal.h"

#if OAV_RIG_HAS_PIPEWIRE
#include <errno.h>
#include <spa/param/audio/type-info.h>
#include <spa/utils/result.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

bool oav_rig_available(void) { return true; }

const char *oav_rig_library_version(void) { return pw_get_library_version(); }

// ---- Objects ----

const char *rig_property(const struct oav_rig_object *object, const char *key) {
    return pw_properties_get(object->properties, key);
}

bool rig_property_is(const struct oav_rig_object *object, const char *key, const char *value) {
    const char *found = rig_property(object, key);
    return found && strcmp(found, value) == 0;
}

uint32_t rig_property_id(const struct oav_rig_object *object, const char *key) {
    return pw_properties_get_uint32(object->properties, key, SPA_ID_INVALID);
}

uint32_t oav_rig_object_id(const struct oav_rig_object *object) { return object->id; }

const char *oav_rig_object_property(const struct oav_rig_object *object, const char *key) {
    return rig_property(object, key);
}

struct oav_rig_object *rig_find_node(struct oav_rig *rig, const char *name) {
    struct oav_rig_object *object, *found = NULL;
    spa_list_for_each(object, &rig->objects, link) {
        if (object->kind == OAV_RIG_NODE && rig_property_is(object, PW_KEY_NODE_NAME, name))
            found = object;  // the newest of several: an older one of that name is on its way out
    }
    return found;
}

size_t rig_count_ports(struct oav_rig *rig, uint32_t node_id, const char *direction) {
    size_t count = 0;
    struct oav_rig_object *object;
    spa_list_for_each(object, &rig->objects, link) {
        if (object->kind == OAV_RIG_PORT && rig_property_id(object, PW_KEY_NODE_ID) == node_id &&
            rig_property_is(object, PW_KEY_PORT_DIRECTION, direction))
            count++;
    }
    return count;
}

uint32_t rig_channel_named(const char *name) {
    for (const struct spa_type_info *info = spa_type_audio_channel; info->name; info++) {
        const char *short_name = strrchr(info->name, ':');
        if (short_name && strcmp(short_name + 1, name) == 0)
            return info->type;
    }
    return SPA_AUDIO_CHANNEL_UNKNOWN;
}

static enum oav_rig_kind kind_of(const char *type) {
    static const struct {
        const char *type;
        enum oav_rig_kind kind;
    } kinds[] = {
        {PW_TYPE_INTERFACE_Node, OAV_RIG_NODE},     {PW_TYPE_INTERFACE_Port, OAV_RIG_PORT},
        {PW_TYPE_INTERFACE_Link, OAV_RIG_LINK},     {PW_TYPE_INTERFACE_Device, OAV_RIG_DEVICE},
        {PW_TYPE_INTERFACE_Client, OAV_RIG_CLIENT}, {"PipeWire:Interface:Metadata", OAV_RIG_METADATA},
        {"PipeWire:Interface:Profiler", OAV_RIG_PROFILER},
    };
    for (size_t i = 0; i < SPA_N_ELEMENTS(kinds); i++) {
        if (strcmp(type, kinds[i].type) == 0)
            return kinds[i].kind;
    }
    return OAV_RIG_OTHER;
}

static void release_object(struct oav_rig_object *object) {
    if (object->kind == OAV_RIG_METADATA)
        rig_metadata_release(object);
    spa_list_remove(&object->link);
    pw_properties_free(object->properties);
    free(object);
}

static void on_global(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                      const struct spa_dict *properties) {
    (void)permissions, (void)version;
    struct oav_rig *rig = data;
    struct oav_rig_object *object = calloc(1, sizeof *object);
    object->rig = rig;
    object->id = id;
    object->kind = kind_of(type);
    object->properties = properties ? pw_properties_new_dict(properties) : pw_properties_new(NULL, NULL);
    spa_list_append(&rig->objects, &object->link);
    if (object->kind == OAV_RIG_METADATA)
        rig_metadata_bind(object);
    if (object->kind == OAV_RIG_NODE || object->kind == OAV_RIG_PORT)
        rig_linkers_update(rig);
    rig_changed(rig);
}

static void on_global_remove(void *data, uint32_t id) {
    struct oav_rig *rig = data;
    struct oav_rig_object *object, *next;
    spa_list_for_each_safe(object, next, &rig->objects, link) {
        if (object->id == id)
            release_object(object);
    }
    rig_changed(rig);
}

static const struct pw_registry_events registry_events = {
    PW_VERSION_REGISTRY_EVENTS,
    .global = on_global,
    .global_remove = on_global_remove,
};

void oav_rig_for_each(struct oav_rig *rig, enum oav_rig_kind kind,
                      void (*visit)(void *context, const struct oav_rig_object *object), void *context) {
    rig_lock(rig);
    struct oav_rig_object *object;
    spa_list_for_each(object, &rig->objects, link) {
        if (object->kind == kind)
            visit(context, object);
    }
    rig_unlock(rig);
}

// ---- Connection ----

static void on_done(void *data, uint32_t id, int sequence) {
    struct oav_rig *rig = data;
    if (id == PW_ID_CORE)
        rig->done_sequence = sequence;
    rig_changed(rig);
}

static void on_error(void *data, uint32_t id, int sequence, int result, const char *message) {
    (void)sequence, (void)message;
    struct oav_rig *rig = data;
    // Errors of single objects reach their own proxies; and a request for an object that has just gone is no fault.
    if (id == PW_ID_CORE && result == -EPIPE)
        rig->lost = true;
    rig_changed(rig);
}

static const struct pw_core_events core_events = {
    PW_VERSION_CORE_EVENTS,
    .done = on_done,
    .error = on_error,
};

// The socket is opened here and not by libpipewire, which would let PIPEWIRE_REMOTE of the environment win.
static int open_socket(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (path[0] != '/' || strlen(path) >= sizeof address.sun_path)
        return -EINVAL;
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        int error = -errno;
        close(fd);
        return error;
    }
    return fd;
}

// Up to 1.3 only client-rt.conf gives the data thread real-time priority; from 1.4 client.conf does, and is alone.
static struct pw_context *make_context(struct pw_loop *loop) {
    struct pw_context *context =
        pw_context_new(loop, pw_properties_new(PW_KEY_CONFIG_NAME, "client-rt.conf", NULL), 0);
    return context ? context : pw_context_new(loop, NULL, 0);
}

static pthread_once_t initialized = PTHREAD_ONCE_INIT;

static void initialize(void) { pw_init(NULL, NULL); }

int oav_rig_connect(const char *socket_path, bool has_session_manager, uint64_t timeout_ns, struct oav_rig **result) {
    pthread_once(&initialized, initialize);
    int fd = open_socket(socket_path);
    if (fd < 0)
        return fd;

    struct oav_rig *rig = calloc(1, sizeof *rig);
    rig->socket_path = strdup(socket_path);
    rig->has_session_manager = has_session_manager;
    spa_list_init(&rig->objects);
    spa_list_init(&rig->linkers);
    spa_list_init(&rig->resources);
    rig->loop = pw_thread_loop_new("oav-rig", NULL);
    rig->context = make_context(pw_thread_loop_get_loop(rig->loop));
    rig->core = rig->context ? pw_context_connect_fd(rig->context, fd, NULL, 0) : NULL;  // takes fd
    if (!rig->core) {
        int error = errno ? -errno : -EIO;
        if (!rig->context)
            close(fd);
        oav_rig_close(rig);
        return error;
    }
    pw_core_add_listener(rig->core, &rig->core_hook, &core_events, rig);
    rig->registry = pw_core_get_registry(rig->core, PW_VERSION_REGISTRY, 0);
    pw_registry_add_listener(rig->registry, &rig->registry_hook, &registry_events, rig);
    pw_thread_loop_start(rig->loop);

    // The first answer brings the registry, the second the values of the metadata bound meanwhile.
    int error = oav_rig_round_trip(rig, timeout_ns);
    if (!error)
        error = oav_rig_round_trip(rig, timeout_ns);
    if (error) {
        oav_rig_close(rig);
        return error;
    }
    *result = rig;
    return 0;
}

void oav_rig_close(struct oav_rig *rig) {
    pw_thread_loop_stop(rig->loop);
    struct rig_resource *resource;
    spa_list_consume(resource, &rig->resources, link) {
        spa_list_remove(&resource->link);
        resource->release(resource);
    }
    struct oav_rig_object *object;
    spa_list_consume(object, &rig->objects, link) release_object(object);
    if (rig->registry) {
        spa_hook_remove(&rig->registry_hook);
        pw_proxy_destroy((struct pw_proxy *)rig->registry);
    }
    if (rig->export_core)
        pw_core_disconnect(rig->export_core);
    if (rig->core) {
        spa_hook_remove(&rig->core_hook);
        pw_core_disconnect(rig->core);
    }
    if (rig->context)
        pw_context_destroy(rig->context);
    pw_thread_loop_destroy(rig->loop);
    free(rig->socket_path);
    free(rig);
}

struct pw_core *rig_export_core(struct oav_rig *rig) {
    if (!rig->export_core && !rig->lost) {
        int fd = open_socket(rig->socket_path);
        rig->export_core = fd < 0 ? NULL : pw_context_connect_fd(rig->context, fd, NULL, 0);
    }
    return rig->lost ? NULL : rig->export_core;
}

bool oav_rig_is_connected(struct oav_rig *rig) {
    rig_lock(rig);
    bool connected = !rig->lost;
    rig_unlock(rig);
    return connected;
}

void rig_keep(struct oav_rig *rig, struct rig_resource *resource, void (*release)(struct rig_resource *)) {
    resource->release = release;
    // The newest is released first: a card's meter before its sink.
    spa_list_prepend(&rig->resources, &resource->link);
}

// ---- Waiting ----

void rig_changed(struct oav_rig *rig) { pw_thread_loop_signal(rig->loop, false); }

int rig_wait(struct oav_rig *rig, bool (*predicate)(void *context), void *context, uint64_t timeout_ns) {
    struct timespec deadline;
    pw_thread_loop_get_time(rig->loop, &deadline, (int64_t)timeout_ns);
    for (;;) {
        if (predicate(context))
            return 0;
        if (rig->lost)
            return -EPIPE;
        if (pw_thread_loop_timed_wait_full(rig->loop, &deadline) < 0)
            return predicate(context) ? 0 : -ETIMEDOUT;
    }
}

int oav_rig_wait_until(struct oav_rig *rig, bool (*predicate)(void *context), void *context, uint64_t timeout_ns) {
    rig_lock(rig);
    int result = rig_wait(rig, predicate, context, timeout_ns);
    rig_unlock(rig);
    return result;
}

struct round_trip {
    struct oav_rig *rig;
    int sequence;
};

// Round trips come back in order, and another thread's later one may have by the time that this thread looks.
static bool round_trip_is_done(void *context) {
    struct round_trip *trip = context;
    return SPA_RESULT_ASYNC_SEQ(trip->rig->done_sequence - trip->sequence) <= SPA_ASYNC_SEQ_MASK / 2;
}

int oav_rig_round_trip(struct oav_rig *rig, uint64_t timeout_ns) {
    rig_lock(rig);
    struct round_trip trip = {rig, pw_core_sync(rig->core, PW_ID_CORE, 0)};
    int result = rig_wait(rig, round_trip_is_done, &trip, timeout_ns);
    rig_unlock(rig);
    return result;
}

#endif
