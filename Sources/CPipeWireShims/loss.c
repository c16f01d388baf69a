// The first answer when a device goes away, on the loop thread, in the callback that learns of it:
//   1. the gate closes, so that the data thread writes zeros from now on, or hands over nothing that it captures,
//   2. the stream is paused,
//   3. only then is anybody told.
// Measured with 1 and 2 done 10 ms later, by an asynchronous hop: 1024 frames on the speaker in every second run.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE

void oav_stream_silence(struct oav_pw_stream *stream, uint32_t target, const char *why)
{
    struct oav_pw_host *host = stream->host;
    atomic_store(&stream->gate_open, false);
    if (stream->stream) pw_stream_set_active(stream->stream, false);
    if (stream->linking) {
        oav_say(stream->trouble, sizeof stream->trouble, "%s", why);
        stream->cut = true;
        pw_thread_loop_signal(host->thread, false);
        return;
    }
    if (oav_stream_watched(stream) == 0) return;
    // All links go, also those to other sinks: what the rest of a multi-route may still play is the session's decision.
    oav_stream_drop_links(stream);
    stream->target_count = 0;
    stream->hold = OAV_HOLD_NONE;
    stream->paused_at_ns = 0;
    host->events.stream_silenced(host->events.context, stream->tag, target);
    oav_stream_forget_rate(stream);
    // What was told is followed by the state without the port, or, where only the link failed, by the same state.
    oav_host_touch(host);
}

void oav_streams_node_gone(struct oav_pw_host *host, uint32_t node_id)
{
    struct oav_pw_stream *stream;
    spa_list_for_each(stream, &host->streams, link) {
        for (uint32_t i = 0; i < oav_stream_watched(stream); i++) {
            if (stream->targets[i].node_id != node_id) continue;
            oav_stream_silence(stream, i, stream->is_input ? "the source went away" : "the sink went away");
            break;
        }
    }
}

void oav_streams_route_unavailable(struct oav_device *device, const struct oav_pw_route *route)
{
    struct oav_pw_stream *stream;
    const struct oav_route *known = oav_device_route(device, route->index);
    // A speaker that becomes unavailable makes way for something plugged in; that is judged when all routes are known.
    if (!known || oav_route_is_speaker(known)) return;
    spa_list_for_each(stream, &device->host->streams, link) {
        for (uint32_t i = 0; i < oav_stream_watched(stream); i++) {
            const struct oav_target *target = &stream->targets[i];
            if (target->device_id != device->id || target->route_index != route->index) continue;
            oav_stream_silence(stream, i, "the route became unavailable");
            break;
        }
    }
}

static bool is_available(const struct oav_route *route)
{
    return route && route->fact.availability != OAV_PW_AVAILABLE_NO;
}

static int32_t best_route(const struct oav_device *device, int32_t card_device)
{
    const struct oav_route *route, *best = NULL;
    spa_list_for_each(route, &device->current.routes, link) {
        if (route->fact.is_input || !is_available(route) || !oav_route_serves(route, card_device)) continue;
        if (!best || route->fact.availability > best->fact.availability
            || (route->fact.availability == best->fact.availability && route->fact.priority > best->fact.priority)) {
            best = route;
        }
    }
    return best ? best->fact.index : -1;
}

// The route this target follows to without harm, or -1 when it is lost.
static int32_t followed_route(const struct oav_device *device, const struct oav_target *target)
{
    const struct oav_route *route = oav_device_route(device, target->route_index);
    int32_t active = oav_device_active(device, target->card_device);
    bool active_is_available = is_available(oav_device_route(device, active));
    if (is_available(route)) {
        // Somebody chose another of the sink's routes, in a mixer or by plugging something in; nothing is lost.
        return active_is_available ? active : target->route_index;
    }
    if (!route || !oav_route_is_speaker(route)) return -1;
    // Headphones plugged in: many cards call the speaker unavailable while they are.
    return active_is_available ? active : best_route(device, target->card_device);
}

void oav_streams_routes_changed(struct oav_device *device)
{
    struct oav_pw_stream *stream;
    spa_list_for_each(stream, &device->host->streams, link) {
        for (uint32_t i = 0; i < oav_stream_watched(stream); i++) {
            struct oav_target *target = &stream->targets[i];
            if (target->device_id != device->id || target->route_index < 0) continue;
            int32_t route = followed_route(device, target);
            if (route < 0) {
                oav_stream_silence(stream, i, "the route became unavailable");
                break;
            }
            // While linking, the switch that we asked for may not have happened yet.
            if (!stream->linking) target->route_index = route;
        }
    }
}

// The data thread's questions.
void oav_streams_wake(struct oav_pw_host *host)
{
    struct oav_pw_stream *stream;
    spa_list_for_each(stream, &host->streams, link) {
        uint32_t wants = atomic_exchange(&stream->wants, 0);
        if (wants & OAV_STREAM_WANTS_RATE) oav_stream_report_rate(stream);
        if (!(wants & OAV_STREAM_WANTS_RECHECK) || stream->rechecking) continue;
        // A round trip: a loss that made the driver change has been told by then.
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
        stream->target_count = 0;
        stream->hold = OAV_HOLD_NONE;
        stream->broken = true;
    }
}
#endif
