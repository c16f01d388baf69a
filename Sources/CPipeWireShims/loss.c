// The first answer when a device goes away, in the loop callback that learns of it:
//   1. the gate closes, so that the data thread writes zeros from now on, or hands over nothing that it captures,
//   2. the stream is paused,
//   3. only then is the event sent.
// Measured with 1 and 2 done 10 ms later, by an asynchronous hop: 1024 frames on the speaker in every second run.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <spa/utils/string.h>

void oav_stream_lose(struct oav_pw_stream *stream, uint32_t target, enum oav_loss cause, const char *why)
{
    struct oav_pw_host *host = stream->host;
    atomic_store(&stream->gate_open, false);
    if (stream->stream) pw_stream_set_active(stream->stream, false);
    if (stream->target_count == 0) return;
    // All links go, also those to other sinks: what the rest of a multi-route may still play is the session's decision.
    oav_stream_drop_links(stream);
    bool may_return = stream->stage != OAV_LINK_IDLE || host->manager_starts;
    if (may_return && cause != OAV_LOSS_NODE && cause != OAV_LOSS_ROUTE) {
        // The device stays: its ports may be on their way, or a session manager makes them again. So are the links.
        oav_say(stream->trouble, sizeof stream->trouble, "%s", why);
        oav_stream_restart_link(stream);
        return;
    }
    stream->stage = OAV_LINK_IDLE;
    stream->target_count = 0;
    oav_stream_forget_rate(stream);
    if (cause == OAV_LOSS_NODE) return;  // `node_removed` says it, at once
    if (cause == OAV_LOSS_LINK) {
        host->events.stream_cut(host->events.context, stream->tag, target);
    } else {
        host->events.stream_lost(host->events.context, stream->tag, target);
    }
    oav_host_mark_dirty(host);
}

void oav_streams_route_unavailable(struct oav_device *device, const struct oav_pw_route *route)
{
    struct oav_pw_stream *stream;
    const struct oav_route *known = oav_device_route(device, route->index);
    // A speaker that becomes unavailable makes way for something plugged in: the `routes` event decides.
    if (!known || spa_streq(known->fact.port_type, "speaker")) return;
    spa_list_for_each(stream, &device->host->streams, link) {
        for (uint32_t i = 0; i < stream->target_count; i++) {
            const struct oav_target *target = &stream->targets[i];
            if (target->device_id != device->id || target->route_index != route->index) continue;
            oav_stream_lose(stream, i, OAV_LOSS_ROUTE, "the route became unavailable");
            break;
        }
    }
}

static bool is_doubted(const struct oav_pw_stream *stream)
{
    for (uint32_t i = 0; i < stream->target_count; i++) {
        const struct oav_target *target = &stream->targets[i];
        const struct oav_device *device = oav_device_find(stream->host, target->device_id);
        const struct oav_route *route = device && device->doubted ? oav_device_route(device, target->route_index) : NULL;
        // What plays on the speaker needs no protection.
        if (route && !stream->is_input && !spa_streq(route->fact.port_type, "speaker")) return true;
    }
    return false;
}

void oav_streams_doubt(struct oav_pw_host *host)
{
    struct oav_pw_stream *stream;
    spa_list_for_each(stream, &host->streams, link) atomic_store(&stream->doubted, is_doubted(stream));
}

void oav_pw_stream_lose_route(struct oav_pw_stream *stream, uint32_t target)
{
    oav_stream_lose(stream, target, OAV_LOSS_ROUTE, "the route became unavailable");
}

void oav_pw_stream_follow_route(struct oav_pw_stream *stream, uint32_t target, int32_t route_index)
{
    if (target < stream->target_count) stream->targets[target].route_index = route_index;
}

void oav_pw_stream_close_gate(struct oav_pw_stream *stream)
{
    atomic_store(&stream->gate_open, false);
    oav_stream_forget_rate(stream);
}

// The data thread's questions.
void oav_streams_wake(struct oav_pw_host *host)
{
    struct oav_pw_stream *stream;
    spa_list_for_each(stream, &host->streams, link) {
        uint32_t wants = atomic_exchange(&stream->wants, 0);
        if (wants & OAV_STREAM_WANTS_RATE) oav_stream_report_rate(stream);
        if (!(wants & OAV_STREAM_WANTS_RECHECK) || stream->rechecking) continue;
        // A round trip: the event of a loss that made the driver change has come by then.
        stream->rechecking = true;
        stream->recheck_seq = pw_core_sync(host->core, PW_ID_CORE, 0);
    }
}

void oav_streams_sync_done(struct oav_pw_host *host, int seq)
{
    struct oav_pw_stream *stream;
    spa_list_for_each(stream, &host->streams, link) {
        if (!stream->rechecking || stream->recheck_seq != seq) continue;
        stream->rechecking = false;
        if (stream->target_count > 0) atomic_store(&stream->approved_clock, OAV_PW_NONE);
    }
}

void oav_streams_lost(struct oav_pw_host *host)
{
    struct oav_pw_stream *stream;
    spa_list_for_each(stream, &host->streams, link) {
        atomic_store(&stream->gate_open, false);
        // For good: whoever is told of the loss may free what the renderer uses.
        atomic_store(&stream->running, false);
        oav_stream_quiesce(stream);
        oav_stream_drop_links(stream);
        stream->stage = OAV_LINK_IDLE;
        stream->target_count = 0;
        stream->broken = true;
    }
}
#endif
