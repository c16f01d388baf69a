// Our claims in the registry that all sessions, or all guards, share. Each claim is a node without ports, which is never scheduled,
// linked or shown in a mixer. The server orders claims by serial, reports them to every client, and removes those of a process that ends.
#define _GNU_SOURCE
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <errno.h>
#include <stdlib.h>

#include <spa/utils/string.h>

static void claim_free(struct oav_claim *claim)
{
    spa_list_remove(&claim->link);
    if (claim->filter) {
        spa_hook_remove(&claim->filter_hook);
        // A completed claim is destroyed at once, before its owner's next request.
        if (claim->is_made) {
            pw_filter_destroy(claim->filter);
        } else {
            oav_host_retire_filter(claim->host, claim->filter);
        }
    }
    free(claim);
}

static struct oav_claim *claim_find(struct oav_pw_host *host, uint64_t tag)
{
    struct oav_claim *claim;
    spa_list_for_each(claim, &host->claims, link) {
        if (claim->tag == tag) return claim;
    }
    return NULL;
}

static void on_state_changed(
    void *data, enum pw_filter_state old, enum pw_filter_state state, const char *error)
{
    struct oav_claim *claim = data;
    struct oav_pw_host *host = claim->host;
    (void)old;
    if (host->lost || claim->failed) return;
    if (state != PW_FILTER_STATE_ERROR && state != PW_FILTER_STATE_UNCONNECTED) {
        uint32_t id = pw_filter_get_node_id(claim->filter);
        if (id == SPA_ID_INVALID) return;
        if (claim->seq < 0) claim->seq = pw_core_sync(host->export_core, PW_ID_CORE, 0);
        host->events.claim_named(host->events.context, claim->tag, id);
        return;
    }
    // Its owner frees it: a filter cannot be destroyed inside its own callback.
    claim->failed = true;
    claim->is_in_callback = true;
    host->events.claim_failed(
        host->events.context, claim->tag, error ? error : "the server removed the claim's node");
    claim->is_in_callback = false;
}

static const struct pw_filter_events filter_events = {PW_VERSION_FILTER_EVENTS, .state_changed = on_state_changed};

static const char *claim_name(enum oav_pw_claims registry)
{
    return registry == OAV_PW_CLAIMS_OF_GUARDS ? "audiosession.guard" : "audiosession.claim";
}

bool oav_claim_is_seen(const struct oav_pw_host *host, const char *name)
{
    return spa_streq(name, claim_name(OAV_PW_CLAIMS_OF_SESSIONS))
        || (host->claims_of == OAV_PW_CLAIMS_OF_GUARDS && spa_streq(name, claim_name(OAV_PW_CLAIMS_OF_GUARDS)));
}

static struct pw_properties *claim_properties(enum oav_pw_claims registry, const char *const *texts)
{
    struct pw_properties *properties = pw_properties_new(
        // No media.class and no media.type: mixers list nodes by these, and session managers act on them.
        PW_KEY_NODE_NAME, claim_name(registry),
        PW_KEY_NODE_DESCRIPTION, "Audio session",
        PW_KEY_APP_NAME, program_invocation_short_name,
        PW_KEY_APP_PROCESS_HOST, pw_get_host_name(),
        PW_KEY_NODE_AUTOCONNECT, "false",
        // Otherwise libpipewire requests a driver that would call us.
        "node.want-driver", "false",
        PW_KEY_NODE_ALWAYS_PROCESS, "false",
        "audiosession.claim.version", "1",
        NULL);
    for (; properties && texts[0]; texts += 2) pw_properties_set(properties, texts[0], texts[1]);
    return properties;
}

static bool connect_claim(struct oav_claim *claim, enum oav_pw_claims registry, const char *const *texts)
{
    struct pw_properties *properties = claim_properties(registry, texts);
    if (!properties) return false;
    claim->filter = pw_filter_new(claim->host->export_core, claim_name(registry), properties);
    if (!claim->filter) return false;
    pw_filter_add_listener(claim->filter, &claim->filter_hook, &filter_events, claim);
    int result = pw_filter_connect(claim->filter, PW_FILTER_FLAG_INACTIVE, NULL, 0);
    if (result < 0) errno = -result;
    return result >= 0;
}

// The failure of such a claim was reported, so it need not be withdrawn. Who hears of it may put another claim at once: the
// filter that reports it is freed later.
static void free_failed(struct oav_pw_host *host)
{
    struct oav_claim *claim, *next;
    spa_list_for_each_safe(claim, next, &host->claims, link) {
        if (claim->failed && !claim->is_in_callback) claim_free(claim);
    }
}

enum oav_pw_status oav_pw_claim_put(
    struct oav_pw_host *host, uint64_t tag, enum oav_pw_claims registry, const char *const *properties, char *text,
    size_t text_size)
{
    struct oav_claim *claim = calloc(1, sizeof *claim);
    if (!claim) return OAV_PW_REFUSED;
    claim->host = host;
    claim->tag = tag;
    claim->seq = -1;
    free_failed(host);
    enum oav_pw_status status = host->lost           ? OAV_PW_LOST
        : oav_host_is_behind(host, text, text_size) ? OAV_PW_REFUSED
                                                    : OAV_PW_OK;
    spa_list_append(&host->claims, &claim->link);
    if (status == OAV_PW_OK && !connect_claim(claim, registry, properties)) {
        status = OAV_PW_REFUSED;
        snprintf(text, text_size, "could not create the claim node (%s)", strerror(errno));
    }
    if (status != OAV_PW_OK) claim_free(claim);
    return status;
}

static void set_property(struct oav_claim *claim, const char *key, const char *value)
{
    struct spa_dict_item items[] = {SPA_DICT_ITEM_INIT(key, value)};
    pw_filter_update_properties(claim->filter, NULL, &SPA_DICT_INIT_ARRAY(items));
}

void oav_pw_claim_say(struct oav_pw_host *host, uint64_t tag, const char *key, const char *value)
{
    struct oav_claim *claim = claim_find(host, tag);
    if (claim && !claim->failed && !host->lost) set_property(claim, key, value);
}

int oav_pw_claim_withdraw(struct oav_pw_host *host, uint64_t tag, bool notifying_others)
{
    int seq = -1;
    struct oav_claim *claim = claim_find(host, tag);
    if (claim) {
        bool hands_back = notifying_others && !claim->failed && !host->lost;
        // All other programs see this before the removal: the server keeps the order of one connection's messages.
        if (hands_back) set_property(claim, "audiosession.claim.notifies-others", "true");
        claim_free(claim);
        if (hands_back) seq = pw_core_sync(host->export_core, PW_ID_CORE, 0);
    }
    return seq;
}

void oav_claims_sync_done(struct oav_pw_host *host, int seq)
{
    struct oav_claim *claim;
    spa_list_for_each(claim, &host->claims, link) claim->is_made |= claim->seq == seq;
}

void oav_claims_free(struct oav_pw_host *host)
{
    struct oav_claim *claim;
    spa_list_consume(claim, &host->claims, link) claim_free(claim);
}
#endif
