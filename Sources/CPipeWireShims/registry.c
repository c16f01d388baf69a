// Registry traffic: which objects come and go, and which of them are facts for us.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spa/utils/string.h>

static uint32_t lookup_id(const struct spa_dict *props, const char *key)
{
    uint32_t value;
    return spa_atou32(spa_dict_lookup(props, key), &value, 0) ? value : OAV_PW_NONE;
}

struct oav_audio_node *oav_node_find(struct oav_pw_host *host, uint32_t id)
{
    struct oav_audio_node *node;
    spa_list_for_each(node, &host->nodes, link) {
        if (node->id == id) return node;
    }
    return NULL;
}

bool oav_host_has_manager(struct oav_pw_host *host)
{
    struct oav_metadata *metadata;
    if (host->manager_id != OAV_PW_NONE) return true;
    spa_list_for_each(metadata, &host->metadatas, link) {
        if (!metadata->is_settings) return true;
    }
    return false;
}

bool oav_pw_host_lacks_manager(struct oav_pw_host *host) { return !oav_host_has_manager(host); }

bool oav_pw_host_may_link(struct oav_pw_host *host) { return host->factory_id != OAV_PW_NONE; }

static void tell_node(struct oav_audio_node *node)
{
    struct oav_pw_host *host = node->host;
    if (host->lost) return;
    struct pw_properties *props = node->props;
    const char *description = pw_properties_get(props, PW_KEY_NODE_DESCRIPTION);
    struct oav_pw_node fact = {
        .id = node->id,
        .serial = node->serial,
        .is_source = node->is_source,
        .is_virtual = pw_properties_get_bool(props, PW_KEY_NODE_VIRTUAL, false)
            || pw_properties_get(props, PW_KEY_NODE_LINK_GROUP) != NULL,
        .name = pw_properties_get(props, PW_KEY_NODE_NAME),
        .description = description ? description : pw_properties_get(props, PW_KEY_NODE_NICK),
        .form_factor = pw_properties_get(props, PW_KEY_DEVICE_FORM_FACTOR),
        .bus = pw_properties_get(props, PW_KEY_DEVICE_BUS),
        .api = pw_properties_get(props, PW_KEY_DEVICE_API),
        .bluez_profile = pw_properties_get(props, "api.bluez5.profile"),
        .profile_name = pw_properties_get(props, "device.profile.name"),
        .positions = pw_properties_get(props, "audio.position"),
        .device_id = pw_properties_get_uint32(props, PW_KEY_DEVICE_ID, OAV_PW_NONE),
        .card_device = pw_properties_get_int32(props, "card.profile.device", -1),
        .priority = pw_properties_get_int32(props, PW_KEY_PRIORITY_SESSION, 0),
    };
    host->events.node(host->events.context, &fact);
}

static void on_node_info(void *data, const struct pw_node_info *info)
{
    struct oav_audio_node *node = data;
    bool first = !node->described;
    oav_node_read_volume(node, info);
    if (!first && !(info->change_mask & PW_NODE_CHANGE_MASK_PROPS)) return;
    int changed = info->props ? pw_properties_update(node->props, info->props) : 0;
    node->described = true;
    if (first || changed) tell_node(node);
}

static void on_node_param(void *data, int seq, uint32_t id, uint32_t index, uint32_t next, const struct spa_pod *param)
{
    (void)seq, (void)index, (void)next;
    oav_node_param_came(data, id, param);
}

static const struct pw_node_events node_events = {
    PW_VERSION_NODE_EVENTS, .info = on_node_info, .param = on_node_param};

static void node_added(struct oav_pw_host *host, uint32_t id, const struct spa_dict *props)
{
    const char *class = spa_dict_lookup(props, PW_KEY_MEDIA_CLASS);
    bool is_source = spa_streq(class, "Audio/Source");
    if (!is_source && !spa_streq(class, "Audio/Sink") && !spa_streq(class, OAV_PW_PARKING_CLASS)) return;
    struct oav_audio_node *node = calloc(1, sizeof *node);
    if (!node) return;
    node->host = host;
    node->id = id;
    node->is_source = is_source;
    node->props_flags = UINT32_MAX;
    spa_atou64(spa_dict_lookup(props, PW_KEY_OBJECT_SERIAL), &node->serial, 0);
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
    oav_host_mark_dirty(host);
}

static void node_free(struct oav_audio_node *node)
{
    spa_list_remove(&node->link);
    spa_hook_remove(&node->node_hook);
    pw_proxy_destroy(node->proxy);
    pw_properties_free(node->props);
    free(node);
}

static void port_added(struct oav_pw_host *host, uint32_t id, const struct spa_dict *props)
{
    struct oav_pw_port port = {
        .id = id,
        .node_id = lookup_id(props, PW_KEY_NODE_ID),
        .number = lookup_id(props, PW_KEY_PORT_ID),
        .is_input = spa_streq(spa_dict_lookup(props, PW_KEY_PORT_DIRECTION), "in"),
        .channel = spa_dict_lookup(props, PW_KEY_AUDIO_CHANNEL),
    };
    if (port.channel) host->events.port(host->events.context, &port);  // others are for video and MIDI
}

static void link_added(struct oav_pw_host *host, uint32_t id, const struct spa_dict *props)
{
    // The server names the maker.
    uint32_t ours = pw_proxy_get_bound_id((struct pw_proxy *)pw_core_get_client(host->core));
    host->events.link(host->events.context, id, lookup_id(props, PW_KEY_LINK_OUTPUT_NODE),
        lookup_id(props, PW_KEY_LINK_INPUT_NODE), lookup_id(props, PW_KEY_CLIENT_ID) == ours);
}

static void on_global(
    void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version, const struct spa_dict *props)
{
    struct oav_pw_host *host = data;
    (void)permissions, (void)version;
    if (host->lost || !props) return;
    if (spa_streq(type, PW_TYPE_INTERFACE_Node)) {
        node_added(host, id, props);
        oav_other_bind(host, id, props);
    } else if (spa_streq(type, PW_TYPE_INTERFACE_Port)) {
        port_added(host, id, props);
    } else if (spa_streq(type, PW_TYPE_INTERFACE_Link)) {
        link_added(host, id, props);
    } else if (spa_streq(type, PW_TYPE_INTERFACE_Device)) {
        oav_device_bind(host, id, props);
    } else if (spa_streq(type, PW_TYPE_INTERFACE_Metadata)) {
        oav_metadata_bind(host, id, spa_dict_lookup(props, PW_KEY_METADATA_NAME));
    } else if (spa_streq(type, PW_TYPE_INTERFACE_Factory)) {
        if (spa_streq(spa_dict_lookup(props, PW_KEY_FACTORY_NAME), "link-factory")) host->factory_id = id;
    } else if (spa_streq(type, PW_TYPE_INTERFACE_Client)) {
        oav_client_added(host, id, props);
        // Session managers carry no mark that all of them share; these are the two there have been.
        const char *name = spa_dict_lookup(props, PW_KEY_APP_NAME);
        if (!spa_streq(name, "WirePlumber") && !spa_streq(name, "pipewire-media-session")) return;
        host->manager_id = id;
        oav_host_mark_dirty(host);
        oav_say(host->diagnosis.session_manager, sizeof host->diagnosis.session_manager, "%s", name);
    }
}

static void on_global_remove(void *data, uint32_t id)
{
    struct oav_pw_host *host = data;
    struct oav_audio_node *node = oav_node_find(host, id);
    if (node) {
        // First our own streams: since 1.0 this comes before the links' own removal.
        oav_streams_node_removed(host, id);
        node_free(node);
        host->events.node_removed(host->events.context, id);
        return;
    }
    if (oav_other_removed(host, id)) return;
    struct oav_device *device = oav_device_find(host, id);
    if (device) {
        oav_device_free(device);
        host->events.device_removed(host->events.context, id);
        return;
    }
    struct oav_metadata *metadata;
    spa_list_for_each(metadata, &host->metadatas, link) {
        if (metadata->id != id) continue;
        oav_metadata_free(metadata);
        return;
    }
    host->events.object_removed(host->events.context, id);
    oav_client_removed(host, id);
    if (id == host->factory_id) host->factory_id = OAV_PW_NONE;
    if (id == host->manager_id) {
        host->manager_id = OAV_PW_NONE;
        host->diagnosis.session_manager[0] = '\0';
        oav_host_mark_dirty(host);
    }
}

const struct pw_registry_events oav_registry_events = {
    PW_VERSION_REGISTRY_EVENTS, .global = on_global, .global_remove = on_global_remove};

void oav_registry_clear(struct oav_pw_host *host)
{
    struct oav_audio_node *node;
    struct oav_device *device;
    struct oav_metadata *metadata;
    spa_list_consume(node, &host->nodes, link) node_free(node);
    spa_list_consume(device, &host->devices, link) oav_device_free(device);
    spa_list_consume(metadata, &host->metadatas, link) oav_metadata_free(metadata);
}
#endif
