#include "fuzz_server.h"

#include <stdlib.h>
#include <string.h>

#include <spa/param/param.h>

#include "internal.h"

#define MAX_PROPERTIES 16

struct fuzz_object {
    struct spa_interface interface;  // first: the shim has the object as a proxy
    struct spa_list link;
    struct spa_hook_list listeners;
    uint32_t id;
    enum fuzz_kind kind;
};

struct fuzz_server {
    struct oav_pw_host host;
    struct spa_interface core, registry;
    struct spa_list objects;
    struct spa_dict_item properties[MAX_PROPERTIES];
    uint32_t property_count;
    int seq;
};

// ---- What the shim calls ----

static int add_listener(void *data, struct spa_hook *listener, const void *events, void *context)
{
    struct fuzz_object *object = data;
    spa_hook_list_append(&object->listeners, listener, events, context);
    return 0;
}

static int enum_params(
    void *data, int seq, uint32_t id, uint32_t start, uint32_t count, const struct spa_pod *filter)
{
    (void)data, (void)id, (void)start, (void)count, (void)filter;
    return seq;
}

// The listener's type differs.
#define ADD_LISTENER(type) ((int (*)(void *, struct spa_hook *, const struct type *, void *))add_listener)
static const struct pw_device_methods device_methods = {
    PW_VERSION_DEVICE_METHODS, .add_listener = ADD_LISTENER(pw_device_events), .enum_params = enum_params};
static const struct pw_node_methods node_methods = {
    PW_VERSION_NODE_METHODS, .add_listener = ADD_LISTENER(pw_node_events), .enum_params = enum_params};
static const struct pw_metadata_methods metadata_methods = {
    PW_VERSION_METADATA_METHODS, .add_listener = ADD_LISTENER(pw_metadata_events)};

static int sync_core(void *data, uint32_t id, int seq)
{
    struct fuzz_server *server = data;
    (void)id, (void)seq;
    return ++server->seq;
}

static const struct pw_core_methods core_methods = {PW_VERSION_CORE_METHODS, .sync = sync_core};

static void *bind_object(void *data, uint32_t id, const char *type, uint32_t version, size_t user_data_size)
{
    struct fuzz_server *server = data;
    (void)version, (void)user_data_size;
    struct fuzz_object *object = calloc(1, sizeof *object);
    object->id = id;
    object->kind = !strcmp(type, PW_TYPE_INTERFACE_Device) ? FUZZ_DEVICE
        : !strcmp(type, PW_TYPE_INTERFACE_Node)            ? FUZZ_NODE
                                                           : FUZZ_METADATA;
    const void *methods = object->kind == FUZZ_DEVICE ? (const void *)&device_methods
        : object->kind == FUZZ_NODE                   ? (const void *)&node_methods
                                                      : (const void *)&metadata_methods;
    object->interface = SPA_INTERFACE_INIT(type, version, methods, object);
    spa_hook_list_init(&object->listeners);
    spa_list_append(&server->objects, &object->link);
    return object;
}

static const struct pw_registry_methods registry_methods = {PW_VERSION_REGISTRY_METHODS, .bind = bind_object};

// ---- In place of libpipewire's ----

void pw_proxy_destroy(struct pw_proxy *proxy)
{
    struct fuzz_object *object = (struct fuzz_object *)proxy;
    spa_list_remove(&object->link);
    free(object);
}

uint32_t pw_proxy_get_bound_id(struct pw_proxy *proxy)
{
    (void)proxy;
    return 0;
}

struct pw_client *pw_core_get_client(struct pw_core *core) { return (struct pw_client *)core; }

static int signal_event(void *data, struct spa_source *source)
{
    (void)data, (void)source;
    return 0;
}

struct pw_loop *pw_thread_loop_get_loop(struct pw_thread_loop *thread)
{
    static const struct spa_loop_utils_methods methods = {
        SPA_VERSION_LOOP_UTILS_METHODS, .signal_event = signal_event};
    static struct spa_loop_utils utils;
    static struct pw_loop loop;
    (void)thread;
    utils.iface = SPA_INTERFACE_INIT(SPA_TYPE_INTERFACE_LoopUtils, SPA_VERSION_LOOP_UTILS, &methods, NULL);
    loop.utils = &utils;
    return &loop;
}

// ---- What the fuzzer says ----

struct fuzz_server *fuzz_server_new(const struct oav_pw_events *events)
{
    // Properties that are no numbers would each be a line.
    pw_log_set_level(SPA_LOG_LEVEL_NONE);
    struct fuzz_server *server = calloc(1, sizeof *server);
    struct oav_pw_host *host = &server->host;
    host->events = *events;
    struct spa_list *lists[] = {&host->objects, &host->streams, &host->dead_nodes, &host->dead_links, &host->claims,
        &server->objects};
    for (size_t i = 0; i < SPA_N_ELEMENTS(lists); i++) spa_list_init(lists[i]);
    server->core = SPA_INTERFACE_INIT(PW_TYPE_INTERFACE_Core, PW_VERSION_CORE, &core_methods, server);
    server->registry = SPA_INTERFACE_INIT(PW_TYPE_INTERFACE_Registry, PW_VERSION_REGISTRY, &registry_methods, server);
    host->core = host->export_core = (struct pw_core *)&server->core;
    host->registry = (struct pw_registry *)&server->registry;
    host->events.own_client(host->events.context, 0);
    return server;
}

static void forget_properties(struct fuzz_server *server)
{
    for (; server->property_count > 0; server->property_count--) {
        struct spa_dict_item *item = &server->properties[server->property_count - 1];
        free((char *)item->key);
        free((char *)item->value);
    }
}

void fuzz_server_free(struct fuzz_server *server)
{
    struct oav_pw_host *host = &server->host;
    host->lost = true;
    oav_objects_clear(host);
    forget_properties(server);
    free(server);
}

void fuzz_server_set(struct fuzz_server *server, const char *key, const char *value)
{
    if (server->property_count == MAX_PROPERTIES) return;
    server->properties[server->property_count++] = SPA_DICT_ITEM_INIT(strdup(key), strdup(value));
}

void fuzz_server_add(struct fuzz_server *server, uint32_t id, enum fuzz_kind kind)
{
    static const char *const types[] = {
        [FUZZ_NODE] = PW_TYPE_INTERFACE_Node, [FUZZ_DEVICE] = PW_TYPE_INTERFACE_Device,
        [FUZZ_PORT] = PW_TYPE_INTERFACE_Port, [FUZZ_METADATA] = PW_TYPE_INTERFACE_Metadata,
        [FUZZ_CLIENT] = PW_TYPE_INTERFACE_Client, [FUZZ_LINK] = PW_TYPE_INTERFACE_Link};
    struct spa_dict properties = SPA_DICT_INIT(server->properties, server->property_count);
    oav_registry_events.global(&server->host, id, PW_PERM_ALL, types[kind], 3, &properties);
    forget_properties(server);
}

void fuzz_server_remove(struct fuzz_server *server, uint32_t id)
{
    oav_registry_events.global_remove(&server->host, id);
}

static const uint32_t param_ids[] = {
    [FUZZ_ENUM_PROFILE] = SPA_PARAM_EnumProfile, [FUZZ_PROFILE] = SPA_PARAM_Profile,
    [FUZZ_ENUM_ROUTE] = SPA_PARAM_EnumRoute, [FUZZ_ROUTE] = SPA_PARAM_Route, [FUZZ_PROPS] = SPA_PARAM_Props};

void fuzz_server_info(struct fuzz_server *server, uint32_t id, uint32_t changed)
{
    struct spa_dict properties = SPA_DICT_INIT(server->properties, server->property_count);
    struct spa_param_info params[FUZZ_PARAM_COUNT];
    for (uint32_t i = 0; i < FUZZ_PARAM_COUNT; i++) {
        params[i] = SPA_PARAM_INFO(param_ids[i], changed & (1u << i) ? SPA_PARAM_INFO_SERIAL : 0);
    }
    struct pw_device_info device = {.id = id, .change_mask = PW_DEVICE_CHANGE_MASK_ALL, .props = &properties,
        .params = params, .n_params = FUZZ_PARAM_COUNT};
    struct pw_node_info node = {.id = id, .change_mask = PW_NODE_CHANGE_MASK_ALL, .props = &properties,
        .state = changed & 1 ? PW_NODE_STATE_RUNNING : PW_NODE_STATE_IDLE, .params = params,
        .n_params = FUZZ_PARAM_COUNT};
    struct fuzz_object *object;
    spa_list_for_each(object, &server->objects, link) {
        if (object->id != id) continue;
        if (object->kind == FUZZ_DEVICE) {
            spa_hook_list_call(&object->listeners, struct pw_device_events, info, 0, &device);
        } else if (object->kind == FUZZ_NODE) {
            spa_hook_list_call(&object->listeners, struct pw_node_events, info, 0, &node);
        }
    }
    forget_properties(server);
}

void fuzz_server_tell(struct fuzz_server *server, uint32_t id, enum fuzz_param param, const uint8_t *bytes, size_t size)
{
    // Of its own size, so that AddressSanitizer sees each access behind it.
    struct spa_pod *pod = size >= sizeof *pod ? malloc(size) : NULL;
    if (pod) {
        memcpy(pod, bytes, size);
        pod->size = (uint32_t)(size - sizeof *pod);
    }
    struct fuzz_object *object;
    spa_list_for_each(object, &server->objects, link) {
        if (object->id != id) continue;
        if (object->kind == FUZZ_DEVICE) {
            spa_hook_list_call(&object->listeners, struct pw_device_events, param, 0, 0, param_ids[param], 0, 0, pod);
        } else if (object->kind == FUZZ_NODE) {
            spa_hook_list_call(&object->listeners, struct pw_node_events, param, 0, 0, param_ids[param], 0, 0, pod);
        }
    }
    free(pod);
}

void fuzz_server_metadata(
    struct fuzz_server *server, uint32_t id, uint32_t subject, const char *key, const char *value)
{
    struct fuzz_object *object;
    spa_list_for_each(object, &server->objects, link) {
        if (object->id != id || object->kind != FUZZ_METADATA) continue;
        spa_hook_list_call(
            &object->listeners, struct pw_metadata_events, property, 0, subject, key, "Spa:String:JSON", value);
    }
}

void fuzz_server_answer(struct fuzz_server *server)
{
    struct oav_pw_host *host = &server->host;
    for (int seq = 1; seq <= server->seq; seq++) oav_devices_sync_done(host, seq);
    host->events.synced(host->events.context, server->seq);
}
