// Volumes and mute switches of nodes and of the active routes of cards.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <spa/param/param.h>
#include <spa/param/props.h>
#include <spa/param/route.h>
#include <spa/pod/builder.h>

struct oav_pw_volume oav_volume_parse(struct oav_pod props)
{
    struct oav_pw_volume volume = {.is_known = false};
    float channels[OAV_PW_MAX_CHANNELS];
    volume.channel_count = oav_pod_copy_array(oav_pod_property(props, SPA_PROP_channelVolumes), OAV_POD_FLOAT, channels,
        sizeof channels[0], OAV_PW_MAX_CHANNELS);
    volume.is_known = volume.channel_count > 0;
    for (uint32_t i = 0; i < volume.channel_count; i++) {
        if (channels[i] > volume.amplitude) volume.amplitude = channels[i];
    }
    oav_pod_get_bool(oav_pod_property(props, SPA_PROP_mute), &volume.is_muted);
    return volume;
}

bool oav_param_changed(const struct spa_param_info *params, uint32_t count, uint32_t id, uint32_t *known)
{
    for (uint32_t i = 0; i < count; i++) {
        if (params[i].id != id || params[i].flags == *known) continue;
        *known = params[i].flags;
        return true;
    }
    return false;
}

// As with devices, a subscription delivers nothing for nodes that another client exports.
void oav_node_read_volume(struct oav_node *node, const struct pw_node_info *info)
{
    if (!(info->change_mask & PW_NODE_CHANGE_MASK_PARAMS)) return;
    if (!oav_param_changed(info->params, info->n_params, SPA_PARAM_Props, &node->props_flags)) return;
    pw_node_enum_params((struct pw_node *)node->proxy, 0, SPA_PARAM_Props, 0, UINT32_MAX, NULL);
}

void oav_node_param_came(struct oav_node *node, uint32_t id, const struct spa_pod *param)
{
    if (id != SPA_PARAM_Props || node->host->lost) return;
    struct oav_pw_volume volume = oav_volume_parse(oav_param_pod(param));
    if (!volume.is_known) return;
    node->volume = volume;
    node->host->events.node_volume(node->host->events.context, node->id, &volume);
}

static void add_volume(struct spa_pod_builder *builder, uint32_t id, uint32_t channels, float amplitude, bool is_muted)
{
    float volumes[OAV_PW_MAX_CHANNELS];
    for (uint32_t i = 0; i < channels; i++) volumes[i] = amplitude;
    spa_pod_builder_add_object(builder, SPA_TYPE_OBJECT_Props, id,
        SPA_PROP_mute, SPA_POD_Bool(is_muted),
        SPA_PROP_channelVolumes, SPA_POD_Array(sizeof(float), SPA_TYPE_Float, channels, volumes));
}

static bool set_route_volume(
    struct oav_device *device, int32_t card_device, int32_t index, float amplitude, bool is_muted)
{
    uint32_t channels = 0;
    for (uint32_t i = 0; i < device->current.active_count; i++) {
        const struct oav_pw_active_route *active = &device->current.active[i];
        if (active->card_device == card_device && active->route_index == index) {
            channels = active->volume.channel_count;
        }
    }
    if (channels == 0) return false;
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    struct spa_pod_frame frame;
    spa_pod_builder_push_object(&builder, &frame, SPA_TYPE_OBJECT_ParamRoute, SPA_PARAM_Route);
    spa_pod_builder_add(&builder, SPA_PARAM_ROUTE_index, SPA_POD_Int(index), SPA_PARAM_ROUTE_device,
        SPA_POD_Int(card_device), 0);
    spa_pod_builder_prop(&builder, SPA_PARAM_ROUTE_props, 0);
    add_volume(&builder, SPA_PARAM_Route, channels, amplitude, is_muted);
    spa_pod_builder_add(&builder, SPA_PARAM_ROUTE_save, SPA_POD_Bool(true), 0);
    struct spa_pod *param = spa_pod_builder_pop(&builder, &frame);
    return param && pw_device_set_param((struct pw_device *)device->proxy, SPA_PARAM_Route, 0, param) >= 0;
}

bool oav_pw_host_set_volume(
    struct oav_pw_host *host, uint32_t node_id, int32_t route_index, float amplitude, bool is_muted)
{
    struct oav_node *node = host->lost ? NULL : oav_node_find(host, node_id);
    if (!node) return false;
    if (route_index >= 0) {
        struct oav_device *device
            = oav_device_find(host, pw_properties_get_uint32(node->props, PW_KEY_DEVICE_ID, OAV_PW_NONE));
        int32_t card_device = pw_properties_get_int32(node->props, "card.profile.device", -1);
        if (device && set_route_volume(device, card_device, route_index, amplitude, is_muted)) return true;
    }
    if (!node->volume.is_known) return false;
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    add_volume(&builder, SPA_PARAM_Props, node->volume.channel_count, amplitude, is_muted);
    return pw_node_set_param((struct pw_node *)node->proxy, SPA_PARAM_Props, 0, (const struct spa_pod *)buffer) >= 0;
}
#endif
