// Parking sinks: each is the driver of its graph and never starts a cycle. A stream that is moved there is not called
// and stops; when it is moved on, it continues at the same frame. The server removes the sinks of a process that ends.
#include "internal.h"
#include "oav_pipewire_guard.h"
#ifdef OAV_HAS_PIPEWIRE
#include <inttypes.h>
#include <stdlib.h>

#include <pipewire/keys.h>
#include <spa/param/audio/format-utils.h>
#include <spa/utils/string.h>

struct oav_pw_park {
    struct oav_pw_host *host;
    struct pw_stream *stream;
};

static struct pw_properties *park_properties(
    const char *node_name, const char *description, const char *media_class, int32_t priority)
{
    struct pw_properties *properties = pw_properties_new(
        PW_KEY_NODE_NAME, node_name,
        PW_KEY_NODE_DESCRIPTION, description,
        PW_KEY_MEDIA_CLASS, media_class,
        // WirePlumber stores volumes by this name: one entry for all guards, not one for each process id.
        PW_KEY_MEDIA_NAME, "audiosession guard",
        PW_KEY_NODE_VIRTUAL, "true",
        // The driver of everything that is linked to it, with a higher priority than all hardware.
        PW_KEY_PRIORITY_DRIVER, "99999",
        // If the session manager suspended the sink, it would have to set the sink up again at the moment of a loss.
        "session.suspend-timeout-seconds", "0",
        NULL);
    if (properties) pw_properties_setf(properties, PW_KEY_PRIORITY_SESSION, "%" PRIi32, priority);
    return properties;
}

// - properties: taken over.
static struct pw_stream *connect_park(struct oav_pw_host *host, const char *node_name, struct pw_properties *properties)
{
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    if (!properties) return NULL;
    struct pw_stream *stream = pw_stream_new(host->export_core, node_name, properties);
    if (!stream) return NULL;
    // No listener: no client triggers a cycle, so there is nothing to process.
    const struct spa_pod *params[] = {spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat,
        &SPA_AUDIO_INFO_RAW_INIT(.format = SPA_AUDIO_FORMAT_F32, .rate = 48000, .channels = 2,
            .position = {SPA_AUDIO_CHANNEL_FL, SPA_AUDIO_CHANNEL_FR}))};
    int result = pw_stream_connect(stream, PW_DIRECTION_INPUT, PW_ID_ANY,
        PW_STREAM_FLAG_DRIVER | PW_STREAM_FLAG_MAP_BUFFERS, params, SPA_N_ELEMENTS(params));
    if (result >= 0) return stream;
    pw_stream_destroy(stream);
    return NULL;
}

struct oav_pw_park *oav_pw_park_new(
    struct oav_pw_host *host, const char *node_name, const char *description, const char *media_class, int32_t priority)
{
    struct oav_pw_park *park = host->lost ? NULL : calloc(1, sizeof *park);
    if (!park) return NULL;
    park->host = host;
    park->stream = connect_park(host, node_name, park_properties(node_name, description, media_class, priority));
    if (park->stream) return park;
    free(park);
    return NULL;
}

void oav_pw_park_free(struct oav_pw_park *park)
{
    oav_host_retire(park->host, park->stream);
    free(park);
}

uint32_t oav_pw_park_node(struct oav_pw_park *park) { return pw_stream_get_node_id(park->stream); }
#endif
