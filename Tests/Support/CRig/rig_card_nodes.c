// The virtual card's sink and source, and the account of what each output route emitted while it was active.
#include "rig_card.h"

#if OAV_RIG_HAS_PIPEWIRE
#include "rig_tone.h"
#include <spa/param/props.h>
#include <stdio.h>

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

// ---- Nodes ----

static void on_sink_bound(void *data, uint32_t id) {
    struct oav_rig_card *card = data;
    static const char *const stereo[] = {"FL", "FR"}, *const mono[] = {"MONO"};
    bool is_mono = card->profile == OAV_RIG_PROFILE_HFP;
    card->sink_id = id;
    if (!card->tap.filter)
        rig_tap_start(&card->tap, card->rig, card->rig->export_core, card->sink_name, is_mono ? mono : stereo,
                      is_mono ? 1 : 2, on_cycle, card);
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
    if (card->is_headset) {
        bool is_mono = card->profile == OAV_RIG_PROFILE_HFP;
        pw_properties_set(properties, PW_KEY_DEVICE_API, "bluez5");
        pw_properties_set(properties, PW_KEY_DEVICE_BUS, "bluetooth");
        pw_properties_set(properties, "api.bluez5.profile", is_mono ? "headset-head-unit" : "a2dp-sink");
        pw_properties_set(properties, "device.profile.name", NULL);
        pw_properties_set(properties, PW_KEY_PRIORITY_SESSION, "3010");
        if (is_mono) {
            pw_properties_set(properties, "audio.position", "MONO");
            pw_properties_set(properties, PW_KEY_AUDIO_CHANNELS, "1");
        }
    }
    pw_properties_set(properties, PW_KEY_NODE_NAME, card->sink_name);
    pw_properties_setf(properties, PW_KEY_DEVICE_ID, "%u", card->device_id);
    card->sink = pw_core_create_object(card->rig->export_core, "adapter", PW_TYPE_INTERFACE_Node,
                                       PW_VERSION_NODE, &properties->dict, 0);
    if (card->sink) {
        pw_proxy_add_listener(card->sink, &card->sink_hook, &sink_events, card);
        if (!card->rig->has_session_manager)
            rig_make_sink_ports(card->sink, properties);
    }
    pw_properties_free(properties);
}

static void make_microphone(struct oav_rig_card *card) {
    static const char *const stereo[] = {"FL", "FR"}, *const mono[] = {"MONO"};
    bool is_headset = card->is_headset;
    char device_id[16];
    snprintf(device_id, sizeof device_id, "%u", card->device_id);
    // Source: WirePlumber 0.5.15, monitors/bluez/create-loopback-node.lua.
    const struct oav_rig_property loopback[] = {
        {PW_KEY_NODE_NAME, card->source_name},
        {PW_KEY_NODE_DESCRIPTION, "Virtual Card Microphone"},
        {PW_KEY_NODE_VIRTUAL, "false"},
        {"node.link-group", "loopback-of-a-headset"},
        {PW_KEY_DEVICE_ID, device_id},
        {"card.profile.device", "1"},
        {"device.routes", "1"},
        {PW_KEY_PRIORITY_SESSION, "4010"},  // above the monitor of the headset's sink
        {PW_KEY_PRIORITY_DRIVER, "2010"},
        {"bluez5.loopback", "true"},
    };
    const struct oav_rig_property properties[] = {
        {PW_KEY_NODE_NAME, card->source_name}, {PW_KEY_NODE_DESCRIPTION, "Virtual Card Microphone"},
        {PW_KEY_NODE_NICK, "Virtual"},         {PW_KEY_DEVICE_API, is_headset ? "bluez5" : "alsa"},
        {PW_KEY_DEVICE_CLASS, "sound"},        {PW_KEY_DEVICE_BUS, is_headset ? "bluetooth" : "pci"},
        {PW_KEY_DEVICE_ID, device_id},         {"card.profile.device", "1"},
        {"device.routes", "1"},                {PW_KEY_PRIORITY_SESSION, "2009"},
        {PW_KEY_PRIORITY_DRIVER, "2009"},      {"api.bluez5.profile", "headset-head-unit"},
    };
    const struct oav_rig_tone_options options = {
        .routing = OAV_RIG_TONE_SOURCE,
        .channels = is_headset ? mono : stereo,
        .channel_count = is_headset ? 1 : 2,
        .rate = 48000,
        .frequency = 1000,
        .amplitude = 0.5f,
        .properties = card->has_loopback ? loopback : properties,
        // The last one is a headset's.
        .property_count = card->has_loopback ? SPA_N_ELEMENTS(loopback) : SPA_N_ELEMENTS(properties) - !is_headset,
    };
    rig_tone_start(card->rig, card->rig->export_core, &options, &card->microphone);
}

void rig_card_make_nodes(struct oav_rig_card *card) {
    if (card->device_id == SPA_ID_INVALID || card->profile == OAV_RIG_PROFILE_OFF)
        return;
    if (!card->sink)
        make_sink(card);
    if (!card->microphone && (card->has_loopback || rig_card_has_device(card, card->profile, RIG_CARD_INPUT)))
        make_microphone(card);
}

void rig_card_drop_nodes(struct oav_rig_card *card, bool keeps_loopback) {
    if (card->sink) {
        spa_hook_remove(&card->sink_hook);
        pw_proxy_destroy(card->sink);
        card->sink = NULL;
        card->sink_id = SPA_ID_INVALID;
    }
    if (card->microphone && !keeps_loopback) {
        rig_tone_free(card->microphone);
        card->microphone = NULL;
    }
    rig_tap_stop(&card->tap);  // last: it must not disturb what others see of the sink's end
}

void rig_card_apply_to_sink(struct oav_rig_card *card, int index) {
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

#endif
