// A build without libpipewire's headers: everything is declared, and opening a host says what is missing.
#if !__has_include(<pipewire/pipewire.h>)
#include <stdio.h>
#include <string.h>

#include "oav_pipewire.h"

enum oav_pw_status oav_pw_host_connect(
    const char *socket_path, enum oav_pw_claims claims, const struct oav_pw_events *events, struct oav_pw_host **host,
    char *text, size_t text_size)
{
    (void)socket_path, (void)claims, (void)events;
    *host = NULL;
    snprintf(text, text_size,
        "this program was built without libpipewire; install libpipewire-0.3-dev (0.3.65 or later) and build again.");
    return OAV_PW_UNREACHABLE;
}

const char *oav_pw_property(const struct oav_pw_properties *properties, const char *key)
{
    (void)properties, (void)key;
    return NULL;
}

// The rest needs a host or a stream, and there is none.
void oav_pw_host_close(struct oav_pw_host *host) { (void)host; }
bool oav_pw_host_is_calling(struct oav_pw_host *host)
{
    (void)host;
    return false;
}
bool oav_pw_host_run(struct oav_pw_host *host)
{
    (void)host;
    return false;
}
void oav_pw_host_lock(struct oav_pw_host *host) { (void)host; }
void oav_pw_host_unlock(struct oav_pw_host *host) { (void)host; }
int oav_pw_host_sync(struct oav_pw_host *host)
{
    (void)host;
    return -1;
}
void oav_pw_host_arm(struct oav_pw_host *host, uint64_t time_ns) { (void)host, (void)time_ns; }
bool oav_pw_host_set_volume(struct oav_pw_host *host, uint32_t node_id, const struct oav_pw_volume *volume)
{
    (void)host, (void)node_id, (void)volume;
    return false;
}
bool oav_pw_host_set_route(
    struct oav_pw_host *host, uint32_t device_id, int32_t card_device, int32_t route_index,
    const struct oav_pw_volume *volume, bool saved)
{
    (void)host, (void)device_id, (void)card_device, (void)route_index, (void)volume, (void)saved;
    return false;
}
void oav_pw_host_destroy_link(struct oav_pw_host *host, uint32_t id) { (void)host, (void)id; }
enum oav_pw_status oav_pw_claim_put(
    struct oav_pw_host *host, const struct oav_pw_claim_config *config, char *text, size_t text_size)
{
    (void)host, (void)config;
    if (text_size > 0) text[0] = '\0';
    return OAV_PW_UNREACHABLE;
}
void oav_pw_claim_suspend(struct oav_pw_host *host, uint64_t tag) {}
int oav_pw_claim_withdraw(struct oav_pw_host *host, uint64_t tag, bool notifying_others)
{
    (void)host, (void)tag, (void)notifying_others;
    return -1;
}
void oav_socket_locate(const char *path, char *text, size_t size)
{
    (void)path;
    if (size > 0) text[0] = '\0';
}
enum oav_pw_status oav_pw_park_new(
    struct oav_pw_host *host, const struct oav_pw_park_config *config, struct oav_pw_park **park, char *text,
    size_t text_size)
{
    (void)host, (void)config;
    *park = NULL;
    if (text_size > 0) text[0] = '\0';
    return OAV_PW_UNREACHABLE;
}
void oav_pw_park_free(struct oav_pw_park *park) { (void)park; }
uint32_t oav_pw_park_node(struct oav_pw_park *park)
{
    (void)park;
    return OAV_PW_NONE;
}
bool oav_pw_host_set_target(struct oav_pw_host *host, uint32_t node_id, const char *type, const char *value)
{
    (void)host, (void)node_id, (void)type, (void)value;
    return false;
}
bool oav_pw_host_set_profile(struct oav_pw_host *host, uint32_t device_id, int32_t index)
{
    (void)host, (void)device_id, (void)index;
    return false;
}
void oav_pw_host_diagnose(struct oav_pw_host *host, struct oav_pw_diagnosis *diagnosis)
{
    (void)host;
    memset(diagnosis, 0, sizeof *diagnosis);
}
const char *oav_pw_library_version(void) { return ""; }
enum oav_pw_status oav_pw_stream_open(
    struct oav_pw_host *host, const struct oav_pw_stream_config *config, struct oav_pw_stream **stream, char *text,
    size_t text_size)
{
    (void)host, (void)config;
    *stream = NULL;
    if (text_size > 0) text[0] = '\0';
    return OAV_PW_UNREACHABLE;
}
enum oav_pw_status oav_pw_stream_make_node(
    struct oav_pw_stream *stream, const char *channels, bool makes_ports, char *text, size_t text_size)
{
    (void)stream, (void)channels, (void)makes_ports;
    if (text_size > 0) text[0] = '\0';
    return OAV_PW_UNREACHABLE;
}
void oav_pw_stream_set_targets(struct oav_pw_stream *stream, const struct oav_pw_target *targets, uint32_t count)
{
    (void)stream, (void)targets, (void)count;
}
bool oav_pw_stream_add_link(struct oav_pw_stream *stream, uint32_t target, uint32_t our_port, uint32_t their_port)
{
    (void)stream, (void)target, (void)our_port, (void)their_port;
    return false;
}
void oav_pw_stream_open_gate(struct oav_pw_stream *stream) { (void)stream; }
void oav_pw_stream_close_gate(struct oav_pw_stream *stream) { (void)stream; }
void oav_pw_stream_unlink(struct oav_pw_stream *stream) { (void)stream; }
void oav_pw_stream_start(struct oav_pw_stream *stream) { (void)stream; }
void oav_pw_stream_stop(struct oav_pw_stream *stream) { (void)stream; }
void oav_pw_stream_close(struct oav_pw_stream *stream) { (void)stream; }
uint32_t oav_pw_stream_latency_frames(struct oav_pw_stream *stream)
{
    (void)stream;
    return 0;
}
void oav_pw_stream_set_cycle(struct oav_pw_stream *stream, uint32_t frames) { (void)stream, (void)frames; }
double oav_pw_stream_cycle_seconds(struct oav_pw_stream *stream)
{
    (void)stream;
    return 0;
}
void oav_pw_stream_break(struct oav_pw_stream *stream) { (void)stream; }
struct oav_pw_progress oav_pw_stream_progress(struct oav_pw_stream *stream)
{
    (void)stream;
    return (struct oav_pw_progress){0};
}
#endif
