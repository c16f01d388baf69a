// The loop and the two connections.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pipewire/conf.h>
#include <spa/utils/result.h>
#include <spa/utils/string.h>

const char *oav_pw_library_version(void) { return pw_get_library_version(); }

int oav_pw_host_sync(struct oav_pw_host *host) { return host->lost ? -1 : pw_core_sync(host->core, PW_ID_CORE, 0); }

static void on_core_info(void *data, const struct pw_core_info *info)
{
    struct oav_pw_host *host = data;
    host->server_cookie = info->cookie;
    if (info->name) snprintf(host->diagnosis.server_name, sizeof host->diagnosis.server_name, "%s", info->name);
    if (info->version) {
        snprintf(host->diagnosis.server_version, sizeof host->diagnosis.server_version, "%s", info->version);
    }
}

static void on_core_done(void *data, uint32_t id, int seq)
{
    struct oav_pw_host *host = data;
    if (id != PW_ID_CORE || host->lost) return;
    oav_devices_sync_done(host, seq);
    oav_objects_sync_done(host, seq);
    oav_streams_sync_done(host, seq);
    oav_dead_nodes_sync_done(host, false, seq);
    host->events.synced(host->events.context, seq);
}

static void on_core_error(void *data, uint32_t id, int seq, int res, const char *message)
{
    struct oav_pw_host *host = data;
    (void)seq;
    // The end of the connection is -EPIPE, or the protocol error, with this text of libpipewire's own. Other errors are about
    // single objects and come from races with their removal; the objects' own events report what is needed.
    bool is_end = res == -EPIPE || spa_streq(message, "connection error");
    if (id != PW_ID_CORE || !is_end || host->lost) return;
    char text[192];
    host->lost = true;
    snprintf(text, sizeof text, "%s: %s", message ? message : "connection error", spa_strerror(res));
    oav_streams_lost(host);
    host->events.lost(host->events.context, text, oav_pw_lacks_descriptors());
}

static const struct pw_core_events core_events = {
    PW_VERSION_CORE_EVENTS, .info = on_core_info, .done = on_core_done, .error = on_core_error};

static void on_export_done(void *data, uint32_t id, int seq)
{
    struct oav_pw_host *host = data;
    if (id != PW_ID_CORE || host->lost) return;
    oav_dead_nodes_sync_done(host, true, seq);
    oav_claims_sync_done(host, seq);
    host->events.claims_read(host->events.context, seq);
}

static const struct pw_core_events export_events = {
    PW_VERSION_CORE_EVENTS, .done = on_export_done, .error = on_core_error};

static void on_export_client_bound(void *data, uint32_t id)
{
    struct oav_pw_host *host = data;
    if (!host->lost) host->events.own_client(host->events.context, id);
}

static const struct pw_proxy_events export_client_events = {
    PW_VERSION_PROXY_EVENTS, .bound = on_export_client_bound};

static void on_wake(void *data, uint64_t count)
{
    struct oav_pw_host *host = data;
    (void)count;
    oav_host_destroy_links(host);
    oav_host_destroy_nodes(host, host->lost);
    oav_reader_end(host, false);
    if (!host->lost) oav_streams_wake(host);
}

static void on_timer(void *data, uint64_t expirations)
{
    struct oav_pw_host *host = data;
    (void)expirations;
    host->events.timer_fired(host->events.context);
}

void oav_pw_host_arm(struct oav_pw_host *host, uint64_t time_ns)
{
    struct timespec time = {(time_t)(time_ns / SPA_NSEC_PER_SEC), (long)(time_ns % SPA_NSEC_PER_SEC)};
    pw_loop_update_timer(pw_thread_loop_get_loop(host->thread), host->timer, &time, NULL, true);
}

static int load_configuration(const char *name)
{
    struct pw_properties *properties = pw_properties_new(NULL, NULL);
    int result = properties ? pw_conf_load_conf(NULL, name, properties) : -ENOMEM;
    pw_properties_free(properties);
    return result;
}

static const char *client_configuration(void)
{
    const char *name = oav_pw_client_configuration(pw_get_library_version());
    return load_configuration(name) < 0 ? "client.conf" : name;
}

bool oav_pw_has_client_configuration(void)
{
    oav_library_init();
    return load_configuration(client_configuration()) != -ENOENT;
}

// `fd` is the socket of a given path, and this function takes ownership of it; -1: no path is given.
static bool connect_host(struct oav_pw_host *host, int fd)
{
    host->core = fd >= 0 ? pw_context_connect_fd(host->context, fd, NULL, 0) : oav_core_connect(host, NULL);
    if (!host->core) return false;
    pw_core_add_listener(host->core, &host->core_hook, &core_events, host);
    host->export_core = oav_core_connect(host, NULL);
    if (!host->export_core) return false;
    pw_core_add_listener(host->export_core, &host->export_hook, &export_events, host);
    pw_proxy_add_listener((struct pw_proxy *)pw_core_get_client(host->export_core), &host->export_client_hook,
        &export_client_events, host);
    host->registry = pw_core_get_registry(host->core, PW_VERSION_REGISTRY, 0);
    if (!host->registry) return false;
    pw_registry_add_listener(host->registry, &host->registry_hook, &oav_registry_events, host);
    return true;
}

static void dismantle(struct oav_pw_host *host)
{
    if (host->thread) pw_thread_loop_stop(host->thread);
    host->lost = true;  // what goes from here on is not reported
    oav_host_destroy_links(host);
    oav_host_destroy_nodes(host, true);
    oav_claims_free(host);
    oav_objects_clear(host);
    oav_reader_end(host, true);
    if (host->registry) {
        spa_hook_remove(&host->registry_hook);
        pw_proxy_destroy((struct pw_proxy *)host->registry);
    }
    if (host->export_core) {
        spa_hook_remove(&host->export_client_hook);
        spa_hook_remove(&host->export_hook);
        pw_core_disconnect(host->export_core);
    }
    if (host->core) {
        spa_hook_remove(&host->core_hook);
        pw_core_disconnect(host->core);
    }
    if (host->wake) pw_loop_destroy_source(pw_thread_loop_get_loop(host->thread), host->wake);
    if (host->timer) pw_loop_destroy_source(pw_thread_loop_get_loop(host->thread), host->timer);
    if (host->context) pw_context_destroy(host->context);
    if (host->thread) pw_thread_loop_destroy(host->thread);
    free(host->socket_path);
    free(host);
}

enum oav_pw_status oav_pw_host_connect(
    const char *socket_path, enum oav_pw_claims claims, const struct oav_pw_events *events, struct oav_pw_host **result,
    char *text, size_t text_size)
{
    *result = NULL;
    // First, because it fails cheaply: a host that waits for its server tries again and again.
    int fd = socket_path ? oav_socket_open(socket_path) : -1;
    if (socket_path && fd < 0) {
        oav_socket_explain(socket_path, text, text_size);
        return OAV_PW_UNREACHABLE;
    }
    // libpipewire 1.6 ends the process if its loop cannot open a file.
    if (oav_pw_lacks_descriptors()) {
        if (fd >= 0) close(fd);
        errno = EMFILE;
        oav_socket_explain(socket_path, text, text_size);
        return OAV_PW_UNREACHABLE;
    }
    oav_library_init();
    struct oav_pw_host *host = calloc(1, sizeof *host);
    if (!host) goto no_memory;
    host->events = *events;
    host->claims_of = claims;
    host->socket_path = socket_path ? strdup(socket_path) : NULL;
    if (socket_path && !host->socket_path) goto no_memory;
    spa_list_init(&host->objects);
    spa_list_init(&host->streams);
    spa_list_init(&host->dead_nodes);
    spa_list_init(&host->dead_links);
    spa_list_init(&host->claims);

    const char *configuration = client_configuration();
    snprintf(host->diagnosis.configuration, sizeof host->diagnosis.configuration, "%s", configuration);
    host->thread = pw_thread_loop_new("oav-pipewire", NULL);
    if (!host->thread) goto no_memory;
    struct pw_loop *loop = pw_thread_loop_get_loop(host->thread);
    host->context = pw_context_new(loop, pw_properties_new(PW_KEY_CONFIG_NAME, configuration, NULL), 0);
    host->wake = pw_loop_add_event(loop, on_wake, host);
    host->timer = pw_loop_add_timer(loop, on_timer, host);
    if (!host->context || !host->wake || !host->timer) goto no_memory;
    bool is_connected = connect_host(host, fd);
    fd = -1;
    if (!is_connected) {
        oav_socket_explain(socket_path, text, text_size);
        dismantle(host);
        return OAV_PW_UNREACHABLE;
    }
    *result = host;
    return OAV_PW_OK;

no_memory:
    snprintf(text, text_size, "%s", host && !host->context && load_configuration(host->diagnosis.configuration) == -ENOENT
        ? "PipeWire's client library finds no client.conf; install the package that has it (pipewire), or name its directory in"
          " PIPEWIRE_CONFIG_DIR."
        : "libpipewire could not be set up; check the limits of memory and of open files (ulimit -a).");
    if (fd >= 0) close(fd);
    if (host) dismantle(host);
    return OAV_PW_UNREACHABLE;
}

bool oav_pw_host_run(struct oav_pw_host *host) { return pw_thread_loop_start(host->thread) >= 0; }

void oav_pw_host_close(struct oav_pw_host *host) { dismantle(host); }

void oav_pw_host_lock(struct oav_pw_host *host) { pw_thread_loop_lock(host->thread); }

void oav_pw_host_unlock(struct oav_pw_host *host) { pw_thread_loop_unlock(host->thread); }

bool oav_pw_host_is_calling(struct oav_pw_host *host) { return pw_thread_loop_in_thread(host->thread); }

void oav_pw_host_diagnose(struct oav_pw_host *host, struct oav_pw_diagnosis *diagnosis)
{
    struct oav_pw_stream *stream;
    *diagnosis = host->diagnosis;
    spa_list_for_each(stream, &host->streams, link) {
        int policy = atomic_load(&stream->data_policy);
        if (policy < 0) continue;
        diagnosis->data_thread_seen = true;
        diagnosis->data_thread_is_realtime = policy == SCHED_FIFO || policy == SCHED_RR;
        diagnosis->data_thread_priority = atomic_load(&stream->data_priority);
    }
}
#endif
