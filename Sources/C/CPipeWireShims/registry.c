// The server's objects: their appearance, removal and descriptions, reported as properties. Nodes, cards and metadata are
// bound, because they report more than the registry does.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <stdlib.h>

#include <spa/utils/string.h>

static bool is_device_node(enum oav_pw_kind kind) { return kind == OAV_PW_SINK || kind == OAV_PW_SOURCE; }

static void on_node_info(void *data, const struct pw_node_info *info)
{
    struct oav_object *node = data;
    // The volume of a stream is requested together with the node.
    bool is_asked = node->fact.kind == OAV_PW_STREAM && !node->has_info;
    node->has_info = true;
    bool is_program = !is_device_node(node->fact.kind);
    bool running = is_program && info->state == PW_NODE_STATE_RUNNING;
    bool changed = !node->fact.is_described || running != node->fact.is_running;
    bool has_volume = node->fact.kind != OAV_PW_CLAIM;
    // As with devices, a subscription delivers nothing for nodes that another client exports.
    if (has_volume && (info->change_mask & PW_NODE_CHANGE_MASK_PARAMS)
        && oav_param_changed(node, info->params, info->n_params, OAV_PARAM_PROPS) && !is_asked) {
        pw_node_enum_params((struct pw_node *)node->proxy, 0, SPA_PARAM_Props, 0, UINT32_MAX, NULL);
    }
    if (info->props && (!node->fact.is_described || (info->change_mask & PW_NODE_CHANGE_MASK_PROPS))) {
        changed |= pw_properties_update(node->props, info->props) > 0;
    }
    node->fact.is_running = running;
    // The first description of a stream is reported together with its volume.
    if (changed && node->volume_seq < 0) oav_object_tell(node);
}

void oav_objects_sync_done(struct oav_pw_host *host, int seq)
{
    struct oav_object *object;
    spa_list_for_each(object, &host->objects, link) {
        if (object->volume_seq < 0 || object->volume_seq != seq) continue;
        object->volume_seq = -1;
        if (object->has_info) oav_object_tell(object);
    }
}

static void on_node_param(void *data, int seq, uint32_t id, uint32_t index, uint32_t next, const struct spa_pod *param)
{
    struct oav_object *node = data;
    (void)seq, (void)index, (void)next;
    if (id != SPA_PARAM_Props || node->host->lost) return;
    if (node->fact.kind == OAV_PW_STREAM) {
        bool was_silent = node->fact.is_silent;
        node->fact.is_silent = oav_volume_is_silent(oav_param_pod(param));
        if (node->fact.is_described && was_silent != node->fact.is_silent) oav_object_tell(node);
        return;
    }
    struct oav_pw_volume volume = oav_volume_parse(oav_param_pod(param));
    if (volume.channel_count == 0) return;
    node->host->events.node_volume(node->host->events.context, node->fact.id, &volume);
}

static const struct pw_node_events node_events = {
    PW_VERSION_NODE_EVENTS, .info = on_node_info, .param = on_node_param};

// A node that its maker runs itself ends with its maker, and the server sets its client.id. A node that one of the server's
// factories makes may outlive its maker and then has the client.id that its maker wrote; the server sets its factory.id.
// A claim has no factory.id and no media.class.
static bool is_claim_of_a_client(const struct oav_pw_host *host, const struct spa_dict *props)
{
    return oav_claim_is_seen(host, spa_dict_lookup(props, PW_KEY_NODE_NAME))
        && spa_dict_lookup(props, PW_KEY_CLIENT_ID) && !spa_dict_lookup(props, PW_KEY_FACTORY_ID)
        && !spa_dict_lookup(props, PW_KEY_MEDIA_CLASS);
}

static enum oav_pw_kind kind_of(const struct oav_pw_host *host, const char *type, const struct spa_dict *props)
{
    const char *class = spa_dict_lookup(props, PW_KEY_MEDIA_CLASS);
    const char *name = spa_dict_lookup(props, PW_KEY_METADATA_NAME);
    if (spa_streq(type, PW_TYPE_INTERFACE_Node)) {
        if (spa_streq(class, "Audio/Sink") || spa_streq(class, OAV_PW_PARKING_CLASS)) return OAV_PW_SINK;
        // The second class contains loopbacks, filters and the microphones that programs make.
        if (spa_streq(class, "Audio/Source") || spa_streq(class, "Audio/Source/Virtual")) return OAV_PW_SOURCE;
        if (spa_streq(class, "Stream/Output/Audio")) return OAV_PW_STREAM;
        // Only guards need to know who records.
        bool sees_captures = host->claims_of == OAV_PW_CLAIMS_OF_GUARDS;
        if (sees_captures && spa_streq(class, "Stream/Input/Audio")) return OAV_PW_STREAM;
        return is_claim_of_a_client(host, props) ? OAV_PW_CLAIM : OAV_PW_OTHER;
    }
    if (spa_streq(type, PW_TYPE_INTERFACE_Metadata)) {
        return spa_streq(name, "default") ? OAV_PW_METADATA : spa_streq(name, "settings") ? OAV_PW_SETTINGS : OAV_PW_OTHER;
    }
    if (spa_streq(type, PW_TYPE_INTERFACE_Device)) return spa_streq(class, "Audio/Device") ? OAV_PW_DEVICE : OAV_PW_OTHER;
    // Ports without a channel are for video and MIDI.
    if (spa_streq(type, PW_TYPE_INTERFACE_Port)) {
        return spa_dict_lookup(props, PW_KEY_AUDIO_CHANNEL) ? OAV_PW_PORT : OAV_PW_OTHER;
    }
    return spa_streq(type, PW_TYPE_INTERFACE_Link) ? OAV_PW_LINK
        : spa_streq(type, PW_TYPE_INTERFACE_Client) ? OAV_PW_CLIENT
        : spa_streq(type, PW_TYPE_INTERFACE_Factory) ? OAV_PW_FACTORY
                                                     : OAV_PW_OTHER;
}

static void object_free(struct oav_object *object)
{
    if (object->is_listed) {
        spa_list_remove(&object->link);
        spa_hook_remove(&object->hook);
    }
    if (object->proxy) pw_proxy_destroy(object->proxy);
    pw_properties_free(object->props);
    free(object);
}

static bool bind_object(
    struct oav_pw_host *host, const struct oav_pw_object *fact, const char *type, const struct spa_dict *props)
{
    struct oav_object *object = calloc(1, sizeof *object);
    if (!object) return false;
    object->host = host;
    object->fact = *fact;
    object->volume_seq = -1;
    for (unsigned i = 0; i < OAV_PARAM_COUNT; i++) object->param_flags[i] = UINT32_MAX;
    object->props = pw_properties_new_dict(props);
    // Nodes, cards and metadata have the same version number.
    object->proxy = pw_registry_bind(host->registry, fact->id, type, PW_VERSION_NODE, 0);
    if (!object->proxy || !object->props) {
        object_free(object);
        return false;
    }
    object->is_listed = true;
    spa_list_append(&host->objects, &object->link);
    if (fact->kind == OAV_PW_DEVICE) {
        pw_device_add_listener((struct pw_device *)object->proxy, &object->hook, &oav_device_events, object);
    } else if (fact->kind == OAV_PW_METADATA || fact->kind == OAV_PW_SETTINGS) {
        pw_metadata_add_listener((struct pw_metadata *)object->proxy, &object->hook, &oav_metadata_events, object);
    } else {
        pw_node_add_listener((struct pw_node *)object->proxy, &object->hook, &node_events, object);
    }
    // Its volume is reported with its first description: a stream that is muted from the start must not count until that is known.
    if (fact->kind == OAV_PW_STREAM) {
        pw_node_enum_params((struct pw_node *)object->proxy, 0, SPA_PARAM_Props, 0, UINT32_MAX, NULL);
        object->volume_seq = pw_core_sync(host->core, PW_ID_CORE, 0);
    }
    return true;
}

static void on_global(
    void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version, const struct spa_dict *props)
{
    struct oav_pw_host *host = data;
    (void)permissions, (void)version;
    if (host->lost || !props) return;
    struct oav_pw_object fact = {.id = id, .client_id = OAV_PW_NONE, .kind = kind_of(host, type, props),
        .properties = (const struct oav_pw_properties *)props};
    if (fact.kind == OAV_PW_OTHER) return;
    // These two are the server's own values, from the registry; those in a node's info could be its maker's.
    spa_atou64(spa_dict_lookup(props, PW_KEY_OBJECT_SERIAL), &fact.serial, 0);
    spa_atou32(spa_dict_lookup(props, PW_KEY_CLIENT_ID), &fact.client_id, 0);
    fact.is_ours = fact.client_id == pw_proxy_get_bound_id((struct pw_proxy *)pw_core_get_client(host->core));
    if (fact.kind <= OAV_PW_LAST_BOUND && !bind_object(host, &fact, type, props)) return;
    host->events.object(host->events.context, &fact);
}

static void on_global_remove(void *data, uint32_t id)
{
    struct oav_pw_host *host = data;
    struct oav_object *object;
    enum oav_pw_kind kind = OAV_PW_OTHER;
    uint64_t serial = 0;
    if (host->lost) return;
    spa_list_for_each(object, &host->objects, link) {
        if (object->fact.id != id) continue;
        kind = object->fact.kind;
        serial = object->fact.serial;
        // Our own streams first: since 1.0, this event comes before the removal of the links.
        if (is_device_node(kind)) oav_streams_node_removed(host, id);
        object_free(object);
        break;
    }
    if (kind == OAV_PW_METADATA) oav_metadata_removed(host);
    host->events.object_removed(host->events.context, kind, id, serial);
}

const struct pw_registry_events oav_registry_events = {
    PW_VERSION_REGISTRY_EVENTS, .global = on_global, .global_remove = on_global_remove};

void oav_objects_clear(struct oav_pw_host *host)
{
    struct oav_object *object;
    spa_list_consume(object, &host->objects, link) object_free(object);
}
#endif
