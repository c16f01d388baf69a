// The virtual card as an SPA device: its profiles and routes, and how it tells of them.
#include "rig_card.h"

#if OAV_RIG_HAS_PIPEWIRE
#include <errno.h>
#include <spa/param/param.h>
#include <spa/pod/filter.h>
#include <string.h>

// ---- Telling the server ----

void rig_card_publish(struct oav_rig_card *card) {
    pthread_mutex_lock(&card->shared.lock);
    card->reading.active_output = card->active[RIG_CARD_OUTPUT];
    card->reading.active_input = card->active[RIG_CARD_INPUT];
    card->reading.profile = card->profile;
    for (int i = 0; i < OAV_RIG_ROUTE_COUNT; i++) {
        card->reading.muted[i] = card->routes[i].muted;
        card->reading.available[i] = card->routes[i].available;
    }
    pthread_mutex_unlock(&card->shared.lock);
    rig_changed(card->rig);
}

void rig_card_touch(struct oav_rig_card *card, int parameter) {
    card->changed_parameters |= 1u << parameter;
    if (parameter == RIG_CARD_ENUM_ROUTE && atomic_exchange(&card->will_hold_answers, false))
        atomic_store(&card->holds_answers, true);
}

// A SERIAL flag says "changed" by being toggled, so exactly once an announcement: twice would cancel out.
void rig_card_announce(struct oav_rig_card *card, bool everything) {
    for (int i = 0; i < RIG_CARD_PARAMETER_COUNT; i++) {
        if (card->changed_parameters & (1u << i))
            card->parameters[i].flags ^= SPA_PARAM_INFO_SERIAL;
    }
    card->changed_parameters = 0;
    struct spa_device_info info = SPA_DEVICE_INFO_INIT();
    info.change_mask = SPA_DEVICE_CHANGE_MASK_PARAMS;
    if (everything)
        info.change_mask |= SPA_DEVICE_CHANGE_MASK_FLAGS | SPA_DEVICE_CHANGE_MASK_PROPS;
    info.props = &card->properties->dict;
    info.params = card->parameters;
    info.n_params = RIG_CARD_PARAMETER_COUNT;
    spa_hook_list_call_simple(&card->listeners, struct spa_device_events, info, 0, &info);
    rig_card_publish(card);
}

// ---- Routes and profiles ----

// Available for certain before perhaps available, then by priority; never one that is not available.
static int best_route(const struct oav_rig_card *card, int device) {
    int best = -1;
    for (int i = 0; i < OAV_RIG_ROUTE_COUNT; i++) {
        const struct rig_card_route *route = &card->routes[i];
        if (route->device != device || route->available == OAV_RIG_AVAILABLE_NO ||
            !rig_card_has_route(card, card->profile, i))
            continue;
        bool certain = route->available == OAV_RIG_AVAILABLE_YES;
        bool best_is_certain = best >= 0 && card->routes[best].available == OAV_RIG_AVAILABLE_YES;
        if (best < 0 || (certain && !best_is_certain) ||
            (certain == best_is_certain && route->priority > card->routes[best].priority))
            best = i;
    }
    return best;
}

static void activate_route(struct oav_rig_card *card, int index) {
    card->active[card->routes[index].device] = index;
    rig_card_apply_to_sink(card, index);
    rig_card_touch(card, RIG_CARD_ROUTE);
}

void rig_card_set_available(struct oav_rig_card *card, int index, enum oav_rig_availability available) {
    struct rig_card_route *route = &card->routes[index];
    if (route->available == available)
        return;
    route->available = available;
    rig_card_touch(card, RIG_CARD_ENUM_ROUTE);
    if (card->active[route->device] == index)
        rig_card_touch(card, RIG_CARD_ROUTE);
}

void rig_card_move_routes_if_own_rule(struct oav_rig_card *card) {
    if (!card->moves_route_itself || card->profile == OAV_RIG_PROFILE_OFF)
        return;
    for (int device = 0; device < RIG_CARD_DEVICE_COUNT; device++) {
        int best = best_route(card, device);
        if (best >= 0 && best != card->active[device])
            activate_route(card, best);
    }
}

int rig_card_profile_count(const struct oav_rig_card *card) {
    return card->is_headset ? OAV_RIG_PROFILE_HFP + 1 : OAV_RIG_PROFILE_ON + 1;
}

bool rig_card_has_device(const struct oav_rig_card *card, enum oav_rig_profile profile, int device) {
    if (profile == OAV_RIG_PROFILE_OFF)
        return false;
    return device == RIG_CARD_OUTPUT || !card->is_headset || profile == OAV_RIG_PROFILE_HFP;
}

bool rig_card_has_route(const struct oav_rig_card *card, enum oav_rig_profile profile, int route) {
    return rig_card_has_device(card, profile, card->routes[route].device) &&
           !(card->is_headset && route == OAV_RIG_ROUTE_SPEAKER);
}

void rig_card_set_profile(struct oav_rig_card *card, enum oav_rig_profile profile) {
    if (profile == card->profile)
        return;
    card->profile = profile;
    rig_card_touch(card, RIG_CARD_PROFILE);
    rig_card_touch(card, RIG_CARD_ROUTE);
    rig_card_touch(card, RIG_CARD_ENUM_ROUTE);
    for (int device = 0; device < RIG_CARD_DEVICE_COUNT; device++)
        card->active[device] = best_route(card, device);  // -1 for what the profile does not have
    if (profile == OAV_RIG_PROFILE_OFF || card->is_headset)
        rig_card_drop_nodes(card, card->has_loopback && profile != OAV_RIG_PROFILE_OFF);
    rig_card_make_nodes(card);
}

// ---- The device's methods, called by the exporting proxy on the loop's thread ----

static int add_listener(void *object, struct spa_hook *listener, const struct spa_device_events *events, void *data) {
    struct oav_rig_card *card = object;
    struct spa_hook_list saved;
    spa_hook_list_isolate(&card->listeners, &saved, listener, events, data);
    rig_card_announce(card, true);
    spa_hook_list_join(&card->listeners, &saved);
    return 0;
}

static int sync_device(void *object, int sequence) {
    struct oav_rig_card *card = object;
    spa_hook_list_call_simple(&card->listeners, struct spa_device_events, result, 0, sequence, 0, 0, NULL);
    return 0;
}

// The parameter number `index` of an id; NULL past the last. `skip` is set where the number has no value now.
static struct spa_pod *build_parameter(struct oav_rig_card *card, struct spa_pod_builder *builder, uint32_t id,
                                       uint32_t index, bool *skip) {
    *skip = false;
    switch (id) {
    case SPA_PARAM_EnumProfile:
        return (int)index < rig_card_profile_count(card) ? rig_card_build_profile(card, builder, id, (int)index) : NULL;
    case SPA_PARAM_Profile:
        return index == 0 ? rig_card_build_profile(card, builder, id, (int)card->profile) : NULL;
    case SPA_PARAM_EnumRoute:
        *skip = index == OAV_RIG_ROUTE_SPEAKER && card->is_headset;
        return index < OAV_RIG_ROUTE_COUNT && !*skip ? rig_card_build_route(card, builder, id, (int)index) : NULL;
    case SPA_PARAM_Route: {
        if (index >= RIG_CARD_DEVICE_COUNT)
            return NULL;
        int active = card->active[index];
        *skip = active < 0;
        return *skip ? NULL : rig_card_build_route(card, builder, id, active);
    }
    default:
        return NULL;
    }
}

static void rig_card_wait_until_it_answers(struct oav_rig_card *card) {
    pthread_mutex_lock(&card->shared.lock);
    while (atomic_load(&card->holds_answers))
        pthread_cond_wait(&card->shared.changed, &card->shared.lock);
    pthread_mutex_unlock(&card->shared.lock);
}

static int enum_params(void *object, int sequence, uint32_t id, uint32_t start, uint32_t max,
                       const struct spa_pod *filter) {
    struct oav_rig_card *card = object;
    struct spa_result_device_params result = {.id = id, .next = start};
    uint32_t count = 0;
    if (id == SPA_PARAM_EnumRoute)
        rig_card_wait_until_it_answers(card);
    while (count < max) {
        uint8_t storage[16384];
        struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(storage, sizeof storage);
        bool skip;
        result.index = result.next++;
        struct spa_pod *parameter = build_parameter(card, &builder, id, result.index, &skip);
        if (skip)
            continue;
        if (!parameter)
            return 0;
        if (spa_pod_filter(&builder, &result.param, parameter, filter) < 0)
            continue;
        spa_hook_list_call_simple(&card->listeners, struct spa_device_events, result, 0, sequence, 0,
                                  SPA_RESULT_TYPE_DEVICE_PARAMS, &result);
        count++;
    }
    return 0;
}

static int set_param(void *object, uint32_t id, uint32_t flags, const struct spa_pod *parameter) {
    (void)flags;
    struct oav_rig_card *card = object;
    if (id == SPA_PARAM_Profile) {
        struct rig_card_profile_request request;
        int error = rig_card_parse_profile(card, parameter, &request);
        if (error)
            return error;
        card->save_profile = request.save;
        rig_card_set_profile(card, (enum oav_rig_profile)request.profile);
    } else if (id == SPA_PARAM_Route) {
        struct rig_card_route_request request;
        int error = rig_card_parse_route(parameter, card->routes, &request);
        if (error)
            return error;
        struct rig_card_route *route = &card->routes[request.index];
        route->muted = request.muted;
        memcpy(route->volumes, request.volumes, sizeof route->volumes);
        route->save = request.save;
        activate_route(card, request.index);
    } else {
        return -ENOENT;
    }
    rig_card_announce(card, false);
    return 0;
}

const struct spa_device_methods rig_card_device_methods = {
    SPA_VERSION_DEVICE_METHODS,
    .add_listener = add_listener,
    .sync = sync_device,
    .enum_params = enum_params,
    .set_param = set_param,
};

#endif
