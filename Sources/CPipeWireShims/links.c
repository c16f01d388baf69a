// Links: made by us, owned by us, never two sinks at once, and never one that nobody asked for.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <stdlib.h>
#include <string.h>

#include <spa/debug/types.h>
#include <spa/param/audio/type-info.h>
#include <spa/utils/string.h>

#define DEFAULT_QUANTUM 1024
// At most two quanta can still reach the speaker when a jack is pulled out: 5.3 ms each.
#define PRIVATE_QUANTUM 256

// --- loop thread ---

static void link_lost(struct oav_link *link, const char *why)
{
    struct oav_pw_stream *stream = link->stream;
    if (stream->host->lost) return;
    oav_stream_silence(stream, link->node_id, link->route_index);
    if (stream->linking && why) oav_say(stream->broken_text, sizeof stream->broken_text, "%s", why);
}

static void on_bound(void *data, uint32_t id)
{
    struct oav_link *link = data;
    (void)id;
    link->bound = true;
    pw_thread_loop_signal(link->stream->host->thread, false);
}

static void on_removed(void *data) { link_lost(data, NULL); }

static void on_error(void *data, int seq, int res, const char *message)
{
    (void)seq, (void)res;
    link_lost(data, message);
}

static const struct pw_proxy_events proxy_events = {
    PW_VERSION_PROXY_EVENTS, .bound = on_bound, .removed = on_removed, .error = on_error};

static void on_info(void *data, const struct pw_link_info *info)
{
    if (info->state == PW_LINK_STATE_ERROR) link_lost(data, info->error);
}

static const struct pw_link_events link_events = {PW_VERSION_LINK_EVENTS, .info = on_info};

// Safe inside a link's own callback: the proxies are destroyed later, by oav_host_bury_links.
void oav_stream_drop_links(struct oav_pw_stream *stream)
{
    struct oav_pw_host *host = stream->host;
    struct oav_link *link;
    spa_list_consume(link, &stream->links, link) {
        spa_hook_remove(&link->proxy_hook);
        spa_hook_remove(&link->link_hook);
        spa_list_remove(&link->link);
        spa_list_append(&host->dead_links, &link->link);
    }
    if (!spa_list_is_empty(&host->dead_links)) {
        pw_loop_signal_event(pw_thread_loop_get_loop(host->thread), host->wake);
    }
}

void oav_host_bury_links(struct oav_pw_host *host)
{
    struct oav_link *link;
    spa_list_consume(link, &host->dead_links, link) {
        spa_list_remove(&link->link);
        pw_proxy_destroy(link->proxy);
        free(link);
    }
}

// --- control thread, with the loop locked ---

struct linking {
    struct oav_pw_stream *stream;
    struct timespec deadline;
    char *text;
    size_t text_size;
};

// Waits for the next fact. False: give up, with the reason in `status`.
static bool wait(struct linking *job, const char *what, enum oav_pw_status *status)
{
    struct oav_pw_stream *stream = job->stream;
    bool in_time = oav_host_wait(stream->host, &job->deadline);
    if (stream->host->lost) {
        *status = OAV_PW_LOST;
    } else if (stream->broken) {
        *status = OAV_PW_REFUSED;
        oav_say(job->text, job->text_size, "%s", stream->broken_text);
    } else if (!in_time) {
        *status = OAV_PW_REFUSED;
        oav_say(job->text, job->text_size, "waited 2 s in vain for %s", what);
    } else {
        return true;
    }
    return false;
}

static bool resolve(struct linking *job, const struct oav_pw_target *wanted, struct oav_target *target)
{
    struct oav_pw_host *host = job->stream->host;
    struct oav_sinkish *node = oav_node_find(host, wanted->node_id);
    if (!node || node->is_source) return false;
    *target = (struct oav_target){
        .node_id = node->id,
        .serial = node->serial,
        .device_id = OAV_PW_NONE,
        .card_device = pw_properties_get_int32(node->props, "card.profile.device", -1),
        .route_index = wanted->route_index,
    };
    if (wanted->route_index < 0) return true;
    target->device_id = pw_properties_get_uint32(node->props, PW_KEY_DEVICE_ID, OAV_PW_NONE);
    struct oav_device *device = oav_device_find(host, target->device_id);
    const struct oav_route *route = device ? oav_device_route(device, wanted->route_index) : NULL;
    return route && route->fact.availability != OAV_PW_AVAILABLE_NO && oav_route_serves(route, target->card_device);
}

// Switches the target's card over, and waits until it has: before that, the sink is still something else.
static bool switch_route(struct linking *job, const struct oav_target *target, enum oav_pw_status *status)
{
    bool asked = false;
    if (target->route_index < 0) return true;
    for (;;) {
        struct oav_device *device = oav_device_find(job->stream->host, target->device_id);
        if (!device) {
            *status = OAV_PW_NO_SUCH_PORT;
            return false;
        }
        if (oav_device_active(device, target->card_device) == target->route_index) return true;
        if (!asked && !oav_device_set_route(device, target->card_device, target->route_index)) {
            *status = OAV_PW_REFUSED;
            oav_say(job->text, job->text_size, "the card's route could not be set");
            return false;
        }
        asked = true;
        if (!wait(job, "the card to switch to the chosen route", status)) return false;
    }
}

static uint32_t position_of(const char *channel, uint32_t index)
{
    uint32_t position = spa_debug_type_find_type_short(spa_type_audio_channel, channel);
    return position == SPA_ID_INVALID ? SPA_AUDIO_CHANNEL_AUX0 + index : position;
}

// The stream takes the sink's own layout, so that nothing is mixed up or down; several sinks have no common room, and
// get numbered channels.
static bool lay_out(struct linking *job, uint32_t *positions, uint32_t *total, enum oav_pw_status *status)
{
    struct oav_pw_stream *stream = job->stream;
    const struct oav_port *ports[OAV_PW_MAX_CHANNELS];
    *total = 0;
    for (uint32_t t = 0; t < stream->target_count; t++) {
        struct oav_target *target = &stream->targets[t];
        // At rest: in the middle of a burst only some of the ports are there.
        while ((target->channel_count = oav_node_ports(
                    stream->host, target->node_id, true, ports, OAV_PW_MAX_CHANNELS)) == 0
            || stream->host->syncing) {
            if (!wait(job, "the sink's ports; is a session manager (wireplumber) running?", status)) return false;
        }
        if (*total + target->channel_count > OAV_PW_MAX_CHANNELS) {
            *status = OAV_PW_REFUSED;
            oav_say(job->text, job->text_size, "the ports have more than %d channels together; link to fewer of them",
                OAV_PW_MAX_CHANNELS);
            return false;
        }
        for (uint32_t c = 0; c < target->channel_count; c++, ++*total) {
            positions[*total] = stream->target_count > 1 ? SPA_AUDIO_CHANNEL_AUX0 + *total
                                                         : position_of(ports[c]->channel, c);
        }
    }
    return true;
}

// A wired jack can be pulled out of a card that then has only its speaker left: keep little in flight there.
static uint32_t wished_quantum(const struct oav_pw_stream *stream)
{
    const struct oav_target *target = &stream->targets[0];
    if (stream->target_count != 1 || target->route_index < 0) return DEFAULT_QUANTUM;
    const struct oav_device *device = oav_device_find(stream->host, target->device_id);
    const struct oav_route *route = device ? oav_device_route(device, target->route_index) : NULL, *other;
    if (!route || (!spa_streq(route->fact.port_type, "headphones") && !spa_streq(route->fact.port_type, "headset"))) {
        return DEFAULT_QUANTUM;
    }
    spa_list_for_each(other, &device->current.routes, link) {
        if (oav_route_is_speaker(other) && oav_route_serves(other, target->card_device)) return PRIVATE_QUANTUM;
    }
    return DEFAULT_QUANTUM;
}

static bool make_link(struct linking *job, const struct oav_target *target, uint32_t from, uint32_t to)
{
    struct oav_pw_stream *stream = job->stream;
    struct oav_link *link = calloc(1, sizeof *link);
    struct pw_properties *properties = pw_properties_new(NULL, NULL);
    if (link && properties) {
        pw_properties_setf(properties, PW_KEY_LINK_OUTPUT_PORT, "%u", from);
        pw_properties_setf(properties, PW_KEY_LINK_INPUT_PORT, "%u", to);
        link->proxy = pw_core_create_object(
            stream->host->core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK, &properties->dict, 0);
    }
    pw_properties_free(properties);
    if (!link || !link->proxy) {
        free(link);
        oav_say(job->text, job->text_size, "a link could not be made");
        return false;
    }
    link->stream = stream;
    link->node_id = target->node_id;
    link->route_index = target->route_index;
    pw_proxy_add_listener(link->proxy, &link->proxy_hook, &proxy_events, link);
    pw_link_add_listener((struct pw_link *)link->proxy, &link->link_hook, &link_events, link);
    spa_list_append(&stream->links, &link->link);
    return true;
}

static bool make_links(struct linking *job, enum oav_pw_status *status)
{
    struct oav_pw_stream *stream = job->stream;
    const struct oav_port *ours[OAV_PW_MAX_CHANNELS], *theirs[OAV_PW_MAX_CHANNELS];
    uint32_t node_id, first = 0;
    *status = OAV_PW_REFUSED;
    while ((node_id = pw_stream_get_node_id(stream->stream)) == SPA_ID_INVALID
        || oav_node_ports(stream->host, node_id, false, ours, OAV_PW_MAX_CHANNELS) != stream->channel_count) {
        if (!wait(job, "the stream's own ports", status)) return false;
    }
    for (uint32_t t = 0; t < stream->target_count; t++) {
        const struct oav_target *target = &stream->targets[t];
        uint32_t count = oav_node_ports(stream->host, target->node_id, true, theirs, OAV_PW_MAX_CHANNELS);
        if (count != target->channel_count) {
            oav_say(job->text, job->text_size, "the sink changed its channels meanwhile; link again");
            return false;
        }
        for (uint32_t c = 0; c < count; c++) {
            if (!make_link(job, target, ours[first + c]->id, theirs[c]->id)) return false;
        }
        first += count;
    }
    for (;;) {
        const struct oav_link *link;
        bool all = true;
        spa_list_for_each(link, &stream->links, link) all &= link->bound;
        if (all) return true;
        if (!wait(job, "the server to make the links", status)) return false;
    }
}

static bool same_layout(const struct oav_pw_stream *stream, const uint32_t *positions, uint32_t count)
{
    return stream->stream && stream->channel_count == count
        && memcmp(stream->positions, positions, count * sizeof *positions) == 0;
}

static enum oav_pw_status link_up(struct linking *job, const struct oav_pw_target *wanted, uint32_t count)
{
    struct oav_pw_stream *stream = job->stream;
    enum oav_pw_status status = OAV_PW_OK;
    uint32_t positions[OAV_PW_MAX_CHANNELS], total;
    for (uint32_t t = 0; t < count; t++) {
        if (!resolve(job, &wanted[t], &stream->targets[t])) return OAV_PW_NO_SUCH_PORT;
    }
    stream->target_count = count;  // from here on a loss is noticed
    for (uint32_t t = 0; t < count; t++) {
        if (!switch_route(job, &stream->targets[t], &status)) return status;
    }
    if (!lay_out(job, positions, &total, &status)) return status;
    oav_stream_set_latency(stream, wished_quantum(stream));
    if (!same_layout(stream, positions, total)) {
        memcpy(stream->positions, positions, total * sizeof *positions);
        stream->channel_count = total;
        if (!oav_stream_make(stream, job->text, job->text_size)) return OAV_PW_REFUSED;
    }
    return make_links(job, &status) ? OAV_PW_OK : status;
}

static bool targets_are_there(struct oav_pw_stream *stream)
{
    for (uint32_t t = 0; t < stream->target_count; t++) {
        const struct oav_target *target = &stream->targets[t];
        const struct oav_sinkish *node = oav_node_find(stream->host, target->node_id);
        if (!node || node->serial != target->serial) return false;  // ids are used again, serials never
        if (target->route_index < 0) continue;
        const struct oav_device *device = oav_device_find(stream->host, target->device_id);
        const struct oav_route *route = device ? oav_device_route(device, target->route_index) : NULL;
        if (!route || route->fact.availability == OAV_PW_AVAILABLE_NO) return false;
    }
    return true;
}

enum oav_pw_status oav_pw_stream_link(
    struct oav_pw_stream *stream, const struct oav_pw_target *targets, uint32_t count, char *text, size_t text_size)
{
    struct oav_pw_host *host = stream->host;
    struct linking job = {.stream = stream, .text = text, .text_size = text_size};
    if (count == 0 || count > OAV_PW_MAX_TARGETS) {
        oav_say(text, text_size, "%u ports were given; a stream links to 1 to %d", count, OAV_PW_MAX_TARGETS);
        return OAV_PW_REFUSED;
    }
    if (pw_thread_loop_in_thread(host->thread)) {
        oav_say(text, text_size, "link was called while an event was being delivered; call it from another thread");
        return OAV_PW_REFUSED;
    }
    pw_thread_loop_lock(host->thread);
    enum oav_pw_status status = OAV_PW_LOST;
    if (!host->lost) {
        // First off the old sink, then onto the new: the server does both in this order.
        oav_stream_unlink_locked(stream);
        pw_thread_loop_get_time(host->thread, &job.deadline, 2 * SPA_NSEC_PER_SEC);
        // A stream that failed has a node no more; its layout is made anew below.
        if (stream->broken && stream->stream && !oav_stream_make(stream, text, text_size)) {
            pw_thread_loop_unlock(host->thread);
            return OAV_PW_REFUSED;
        }
        stream->broken = false;
        stream->linking = true;
        status = link_up(&job, targets, count);
        stream->linking = false;
        if (!targets_are_there(stream)) status = OAV_PW_NO_SUCH_PORT;
        if (host->lost) status = OAV_PW_LOST;
    }
    if (status == OAV_PW_OK) {
        atomic_store(&stream->approved_clock, OAV_PW_NONE);
        atomic_store(&stream->gate_open, true);
        if (stream->wants_active) pw_stream_set_active(stream->stream, true);
    } else if (!host->lost) {
        oav_stream_unlink_locked(stream);
    }
    pw_thread_loop_unlock(host->thread);
    return status;
}
#endif
