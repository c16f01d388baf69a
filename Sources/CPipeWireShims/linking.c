// Linking a stream to sinks, or an input stream to sources: never to two at once that were not asked for together, and never without being asked.
// Control threads, with the loop locked; they wait for the server, 2 s at most.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <string.h>

#include <spa/debug/types.h>
#include <spa/param/audio/type-info.h>
#include <spa/utils/string.h>

#define DEFAULT_QUANTUM 1024
#define MIN_QUANTUM 16.0
#define MAX_QUANTUM 8192.0
// At most two quanta can still reach the speaker when a jack is pulled out: 5.3 ms each.
#define PRIVATE_QUANTUM 256

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
    } else if (stream->broken || stream->cut) {
        *status = OAV_PW_REFUSED;
        oav_say(job->text, job->text_size, "%s", stream->trouble);
    } else if (!in_time) {
        *status = OAV_PW_REFUSED;
        oav_say(job->text, job->text_size, "waited 2 s in vain for %s%s%s", what, stream->trouble[0] ? "; before, " : "",
            stream->trouble);
    } else {
        return true;
    }
    return false;
}

static bool resolve(struct linking *job, const struct oav_pw_target *wanted, struct oav_target *target)
{
    struct oav_pw_host *host = job->stream->host;
    struct oav_sinkish *node = oav_node_find(host, wanted->node_id);
    // Ids are used again, serials never: without them the music could go to whatever sink has come meanwhile.
    // A sink is no source: its monitor is what other programs play.
    if (!node || node->is_source != job->stream->is_input || node->serial != wanted->serial) return false;
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

// The stream takes the device's own layout, so that nothing is mixed up or down; several devices have no common room,
// and get numbered channels.
static bool lay_out(struct linking *job, uint32_t *positions, uint32_t *total, enum oav_pw_status *status)
{
    struct oav_pw_stream *stream = job->stream;
    const struct oav_port *ports[OAV_PW_MAX_CHANNELS];
    *total = 0;
    for (uint32_t t = 0; t < stream->target_count; t++) {
        struct oav_target *target = &stream->targets[t];
        // At rest: in the middle of a burst only some of the ports are there.
        while ((target->channel_count = oav_node_ports(
                    stream->host, target->node_id, !stream->is_input, ports, OAV_PW_MAX_CHANNELS)) == 0
            || stream->host->syncing) {
            if (!wait(job, "the device's ports; is a session manager (wireplumber) running?", status)) return false;
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
static bool has_jack_before_speaker(const struct oav_pw_stream *stream, const struct oav_target *target)
{
    if (stream->is_input || target->route_index < 0) return false;
    const struct oav_device *device = oav_device_find(stream->host, target->device_id);
    const struct oav_route *route = device ? oav_device_route(device, target->route_index) : NULL, *other;
    if (!route || (!spa_streq(route->fact.port_type, "headphones") && !spa_streq(route->fact.port_type, "headset"))) {
        return false;
    }
    spa_list_for_each(other, &device->current.routes, link) {
        if (oav_route_is_speaker(other) && oav_route_serves(other, target->card_device)) return true;
    }
    return false;
}

// One such jack among several sinks is enough: all run at the shortest quantum that any stream asks for.
static uint32_t wished_quantum(const struct oav_pw_stream *stream)
{
    uint32_t preferred = stream->preferred_quantum ? stream->preferred_quantum : DEFAULT_QUANTUM;
    for (uint32_t t = 0; t < stream->target_count; t++) {
        if (has_jack_before_speaker(stream, &stream->targets[t])) return SPA_MIN(preferred, PRIVATE_QUANTUM);
    }
    return preferred;
}

void oav_pw_stream_prefer_cycle(struct oav_pw_stream *stream, double seconds)
{
    double frames = seconds * 48000 + 0.5;
    pw_thread_loop_lock(stream->host->thread);
    stream->preferred_quantum = seconds > 0 ? (uint32_t)SPA_CLAMP(frames, MIN_QUANTUM, MAX_QUANTUM) : 0;
    if (!stream->host->lost) oav_stream_set_latency(stream, wished_quantum(stream));
    pw_thread_loop_unlock(stream->host->thread);
}

static bool make_links(struct linking *job, enum oav_pw_status *status)
{
    struct oav_pw_stream *stream = job->stream;
    const struct oav_port *ours[OAV_PW_MAX_CHANNELS], *theirs[OAV_PW_MAX_CHANNELS];
    uint32_t node_id, first = 0;
    while ((node_id = pw_stream_get_node_id(stream->stream)) == SPA_ID_INVALID
        || oav_node_ports(stream->host, node_id, stream->is_input, ours, OAV_PW_MAX_CHANNELS)
            != stream->channel_count) {
        if (!wait(job, "the stream's own ports", status)) return false;
    }
    *status = OAV_PW_REFUSED;
    for (uint32_t t = 0; t < stream->target_count; t++) {
        const struct oav_target *target = &stream->targets[t];
        uint32_t count = oav_node_ports(
            stream->host, target->node_id, !stream->is_input, theirs, OAV_PW_MAX_CHANNELS);
        if (count != target->channel_count) {
            oav_stream_silence(stream, t, "the device changed its channels meanwhile");
            return false;
        }
        for (uint32_t c = 0; c < count; c++) {
            if (!oav_stream_add_link(stream, t, ours[first + c]->id, theirs[c]->id)) {
                oav_say(job->text, job->text_size, "a link could not be made");
                return false;
            }
        }
        first += count;
    }
    while (!oav_stream_links_are_bound(stream)) {
        if (!wait(job, "the server to make the links", status)) return false;
    }
    *status = OAV_PW_OK;
    return true;
}

static bool same_layout(const struct oav_pw_stream *stream, const uint32_t *positions, uint32_t count)
{
    return stream->stream && stream->channel_count == count
        && memcmp(stream->positions, positions, count * sizeof *positions) == 0;
}

static enum oav_pw_status link_once(struct linking *job, const struct oav_pw_target *wanted, uint32_t count)
{
    struct oav_pw_stream *stream = job->stream;
    enum oav_pw_status status = OAV_PW_OK;
    uint32_t positions[OAV_PW_MAX_CHANNELS], total;
    stream->target_count = 0;
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
    make_links(job, &status);
    return status;
}

bool oav_stream_targets_are_there(const struct oav_pw_stream *stream, uint32_t count)
{
    for (uint32_t t = 0; t < count; t++) {
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

// A link can be cut although its sink stays: while a session manager sets up the ports of a new sink, say. Then again,
// until the deadline.
static enum oav_pw_status link_up(struct linking *job, const struct oav_pw_target *wanted, uint32_t count)
{
    struct oav_pw_stream *stream = job->stream;
    for (;;) {
        stream->cut = false;
        enum oav_pw_status status = link_once(job, wanted, count);
        if (stream->host->lost) return OAV_PW_LOST;
        if (!oav_stream_targets_are_there(stream, stream->target_count)) return OAV_PW_NO_SUCH_PORT;
        if (stream->broken) {
            oav_say(job->text, job->text_size, "%s", stream->trouble);
            return OAV_PW_REFUSED;
        }
        if (!stream->cut) return status;
        oav_stream_drop_links(stream);
        oav_host_bury_links(stream->host);
        // The next attempt lays out once the burst that starts here is over.
        oav_host_touch(stream->host);
    }
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
    if (!host->lost && host->factory_id == OAV_PW_NONE) {
        status = OAV_PW_REFUSED;
        oav_say(text, text_size, "the server lets this program make no links, as in a sandbox; run it outside");
    } else if (!host->lost) {
        // First off the old device, then onto the new: the server does both in this order.
        oav_stream_unlink_locked(stream);
        pw_thread_loop_get_time(host->thread, &job.deadline, 2 * SPA_NSEC_PER_SEC);
        stream->linking = true;
        if (stream->hold != OAV_HOLD_RELEASED) stream->hold = OAV_HOLD_NONE;
        stream->trouble[0] = '\0';
        // A stream that failed has a node no more.
        bool is_made = !stream->broken || oav_stream_make(stream, text, text_size);
        status = is_made ? link_up(&job, targets, count) : OAV_PW_REFUSED;
        stream->linking = false;
    }
    if (status == OAV_PW_OK) {
        atomic_store(&stream->approved_clock, OAV_PW_NONE);
        atomic_store(&stream->seen_rate, 0);  // the last cycle on the old sink may have told its rate after all
        atomic_store(&stream->gate_open, true);
        if (stream->wants_active) pw_stream_set_active(stream->stream, true);
    } else if (!host->lost) {
        oav_stream_unlink_locked(stream);
    }
    pw_thread_loop_unlock(host->thread);
    return status;
}
#endif
