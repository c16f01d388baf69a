// The virtual card's parameters as SPA pods: EnumProfile, Profile, EnumRoute, Route.
#include "rig_card.h"

#if OAV_RIG_HAS_PIPEWIRE
#include <errno.h>
#include <spa/param/audio/raw.h>
#include <spa/param/param.h>
#include <spa/param/profile.h>
#include <spa/param/props.h>
#include <spa/param/route.h>
#include <spa/pod/builder.h>
#include <spa/pod/iter.h>
#include <spa/pod/parser.h>
#include <string.h>

static const struct rig_card_profile jack_profiles[] = {
    {"off", "Off", 0}, {"output:analog-stereo+input:analog-stereo", "Analog Stereo Duplex", 6565}};
static const struct rig_card_profile headset_profiles[] = {
    {"off", "Off", 0},
    {"a2dp-sink", "High Fidelity Playback (A2DP Sink)", 16},
    {"headset-head-unit", "Headset Head Unit (HSP/HFP)", 1}};

// One entry of a profile's classes: how many nodes of a media class it brings, and their devices.
static void add_profile_class(struct spa_pod_builder *builder, const char *media_class, int device) {
    spa_pod_builder_add_struct(builder,
                               SPA_POD_String(media_class),
                               SPA_POD_Int(1),
                               SPA_POD_String("card.profile.devices"),
                               SPA_POD_Array(sizeof(int), SPA_TYPE_Int, 1, &device));
}

struct spa_pod *rig_card_build_profile(const struct oav_rig_card *card, struct spa_pod_builder *builder, uint32_t id,
                                       int profile) {
    const struct rig_card_profile *words = card->is_headset ? &headset_profiles[profile] : &jack_profiles[profile];
    struct spa_pod_frame object, classes;
    spa_pod_builder_push_object(builder, &object, SPA_TYPE_OBJECT_ParamProfile, id);
    spa_pod_builder_add(builder,
                        SPA_PARAM_PROFILE_index, SPA_POD_Int(profile),
                        SPA_PARAM_PROFILE_name, SPA_POD_String(words->name),
                        SPA_PARAM_PROFILE_description, SPA_POD_String(words->description),
                        SPA_PARAM_PROFILE_priority, SPA_POD_Int(words->priority),
                        SPA_PARAM_PROFILE_available, SPA_POD_Id(SPA_PARAM_AVAILABILITY_yes),
                        0);
    spa_pod_builder_prop(builder, SPA_PARAM_PROFILE_classes, 0);
    spa_pod_builder_push_struct(builder, &classes);
    bool has_input = rig_card_has_device(card, (enum oav_rig_profile)profile, RIG_CARD_INPUT);
    bool has_output = rig_card_has_device(card, (enum oav_rig_profile)profile, RIG_CARD_OUTPUT);
    // Bluetooth cards do not put the count first (PipeWire, bluez5-device.c, build_profile).
    if (!card->is_headset)
        spa_pod_builder_int(builder, has_input + has_output);
    if (has_input)
        add_profile_class(builder, "Audio/Source", RIG_CARD_INPUT);
    if (has_output)
        add_profile_class(builder, "Audio/Sink", RIG_CARD_OUTPUT);
    spa_pod_builder_pop(builder, &classes);
    if (id == SPA_PARAM_Profile)
        spa_pod_builder_add(builder, SPA_PARAM_PROFILE_save, SPA_POD_Bool(card->save_profile), 0);
    return spa_pod_builder_pop(builder, &object);
}

struct spa_pod *rig_card_build_route(const struct oav_rig_card *card, struct spa_pod_builder *builder, uint32_t id,
                                     int index) {
    const struct rig_card_route *route = &card->routes[index];
    int direction = route->device == RIG_CARD_OUTPUT ? SPA_DIRECTION_OUTPUT : SPA_DIRECTION_INPUT;
    int profiles[OAV_RIG_PROFILE_HFP + 1];
    uint32_t profile_count = 0;
    for (int profile = 0; profile < rig_card_profile_count(card); profile++) {
        if (rig_card_has_route(card, (enum oav_rig_profile)profile, index))
            profiles[profile_count++] = profile;
    }
    uint32_t channel_map[] = {SPA_AUDIO_CHANNEL_FL, SPA_AUDIO_CHANNEL_FR};
    struct spa_pod_frame object, info, properties;
    spa_pod_builder_push_object(builder, &object, SPA_TYPE_OBJECT_ParamRoute, id);
    spa_pod_builder_add(builder,
                        SPA_PARAM_ROUTE_index, SPA_POD_Int(index),
                        SPA_PARAM_ROUTE_direction, SPA_POD_Id(direction),
                        SPA_PARAM_ROUTE_name, SPA_POD_String(route->name),
                        SPA_PARAM_ROUTE_description, SPA_POD_String(route->description),
                        SPA_PARAM_ROUTE_priority, SPA_POD_Int(route->priority),
                        SPA_PARAM_ROUTE_available, SPA_POD_Id(route->available),
                        0);
    spa_pod_builder_prop(builder, SPA_PARAM_ROUTE_info, 0);
    spa_pod_builder_push_struct(builder, &info);
    spa_pod_builder_int(builder, 1);
    spa_pod_builder_string(builder, "port.type");
    spa_pod_builder_string(builder, route->type);
    spa_pod_builder_pop(builder, &info);
    spa_pod_builder_prop(builder, SPA_PARAM_ROUTE_profiles, 0);
    rig_add_array(builder, SPA_TYPE_Int, profile_count, profiles, card->lies_about_sizes);
    spa_pod_builder_prop(builder, SPA_PARAM_ROUTE_devices, 0);
    rig_add_array(builder, SPA_TYPE_Int, 1, &route->device, card->lies_about_sizes);
    if (id == SPA_PARAM_Route) {
        spa_pod_builder_add(builder,
                            SPA_PARAM_ROUTE_device, SPA_POD_Int(route->device),
                            SPA_PARAM_ROUTE_profile, SPA_POD_Int((int)card->profile),
                            0);
        spa_pod_builder_prop(builder, SPA_PARAM_ROUTE_props, 0);
        spa_pod_builder_push_object(builder, &properties, SPA_TYPE_OBJECT_Props, id);
        spa_pod_builder_add(builder, SPA_PROP_mute, SPA_POD_Bool(route->muted), 0);
        spa_pod_builder_prop(builder, SPA_PROP_channelVolumes, 0);
        rig_add_array(builder, SPA_TYPE_Float, 2, route->volumes, card->lies_about_sizes);
        spa_pod_builder_add(builder, SPA_PROP_channelMap, SPA_POD_Array(sizeof(uint32_t), SPA_TYPE_Id, 2, channel_map), 0);
        spa_pod_builder_pop(builder, &properties);
        spa_pod_builder_add(builder, SPA_PARAM_ROUTE_save, SPA_POD_Bool(route->save), 0);
    }
    return spa_pod_builder_pop(builder, &object);
}

int rig_card_parse_profile(const struct oav_rig_card *card, const struct spa_pod *parameter,
                           struct rig_card_profile_request *request) {
    *request = (struct rig_card_profile_request){.profile = -1};
    if (!parameter || spa_pod_parse_object(parameter, SPA_TYPE_OBJECT_ParamProfile, NULL,
                                           SPA_PARAM_PROFILE_index, SPA_POD_OPT_Int(&request->profile),
                                           SPA_PARAM_PROFILE_save, SPA_POD_OPT_Bool(&request->save)) < 0)
        return -EINVAL;
    return request->profile < 0 || request->profile >= rig_card_profile_count(card) ? -EINVAL : 0;
}

int rig_card_parse_route(const struct spa_pod *parameter, const struct rig_card_route *routes,
                         struct rig_card_route_request *request) {
    *request = (struct rig_card_route_request){.index = -1, .device = -1};
    struct spa_pod *properties = NULL;
    if (!parameter || spa_pod_parse_object(parameter, SPA_TYPE_OBJECT_ParamRoute, NULL,
                                           SPA_PARAM_ROUTE_index, SPA_POD_Int(&request->index),
                                           SPA_PARAM_ROUTE_device, SPA_POD_Int(&request->device),
                                           SPA_PARAM_ROUTE_props, SPA_POD_OPT_Pod(&properties),
                                           SPA_PARAM_ROUTE_save, SPA_POD_OPT_Bool(&request->save)) < 0)
        return -EINVAL;
    if (request->index < 0 || request->index >= OAV_RIG_ROUTE_COUNT)
        return -EINVAL;
    const struct rig_card_route *route = &routes[request->index];
    request->muted = route->muted;
    memcpy(request->volumes, route->volumes, sizeof request->volumes);
    if (!properties)
        return 0;

    const struct spa_pod_object *object = (const struct spa_pod_object *)properties;
    const struct spa_pod_prop *mute = spa_pod_object_find_prop(object, NULL, SPA_PROP_mute);
    if (mute)
        spa_pod_get_bool(&mute->value, &request->muted);
    const struct spa_pod_prop *volumes = spa_pod_object_find_prop(object, NULL, SPA_PROP_channelVolumes);
    float copied[2];
    uint32_t count = volumes ? spa_pod_copy_array(&volumes->value, SPA_TYPE_Float, copied, 2) : 0;
    if (count) {
        request->volumes[0] = copied[0];
        request->volumes[1] = copied[count - 1];
    }
    return 0;
}

#endif
