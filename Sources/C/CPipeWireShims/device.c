// Cards and their routes. For devices that another client exports (all of a session manager's devices are), a subscription to
// params delivers nothing; only `info` arrives, with a toggled SERIAL flag, and then we enumerate.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <spa/param/param.h>
#include <spa/param/profile.h>
#include <spa/param/props.h>
#include <spa/param/route.h>
#include <spa/pod/builder.h>
#include <spa/utils/string.h>

// The info struct contains a count, followed by alternating key and value strings.
static const char *port_type_in(struct oav_pod info)
{
    struct oav_pod count, key, value;
    if (!oav_pod_take(&info, &count)) return NULL;
    while (oav_pod_take(&info, &key) && oav_pod_take(&info, &value)) {
        if (spa_streq(oav_pod_get_string(key), "port.type")) return oav_pod_get_string(value);
    }
    return NULL;
}

static void enum_route_came(struct oav_object *device, struct oav_pod param)
{
    struct oav_pw_host *host = device->host;
    int32_t index, priority = 0, card_devices[16], profiles[32];
    uint32_t direction = SPA_DIRECTION_OUTPUT, available = SPA_PARAM_AVAILABILITY_unknown;
    if (!oav_pod_is_object(param, SPA_TYPE_OBJECT_ParamRoute)
        || !oav_pod_get_int(oav_pod_property(param, SPA_PARAM_ROUTE_index), &index)) {
        return;
    }
    oav_pod_get_id(oav_pod_property(param, SPA_PARAM_ROUTE_direction), &direction);
    oav_pod_get_int(oav_pod_property(param, SPA_PARAM_ROUTE_priority), &priority);
    oav_pod_get_id(oav_pod_property(param, SPA_PARAM_ROUTE_available), &available);
    // The first reaction does not wait for the rest of the enumeration.
    if (available == SPA_PARAM_AVAILABILITY_no) oav_streams_route_unavailable(host, device->fact.id, index);
    struct oav_pw_route route = {
        .index = index,
        .is_input = direction == SPA_DIRECTION_INPUT,
        .priority = priority,
        .availability = available == SPA_PARAM_AVAILABILITY_no ? OAV_PW_AVAILABLE_NO
            : available == SPA_PARAM_AVAILABILITY_yes          ? OAV_PW_AVAILABLE_YES
                                                               : OAV_PW_AVAILABLE_UNKNOWN,
        .name = oav_pod_get_string(oav_pod_property(param, SPA_PARAM_ROUTE_name)),
        .description = oav_pod_get_string(oav_pod_property(param, SPA_PARAM_ROUTE_description)),
        .port_type = port_type_in(oav_pod_property(param, SPA_PARAM_ROUTE_info)),
        .card_devices = card_devices,
        .card_device_count = oav_pod_copy_array(oav_pod_property(param, SPA_PARAM_ROUTE_devices), OAV_POD_INT,
            card_devices, sizeof card_devices[0], SPA_N_ELEMENTS(card_devices)),
        .profiles = profiles,
        .profile_count = oav_pod_copy_array(oav_pod_property(param, SPA_PARAM_ROUTE_profiles), OAV_POD_INT,
            profiles, sizeof profiles[0], SPA_N_ELEMENTS(profiles)),
    };
    host->events.route(host->events.context, device->fact.id, &route);
}

static void route_came(struct oav_object *device, struct oav_pod param)
{
    struct oav_pw_host *host = device->host;
    struct oav_pw_active_route active;
    if (!oav_pod_is_object(param, SPA_TYPE_OBJECT_ParamRoute)
        || !oav_pod_get_int(oav_pod_property(param, SPA_PARAM_ROUTE_index), &active.route_index)
        || !oav_pod_get_int(oav_pod_property(param, SPA_PARAM_ROUTE_device), &active.card_device)) {
        return;
    }
    active.volume = oav_volume_parse(oav_pod_property(param, SPA_PARAM_ROUTE_props));
    host->events.active_route(host->events.context, device->fact.id, &active);
}

// Each class is a struct: media class, number of nodes, ... ALSA's cards put their number of classes first, Bluetooth cards do
// not (PipeWire, bluez5-device.c, build_profile).
static void read_classes(struct oav_pw_profile *profile, struct oav_pod classes)
{
    struct oav_pod item, class, count;
    int32_t nodes;
    while (oav_pod_take(&classes, &item)) {
        if (!oav_pod_take(&item, &class) || !oav_pod_take(&item, &count) || !oav_pod_get_int(count, &nodes)) continue;
        profile->has_input |= nodes > 0 && spa_streq(oav_pod_get_string(class), "Audio/Source");
        profile->has_output |= nodes > 0 && spa_streq(oav_pod_get_string(class), "Audio/Sink");
    }
}

static void profile_came(struct oav_object *device, struct oav_pod param, bool is_active)
{
    struct oav_pw_host *host = device->host;
    struct oav_pw_profile profile = {.is_active = is_active};
    uint32_t available = SPA_PARAM_AVAILABILITY_unknown;
    if (!oav_pod_is_object(param, SPA_TYPE_OBJECT_ParamProfile)
        || !oav_pod_get_int(oav_pod_property(param, SPA_PARAM_PROFILE_index), &profile.index)) {
        return;
    }
    oav_pod_get_int(oav_pod_property(param, SPA_PARAM_PROFILE_priority), &profile.priority);
    oav_pod_get_id(oav_pod_property(param, SPA_PARAM_PROFILE_available), &available);
    profile.is_available = available != SPA_PARAM_AVAILABILITY_no;
    profile.name = oav_pod_get_string(oav_pod_property(param, SPA_PARAM_PROFILE_name));
    read_classes(&profile, oav_pod_property(param, SPA_PARAM_PROFILE_classes));
    host->events.profile(host->events.context, device->fact.id, &profile);
}

static void on_param(void *data, int seq, uint32_t id, uint32_t index, uint32_t next, const struct spa_pod *param)
{
    struct oav_object *device = data;
    (void)seq, (void)index, (void)next;
    if (!device->is_reading || device->host->lost) return;
    struct oav_pod pod = oav_param_pod(param);
    if (id == SPA_PARAM_EnumProfile || id == SPA_PARAM_Profile) {
        profile_came(device, pod, id == SPA_PARAM_Profile);
    } else if (id == SPA_PARAM_EnumRoute) {
        enum_route_came(device, pod);
    } else if (id == SPA_PARAM_Route) {
        route_came(device, pod);
    }
}

static void tell_reading(struct oav_object *device, bool is_over)
{
    device->host->events.reading(device->host->events.context, device->fact.id, is_over);
}

static bool is_bluetooth(const struct oav_object *device)
{
    return spa_streq(pw_properties_get(device->props, PW_KEY_DEVICE_API), "bluez5");
}

static void enumerate(struct oav_object *device)
{
    struct pw_device *proxy = (struct pw_device *)device->proxy;
    device->is_reading = true;
    device->is_stale = false;
    tell_reading(device, false);
    if (is_bluetooth(device)) {
        pw_device_enum_params(proxy, 0, SPA_PARAM_EnumProfile, 0, UINT32_MAX, NULL);
        pw_device_enum_params(proxy, 0, SPA_PARAM_Profile, 0, UINT32_MAX, NULL);
    }
    pw_device_enum_params(proxy, 0, SPA_PARAM_EnumRoute, 0, UINT32_MAX, NULL);
    pw_device_enum_params(proxy, 0, SPA_PARAM_Route, 0, UINT32_MAX, NULL);
    // The server delays this client's messages until the exporting client has answered, so the sync marks the end.
    device->reading_seq = pw_core_sync(device->host->core, PW_ID_CORE, 0);
}

void oav_devices_sync_done(struct oav_pw_host *host, int seq)
{
    struct oav_object *device;
    spa_list_for_each(device, &host->objects, link) {
        if (!device->is_reading || device->reading_seq != seq) continue;
        device->is_reading = false;
        tell_reading(device, true);
        if (device->is_stale) {
            enumerate(device);
        } else {
            device->is_doubted = false;
            oav_streams_doubt(host);
        }
    }
}

static void on_info(void *data, const struct pw_device_info *info)
{
    struct oav_object *device = data;
    struct oav_pw_host *host = device->host;
    if (host->lost) return;
    if (info->change_mask & PW_DEVICE_CHANGE_MASK_PROPS && info->props) {
        pw_properties_update(device->props, info->props);
        oav_object_tell(device);
    }
    if (!(info->change_mask & PW_DEVICE_CHANGE_MASK_PARAMS)) return;
    bool changed[OAV_PARAM_COUNT];
    for (unsigned i = 0; i < OAV_PARAM_COUNT; i++) {
        changed[i] = oav_param_changed(device, info->params, info->n_params, (enum oav_param)i);
    }
    // The device has no routes; its nodes wait for this report.
    if (device->param_flags[OAV_PARAM_ENUM_ROUTE] == UINT32_MAX && device->param_flags[OAV_PARAM_ROUTE] == UINT32_MAX) {
        tell_reading(device, false);
        tell_reading(device, true);
    }
    bool profiles = is_bluetooth(device) && (changed[OAV_PARAM_ENUM_PROFILE] || changed[OAV_PARAM_PROFILE]);
    if (!changed[OAV_PARAM_ENUM_ROUTE] && !changed[OAV_PARAM_ROUTE] && !profiles) return;
    // The answer passes twice through the server and once through the session manager, which may be slow.
    if (changed[OAV_PARAM_ENUM_ROUTE]) {
        device->is_doubted = true;
        oav_streams_doubt(host);
    }
    if (device->is_reading) {
        device->is_stale = true;
    } else {
        enumerate(device);
    }
}

const struct pw_device_events oav_device_events = {PW_VERSION_DEVICE_EVENTS, .info = on_info, .param = on_param};

struct oav_pw_volume oav_volume_parse(struct oav_pod props)
{
    struct oav_pw_volume volume = {.channel_count = 0};
    float channels[OAV_PW_MAX_CHANNELS];
    volume.channel_count = oav_pod_copy_array(oav_pod_property(props, SPA_PROP_channelVolumes), OAV_POD_FLOAT, channels,
        sizeof channels[0], OAV_PW_MAX_CHANNELS);
    for (uint32_t i = 0; i < volume.channel_count; i++) {
        if (channels[i] > volume.amplitude) volume.amplitude = channels[i];
    }
    oav_pod_get_bool(oav_pod_property(props, SPA_PROP_mute), &volume.is_muted);
    return volume;
}

static bool is_zero(struct oav_pod props, uint32_t key)
{
    float channels[OAV_PW_MAX_CHANNELS], whole;
    struct oav_pod value = oav_pod_property(props, key);
    // Not "== 0": a value that is not a number is not heard either.
    if (oav_pod_get_float(value, &whole)) return !(whole > 0);
    uint32_t count
        = oav_pod_copy_array(value, OAV_POD_FLOAT, channels, sizeof channels[0], OAV_PW_MAX_CHANNELS);
    for (uint32_t i = 0; i < count; i++) {
        if (channels[i] > 0) return false;
    }
    return count > 0;
}

bool oav_volume_is_silent(struct oav_pod props)
{
    bool is_muted = false, is_soft_muted = false;
    oav_pod_get_bool(oav_pod_property(props, SPA_PROP_mute), &is_muted);
    oav_pod_get_bool(oav_pod_property(props, SPA_PROP_softMute), &is_soft_muted);
    return is_muted || is_soft_muted || is_zero(props, SPA_PROP_volume) || is_zero(props, SPA_PROP_channelVolumes)
        || is_zero(props, SPA_PROP_softVolumes);
}

static struct spa_pod *build_volume(struct spa_pod_builder *builder, uint32_t id, const struct oav_pw_volume *volume)
{
    float volumes[OAV_PW_MAX_CHANNELS];
    uint32_t channels = SPA_MIN(volume->channel_count, (uint32_t)OAV_PW_MAX_CHANNELS);
    struct spa_pod_frame frame;
    for (uint32_t i = 0; i < channels; i++) volumes[i] = volume->amplitude;
    spa_pod_builder_push_object(builder, &frame, SPA_TYPE_OBJECT_Props, id);
    spa_pod_builder_add(builder, SPA_PROP_mute, SPA_POD_Bool(volume->is_muted), 0);
    if (channels > 0) {
        spa_pod_builder_add(builder, SPA_PROP_channelVolumes,
            SPA_POD_Array(sizeof(float), SPA_TYPE_Float, channels, volumes), 0);
    }
    return spa_pod_builder_pop(builder, &frame);
}

bool oav_pw_host_set_volume(
    struct oav_pw_host *host, uint32_t node_id, const struct oav_pw_volume *volume)
{
    struct oav_object *node = host->lost ? NULL : oav_object_find(host, OAV_PW_SINK, node_id);
    if (!node && !host->lost) node = oav_object_find(host, OAV_PW_SOURCE, node_id);
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    struct spa_pod *param = build_volume(&builder, SPA_PARAM_Props, volume);
    return node && param && pw_node_set_param((struct pw_node *)node->proxy, SPA_PARAM_Props, 0, param) >= 0;
}

bool oav_pw_host_set_route(
    struct oav_pw_host *host, uint32_t device_id, int32_t card_device, int32_t route_index,
    const struct oav_pw_volume *volume, bool saved)
{
    struct oav_object *device = host->lost ? NULL : oav_object_find(host, OAV_PW_DEVICE, device_id);
    if (!device) return false;
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    struct spa_pod_frame frame;
    spa_pod_builder_push_object(&builder, &frame, SPA_TYPE_OBJECT_ParamRoute, SPA_PARAM_Route);
    spa_pod_builder_add(&builder, SPA_PARAM_ROUTE_index, SPA_POD_Int(route_index), SPA_PARAM_ROUTE_device,
        SPA_POD_Int(card_device), 0);
    if (volume) {
        spa_pod_builder_prop(&builder, SPA_PARAM_ROUTE_props, 0);
        build_volume(&builder, SPA_PARAM_Route, volume);
    }
    spa_pod_builder_add(&builder, SPA_PARAM_ROUTE_save, SPA_POD_Bool(saved), 0);
    struct spa_pod *param = spa_pod_builder_pop(&builder, &frame);
    return param && pw_device_set_param((struct pw_device *)device->proxy, SPA_PARAM_Route, 0, param) >= 0;
}

bool oav_pw_host_set_profile(struct oav_pw_host *host, uint32_t device_id, int32_t index)
{
    struct oav_object *device = host->lost ? NULL : oav_object_find(host, OAV_PW_DEVICE, device_id);
    uint8_t buffer[256];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    struct spa_pod *param = spa_pod_builder_add_object(&builder, SPA_TYPE_OBJECT_ParamProfile, SPA_PARAM_Profile,
        SPA_PARAM_PROFILE_index, SPA_POD_Int(index),
        SPA_PARAM_PROFILE_save, SPA_POD_Bool(false));
    return device && param && pw_device_set_param((struct pw_device *)device->proxy, SPA_PARAM_Profile, 0, param) >= 0;
}
#endif
