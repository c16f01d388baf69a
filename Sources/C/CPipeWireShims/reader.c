// Reads the metadata again, because the server may have delayed a change (decision 58). It uses its own connection: the server
// does not serve a connection that binds the metadata until the session manager has answered.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <stdlib.h>

struct oav_reader {
    struct oav_object metadata;
    struct pw_core *core;
    struct spa_hook core_hook;
    struct pw_registry *registry;
    int seq;
    bool has_failed, is_over;
};

static void end_reading(struct oav_reader *reader)
{
    struct oav_pw_host *host = reader->metadata.host;
    if (reader->is_over) return;
    reader->is_over = true;
    oav_host_wake(host);
    if (!host->lost) host->events.metadata_read(host->events.context, !reader->has_failed);
}

static void on_done(void *data, uint32_t id, int seq)
{
    struct oav_reader *reader = data;
    if (id == PW_ID_CORE && seq == reader->seq) end_reading(reader);
}

// An error of the connection, or of the metadata, which may be gone by now.
static void on_error(void *data, uint32_t id, int seq, int res, const char *message)
{
    struct oav_reader *reader = data;
    (void)seq, (void)res, (void)message;
    reader->has_failed = true;
    if (id == PW_ID_CORE) end_reading(reader);
}

static const struct pw_core_events reader_events = {PW_VERSION_CORE_EVENTS, .done = on_done, .error = on_error};

void oav_reader_end(struct oav_pw_host *host, bool always)
{
    struct oav_reader *reader = host->reader;
    if (!reader || !(always || reader->is_over)) return;
    host->reader = NULL;
    if (reader->metadata.proxy) {
        spa_hook_remove(&reader->metadata.hook);
        pw_proxy_destroy(reader->metadata.proxy);
    }
    if (reader->registry) pw_proxy_destroy((struct pw_proxy *)reader->registry);
    if (reader->core) {
        spa_hook_remove(&reader->core_hook);
        pw_core_disconnect(reader->core);
    }
    free(reader);
}

static bool begin_reading(struct oav_reader *reader, uint32_t id)
{
    struct oav_object *metadata = &reader->metadata;
    reader->core
        = oav_core_connect(metadata->host, pw_properties_new(PW_KEY_APP_NAME, OAV_PW_READER_NAME, NULL));
    if (!reader->core) return false;
    pw_core_add_listener(reader->core, &reader->core_hook, &reader_events, reader);
    reader->registry = pw_core_get_registry(reader->core, PW_VERSION_REGISTRY, 0);
    if (!reader->registry) return false;
    metadata->proxy = pw_registry_bind(reader->registry, id, PW_TYPE_INTERFACE_Metadata, PW_VERSION_METADATA, 0);
    if (!metadata->proxy) return false;
    pw_metadata_add_listener((struct pw_metadata *)metadata->proxy, &metadata->hook, &oav_metadata_events, metadata);
    reader->seq = pw_core_sync(reader->core, PW_ID_CORE, 0);
    return true;
}

bool oav_pw_host_read_metadata(struct oav_pw_host *host)
{
    struct oav_object *object;
    if (host->lost || host->reader) return false;
    spa_list_for_each(object, &host->objects, link) {
        if (object->fact.kind != OAV_PW_METADATA) continue;
        host->reader = calloc(1, sizeof *host->reader);
        if (!host->reader) return false;
        host->reader->metadata = (struct oav_object){.host = host, .is_reader = true, .fact.kind = OAV_PW_METADATA};
        if (begin_reading(host->reader, object->fact.id)) return true;
        oav_reader_end(host, true);
        return false;
    }
    return false;
}
#endif
