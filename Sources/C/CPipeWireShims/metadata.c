// Two metadata objects: "default" (the session manager's choices, and mixers' moves of streams) and "settings"
// (the graph's settings).
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
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

static void default_changed(struct oav_pw_host *host, const char *key, const char *value, bool is_reading)
{
    char name[512];
    for (size_t i = 0; i < SPA_N_ELEMENTS(default_keys); i++) {
        if (key && !spa_streq(key, default_keys[i])) continue;  // no key: all of the subject's are gone
        host->events.default_node(
            host->events.context, default_keys[i], node_name_in(value, name, sizeof name), is_reading);
    }
}

static int on_property(void *data, uint32_t subject, const char *key, const char *type, const char *value)
{
    struct oav_object *metadata = data;
    struct oav_pw_host *host = metadata->host;
    uint32_t number = 0;
    (void)type;
    if (host->lost) return 0;
    if (metadata->fact.kind == OAV_PW_SETTINGS) {
        spa_atou32(value, &number, 0);
        if (subject == 0 && key) host->events.setting(host->events.context, key, number);
    } else if (subject == 0) {
        default_changed(host, key, value, metadata->is_reader);
    } else if (!key || spa_streq(key, "target.object")) {
        // pipewire-pulse writes -1 for "wherever the default is".
        bool lifted = !key || !value || spa_streq(value, "-1");
        host->events.target_set(host->events.context, subject, lifted ? NULL : value, metadata->is_reader);
    }
    return 0;
}

const struct pw_metadata_events oav_metadata_events = {PW_VERSION_METADATA_EVENTS, .property = on_property};

// When the session manager leaves, its choices are gone.
void oav_metadata_removed(struct oav_pw_host *host)
{
    default_changed(host, NULL, NULL, false);
    host->events.target_set(host->events.context, OAV_PW_NONE, NULL, false);
}
#endif
