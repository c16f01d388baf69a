#include "cpeer.h"
#if __has_include(<pipewire/pipewire.h>)
#include <pipewire/pipewire.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct device {
    struct device *next;
    struct cpeer_listener *listener;
    struct pw_proxy *proxy;
    struct spa_hook hook;
};

struct cpeer_listener {
    struct pw_thread_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
    struct pw_registry *registry;
    struct spa_hook registry_hook;
    struct device *devices;
    _Atomic uint64_t first_news;
};

static void note_news(struct cpeer_listener *listener)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    uint64_t none = 0, now = (uint64_t)time.tv_sec * SPA_NSEC_PER_SEC + (uint64_t)time.tv_nsec;
    atomic_compare_exchange_strong(&listener->first_news, &none, now);
}

static void on_device_info(void *data, const struct pw_device_info *info)
{
    struct device *device = data;
    if (info->change_mask & PW_DEVICE_CHANGE_MASK_PARAMS) note_news(device->listener);
}

static const struct pw_device_events device_events = {PW_VERSION_DEVICE_EVENTS, .info = on_device_info};

static void on_global(
    void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
    const struct spa_dict *properties)
{
    struct cpeer_listener *listener = data;
    (void)permissions, (void)version, (void)properties;
    if (strcmp(type, PW_TYPE_INTERFACE_Device) != 0) return;
    struct device *device = calloc(1, sizeof *device);
    device->listener = listener;
    device->proxy = pw_registry_bind(listener->registry, id, type, PW_VERSION_DEVICE, 0);
    pw_device_add_listener((struct pw_device *)device->proxy, &device->hook, &device_events, device);
    device->next = listener->devices;
    listener->devices = device;
}

static void on_global_remove(void *data, uint32_t id)
{
    (void)id;
    note_news(data);
}

static const struct pw_registry_events registry_events = {
    PW_VERSION_REGISTRY_EVENTS, .global = on_global, .global_remove = on_global_remove};

struct cpeer_listener *cpeer_listener_open(const char *socket_path)
{
    pw_init(NULL, NULL);
    struct cpeer_listener *listener = calloc(1, sizeof *listener);
    listener->loop = pw_thread_loop_new("cpeer", NULL);
    listener->context = pw_context_new(pw_thread_loop_get_loop(listener->loop), NULL, 0);
    listener->core = pw_context_connect(
        listener->context, pw_properties_new(PW_KEY_REMOTE_NAME, socket_path, NULL), 0);
    if (!listener->core) {
        cpeer_listener_close(listener);
        return NULL;
    }
    listener->registry = pw_core_get_registry(listener->core, PW_VERSION_REGISTRY, 0);
    pw_registry_add_listener(listener->registry, &listener->registry_hook, &registry_events, listener);
    pw_thread_loop_start(listener->loop);
    return listener;
}

void cpeer_listener_close(struct cpeer_listener *listener)
{
    pw_thread_loop_stop(listener->loop);
    for (struct device *device = listener->devices, *next; device; device = next) {
        next = device->next;
        spa_hook_remove(&device->hook);
        pw_proxy_destroy(device->proxy);
        free(device);
    }
    if (listener->registry) {
        spa_hook_remove(&listener->registry_hook);
        pw_proxy_destroy((struct pw_proxy *)listener->registry);
    }
    if (listener->core) pw_core_disconnect(listener->core);
    pw_context_destroy(listener->context);
    pw_thread_loop_destroy(listener->loop);
    free(listener);
}

void cpeer_listener_arm(struct cpeer_listener *listener) { atomic_store(&listener->first_news, 0); }

uint64_t cpeer_listener_first_news(const struct cpeer_listener *listener)
{
    return atomic_load(&listener->first_news);
}
#else
struct cpeer_listener {
    int unused;
};

struct cpeer_listener *cpeer_listener_open(const char *socket_path)
{
    (void)socket_path;
    return 0;
}
void cpeer_listener_close(struct cpeer_listener *listener) { (void)listener; }
void cpeer_listener_arm(struct cpeer_listener *listener) { (void)listener; }
uint64_t cpeer_listener_first_news(const struct cpeer_listener *listener)
{
    (void)listener;
    return 0;
}
#endif
