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

void oav_pw_host_expect_ports(struct oav_pw_host *host, bool manager_starts) { host->manager_starts = manager_starts; }

bool oav_pw_host_lacks_manager(struct oav_pw_host *host) { return !oav_host_has_manager(host); }

bool oav_port_exists(struct oav_pw_host *host, uint32_t id)
{
    const struct oav_port *port;
    spa_list_for_each(port, &host->ports, link) {
        if (port->id == id) return true;
    }
    return false;
}

// In the order of the channels, the first `capacity` of them.
uint32_t oav_node_ports(
    struct oav_pw_host *host, uint32_t node_id, bool inputs, const struct oav_port **ports, uint32_t capacity)
{
    uint32_t count = 0;
    const struct oav_port *port;
    spa_list_for_each(port, &host->ports, link) {
        if (port->node_id != node_id || port->is_input != inputs) continue;
        if (count == capacity && ports[count - 1]->number <= port->number) continue;
        uint32_t i = count < capacity ? count++ : count - 1;
        for (; i > 0 && ports[i - 1]->number > port->number; i--) ports[i] = ports[i - 1];
        ports[i] = port;
    }
    return count;
}

// The ports are the truth about the channels; before there are any, the node's own word counts ("[ FL, FR ]", "FL,FR").
static void describe_positions(const struct oav_audio_node *node, char *text, size_t size)
{
    const struct oav_port *ports[OAV_PW_MAX_CHANNELS];
    uint32_t count = oav_node_ports(node->host, node->id, !node->is_source, ports, OAV_PW_MAX_CHANNELS);
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < count && length < size; i++) {
        length += snprintf(text + length, size - length, "%s%s", i ? "," : "", ports[i]->channel);
    }
    if (count > 0) return;
    const char *said = pw_properties_get(node->props, "audio.position");
    bool between = false;
    for (; said && *said && length + 2 < size; said++) {
        if (strchr("[], \t\"", *said)) {
            between = length > 0;
        } else {
            if (between) text[length++] = ',';
            between = false;
            text[length++] = *said;
        }
    }
    text[length] = '\0';
}

static void tell_node(struct oav_audio_node *node)
{
    struct oav_pw_host *host = node->host;
    char positions[OAV_PW_MAX_CHANNELS * 17];
    if (!node->described || host->lost) return;
    describe_positions(node, positions, sizeof positions);
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
        .positions = positions[0] ? positions : NULL,
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
    const char *channel = spa_dict_lookup(props, PW_KEY_AUDIO_CHANNEL);
    const char *direction = spa_dict_lookup(props, PW_KEY_PORT_DIRECTION);
    if (!channel) return;  // video, MIDI
    struct oav_port *port = calloc(1, sizeof *port);
    if (!port) return;
    port->id = id;
    port->node_id = lookup_id(props, PW_KEY_NODE_ID);
    port->number = lookup_id(props, PW_KEY_PORT_ID);
    port->is_input = spa_streq(direction, "in");
    // A name that is no word would shift the others in the list of them.
    bool is_word = channel[0] && !strchr(channel, ',');
    snprintf(port->channel, sizeof port->channel, "%s", is_word ? channel : "UNK");
    spa_list_append(&host->ports, &port->link);
    struct oav_audio_node *node = oav_node_find(host, port->node_id);
    if (node && port->is_input == !node->is_source) tell_node(node);
    oav_host_mark_dirty(host);
}

static void port_removed(struct oav_pw_host *host, struct oav_port *port)
{
    struct oav_audio_node *node = oav_node_find(host, port->node_id);
    bool matters = node && port->is_input == !node->is_source;
    host->events.port_removed(host->events.context, port->node_id);
    spa_list_remove(&port->link);
    free(port);
    // Not told: a sink loses its ports just before it goes, or while its format changes; telling would shrink it
    // channel by channel. The ports that come instead are told.
    if (matters) oav_host_mark_dirty(host);
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
        oav_link_added(host, id, props);
        if (host->events.graph_link) {
            host->events.graph_link(host->events.context, id, lookup_id(props, PW_KEY_LINK_OUTPUT_NODE),
                lookup_id(props, PW_KEY_LINK_INPUT_NODE));
        }
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
        struct oav_pw_stream *stream;
        // First our own streams: since 1.0 this comes before the links' own removal.
        spa_list_for_each(stream, &host->streams, link) {
            for (uint32_t i = 0; i < stream->target_count; i++) {
                if (stream->targets[i].node_id == id) oav_stream_lose(stream, i, OAV_LOSS_NODE, "the device went away");
            }
        }
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
    struct oav_port *port;
    spa_list_for_each(port, &host->ports, link) {
        if (port->id != id) continue;
        port_removed(host, port);
        return;
    }
    struct oav_metadata *metadata;
    spa_list_for_each(metadata, &host->metadatas, link) {
        if (metadata->id != id) continue;
        oav_metadata_free(metadata);
        return;
    }
    if (host->events.object_removed) host->events.object_removed(host->events.context, id);
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
    struct oav_port *port;
    struct oav_device *device;
    struct oav_metadata *metadata;
    spa_list_consume(node, &host->nodes, link) node_free(node);
    spa_list_consume(device, &host->devices, link) oav_device_free(device);
    spa_list_consume(metadata, &host->metadatas, link) oav_metadata_free(metadata);
    spa_list_consume(port, &host->ports, link) {
        spa_list_remove(&port->link);
        free(port);
    }
}
#endif
