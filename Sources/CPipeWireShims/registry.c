// Registry traffic: which objects come and go, and which of them are facts for us.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <stdlib.h>

#include <spa/utils/string.h>

static uint32_t lookup_id(const struct spa_dict *props, const char *key)
{
    uint32_t value;
    return spa_atou32(spa_dict_lookup(props, key), &value, 0) ? value : OAV_PW_NONE;
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
        oav_node_bind(host, id, props);
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
        const char *name = spa_dict_lookup(props, PW_KEY_APP_NAME);
        uint32_t process = 0;
        spa_atou32(spa_dict_lookup(props, PW_KEY_SEC_PID), &process, 0);
        host->events.client(host->events.context, id, process, name);
        // Session managers carry no mark that all of them share; these are the two there have been.
        if (!spa_streq(name, "WirePlumber") && !spa_streq(name, "pipewire-media-session")) return;
        host->manager_id = id;
        host->manager_process = process;
        oav_host_mark_dirty(host);
        oav_say(host->diagnosis.session_manager, sizeof host->diagnosis.session_manager, "%s", name);
    }
}

static void on_global_remove(void *data, uint32_t id)
{
    struct oav_pw_host *host = data;
    if (oav_node_removed(host, id)) return;
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
    struct oav_node *node;
    struct oav_device *device;
    struct oav_metadata *metadata;
    spa_list_consume(node, &host->nodes, link) oav_node_free(node);
    spa_list_consume(device, &host->devices, link) oav_device_free(device);
    spa_list_consume(metadata, &host->metadatas, link) oav_metadata_free(metadata);
}
#endif
