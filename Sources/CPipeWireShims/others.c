// What other programs publish: their claims and their output streams.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <stdlib.h>
#include <string.h>

#include <spa/utils/string.h>

// A sound library beside us in this process is no other program.
static bool is_beside_us(const struct oav_other *other)
{
    uint32_t process = oav_client_process(other->host, other->client_id);
    return process != 0 && process == oav_client_process(other->host, oav_own_client_id(other->host))
        && !pw_properties_get(other->props, OAV_STREAM_MARK);
}

static bool is_foreign(const struct oav_other *other)
{
    if (other->client_id == oav_own_client_id(other->host)) return false;
    if (other->is_claim) return true;
    // A node that outlives its maker is no program.
    return !is_beside_us(other) && !pw_properties_get(other->props, PW_KEY_NODE_LINK_GROUP)
        && !pw_properties_get_bool(other->props, PW_KEY_OBJECT_LINGER, false)
        && !pw_properties_get_bool(other->props, PW_KEY_NODE_VIRTUAL, false);
}

static const char *name_of(const struct oav_other *other)
{
    const char *name = pw_properties_get(other->props, PW_KEY_APP_NAME);
    return name ? name : oav_client_name(other->host, other->client_id);
}

// A sound server's daemon is the client of many programs, and says which.
static uint32_t process_of(const struct oav_other *other)
{
    uint32_t said = pw_properties_get_uint32(other->props, PW_KEY_APP_PROCESS_ID, 0);
    return said ? said : oav_client_process(other->host, other->client_id);
}

static bool is_movable(const struct oav_other *other)
{
    return pw_properties_get_bool(other->props, PW_KEY_NODE_AUTOCONNECT, false)
        && !pw_properties_get_bool(other->props, PW_KEY_NODE_DONT_RECONNECT, false)
        && !pw_properties_get_bool(other->props, "node.dont-move", false)
        && !pw_properties_get_bool(other->props, PW_KEY_NODE_EXCLUSIVE, false);
}

static void report(struct oav_other *other)
{
    struct oav_pw_host *host = other->host;
    if (host->lost || !other->described || oav_own_client_id(host) == OAV_PW_NONE) return;
    if (other->is_claim) {
        struct oav_pw_peer peer = {
            .serial = other->serial,
            .client_id = other->client_id,
            .process_id = oav_client_process(host, other->client_id),
            .is_foreign = is_foreign(other),
            .category = pw_properties_get(other->props, "audiosession.claim.category"),
            .mode = pw_properties_get(other->props, "audiosession.claim.mode"),
            .policy = pw_properties_get(other->props, "audiosession.claim.policy"),
            .options = pw_properties_get(other->props, "audiosession.claim.options"),
            .name = name_of(other),
            .machine = pw_properties_get(other->props, PW_KEY_APP_PROCESS_HOST),
            .is_waiting = pw_properties_get_bool(other->props, "audiosession.claim.waiting", false),
            .notifies_others = pw_properties_get_bool(other->props, "audiosession.claim.notifies-others", false),
        };
        host->events.peer(host->events.context, &peer);
    } else {
        struct oav_pw_other_stream stream = {
            .serial = other->serial,
            .node_id = other->id,
            .client_id = other->client_id,
            .process_id = process_of(other),
            .binary = pw_properties_get(other->props, PW_KEY_APP_PROCESS_BINARY),
            .is_session = pw_properties_get(other->props, OAV_STREAM_MARK) != NULL,
            .is_movable = is_movable(other),
            .is_foreign = is_foreign(other),
            .is_running = other->running,
            .role = pw_properties_get(other->props, PW_KEY_MEDIA_ROLE),
            .name = name_of(other),
        };
        host->events.other_stream(host->events.context, &stream);
    }
}

static void other_free(struct oav_other *other)
{
    spa_hook_remove(&other->node_hook);
    pw_proxy_destroy(other->proxy);
    spa_list_remove(&other->link);
    pw_properties_free(other->props);
    free(other);
}

static void on_node_info(void *data, const struct pw_node_info *info)
{
    struct oav_other *other = data;
    bool running = info->state == PW_NODE_STATE_RUNNING;
    bool changed = !other->described || running != other->running;
    other->described = true;
    other->running = running;
    if ((info->change_mask & PW_NODE_CHANGE_MASK_PROPS) && info->props) {
        changed |= pw_properties_update(other->props, info->props) > 0;
    }
    if (changed) report(other);
}

static const struct pw_node_events node_events = {PW_VERSION_NODE_EVENTS, .info = on_node_info};

// A node that its maker runs itself ends with its maker, and the server sets its client.id. One that a factory of the
// server makes may outlive its maker and then has the client.id that its maker wrote; the server sets its factory.id.
// A claim has no factory.id and no media.class.
static bool is_claim_of_a_client(const struct oav_pw_host *host, const struct spa_dict *props)
{
    return spa_streq(spa_dict_lookup(props, PW_KEY_NODE_NAME), oav_claim_name(host))
        && spa_dict_lookup(props, PW_KEY_CLIENT_ID) && !spa_dict_lookup(props, PW_KEY_FACTORY_ID)
        && !spa_dict_lookup(props, PW_KEY_MEDIA_CLASS);
}

void oav_other_bind(struct oav_pw_host *host, uint32_t id, const struct spa_dict *props)
{
    bool is_claim = is_claim_of_a_client(host, props);
    if (!is_claim && !spa_streq(spa_dict_lookup(props, PW_KEY_MEDIA_CLASS), "Stream/Output/Audio")) return;
    struct oav_other *other = calloc(1, sizeof *other);
    if (!other) return;
    other->host = host;
    other->id = id;
    other->is_claim = is_claim;
    other->client_id = OAV_PW_NONE;
    // These two are the server's own words, in the registry; those in a node's info could be its maker's.
    spa_atou64(spa_dict_lookup(props, PW_KEY_OBJECT_SERIAL), &other->serial, 0);
    spa_atou32(spa_dict_lookup(props, PW_KEY_CLIENT_ID), &other->client_id, 0);
    other->props = pw_properties_new_dict(props);
    other->proxy = pw_registry_bind(host->registry, id, PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, 0);
    if (!other->proxy || !other->props) {
        pw_properties_free(other->props);
        if (other->proxy) pw_proxy_destroy(other->proxy);
        free(other);
        return;
    }
    spa_list_append(&host->others, &other->link);
    pw_node_add_listener((struct pw_node *)other->proxy, &other->node_hook, &node_events, other);
    host->events.other_added(host->events.context, other->serial, other->client_id, is_claim);
    if (is_claim) oav_claims_check(host);
}

bool oav_other_removed(struct oav_pw_host *host, uint32_t id)
{
    struct oav_other *other;
    spa_list_for_each(other, &host->others, link) {
        if (other->id != id) continue;
        uint64_t serial = other->serial;
        other_free(other);
        oav_claims_node_removed(host, serial);
        host->events.other_removed(host->events.context, serial);
        return true;
    }
    return false;
}

void oav_others_report(struct oav_pw_host *host)
{
    struct oav_other *other;
    spa_list_for_each(other, &host->others, link) report(other);
}

void oav_others_clear(struct oav_pw_host *host)
{
    struct oav_other *other;
    spa_list_consume(other, &host->others, link) other_free(other);
}
#endif
