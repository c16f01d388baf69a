// A build without libpipewire's headers: every function exists, and opening a host reports what is missing.
#if !__has_include(<pipewire/pipewire.h>)
#pragma clang diagnostic ignored "-Wunused-parameter"
#include <stdio.h>

#include "oav_pipewire.h"

enum oav_pw_status oav_pw_host_connect(
    const char *socket_path, enum oav_pw_claims claims, const struct oav_pw_events *events, struct oav_pw_host **host,
    char *text, size_t text_size)
{
    snprintf(text, text_size,
        "this program was built without libpipewire; install libpipewire-0.3-dev (0.3.65 or later) and build again.");
    return OAV_PW_UNREACHABLE;
}

const char *oav_pw_library_version(void) { return ""; }
bool oav_pw_has_client_configuration(void) { return true; }

struct oav_pw_canceller *oav_pw_canceller_open(uint32_t sample_rate, char *text, size_t text_size)
{
    snprintf(text, text_size, "this program was built without libpipewire");
    return NULL;
}

// The other functions need a host or a stream, which does not exist: nothing calls them.
const char *oav_pw_property(const struct oav_pw_properties *properties, const char *key) { return NULL; }
void oav_pw_host_close(struct oav_pw_host *host) {}
bool oav_pw_host_is_calling(struct oav_pw_host *host) { return false; }
bool oav_pw_host_run(struct oav_pw_host *host) { return false; }
void oav_pw_host_lock(struct oav_pw_host *host) {}
void oav_pw_host_unlock(struct oav_pw_host *host) {}
int oav_pw_host_sync(struct oav_pw_host *host) { return -1; }
void oav_pw_host_arm(struct oav_pw_host *host, uint64_t time_ns) {}
bool oav_pw_host_set_volume(struct oav_pw_host *host, uint32_t node, const struct oav_pw_volume *volume) { return false; }
bool oav_pw_host_set_route(
    struct oav_pw_host *host, uint32_t device_id, int32_t card_device, int32_t route_index,
    const struct oav_pw_volume *volume, bool saved)
{
    return false;
}
bool oav_pw_host_set_profile(struct oav_pw_host *host, uint32_t device_id, int32_t index) { return false; }
bool oav_pw_host_read_metadata(struct oav_pw_host *host) { return false; }
void oav_pw_host_destroy_link(struct oav_pw_host *host, uint32_t id) {}
void oav_pw_host_diagnose(struct oav_pw_host *host, struct oav_pw_diagnosis *diagnosis) {}
enum oav_pw_status oav_pw_claim_put(
    struct oav_pw_host *host, const struct oav_pw_claim_config *config, char *text, size_t text_size)
{
    return OAV_PW_UNREACHABLE;
}
void oav_pw_claim_say(struct oav_pw_host *host, uint64_t tag, const char *key, const char *value) {}
bool oav_pw_lacks_descriptors(void) { return false; }
int oav_pw_claim_withdraw(struct oav_pw_host *host, uint64_t tag, bool notifying_others) { return -1; }
enum oav_pw_status oav_pw_stream_open(
    struct oav_pw_host *host, const struct oav_pw_stream_config *config, struct oav_pw_stream **stream, char *text,
    size_t text_size)
{
    return OAV_PW_UNREACHABLE;
}
enum oav_pw_status oav_pw_stream_make_node(
    struct oav_pw_stream *stream, const char *channels, bool makes_ports, char *text, size_t text_size)
{
    return OAV_PW_UNREACHABLE;
}
void oav_pw_stream_set_targets(struct oav_pw_stream *stream, const struct oav_pw_target *targets, uint32_t count) {}
bool oav_pw_stream_add_link(struct oav_pw_stream *stream, uint32_t target, uint32_t ours, uint32_t theirs) { return false; }
void oav_pw_stream_set_gate(struct oav_pw_stream *stream, bool is_open) {}
void oav_pw_stream_unlink(struct oav_pw_stream *stream, bool with_node) {}
void oav_pw_stream_start(struct oav_pw_stream *stream) {}
void oav_pw_stream_stop(struct oav_pw_stream *stream) {}
void oav_pw_stream_close(struct oav_pw_stream *stream) {}
void oav_pw_stream_set_cycle(struct oav_pw_stream *stream, uint32_t frames) {}
struct oav_pw_progress oav_pw_stream_progress(struct oav_pw_stream *stream) { return (struct oav_pw_progress){0}; }
int32_t oav_pw_canceller_run(
    void *canceller, const float *captured, const float *played, float *cleaned, uint32_t frames)
{
    return -1;
}
void oav_pw_canceller_close(struct oav_pw_canceller *canceller) {}
#endif
