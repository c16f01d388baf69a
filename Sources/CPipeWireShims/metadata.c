// Two metadata objects: "default" (the session manager's choices, and mixers' moves of our streams) and "settings"
// (the graph's rate).
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <stdlib.h>
#include <string.h>

#include <spa/utils/json.h>
#include <spa/utils/string.h>

static const char *const default_keys[] = {
    "default.audio.sink", "default.audio.source", "default.configured.audio.sink", "default.configured.audio.source"};

// The value is `{"name":"alsa_output..."}`.
static const char *node_name_in(const char *value, char *name, size_t size)
{
    struct spa_json object, inside;
    char key[64];
    const char *token;
    if (!value) return NULL;
    spa_json_init(&object, value, strlen(value));
    if (spa_json_enter_object(&object, &inside) <= 0) return NULL;
    while (spa_json_get_string(&inside, key, sizeof key) > 0) {
        if (spa_streq(key, "name")) return spa_json_get_string(&inside, name, size) > 0 ? name : NULL;
        if (spa_json_next(&inside, &token) <= 0) break;
    }
    return NULL;
}

static void default_changed(struct oav_pw_host *host, const char *key, const char *value)
{
    char name[512];
    for (size_t i = 0; i < SPA_N_ELEMENTS(default_keys); i++) {
        if (key && !spa_streq(key, default_keys[i])) continue;  // no key: all of the subject's are gone
        host->events.default_node(host->events.context, default_keys[i], node_name_in(value, name, sizeof name));
    }
}

static void target_changed(struct oav_pw_host *host, uint32_t subject, const char *key, const char *value)
{
    if (key && !spa_streq(key, "target.object")) return;
    // pipewire-pulse writes -1 for "wherever the default is".
    bool lifted = !key || !value || spa_streq(value, "-1");
    host->events.target_set(host->events.context, subject, lifted ? NULL : value);
}

static uint32_t rate_of(const struct oav_metadata *settings)
{
    return settings->forced_rate ? settings->forced_rate : settings->rate;
}

static void setting_changed(struct oav_metadata *metadata, const char *key, const char *value)
{
    struct oav_pw_host *host = metadata->host;
    uint32_t number = 0;
    spa_atou32(value, &number, 0);
    if (spa_streq(key, "clock.rate")) {
        metadata->rate = number;
    } else if (spa_streq(key, "clock.force-rate")) {
        metadata->forced_rate = number;
    } else if (spa_streq(key, "clock.min-quantum")) {
        metadata->min_quantum = number;
    } else if (spa_streq(key, "clock.force-quantum")) {
        metadata->forced_quantum = number;
    } else {
        return;
    }
    host->diagnosis.smallest_quantum = metadata->forced_quantum ? metadata->forced_quantum : metadata->min_quantum;
    uint32_t rate = rate_of(metadata);
    if (rate > 0) host->events.graph_rate(host->events.context, rate);
}

static int on_property(void *data, uint32_t subject, const char *key, const char *type, const char *value)
{
    struct oav_metadata *metadata = data;
    (void)type;
    if (metadata->host->lost) return 0;
    if (metadata->is_settings) {
        if (subject == 0 && key) setting_changed(metadata, key, value);
    } else if (subject == 0) {
        default_changed(metadata->host, key, value);
    } else {
        target_changed(metadata->host, subject, key, value);
    }
    return 0;
}

static const struct pw_metadata_events metadata_events = {PW_VERSION_METADATA_EVENTS, .property = on_property};

void oav_metadata_bind(struct oav_pw_host *host, uint32_t id, const char *name)
{
    bool is_settings = spa_streq(name, "settings");
    if (!is_settings && !spa_streq(name, "default")) return;
    struct oav_metadata *metadata = calloc(1, sizeof *metadata);
    if (!metadata) return;
    metadata->host = host;
    metadata->id = id;
    metadata->is_settings = is_settings;
    metadata->proxy = pw_registry_bind(host->registry, id, PW_TYPE_INTERFACE_Metadata, PW_VERSION_METADATA, 0);
    if (!metadata->proxy) {
        free(metadata);
        return;
    }
    spa_list_append(&host->metadatas, &metadata->link);
    pw_metadata_add_listener(
        (struct pw_metadata *)metadata->proxy, &metadata->metadata_hook, &metadata_events, metadata);
    oav_host_mark_dirty(host);
}

void oav_metadata_free(struct oav_metadata *metadata)
{
    struct oav_pw_host *host = metadata->host;
    // With the session manager its choices go.
    if (!metadata->is_settings && !host->lost) {
        default_changed(host, NULL, NULL);
        host->events.target_set(host->events.context, OAV_PW_NONE, NULL);
    }
    spa_list_remove(&metadata->link);
    spa_hook_remove(&metadata->metadata_hook);
    pw_proxy_destroy(metadata->proxy);
    free(metadata);
}
#endif
