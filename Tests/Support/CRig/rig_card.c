// A virtual sound card: an SPA device exported by this client, with a profile, speaker, headphones and microphone
// routes, one sink and one source, and a meter that tells what each output route emitted while it was active.
//
// As for a real card, the session manager chooses the profile and moves the route; the card only says what is plugged.
#include "rig_card.h"

#if OAV_RIG_HAS_PIPEWIRE
#include "rig_tone.h"
#include <errno.h>
#include <spa/param/param.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Life ----

static void on_device_bound(void *data, uint32_t id) {
    struct oav_rig_card *card = data;
    card->device_id = id;
    if (!card->rig->has_session_manager)  // then no other program chooses a profile
        rig_card_set_profile(card, OAV_RIG_PROFILE_ON);
    rig_card_make_nodes(card);
    rig_card_announce(card, false);
}

static const struct pw_proxy_events device_events = {
    PW_VERSION_PROXY_EVENTS,
    .bound = on_device_bound,
};

static bool is_ready(void *context) {
    struct oav_rig_card *card = context;
    bool has_microphone = (card->is_headset && !card->has_loopback) || (card->microphone && rig_tone_has_ports(card->microphone));
    return card->sink_id != SPA_ID_INVALID && has_microphone &&
           card->active[RIG_CARD_OUTPUT] >= 0 && rig_count_ports(card->rig, card->sink_id, "in") == 2;
}

static void drop_card(struct oav_rig_card *card) {
    rig_card_drop_nodes(card, false);
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
    card->is_headset = options->is_headset;
    card->has_loopback = options->has_loopback;
    card->lies_about_sizes = options->lies_about_sizes;
    snprintf(card->sink_name, sizeof card->sink_name,
             card->is_headset ? "bluez_output.%s.1" : "alsa_output.%s.analog-stereo", options->name);
    snprintf(card->source_name, sizeof card->source_name,
             card->has_loopback  ? "bluez_input.%s"
             : card->is_headset ? "bluez_input.%s.0"
                                : "alsa_input.%s.analog-stereo", options->name);

    card->routes[OAV_RIG_ROUTE_SPEAKER] = (struct rig_card_route){
        "analog-output-speaker", "Speaker", "speaker", RIG_CARD_OUTPUT, 100, options->speaker, false, {1, 1}, false};
    card->routes[OAV_RIG_ROUTE_HEADPHONES] = (struct rig_card_route){
        "analog-output-headphones", "Headphones", "headphones", RIG_CARD_OUTPUT, 200, options->headphones, false,
        {1, 1}, false};
    card->routes[OAV_RIG_ROUTE_MICROPHONE] = (struct rig_card_route){
        "analog-input-mic", "Microphone", "mic", RIG_CARD_INPUT, 87, options->microphone, false, {1, 1}, false};
    if (card->is_headset) {
        struct rig_card_route *output = &card->routes[OAV_RIG_ROUTE_HEADPHONES];
        struct rig_card_route *input = &card->routes[OAV_RIG_ROUTE_MICROPHONE];
        output->name = "headset-output";
        input->name = "headset-input";
        output->description = input->description = "Headset";
        output->type = input->type = "headset";
    }

    card->parameters[RIG_CARD_ENUM_PROFILE] = SPA_PARAM_INFO(SPA_PARAM_EnumProfile, SPA_PARAM_INFO_READ);
    card->parameters[RIG_CARD_PROFILE] = SPA_PARAM_INFO(SPA_PARAM_Profile, SPA_PARAM_INFO_READWRITE);
    card->parameters[RIG_CARD_ENUM_ROUTE] = SPA_PARAM_INFO(SPA_PARAM_EnumRoute, SPA_PARAM_INFO_READ);
    card->parameters[RIG_CARD_ROUTE] = SPA_PARAM_INFO(SPA_PARAM_Route, SPA_PARAM_INFO_READWRITE);
    card->device.iface =
        SPA_INTERFACE_INIT(SPA_TYPE_INTERFACE_Device, SPA_VERSION_DEVICE, &rig_card_device_methods, card);
    spa_hook_list_init(&card->listeners);

    const char *api = card->is_headset ? "bluez5" : "alsa";
    card->properties = pw_properties_new(
        PW_KEY_DEVICE_DESCRIPTION, "Virtual Card", PW_KEY_DEVICE_NICK, "Virtual", PW_KEY_DEVICE_API, api,
        PW_KEY_MEDIA_CLASS, "Audio/Device", PW_KEY_DEVICE_BUS, card->is_headset ? "bluetooth" : "pci",
        PW_KEY_DEVICE_FORM_FACTOR, card->is_headset ? "headset" : "internal", NULL);
    if (!card->is_headset) {
        pw_properties_set(card->properties, "api.alsa.card.name", "Virtual Card");
        pw_properties_set(card->properties, PW_KEY_DEVICE_ICON_NAME, "audio-card-analog-pci");
    }
    pw_properties_setf(card->properties, PW_KEY_DEVICE_NAME, "%s_card.%s", card->is_headset ? "bluez" : api, options->name);
    rig_shared_init(&card->shared);
    return card;
}

int oav_rig_card_create(struct oav_rig *rig, const struct oav_rig_card_options *options, uint64_t timeout_ns,
                        struct oav_rig_card **result) {
    uint64_t deadline = oav_rig_now() + timeout_ns;
    struct oav_rig_card *card = make_card(rig, options);
    rig_lock(rig);
    rig_keep(rig, &card->resource, release);
    rig_card_publish(card);
    struct pw_core *core = rig_export_core(rig);
    if (core)
        card->proxy = pw_core_export(core, SPA_TYPE_INTERFACE_Device, &card->properties->dict, &card->device, 0);
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
    card->profile = OAV_RIG_PROFILE_OFF;
    card->active[RIG_CARD_OUTPUT] = card->active[RIG_CARD_INPUT] = -1;
    rig_card_publish(card);
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
    rig_card_set_available(card, OAV_RIG_ROUTE_HEADPHONES, headphones_in ? OAV_RIG_AVAILABLE_YES : OAV_RIG_AVAILABLE_NO);
    if (card->speaker_follows_jack)
        rig_card_set_available(card, OAV_RIG_ROUTE_SPEAKER, headphones_in ? OAV_RIG_AVAILABLE_NO : OAV_RIG_AVAILABLE_UNKNOWN);
    rig_card_move_routes_if_own_rule(card);
    rig_card_announce(card, false);
    rig_unlock(card->rig);
    return time;
}

void oav_rig_card_set_availability(struct oav_rig_card *card, enum oav_rig_route route,
                                   enum oav_rig_availability availability) {
    rig_lock(card->rig);
    rig_card_set_available(card, route, availability);
    rig_card_move_routes_if_own_rule(card);
    rig_card_announce(card, false);
    rig_unlock(card->rig);
}

void oav_rig_card_hold_answers(struct oav_rig_card *card, bool holds) {
    atomic_store(&card->will_hold_answers, holds);
    if (holds)
        return;
    pthread_mutex_lock(&card->shared.lock);
    atomic_store(&card->holds_answers, false);
    pthread_cond_broadcast(&card->shared.changed);
    pthread_mutex_unlock(&card->shared.lock);
}

void oav_rig_card_set_mute(struct oav_rig_card *card, enum oav_rig_route route, bool muted) {
    rig_lock(card->rig);
    card->routes[route].muted = muted;
    rig_card_apply_to_sink(card, route);
    rig_card_touch(card, RIG_CARD_ROUTE);
    rig_card_announce(card, false);
    rig_unlock(card->rig);
}

void oav_rig_card_set_profile(struct oav_rig_card *card, enum oav_rig_profile profile) {
    rig_lock(card->rig);
    rig_card_set_profile(card, profile);
    rig_card_announce(card, false);
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
