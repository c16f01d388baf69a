// A stream that others stop although its sink stays: somebody's policy, a session manager's for calls, say.
//
// Taken off its sink, it is silent as fast as by any other loss; only what is told of it waits until the burst has
// settled, for a removed link is also the first sign of a removed sink.
// Told to pause, it is silent already; what is told waits for PAUSE_MS, for a graph that changes its rate or its driver
// pauses its nodes too (measured: 1.4 to 2.1 ms; hardware that is opened anew takes longer). Its links stay, so that what
// was no policy after all runs again by itself, and is told as released.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <spa/utils/string.h>

#define PAUSE_MS 100

uint32_t oav_stream_watched(const struct oav_pw_stream *stream)
{
    return stream->hold == OAV_HOLD_SUSPECTED ? stream->suspected_count : stream->target_count;
}

void oav_stream_link_removed(struct oav_pw_stream *stream, const struct oav_link *link)
{
    struct oav_pw_host *host = stream->host;
    bool ends_are_there = oav_port_is_there(host, link->from_port) && oav_port_is_there(host, link->to_port);
    if (stream->linking || stream->target_count == 0 || !ends_are_there) {
        oav_stream_silence(stream, link->target, "the server removed the link");
        return;
    }
    atomic_store(&stream->gate_open, false);
    pw_stream_set_active(stream->stream, false);
    stream->paused_at_ns = 0;
    if (stream->hold == OAV_HOLD_HELD) {  // paused before, and told so
        oav_stream_drop_links(stream);
        stream->target_count = 0;
        return;
    }
    stream->suspect = link->target;
    stream->suspected_count = stream->target_count;
    stream->hold = OAV_HOLD_SUSPECTED;
    oav_stream_drop_links(stream);
    stream->target_count = 0;
    oav_stream_forget_rate(stream);
    oav_host_touch(host);
}

// Also a port that another takes the place of: a link was lost with it, not taken away.
void oav_streams_port_gone(struct oav_pw_host *host, uint32_t node_id)
{
    struct oav_pw_stream *stream;
    spa_list_for_each(stream, &host->streams, link) {
        if (stream->hold != OAV_HOLD_SUSPECTED) continue;
        bool is_ours = pw_stream_get_node_id(stream->stream) == node_id;
        for (uint32_t i = 0; i < stream->suspected_count; i++) {
            if (!is_ours && stream->targets[i].node_id != node_id) continue;
            oav_stream_silence(stream, is_ours ? stream->suspect : i, "the server removed a port");
            break;
        }
    }
}

static bool routes_are_active(const struct oav_pw_stream *stream)
{
    for (uint32_t i = 0; i < stream->suspected_count; i++) {
        const struct oav_target *target = &stream->targets[i];
        if (target->route_index < 0) continue;
        const struct oav_device *device = oav_device_find(stream->host, target->device_id);
        if (!device || oav_device_active(device, target->card_device) != target->route_index) return false;
    }
    return true;
}

void oav_streams_settled(struct oav_pw_host *host)
{
    struct oav_pw_stream *stream;
    spa_list_for_each(stream, &host->streams, link) {
        if (stream->hold != OAV_HOLD_SUSPECTED) continue;
        if (oav_stream_targets_are_there(stream, stream->suspected_count) && routes_are_active(stream)) {
            stream->hold = OAV_HOLD_HELD;
            host->events.stream_held(host->events.context, stream->tag);
        } else {
            oav_stream_silence(stream, stream->suspect, "the server removed the link");
        }
    }
}

static void release(struct oav_pw_stream *stream)
{
    struct oav_pw_host *host = stream->host;
    stream->hold = OAV_HOLD_RELEASED;
    host->events.stream_released(host->events.context, stream->tag);
}

static void arm_pause(struct oav_pw_host *host)
{
    struct timespec delay = {0, PAUSE_MS * SPA_NSEC_PER_MSEC};
    pw_loop_update_timer(pw_thread_loop_get_loop(host->thread), host->pause, &delay, NULL, false);
}

void oav_stream_state_changed(
    struct oav_pw_stream *stream, enum pw_stream_state old, enum pw_stream_state state)
{
    if (state == PW_STREAM_STATE_STREAMING) {
        stream->paused_at_ns = 0;
        if (stream->hold == OAV_HOLD_HELD) release(stream);
    } else if (old == PW_STREAM_STATE_STREAMING && state == PW_STREAM_STATE_PAUSED) {
        // Ours close the gate or take back the wish before they pause.
        bool is_ours = !stream->wants_active || !atomic_load(&stream->gate_open);
        if (is_ours || stream->linking || stream->target_count == 0) return;
        stream->paused_at_ns = oav_now_ns();
        arm_pause(stream->host);
    }
}

void oav_streams_pause_over(void *data, uint64_t expirations)
{
    struct oav_pw_host *host = data;
    struct oav_pw_stream *stream;
    bool is_waiting = false;
    (void)expirations;
    if (host->lost) return;
    uint64_t now = oav_now_ns();
    spa_list_for_each(stream, &host->streams, link) {
        if (stream->paused_at_ns == 0) continue;
        // One pause arms the timer anew for all of them.
        if (now - stream->paused_at_ns < (PAUSE_MS - 1) * SPA_NSEC_PER_MSEC) {
            is_waiting = true;
            continue;
        }
        stream->paused_at_ns = 0;
        atomic_store(&stream->gate_open, false);
        stream->hold = OAV_HOLD_HELD;
        oav_stream_forget_rate(stream);
        host->events.stream_held(host->events.context, stream->tag);
    }
    if (is_waiting) arm_pause(host);
}

void oav_streams_rested(struct oav_pw_host *host)
{
    struct oav_pw_stream *stream;
    spa_list_for_each(stream, &host->streams, link) {
        if (stream->hold == OAV_HOLD_RELEASED && stream->target_count > 0) stream->hold = OAV_HOLD_NONE;
    }
}

// Links between our output stream and anything but a sink are a recorder's, and no policy's; those from anything but a
// source to our input stream are likewise not of what held it. Ours are known by the maker that the server names.
void oav_streams_link_seen(struct oav_pw_host *host, uint32_t id, const struct spa_dict *props)
{
    struct oav_pw_stream *stream;
    uint32_t from = OAV_PW_NONE, to = OAV_PW_NONE, maker = OAV_PW_NONE;
    spa_atou32(spa_dict_lookup(props, PW_KEY_LINK_OUTPUT_NODE), &from, 0);
    spa_atou32(spa_dict_lookup(props, PW_KEY_LINK_INPUT_NODE), &to, 0);
    spa_atou32(spa_dict_lookup(props, PW_KEY_CLIENT_ID), &maker, 0);
    if (maker == oav_own_client_id(host)) return;
    spa_list_for_each(stream, &host->streams, link) {
        bool is_held = stream->hold == OAV_HOLD_HELD;
        if (!is_held && stream->hold != OAV_HOLD_RELEASED) continue;
        uint32_t ours = stream->is_input ? to : from, theirs = stream->is_input ? from : to;
        if (!stream->stream || pw_stream_get_node_id(stream->stream) != ours) continue;
        const struct oav_sinkish *node = oav_node_find(host, theirs);
        if (!node || node->is_source != stream->is_input) continue;
        // Not approved by the session: it hears of the release, and links to the sink that it finds right.
        pw_registry_destroy(host->registry, id);
        if (is_held) release(stream);
    }
}
#endif
