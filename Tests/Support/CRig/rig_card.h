// What the virtual card's files share.
#pragma once
#include "rig_internal.h"

#if OAV_RIG_HAS_PIPEWIRE
#include <spa/monitor/device.h>
#include <spa/pod/builder.h>
#include <stdatomic.h>
#include <time.h>

// The card's two "devices" in the sense of card profiles: what its sink and its source belong to.
enum { RIG_CARD_OUTPUT, RIG_CARD_INPUT, RIG_CARD_DEVICE_COUNT };

struct rig_card_profile {
    const char *name, *description;
    int priority;
};

struct rig_card_route {
    const char *name, *description, *type;
    int device;  // RIG_CARD_OUTPUT or RIG_CARD_INPUT
    int priority;
    enum oav_rig_availability available;
    bool muted;
    float volumes[2];
    bool save;
};

struct oav_rig_card;
struct spa_pod *rig_card_build_profile(const struct oav_rig_card *card, struct spa_pod_builder *builder, uint32_t id,
                                       int profile);
struct spa_pod *rig_card_build_route(const struct oav_rig_card *card, struct spa_pod_builder *builder, uint32_t id,
                                     int index);

struct rig_card_profile_request {
    int profile;
    bool save;
};
int rig_card_parse_profile(const struct oav_rig_card *card, const struct spa_pod *parameter,
                           struct rig_card_profile_request *request);

// What a session manager or a mixer asks of a route; `muted` and `volumes` come in with their present values.
struct rig_card_route_request {
    int index, device;
    bool save, muted;
    float volumes[2];
};
int rig_card_parse_route(const struct spa_pod *parameter, const struct rig_card_route *routes,
                         struct rig_card_route_request *request);

// ---- The card ----

enum {
    RIG_CARD_ENUM_PROFILE,
    RIG_CARD_PROFILE,
    RIG_CARD_ENUM_ROUTE,
    RIG_CARD_ROUTE,
    RIG_CARD_PARAMETER_COUNT,
};

struct oav_rig_card {
    struct rig_resource resource;
    struct oav_rig *rig;
    char sink_name[128], source_name[128];

    struct spa_device device;
    struct spa_hook_list listeners;
    struct spa_param_info parameters[RIG_CARD_PARAMETER_COUNT];
    unsigned changed_parameters;
    struct pw_properties *properties;
    struct pw_proxy *proxy;
    struct spa_hook proxy_hook;
    uint32_t device_id;

    bool speaker_follows_jack, moves_route_itself, is_headset, has_loopback, lies_about_sizes;
    _Atomic bool will_hold_answers, holds_answers;
    enum oav_rig_profile profile;
    bool save_profile;
    struct rig_card_route routes[OAV_RIG_ROUTE_COUNT];
    int active[RIG_CARD_DEVICE_COUNT];  // index of the active route, or -1

    struct pw_proxy *sink;
    struct spa_hook sink_hook;
    uint32_t sink_id;
    struct oav_rig_tone *microphone;
    struct rig_tap tap;

    struct rig_shared shared;  // guards what follows, which the data thread counts
    struct oav_rig_card_reading reading;
    float *ring;  // levels the emulated hardware has taken and not emitted yet
    uint32_t ring_length, ring_next;
};

// rig_card_nodes.c
void rig_card_make_nodes(struct oav_rig_card *card);
// keeps_loopback: the profile changes, and the card stays.
void rig_card_drop_nodes(struct oav_rig_card *card, bool keeps_loopback);

// As ACP does with software volume: the active route's mute and volume are those of the node.
void rig_card_apply_to_sink(struct oav_rig_card *card, int index);

// rig_card_device.c
extern const struct spa_device_methods rig_card_device_methods;

// Brings the routes' state to the reading, which is what the data thread goes by.
void rig_card_publish(struct oav_rig_card *card);

// Notes that a parameter has changed; announce tells of all that have.
void rig_card_touch(struct oav_rig_card *card, int parameter);
void rig_card_announce(struct oav_rig_card *card, bool everything);
void rig_card_set_available(struct oav_rig_card *card, int index, enum oav_rig_availability available);
void rig_card_move_routes_if_own_rule(struct oav_rig_card *card);
void rig_card_set_profile(struct oav_rig_card *card, enum oav_rig_profile profile);
// Whether the profile has the route, or a node for the "device" of that number.
bool rig_card_has_route(const struct oav_rig_card *card, enum oav_rig_profile profile, int route);
bool rig_card_has_device(const struct oav_rig_card *card, enum oav_rig_profile profile, int device);
int rig_card_profile_count(const struct oav_rig_card *card);
#endif
