// Which streams are affected when a device disappears. The first reaction (`oav_stream_lose`), in the loop callback that learns of
// the loss:
//   1. the gate closes, so that the data thread writes zeros from now on, or passes on no captured frames,
//   2. the stream is paused,
//   3. only then is the event sent.
// Measured with steps 1 and 2 done 10 ms later, by an asynchronous hop: 1024 frames on the speaker in every second run.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <string.h>

void oav_pw_stream_set_targets(struct oav_pw_stream *stream, const struct oav_pw_target *targets, uint32_t count)
{
    if (stream->host->lost) return;
    stream->target_count = SPA_MIN(count, (uint32_t)OAV_PW_MAX_TARGETS);
    memcpy(stream->targets, targets, stream->target_count * sizeof *targets);
}

// `object_removed` reports it, at once.
void oav_streams_node_removed(struct oav_pw_host *host, uint32_t node_id)
{
    struct oav_pw_stream *stream;
    spa_list_for_each(stream, &host->streams, link) {
        for (uint32_t i = 0; i < stream->target_count; i++) {
            if (stream->targets[i].node_id == node_id) oav_stream_lose(stream);
        }
    }
}

// A speaker that becomes unavailable makes way for a device that is plugged in: HostPipeWire decides by the card's routes.
void oav_streams_route_unavailable(struct oav_pw_host *host, uint32_t device_id, int32_t route_index)
{
    struct oav_pw_stream *stream;
    spa_list_for_each(stream, &host->streams, link) {
        for (uint32_t i = 0; i < stream->target_count; i++) {
            const struct oav_pw_target *target = &stream->targets[i];
            if (!target->is_private || target->device_id != device_id || target->route_index != route_index) continue;
            struct oav_pw_loss loss = {.target = i, .cause = OAV_PW_LOSS_ROUTE, .our_port = OAV_PW_NONE,
                .their_port = OAV_PW_NONE, .words = "the route became unavailable"};
            oav_stream_lose(stream);
            host->events.stream_lost(host->events.context, stream->tag, &loss);
            break;
        }
    }
}

static bool is_doubted(const struct oav_pw_stream *stream)
{
    for (uint32_t i = 0; i < stream->target_count; i++) {
        const struct oav_pw_target *target = &stream->targets[i];
        const struct oav_object *device = oav_object_find(stream->host, OAV_PW_DEVICE, target->device_id);
        // A stream that plays on the speaker needs no protection.
        if (target->is_private && !stream->is_input && device && device->is_doubted) return true;
    }
    return false;
}

void oav_streams_doubt(struct oav_pw_host *host)
{
    struct oav_pw_stream *stream;
    spa_list_for_each(stream, &host->streams, link) atomic_store(&stream->doubted, is_doubted(stream));
}

void oav_pw_stream_set_gate(struct oav_pw_stream *stream, bool is_open)
{
    if (!is_open) {
        atomic_store(&stream->gate_open, false);
        oav_stream_forget_rate(stream);
    } else if (!stream->host->lost && stream->stream) {
        atomic_store(&stream->approved_clock, OAV_PW_NONE);
        atomic_store(&stream->seen_rate, 0);  // the last cycle on the old sink may have told its rate after all
        oav_streams_doubt(stream->host);
        atomic_store(&stream->gate_open, true);
        if (stream->wants_active) oav_stream_set_active(stream, true);
    }
}

// Handles the data thread's requests.
void oav_streams_wake(struct oav_pw_host *host)
{
    struct oav_pw_stream *stream;
    spa_list_for_each(stream, &host->streams, link) {
        uint32_t wants = atomic_exchange(&stream->wants, 0);
        if (wants & OAV_STREAM_WANTS_RATE) oav_stream_report_rate(stream);
        if (!(wants & OAV_STREAM_WANTS_RECHECK) || stream->rechecking) continue;
        // After this round trip, the event of a loss that made the driver change has arrived.
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
        // Final: after the report of the loss, its receiver may free what the renderer uses.
        atomic_store(&stream->running, false);
        oav_stream_quiesce(stream);
        oav_stream_drop_links(stream);
        stream->target_count = 0;
    }
}
#endif
