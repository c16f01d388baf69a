// What a guard writes into the session manager's metadata, and what it asks about its server.
#include "internal.h"
#include "oav_pipewire_guard.h"
#ifdef OAV_HAS_PIPEWIRE

static bool set_default_property(
    struct oav_pw_host *host, uint32_t subject, const char *key, const char *type, const char *value)
{
    struct oav_object *metadata;
    if (host->lost) return false;
    spa_list_for_each(metadata, &host->objects, link) {
        if (metadata->fact.kind != OAV_PW_METADATA) continue;
        pw_metadata_set_property((struct pw_metadata *)metadata->proxy, subject, key, type, value);
        return true;
    }
    return false;
}

bool oav_pw_host_set_target(struct oav_pw_host *host, uint32_t node_id, const char *type, const char *value)
{
    return set_default_property(host, node_id, "target.object", type, value);
}

bool oav_pw_host_set_configured_sink(struct oav_pw_host *host, const char *json)
{
    return set_default_property(host, 0, "default.configured.audio.sink", json ? "Spa:String:JSON" : NULL, json);
}

uint32_t oav_pw_host_server_cookie(struct oav_pw_host *host) { return host->server_cookie; }
#endif
