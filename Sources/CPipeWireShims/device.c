// Cards and their routes. For devices that another client exports (all of a session manager's are) a subscription to
// params delivers nothing; what comes is `info` with a toggled SERIAL flag, and then we enumerate.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spa/param/param.h>
#include <spa/param/profile.h>
#include <spa/param/props.h>
#include <spa/param/route.h>
#include <spa/pod/builder.h>
#include <spa/utils/string.h>

static void route_free(struct oav_route *route)
{
    spa_list_remove(&route->link);
    free((char *)route->fact.name);
    free((char *)route->fact.description);
    free((char *)route->fact.port_type);
    free(route);
}

static void set_clear(struct oav_route_set *set)
{
    struct oav_route *route;
    spa_list_consume(route, &set->routes, link) route_free(route);
    set->active_count = set->profile_count = 0;
    set->active_profile = -1;
}

struct oav_device *oav_device_find(struct oav_pw_host *host, uint32_t id)
{
    struct oav_device *device;
    spa_list_for_each(device, &host->devices, link) {
        if (device->id == id) return device;
    }
    return NULL;
}

static char *copy(const char *text) { return text ? strdup(text) : NULL; }

// The info struct is: count, then key and value strings in turn.
static const char *port_type_in(struct oav_pod info)
{
    struct oav_pod count, key, value;
    if (!oav_pod_take(&info, &count)) return NULL;
    while (oav_pod_take(&info, &key) && oav_pod_take(&info, &value)) {
        if (spa_streq(oav_pod_get_string(key), "port.type")) return oav_pod_get_string(value);
    }
    return NULL;
}

static void enum_route_came(struct oav_device *device, struct oav_pod param)
{
    int32_t index, priority = 0;
    uint32_t direction = SPA_DIRECTION_OUTPUT, available = SPA_PARAM_AVAILABILITY_unknown;
    if (!oav_pod_is_object(param, SPA_TYPE_OBJECT_ParamRoute)
        || !oav_pod_get_int(oav_pod_property(param, SPA_PARAM_ROUTE_index), &index)) {
        return;
    }
    oav_pod_get_id(oav_pod_property(param, SPA_PARAM_ROUTE_direction), &direction);
    oav_pod_get_int(oav_pod_property(param, SPA_PARAM_ROUTE_priority), &priority);
    oav_pod_get_id(oav_pod_property(param, SPA_PARAM_ROUTE_available), &available);
    struct oav_route *route = calloc(1, sizeof *route);
    if (!route) return;
    route->fact = (struct oav_pw_route){
        .index = index,
        .is_input = direction == SPA_DIRECTION_INPUT,
        .priority = priority,
        .availability = available == SPA_PARAM_AVAILABILITY_no ? OAV_PW_AVAILABLE_NO
            : available == SPA_PARAM_AVAILABILITY_yes          ? OAV_PW_AVAILABLE_YES
                                                               : OAV_PW_AVAILABLE_UNKNOWN,
        .name = copy(oav_pod_get_string(oav_pod_property(param, SPA_PARAM_ROUTE_name))),
        .description = copy(oav_pod_get_string(oav_pod_property(param, SPA_PARAM_ROUTE_description))),
        .port_type = copy(port_type_in(oav_pod_property(param, SPA_PARAM_ROUTE_info))),
        .card_devices = route->card_devices,
        .card_device_count = oav_pod_copy_array(oav_pod_property(param, SPA_PARAM_ROUTE_devices), OAV_POD_INT,
            route->card_devices, sizeof route->card_devices[0], SPA_N_ELEMENTS(route->card_devices)),
        .profiles = route->profiles,
        .profile_count = oav_pod_copy_array(oav_pod_property(param, SPA_PARAM_ROUTE_profiles), OAV_POD_INT,
            route->profiles, sizeof route->profiles[0], SPA_N_ELEMENTS(route->profiles)),
    };
    spa_list_append(&device->incoming.routes, &route->link);
    // The first answer does not wait for the rest of the enumeration.
    if (route->fact.availability == OAV_PW_AVAILABLE_NO) oav_streams_route_unavailable(device->host, device->id, index);
}

static void route_came(struct oav_device *device, struct oav_pod param)
{
    struct oav_route_set *set = &device->incoming;
    struct oav_pw_active_route active;
    if (set->active_count == OAV_MAX_ACTIVE || !oav_pod_is_object(param, SPA_TYPE_OBJECT_ParamRoute)
        || !oav_pod_get_int(oav_pod_property(param, SPA_PARAM_ROUTE_index), &active.route_index)
        || !oav_pod_get_int(oav_pod_property(param, SPA_PARAM_ROUTE_device), &active.card_device)) {
        return;
    }
    active.volume = oav_volume_parse(oav_pod_property(param, SPA_PARAM_ROUTE_props));
    set->active[set->active_count++] = active;
}

// The classes are a struct for each: media class, number of nodes, ... ALSA's cards put their count first, Bluetooth's do
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

static bool read_profile_index(struct oav_pod param, int32_t *index)
{
    return oav_pod_is_object(param, SPA_TYPE_OBJECT_ParamProfile)
        && oav_pod_get_int(oav_pod_property(param, SPA_PARAM_PROFILE_index), index);
}

static void enum_profile_came(struct oav_device *device, struct oav_pod param)
{
    struct oav_route_set *set = &device->incoming;
    struct oav_pw_profile profile = {.index = -1};
    uint32_t available = SPA_PARAM_AVAILABILITY_unknown;
    if (set->profile_count == OAV_MAX_PROFILES || !read_profile_index(param, &profile.index)) return;
    oav_pod_get_int(oav_pod_property(param, SPA_PARAM_PROFILE_priority), &profile.priority);
    oav_pod_get_id(oav_pod_property(param, SPA_PARAM_PROFILE_available), &available);
    profile.is_available = available != SPA_PARAM_AVAILABILITY_no;
    const char *name = oav_pod_get_string(oav_pod_property(param, SPA_PARAM_PROFILE_name));
    snprintf(profile.name, sizeof profile.name, "%s", name ? name : "");
    read_classes(&profile, oav_pod_property(param, SPA_PARAM_PROFILE_classes));
    set->profiles[set->profile_count++] = profile;
}

static void enumerate(struct oav_device *device)
{
    struct pw_device *proxy = (struct pw_device *)device->proxy;
    device->enumerating = true;
    device->stale = false;
    set_clear(&device->incoming);
    if (device->is_bluetooth) {
        pw_device_enum_params(proxy, 0, SPA_PARAM_EnumProfile, 0, UINT32_MAX, NULL);
        pw_device_enum_params(proxy, 0, SPA_PARAM_Profile, 0, UINT32_MAX, NULL);
    }
    pw_device_enum_params(proxy, 0, SPA_PARAM_EnumRoute, 0, UINT32_MAX, NULL);
    pw_device_enum_params(proxy, 0, SPA_PARAM_Route, 0, UINT32_MAX, NULL);
    // The server holds this client's messages back until the exporting client has answered, so the sync is the end.
    device->enum_seq = pw_core_sync(device->host->core, PW_ID_CORE, 0);
}

static void tell_routes(struct oav_device *device)
{
    struct oav_pw_host *host = device->host;
    struct oav_pw_route facts[128];
    uint32_t count = 0;
    struct oav_route *route;
    spa_list_for_each(route, &device->current.routes, link) {
        if (count < SPA_N_ELEMENTS(facts)) facts[count++] = route->fact;
    }
    host->events.routes(
        host->events.context, device->id, facts, count, device->current.active, device->current.active_count);
}

static void commit(struct oav_device *device)
{
    device->enumerating = false;
    set_clear(&device->current);
    struct oav_route *route;
    spa_list_consume(route, &device->incoming.routes, link) {
        spa_list_remove(&route->link);
        spa_list_append(&device->current.routes, &route->link);
    }
    memcpy(device->current.active, device->incoming.active, sizeof device->current.active);
    device->current.active_count = device->incoming.active_count;
    struct oav_pw_host *host = device->host;
    if (device->is_bluetooth && host->events.profiles) {
        host->events.profiles(host->events.context, device->id, device->incoming.profiles,
            device->incoming.profile_count, device->incoming.active_profile);
    }
    tell_routes(device);
    if (device->stale) {
        enumerate(device);
    } else {
        device->doubted = false;
        oav_streams_doubt(device->host);
    }
}

void oav_device_sync_done(struct oav_pw_host *host, int seq)
{
    struct oav_device *device;
    spa_list_for_each(device, &host->devices, link) {
        if (device->enumerating && device->enum_seq == seq) commit(device);
    }
}

bool oav_host_is_enumerating(struct oav_pw_host *host)
{
    struct oav_device *device;
    // Claims and streams are ours or another's only when we know who we are.
    if (oav_own_client_id(host) == OAV_PW_NONE) return true;
    spa_list_for_each(device, &host->devices, link) {
        if (device->enumerating) return true;
    }
    return false;
}

static void on_param(void *data, int seq, uint32_t id, uint32_t index, uint32_t next, const struct spa_pod *param)
{
    struct oav_device *device = data;
    (void)seq, (void)index, (void)next;
    if (!device->enumerating) return;
    struct oav_pod pod = oav_param_pod(param);
    if (id == SPA_PARAM_EnumProfile) {
        enum_profile_came(device, pod);
    } else if (id == SPA_PARAM_Profile) {
        read_profile_index(pod, &device->incoming.active_profile);
    } else if (id == SPA_PARAM_EnumRoute) {
        enum_route_came(device, pod);
    } else if (id == SPA_PARAM_Route) {
        route_came(device, pod);
    }
}

static void tell_device(struct oav_device *device)
{
    struct oav_pw_host *host = device->host;
    struct pw_properties *props = device->props;
    struct oav_pw_device fact = {
        .id = device->id,
        .name = pw_properties_get(props, PW_KEY_DEVICE_NAME),
        .description = pw_properties_get(props, PW_KEY_DEVICE_DESCRIPTION),
        .form_factor = pw_properties_get(props, PW_KEY_DEVICE_FORM_FACTOR),
        .bus = pw_properties_get(props, PW_KEY_DEVICE_BUS),
        .api = pw_properties_get(props, PW_KEY_DEVICE_API),
    };
    host->events.device(host->events.context, &fact);
}

static void on_info(void *data, const struct pw_device_info *info)
{
    struct oav_device *device = data;
    if (info->change_mask & PW_DEVICE_CHANGE_MASK_PROPS && info->props) {
        pw_properties_update(device->props, info->props);
        device->is_bluetooth = spa_streq(pw_properties_get(device->props, PW_KEY_DEVICE_API), "bluez5");
        tell_device(device);
    }
    if (!(info->change_mask & PW_DEVICE_CHANGE_MASK_PARAMS)) return;
    bool routes = oav_param_changed(info->params, info->n_params, SPA_PARAM_EnumRoute, &device->enum_route_flags);
    bool active = oav_param_changed(info->params, info->n_params, SPA_PARAM_Route, &device->route_flags);
    // Has none; its nodes wait to hear of them.
    if (device->enum_route_flags == UINT32_MAX && device->route_flags == UINT32_MAX) tell_routes(device);
    bool profiles = device->is_bluetooth
        && (oav_param_changed(info->params, info->n_params, SPA_PARAM_EnumProfile, &device->enum_profile_flags)
            | oav_param_changed(info->params, info->n_params, SPA_PARAM_Profile, &device->profile_flags));
    if (!routes && !active && !profiles) return;
    // The answer takes two ways through the server and one through the session manager, which may be slow.
    if (routes) {
        device->doubted = true;
        oav_streams_doubt(device->host);
    }
    if (device->enumerating) {
        device->stale = true;
    } else {
        enumerate(device);
    }
    oav_host_mark_dirty(device->host);
}

static const struct pw_device_events device_events = {PW_VERSION_DEVICE_EVENTS, .info = on_info, .param = on_param};

void oav_device_bind(struct oav_pw_host *host, uint32_t id, const struct spa_dict *props)
{
    if (!spa_streq(spa_dict_lookup(props, PW_KEY_MEDIA_CLASS), "Audio/Device")) return;
    struct oav_device *device = calloc(1, sizeof *device);
    if (!device) return;
    device->host = host;
    device->id = id;
    device->enum_route_flags = device->route_flags = device->enum_profile_flags = device->profile_flags = UINT32_MAX;
    spa_list_init(&device->current.routes);
    spa_list_init(&device->incoming.routes);
    device->props = pw_properties_new_dict(props);
    device->proxy = pw_registry_bind(host->registry, id, PW_TYPE_INTERFACE_Device, PW_VERSION_DEVICE, 0);
    if (!device->proxy || !device->props) {
        pw_properties_free(device->props);
        if (device->proxy) pw_proxy_destroy(device->proxy);
        free(device);
        return;
    }
    spa_list_append(&host->devices, &device->link);
    pw_device_add_listener((struct pw_device *)device->proxy, &device->device_hook, &device_events, device);
    oav_host_mark_dirty(host);
}

void oav_device_free(struct oav_device *device)
{
    spa_list_remove(&device->link);
    spa_hook_remove(&device->device_hook);
    pw_proxy_destroy(device->proxy);
    set_clear(&device->current);
    set_clear(&device->incoming);
    pw_properties_free(device->props);
    free(device);
}

bool oav_pw_host_set_route(
    struct oav_pw_host *host, uint32_t device_id, int32_t card_device, int32_t route_index, enum oav_pw_mute mute,
    bool saved)
{
    struct oav_device *device = host->lost ? NULL : oav_device_find(host, device_id);
    if (!device) return false;
    uint8_t buffer[256];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    struct spa_pod_frame frame;
    spa_pod_builder_push_object(&builder, &frame, SPA_TYPE_OBJECT_ParamRoute, SPA_PARAM_Route);
    spa_pod_builder_add(&builder, SPA_PARAM_ROUTE_index, SPA_POD_Int(route_index), SPA_PARAM_ROUTE_device,
        SPA_POD_Int(card_device), 0);
    if (mute != OAV_PW_MUTE_KEEP) {
        spa_pod_builder_prop(&builder, SPA_PARAM_ROUTE_props, 0);
        spa_pod_builder_add_object(&builder, SPA_TYPE_OBJECT_Props, SPA_PARAM_Route,
            SPA_PROP_mute, SPA_POD_Bool(mute == OAV_PW_MUTE_ON));
    }
    spa_pod_builder_add(&builder, SPA_PARAM_ROUTE_save, SPA_POD_Bool(saved), 0);
    struct spa_pod *param = spa_pod_builder_pop(&builder, &frame);
    return param && pw_device_set_param((struct pw_device *)device->proxy, SPA_PARAM_Route, 0, param) >= 0;
}

bool oav_pw_host_set_profile(struct oav_pw_host *host, uint32_t device_id, int32_t index)
{
    struct oav_device *device = host->lost ? NULL : oav_device_find(host, device_id);
    uint8_t buffer[256];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    struct spa_pod *param = spa_pod_builder_add_object(&builder, SPA_TYPE_OBJECT_ParamProfile, SPA_PARAM_Profile,
        SPA_PARAM_PROFILE_index, SPA_POD_Int(index),
        SPA_PARAM_PROFILE_save, SPA_POD_Bool(false));
    return device && param && pw_device_set_param((struct pw_device *)device->proxy, SPA_PARAM_Profile, 0, param) >= 0;
}
#endif
