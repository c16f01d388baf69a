// Nodes: sinks, sources, claims and output streams, ours too. What they say of themselves is told as properties.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <stdlib.h>

#include <spa/utils/string.h>

const char *oav_pw_property(const struct oav_pw_properties *properties, const char *key)
{
    return spa_dict_lookup((const struct spa_dict *)properties, key);
}

struct oav_node *oav_node_find(struct oav_pw_host *host, uint32_t id)
{
    struct oav_node *node;
    spa_list_for_each(node, &host->nodes, link) {
        if (node->id == id) return node;
    }
    return NULL;
}

static void on_info(void *data, const struct pw_node_info *info)
{
    struct oav_node *node = data;
    struct oav_pw_host *host = node->host;
    bool is_program = node->kind >= OAV_PW_NODE_STREAM;
    bool running = is_program && info->state == PW_NODE_STATE_RUNNING;
    bool changed = !node->described || running != node->running;
    if (!is_program) oav_node_read_volume(node, info);
    if (info->props && (!node->described || (info->change_mask & PW_NODE_CHANGE_MASK_PROPS))) {
        changed |= pw_properties_update(node->props, info->props) > 0;
    }
    node->described = true;
    node->running = running;
    if (!changed || host->lost) return;
    struct oav_pw_node fact = {
        .id = node->id,
        .serial = node->serial,
        .client_id = node->client_id,
        .kind = node->kind,
        .is_running = running,
        .properties = (const struct oav_pw_properties *)&node->props->dict,
    };
    host->events.node(host->events.context, &fact);
}

static void on_param(void *data, int seq, uint32_t id, uint32_t index, uint32_t next, const struct spa_pod *param)
{
    (void)seq, (void)index, (void)next;
    oav_node_param_came(data, id, param);
}

static const struct pw_node_events node_events = {PW_VERSION_NODE_EVENTS, .info = on_info, .param = on_param};

// A node that its maker runs itself ends with its maker, and the server sets its client.id. One that a factory of the
// server makes may outlive its maker and then has the client.id that its maker wrote; the server sets its factory.id.
// A claim has no factory.id and no media.class.
static bool is_claim_of_a_client(const struct oav_pw_host *host, const struct spa_dict *props)
{
    return spa_streq(spa_dict_lookup(props, PW_KEY_NODE_NAME), oav_claim_name(host))
        && spa_dict_lookup(props, PW_KEY_CLIENT_ID) && !spa_dict_lookup(props, PW_KEY_FACTORY_ID)
        && !spa_dict_lookup(props, PW_KEY_MEDIA_CLASS);
}

static bool find_kind(const struct oav_pw_host *host, const struct spa_dict *props, enum oav_pw_node_kind *kind)
{
    const char *class = spa_dict_lookup(props, PW_KEY_MEDIA_CLASS);
    if (spa_streq(class, "Audio/Sink") || spa_streq(class, OAV_PW_PARKING_CLASS)) {
        *kind = OAV_PW_NODE_SINK;
    } else if (spa_streq(class, "Audio/Source")) {
        *kind = OAV_PW_NODE_SOURCE;
    } else if (spa_streq(class, "Stream/Output/Audio")) {
        *kind = OAV_PW_NODE_STREAM;
    } else if (is_claim_of_a_client(host, props)) {
        *kind = OAV_PW_NODE_CLAIM;
    } else {
        return false;
    }
    return true;
}

void oav_node_bind(struct oav_pw_host *host, uint32_t id, const struct spa_dict *props)
{
    enum oav_pw_node_kind kind;
    if (!find_kind(host, props, &kind)) return;
    struct oav_node *node = calloc(1, sizeof *node);
    if (!node) return;
    node->host = host;
    node->id = id;
    node->kind = kind;
    node->props_flags = UINT32_MAX;
    node->client_id = OAV_PW_NONE;
    // These two are the server's own words, in the registry; those in a node's info could be its maker's.
    spa_atou64(spa_dict_lookup(props, PW_KEY_OBJECT_SERIAL), &node->serial, 0);
    spa_atou32(spa_dict_lookup(props, PW_KEY_CLIENT_ID), &node->client_id, 0);
    node->props = pw_properties_new_dict(props);
    node->proxy = pw_registry_bind(host->registry, id, PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, 0);
    if (!node->proxy || !node->props) {
        pw_properties_free(node->props);
        if (node->proxy) pw_proxy_destroy(node->proxy);
        free(node);
        return;
    }
    spa_list_append(&host->nodes, &node->link);
    pw_node_add_listener((struct pw_node *)node->proxy, &node->node_hook, &node_events, node);
    if (kind < OAV_PW_NODE_STREAM) {
        oav_host_mark_dirty(host);
    } else {
        host->events.other_added(host->events.context, node->serial, node->client_id, kind == OAV_PW_NODE_CLAIM);
    }
    if (kind == OAV_PW_NODE_CLAIM) oav_claims_check(host);
}

void oav_node_free(struct oav_node *node)
{
    spa_list_remove(&node->link);
    spa_hook_remove(&node->node_hook);
    pw_proxy_destroy(node->proxy);
    pw_properties_free(node->props);
    free(node);
}

bool oav_node_removed(struct oav_pw_host *host, uint32_t id)
{
    struct oav_node *node = oav_node_find(host, id);
    if (!node) return false;
    uint64_t serial = node->serial;
    enum oav_pw_node_kind kind = node->kind;
    // First our own streams: since 1.0 this comes before the links' own removal.
    if (kind < OAV_PW_NODE_STREAM) oav_streams_node_removed(host, id);
    oav_node_free(node);
    if (kind < OAV_PW_NODE_STREAM) {
        host->events.node_removed(host->events.context, id);
    } else {
        oav_claims_node_removed(host, serial);
        host->events.other_removed(host->events.context, serial);
    }
    return true;
}
#endif
