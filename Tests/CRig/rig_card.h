// What the virtual card's two files share: its routes and profiles, and their parameters.
#pragma once
#include "rig_internal.h"

#if OAV_RIG_HAS_PIPEWIRE
#include <spa/monitor/device.h>
#include <spa/pod/builder.h>

// The card's two "devices" in the sense of card profiles: what its sink and its source belong to.
enum { RIG_CARD_OUTPUT, RIG_CARD_INPUT, RIG_CARD_DEVICE_COUNT };

enum { RIG_CARD_PROFILE_OFF, RIG_CARD_PROFILE_ANALOG, RIG_CARD_PROFILE_COUNT };

struct rig_card_route {
    const char *name, *description, *type;
    int device;  // RIG_CARD_OUTPUT or RIG_CARD_INPUT
    int priority;
    enum oav_rig_availability available;
    bool muted;
    float volumes[2];
    bool save;
};

struct spa_pod *rig_card_build_profile(struct spa_pod_builder *builder, uint32_t id, int profile, bool save);
struct spa_pod *rig_card_build_route(struct spa_pod_builder *builder, uint32_t id, int index,
                                     const struct rig_card_route *route, int profile);

struct rig_card_profile_request {
    int profile;
    bool save;
};
int rig_card_parse_profile(const struct spa_pod *parameter, struct rig_card_profile_request *request);

// What a session manager or a mixer asks of a route; `muted` and `volumes` come in with their present values.
struct rig_card_route_request {
    int index, device;
    bool save, muted;
    float volumes[2];
};
int rig_card_parse_route(const struct spa_pod *parameter, const struct rig_card_route *routes,
                         struct rig_card_route_request *request);
#endif
