// Parking sinks: each is the driver of its graph and never starts a cycle. A stream that is moved there is not called
// and stops; when it is moved on, it continues at the same frame. The server removes the sinks of a process that ends.
#include "internal.h"
#include "oav_pipewire_guard.h"
#ifdef OAV_HAS_PIPEWIRE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pipewire/keys.h>
#include <spa/param/audio/format-utils.h>
#include <spa/utils/string.h>

struct oav_pw_park {
    struct oav_pw_host *host;
    struct pw_stream *stream;
};

static struct pw_properties *park_properties(const struct oav_pw_park_config *config)
{
    struct pw_properties *properties = pw_properties_new(
        PW_KEY_NODE_NAME, config->node_name,
        PW_KEY_NODE_DESCRIPTION, config->description,
        PW_KEY_MEDIA_CLASS, config->media_class,
        // WirePlumber stores volumes by this name: one entry for all guards, not one for each process id.
        PW_KEY_MEDIA_NAME, "audiosession guard",
        PW_KEY_NODE_VIRTUAL, "true",
        // The driver of everything that is linked to it, with a higher priority than all hardware.
        PW_KEY_PRIORITY_DRIVER, "99999",
        // If the session manager suspended the sink, it would have to set the sink up again at the moment of a loss.
        "session.suspend-timeout-seconds", "0",
        NULL);
    if (properties) pw_properties_setf(properties, PW_KEY_PRIORITY_SESSION, "%" PRIi32, config->priority);
    return properties;
}

static struct pw_stream *connect_park(struct oav_pw_host *host, const struct oav_pw_park_config *config)
{
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    struct pw_properties *properties = park_properties(config);
    if (!properties) return NULL;
    struct pw_stream *stream = pw_stream_new(host->export_core, config->node_name, properties);
    if (!stream) return NULL;
    // No listener: no client triggers a cycle, so there is nothing to process.
    const struct spa_pod *params[] = {spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat,
        &SPA_AUDIO_INFO_RAW_INIT(.format = SPA_AUDIO_FORMAT_F32, .rate = 48000, .channels = 2,
            .position = {SPA_AUDIO_CHANNEL_FL, SPA_AUDIO_CHANNEL_FR}))};
    int result = pw_stream_connect(stream, PW_DIRECTION_INPUT, PW_ID_ANY,
        PW_STREAM_FLAG_DRIVER | PW_STREAM_FLAG_MAP_BUFFERS, params, SPA_N_ELEMENTS(params));
    if (result >= 0) return stream;
    pw_stream_destroy(stream);
    errno = -result;
    return NULL;
}

enum oav_pw_status oav_pw_park_new(
    struct oav_pw_host *host, const struct oav_pw_park_config *config, struct oav_pw_park **result, char *text,
    size_t text_size)
{
    *result = NULL;
    struct oav_pw_park *park = calloc(1, sizeof *park);
    if (!park) return OAV_PW_REFUSED;
    park->host = host;
    enum oav_pw_status status = host->lost ? OAV_PW_LOST : OAV_PW_OK;
    if (status == OAV_PW_OK && !(park->stream = connect_park(host, config))) {
        status = OAV_PW_REFUSED;
        snprintf(text, text_size, "could not create the sink %s (%s)", config->node_name, strerror(errno));
    }
    if (status == OAV_PW_OK) {
        *result = park;
    } else {
        free(park);
    }
    return status;
}

void oav_pw_park_free(struct oav_pw_park *park)
{
    oav_host_retire(park->host, park->stream);
    free(park);
}

uint32_t oav_pw_park_node(struct oav_pw_park *park) { return pw_stream_get_node_id(park->stream); }
#endif
