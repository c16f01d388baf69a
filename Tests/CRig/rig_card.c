// A virtual sound card: an SPA device exported by this client, with a profile, speaker, headphones and microphone
// routes, one sink and one source, and a meter that tells what each output route emitted while it was active.
//
// As for a real card, the session manager chooses the profile and moves the route; the card only says what is plugged.
#include "rig_card.h"

#if OAV_RIG_HAS_PIPEWIRE
#include "rig_tone.h"
#include <errno.h>
#include <spa/param/param.h>
#include <spa/param/props.h>
#include <spa/pod/builder.h>
#include <spa/pod/filter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENUM_PROFILE, PROFILE, ENUM_ROUTE, ROUTE, PARAMETER_COUNT };

struct oav_rig_card {
    struct rig_resource resource;
    struct oav_rig *rig;
    char sink_name[128], source_name[128];

    struct spa_device device;
    struct spa_hook_list listeners;
    struct spa_param_info parameters[PARAMETER_COUNT];
    unsigned changed_parameters;
    struct pw_properties *properties;
    struct pw_proxy *proxy;
    struct spa_hook proxy_hook;
    uint32_t device_id;

    bool speaker_follows_jack, moves_route_itself;
    int profile;
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

// ---- What reaches which route ----

static void on_cycle(void *data, const struct rig_cycle *cycle) {
    struct oav_rig_card *card = data;
    pthread_mutex_lock(&card->shared.lock);
    struct oav_rig_card_reading *reading = &card->reading;
    uint64_t loud = 0;
    for (uint32_t i = 0; i < cycle->frames; i++) {
        float level = 0;
        bool is_loud = rig_frame_is_loud(cycle, i, &level);
        if (card->ring_length) {  // what the hardware took earlier comes out first
            float *slot = &card->ring[card->ring_next];
            bool was_loud = *slot > 0;
            *slot = is_loud ? 1 : 0;
            is_loud = was_loud;
            card->ring_next = (card->ring_next + 1) % card->ring_length;
        }
        loud += is_loud;
    }
    int route = reading->active_output;
    if (loud && route >= 0 && reading->muted[route]) {
        reading->muted_loud_frames += loud;
    } else if (loud && route >= 0) {
        if (reading->loud_frames[route] == 0)
            reading->first_loud_at[route] = cycle->time;
        reading->last_loud_at[route] = cycle->time;
        reading->loud_frames[route] += loud;
    }
    reading->frames += cycle->frames;
    reading->missed_frames += cycle->missed_frames;
    pthread_cond_broadcast(&card->shared.changed);
    pthread_mutex_unlock(&card->shared.lock);
}

// Brings the routes' state to the reading, which is what the data thread goes by.
static void publish(struct oav_rig_card *card) {
    pthread_mutex_lock(&card->shared.lock);
    card->reading.active_output = card->active[RIG_CARD_OUTPUT];
    card->reading.active_input = card->active[RIG_CARD_INPUT];
    for (int i = 0; i < OAV_RIG_ROUTE_COUNT; i++) {
        card->reading.muted[i] = card->routes[i].muted;
        card->reading.available[i] = card->routes[i].available;
    }
    pthread_mutex_unlock(&card->shared.lock);
    rig_changed(card->rig);
}

// ---- Telling the server ----

static void touch(struct oav_rig_card *card, int parameter) { card->changed_parameters |= 1u << parameter; }

// A SERIAL flag says "changed" by being toggled, so exactly once an announcement: twice would cancel out.
static void announce(struct oav_rig_card *card, bool everything) {
    for (int i = 0; i < PARAMETER_COUNT; i++) {
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
    info.n_params = PARAMETER_COUNT;
    spa_hook_list_call_simple(&card->listeners, struct spa_device_events, info, 0, &info);
    publish(card);
}

// ---- Nodes ----

static void on_sink_bound(void *data, uint32_t id) {
    struct oav_rig_card *card = data;
    static const char *const channels[] = {"FL", "FR"};
    card->sink_id = id;
    if (!card->tap.filter)
        rig_tap_start(&card->tap, card->rig, card->sink_name, channels, 2, on_cycle, card);
    rig_changed(card->rig);
}

static const struct pw_proxy_events sink_events = {
    PW_VERSION_PROXY_EVENTS,
    .bound = on_sink_bound,
};

static void make_sink(struct oav_rig_card *card) {
    struct pw_properties *properties = pw_properties_new(
        "factory.name", "support.null-audio-sink", PW_KEY_MEDIA_CLASS, "Audio/Sink",
        PW_KEY_NODE_DESCRIPTION, "Virtual Card Analog Stereo", PW_KEY_NODE_NICK, "Virtual",
        PW_KEY_DEVICE_API, "alsa", PW_KEY_DEVICE_CLASS, "sound", PW_KEY_DEVICE_BUS, "pci",
        "audio.position", "FL,FR", PW_KEY_AUDIO_CHANNELS, "2", PW_KEY_AUDIO_RATE, "48000",
        "monitor.channel-volumes", "false",  // the meter hears what comes in; it knows of mutes by itself
        "card.profile.device", "0", "device.profile.name", "analog-stereo",
        "device.profile.description", "Analog Stereo", "device.routes", "2",
        PW_KEY_PRIORITY_SESSION, "1009", PW_KEY_PRIORITY_DRIVER, "1009", NULL);
    pw_properties_set(properties, PW_KEY_NODE_NAME, card->sink_name);
    pw_properties_setf(properties, PW_KEY_DEVICE_ID, "%u", card->device_id);
    if (!card->rig->has_session_manager)
        pw_properties_set(properties, "adapter.auto-port-config", "{ mode=dsp monitor=true position=preserve }");
    card->sink = pw_core_create_object(card->rig->core, "adapter", PW_TYPE_INTERFACE_Node, PW_VERSION_NODE,
                                       &properties->dict, 0);
    pw_properties_free(properties);
    if (card->sink)
        pw_proxy_add_listener(card->sink, &card->sink_hook, &sink_events, card);
}

static void make_microphone(struct oav_rig_card *card) {
    static const char *const channels[] = {"FL", "FR"};
    char device_id[16];
    snprintf(device_id, sizeof device_id, "%u", card->device_id);
    const struct oav_rig_property properties[] = {
        {PW_KEY_NODE_NAME, card->source_name}, {PW_KEY_NODE_DESCRIPTION, "Virtual Card Microphone"},
        {PW_KEY_NODE_NICK, "Virtual"},         {PW_KEY_DEVICE_API, "alsa"},
        {PW_KEY_DEVICE_CLASS, "sound"},        {PW_KEY_DEVICE_BUS, "pci"},
        {PW_KEY_DEVICE_ID, device_id},         {"card.profile.device", "1"},
        {"device.routes", "1"},                {PW_KEY_PRIORITY_SESSION, "2009"},
        {PW_KEY_PRIORITY_DRIVER, "2009"},
    };
    const struct oav_rig_tone_options options = {
        .routing = OAV_RIG_TONE_SOURCE,
        .channels = channels,
        .channel_count = 2,
        .rate = 48000,
        .frequency = 1000,
        .amplitude = 0.5f,
        .properties = properties,
        .property_count = SPA_N_ELEMENTS(properties),
    };
    rig_tone_start(card->rig, &options, &card->microphone);
}

static void make_nodes(struct oav_rig_card *card) {
    if (card->device_id == SPA_ID_INVALID || card->profile == RIG_CARD_PROFILE_OFF)
        return;
    if (!card->sink)
        make_sink(card);
    if (!card->microphone)
        make_microphone(card);
}

static void drop_nodes(struct oav_rig_card *card) {
    if (card->sink) {
        spa_hook_remove(&card->sink_hook);
        pw_proxy_destroy(card->sink);
        card->sink = NULL;
        card->sink_id = SPA_ID_INVALID;
    }
    if (card->microphone) {
        rig_tone_free(card->microphone);
        card->microphone = NULL;
    }
    rig_tap_stop(&card->tap);  // last: it must not disturb what others see of the sink's end
}

// As ACP does with software volume: the active route's mute and volume are those of the node.
static void apply_to_sink(struct oav_rig_card *card, int index) {
    struct rig_card_route *route = &card->routes[index];
    if (route->device != RIG_CARD_OUTPUT || !card->sink || card->active[RIG_CARD_OUTPUT] != index)
        return;
    uint8_t storage[512];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(storage, sizeof storage);
    struct spa_pod *parameter = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props,
        SPA_PROP_softMute, SPA_POD_Bool(route->muted),
        SPA_PROP_softVolumes, SPA_POD_Array(sizeof(float), SPA_TYPE_Float, 2, route->volumes));
    pw_node_set_param((struct pw_node *)card->sink, SPA_PARAM_Props, 0, parameter);
}

// ---- Routes and profiles ----

// Available for certain before perhaps available, then by priority; never one that is not available.
static int best_route(const struct oav_rig_card *card, int device) {
    int best = -1;
    for (int i = 0; i < OAV_RIG_ROUTE_COUNT; i++) {
        const struct rig_card_route *route = &card->routes[i];
        if (route->device != device || route->available == OAV_RIG_AVAILABLE_NO)
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
    apply_to_sink(card, index);
    touch(card, ROUTE);
}

static void set_available(struct oav_rig_card *card, int index, enum oav_rig_availability available) {
    struct rig_card_route *route = &card->routes[index];
    if (route->available == available)
        return;
    route->available = available;
    touch(card, ENUM_ROUTE);
    if (card->active[route->device] == index)
        touch(card, ROUTE);
}

static void move_routes_if_own_rule(struct oav_rig_card *card) {
    if (!card->moves_route_itself || card->profile == RIG_CARD_PROFILE_OFF)
        return;
    for (int device = 0; device < RIG_CARD_DEVICE_COUNT; device++) {
        int best = best_route(card, device);
        if (best >= 0 && best != card->active[device])
            activate_route(card, best);
    }
}

static void set_profile(struct oav_rig_card *card, int profile) {
    if (profile == card->profile)
        return;
    card->profile = profile;
    touch(card, PROFILE);
    touch(card, ROUTE);
    touch(card, ENUM_ROUTE);
    bool off = profile == RIG_CARD_PROFILE_OFF;
    for (int device = 0; device < RIG_CARD_DEVICE_COUNT; device++)
        card->active[device] = off ? -1 : best_route(card, device);
    if (off)
        drop_nodes(card);
    else
        make_nodes(card);
}

// ---- The device's methods, called by the exporting proxy on the loop's thread ----

static int add_listener(void *object, struct spa_hook *listener, const struct spa_device_events *events, void *data) {
    struct oav_rig_card *card = object;
    struct spa_hook_list saved;
    spa_hook_list_isolate(&card->listeners, &saved, listener, events, data);
    announce(card, true);
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
        return index < RIG_CARD_PROFILE_COUNT ? rig_card_build_profile(builder, id, (int)index, false) : NULL;
    case SPA_PARAM_Profile:
        return index == 0 ? rig_card_build_profile(builder, id, card->profile, card->save_profile) : NULL;
    case SPA_PARAM_EnumRoute:
        return index < OAV_RIG_ROUTE_COUNT
                   ? rig_card_build_route(builder, id, (int)index, &card->routes[index], card->profile)
                   : NULL;
    case SPA_PARAM_Route: {
        if (index >= RIG_CARD_DEVICE_COUNT)
            return NULL;
        int active = card->active[index];
        *skip = active < 0;
        return *skip ? NULL : rig_card_build_route(builder, id, active, &card->routes[active], card->profile);
    }
    default:
        return NULL;
    }
}

static int enum_params(void *object, int sequence, uint32_t id, uint32_t start, uint32_t max,
                       const struct spa_pod *filter) {
    struct oav_rig_card *card = object;
    struct spa_result_device_params result = {.id = id, .next = start};
    uint32_t count = 0;
    while (count < max) {
        uint8_t storage[4096];
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
        int error = rig_card_parse_profile(parameter, &request);
        if (error)
            return error;
        card->save_profile = request.save;
        set_profile(card, request.profile);
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
    announce(card, false);
    return 0;
}

static const struct spa_device_methods device_methods = {
    SPA_VERSION_DEVICE_METHODS,
    .add_listener = add_listener,
    .sync = sync_device,
    .enum_params = enum_params,
    .set_param = set_param,
};

// ---- Life ----

static void on_device_bound(void *data, uint32_t id) {
    struct oav_rig_card *card = data;
    card->device_id = id;
    if (!card->rig->has_session_manager)  // then nobody else chooses a profile
        set_profile(card, RIG_CARD_PROFILE_ANALOG);
    make_nodes(card);
    announce(card, false);
}

static const struct pw_proxy_events device_events = {
    PW_VERSION_PROXY_EVENTS,
    .bound = on_device_bound,
};

static bool is_ready(void *context) {
    struct oav_rig_card *card = context;
    return card->sink_id != SPA_ID_INVALID && card->microphone && rig_tone_has_ports(card->microphone) &&
           card->active[RIG_CARD_OUTPUT] >= 0 && rig_count_ports(card->rig, card->sink_id, "in") == 2;
}

static void drop_card(struct oav_rig_card *card) {
    drop_nodes(card);
    if (card->proxy) {
        spa_hook_remove(&card->proxy_hook);
        pw_proxy_destroy(card->proxy);
        card->proxy = NULL;
        card->device_id = SPA_ID_INVALID;
    }
}

static void release(struct rig_resource *resource) {
    struct oav_rig_card *card = SPA_CONTAINER_OF(resource, struct oav_rig_card, resource);
    drop_card(card);
    spa_hook_list_clean(&card->listeners);
    pw_properties_free(card->properties);
    rig_shared_destroy(&card->shared);
    free(card->ring);
    free(card);
}

static struct oav_rig_card *make_card(struct oav_rig *rig, const struct oav_rig_card_options *options) {
    struct oav_rig_card *card = calloc(1, sizeof *card);
    card->rig = rig;
    card->device_id = card->sink_id = SPA_ID_INVALID;
    card->active[RIG_CARD_OUTPUT] = card->active[RIG_CARD_INPUT] = -1;
    card->speaker_follows_jack = options->speaker_follows_jack;
    card->moves_route_itself = options->moves_route_itself || !rig->has_session_manager;
    card->ring_length = options->ring_frames;
    card->ring = card->ring_length ? calloc(card->ring_length, sizeof *card->ring) : NULL;
    snprintf(card->sink_name, sizeof card->sink_name, "alsa_output.%s.analog-stereo", options->name);
    snprintf(card->source_name, sizeof card->source_name, "alsa_input.%s.analog-stereo", options->name);

    card->routes[OAV_RIG_ROUTE_SPEAKER] = (struct rig_card_route){
        "analog-output-speaker", "Speaker", "speaker", RIG_CARD_OUTPUT, 100, options->speaker, false, {1, 1}, false};
    card->routes[OAV_RIG_ROUTE_HEADPHONES] = (struct rig_card_route){
        "analog-output-headphones", "Headphones", "headphones", RIG_CARD_OUTPUT, 200, options->headphones, false,
        {1, 1}, false};
    card->routes[OAV_RIG_ROUTE_MICROPHONE] = (struct rig_card_route){
        "analog-input-mic", "Microphone", "mic", RIG_CARD_INPUT, 87, options->microphone, false, {1, 1}, false};

    card->parameters[ENUM_PROFILE] = SPA_PARAM_INFO(SPA_PARAM_EnumProfile, SPA_PARAM_INFO_READ);
    card->parameters[PROFILE] = SPA_PARAM_INFO(SPA_PARAM_Profile, SPA_PARAM_INFO_READWRITE);
    card->parameters[ENUM_ROUTE] = SPA_PARAM_INFO(SPA_PARAM_EnumRoute, SPA_PARAM_INFO_READ);
    card->parameters[ROUTE] = SPA_PARAM_INFO(SPA_PARAM_Route, SPA_PARAM_INFO_READWRITE);
    card->device.iface =
        SPA_INTERFACE_INIT(SPA_TYPE_INTERFACE_Device, SPA_VERSION_DEVICE, &device_methods, card);
    spa_hook_list_init(&card->listeners);

    card->properties = pw_properties_new(
        PW_KEY_DEVICE_DESCRIPTION, "Virtual Card", PW_KEY_DEVICE_NICK, "Virtual", PW_KEY_DEVICE_API, "alsa",
        PW_KEY_MEDIA_CLASS, "Audio/Device", PW_KEY_DEVICE_BUS, "pci", PW_KEY_DEVICE_FORM_FACTOR, "internal",
        "api.alsa.card.name", "Virtual Card", PW_KEY_DEVICE_ICON_NAME, "audio-card-analog-pci", NULL);
    pw_properties_setf(card->properties, PW_KEY_DEVICE_NAME, "alsa_card.%s", options->name);
    rig_shared_init(&card->shared);
    return card;
}

int oav_rig_card_create(struct oav_rig *rig, const struct oav_rig_card_options *options, uint64_t timeout_ns,
                        struct oav_rig_card **result) {
    uint64_t deadline = oav_rig_now() + timeout_ns;
    struct oav_rig_card *card = make_card(rig, options);
    rig_lock(rig);
    rig_keep(rig, &card->resource, release);
    publish(card);
    card->proxy = rig->lost ? NULL
                            : pw_core_export(rig->core, SPA_TYPE_INTERFACE_Device, &card->properties->dict,
                                             &card->device, 0);
    int error = card->proxy ? 0 : -EPIPE;
    if (card->proxy) {
        pw_proxy_add_listener(card->proxy, &card->proxy_hook, &device_events, card);
        error = rig_wait(rig, is_ready, card, timeout_ns);
    }
    rig_unlock(rig);
    uint64_t now = oav_rig_now();
    if (!error)
        error = oav_rig_card_wait_for_frames(card, 1, deadline > now ? deadline - now : 0);
    if (!error)
        *result = card;
    return error;
}

uint64_t oav_rig_card_destroy(struct oav_rig_card *card) {
    rig_lock(card->rig);
    uint64_t time = oav_rig_card_mark(card);
    drop_card(card);
    card->profile = RIG_CARD_PROFILE_OFF;
    card->active[RIG_CARD_OUTPUT] = card->active[RIG_CARD_INPUT] = -1;
    publish(card);
    rig_unlock(card->rig);
    return time;
}

// ---- The test's hand on the card ----

uint64_t oav_rig_card_mark(struct oav_rig_card *card) {
    pthread_mutex_lock(&card->shared.lock);
    struct oav_rig_card_reading *reading = &card->reading;
    uint64_t time = oav_rig_now();
    reading->marked_at = time;
    reading->frames = reading->muted_loud_frames = reading->missed_frames = 0;
    memset(reading->loud_frames, 0, sizeof reading->loud_frames);
    memset(reading->first_loud_at, 0, sizeof reading->first_loud_at);
    memset(reading->last_loud_at, 0, sizeof reading->last_loud_at);
    pthread_mutex_unlock(&card->shared.lock);
    return time;
}

uint64_t oav_rig_card_plug(struct oav_rig_card *card, bool headphones_in) {
    rig_lock(card->rig);
    uint64_t time = oav_rig_card_mark(card);
    set_available(card, OAV_RIG_ROUTE_HEADPHONES, headphones_in ? OAV_RIG_AVAILABLE_YES : OAV_RIG_AVAILABLE_NO);
    if (card->speaker_follows_jack)
        set_available(card, OAV_RIG_ROUTE_SPEAKER, headphones_in ? OAV_RIG_AVAILABLE_NO : OAV_RIG_AVAILABLE_UNKNOWN);
    move_routes_if_own_rule(card);
    announce(card, false);
    rig_unlock(card->rig);
    return time;
}

void oav_rig_card_set_availability(struct oav_rig_card *card, enum oav_rig_route route,
                                   enum oav_rig_availability availability) {
    rig_lock(card->rig);
    set_available(card, route, availability);
    move_routes_if_own_rule(card);
    announce(card, false);
    rig_unlock(card->rig);
}

void oav_rig_card_set_mute(struct oav_rig_card *card, enum oav_rig_route route, bool muted) {
    rig_lock(card->rig);
    card->routes[route].muted = muted;
    apply_to_sink(card, route);
    touch(card, ROUTE);
    announce(card, false);
    rig_unlock(card->rig);
}

void oav_rig_card_read(struct oav_rig_card *card, struct oav_rig_card_reading *reading) {
    pthread_mutex_lock(&card->shared.lock);
    *reading = card->reading;
    pthread_mutex_unlock(&card->shared.lock);
}

int oav_rig_card_wait_for_frames(struct oav_rig_card *card, uint64_t frames, uint64_t timeout_ns) {
    uint64_t deadline = oav_rig_now() + timeout_ns;
    int error = 0;
    pthread_mutex_lock(&card->shared.lock);
    while (!error && card->reading.frames < frames)
        error = rig_shared_wait(&card->shared, deadline);
    pthread_mutex_unlock(&card->shared.lock);
    return error;
}

void oav_rig_card_play_into_microphone(struct oav_rig_card *card, uint64_t frames) {
    rig_lock(card->rig);
    if (card->microphone)
        oav_rig_tone_play(card->microphone, frames);
    rig_unlock(card->rig);
}

uint32_t oav_rig_card_device_id(struct oav_rig_card *card) { return card->device_id; }

#endif
