// Linking a stream to sinks, or an input stream to sources, in stages. A stage that has to wait for the server returns,
// and is entered again after the next fact.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <string.h>

#include <spa/debug/types.h>
#include <spa/param/audio/type-info.h>
#include <spa/utils/string.h>

// What a stage leads to.
enum step {
    STEP_WAIT,  // for the next fact
    STEP_NEXT,
    STEP_END,  // the stream is linked, failed, or starts over
};

// A port of a device takes 128 links; what is refused so often is refused for good.
#define MAX_REFUSALS 3

static void fail(struct oav_pw_stream *stream, const char *why)
{
    char text[sizeof stream->trouble];
    oav_say(text, sizeof text, "%s", why);  // `why` may be `trouble` itself
    oav_pw_stream_unlink(stream);
    stream->host->events.stream_failed(stream->host->events.context, stream->tag, text);
}

// libpipewire's resampler takes memory in proportion to the ratio of the rates: 2.7 GB for a rate of 1 Hz.
#define MIN_RATE 1000

static bool rate_is_usable(struct oav_pw_host *host, char *text, size_t size)
{
    uint32_t rate = oav_host_rate(host);
    if (rate == 0 || rate >= MIN_RATE) return true;
    oav_say(text, size, "the server's sample rate is set to %u Hz, and sound needs %d Hz or more; to set the usual one, run "
        "\"pw-metadata -n settings 0 clock.force-rate 0\"", rate, MIN_RATE);
    return false;
}

void oav_streams_check_rate(struct oav_pw_host *host)
{
    struct oav_pw_stream *stream;
    char text[sizeof stream->trouble];
    if (rate_is_usable(host, text, sizeof text)) return;
    spa_list_for_each(stream, &host->streams, link) {
        if (stream->target_count == 0) continue;
        fail(stream, text);
        oav_pw_stream_break(stream);
    }
}

void oav_stream_restart_link(struct oav_pw_stream *stream)
{
    stream->stage = OAV_LINK_ROUTES;
    for (uint32_t t = 0; t < stream->target_count; t++) stream->targets[t].switch_requested = false;
    // The next attempt lays out when the burst that starts here is over.
    oav_host_mark_dirty(stream->host);
}

static bool resolve(struct oav_pw_stream *stream, const struct oav_pw_target *wanted, struct oav_target *target)
{
    struct oav_pw_host *host = stream->host;
    struct oav_audio_node *node = oav_node_find(host, wanted->node_id);
    // Ids are used again, serials never: without them the music could go to whatever sink has come meanwhile.
    // A sink is no source: its monitor is what other programs play.
    if (!node || node->is_source != stream->is_input || node->serial != wanted->serial) return false;
    *target = (struct oav_target){
        .node_id = node->id,
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

// Switches the targets' cards: before that, the sink is still something else.
static enum step switch_routes(struct oav_pw_stream *stream)
{
    enum step step = STEP_NEXT;
    for (uint32_t t = 0; t < stream->target_count; t++) {
        struct oav_target *target = &stream->targets[t];
        if (target->route_index < 0) continue;
        struct oav_device *device = oav_device_find(stream->host, target->device_id);
        if (device && oav_device_active(device, target->card_device) == target->route_index) continue;
        step = STEP_WAIT;
        if (!device || target->switch_requested) continue;
        target->switch_requested = true;
        if (oav_device_set_route(device, target->card_device, target->route_index)) continue;
        fail(stream, "the card's route could not be set");
        return STEP_END;
    }
    return step;
}

static uint32_t position_of(const char *channel, uint32_t index)
{
    uint32_t position = spa_debug_type_find_type_short(spa_type_audio_channel, channel);
    return position == SPA_ID_INVALID ? SPA_AUDIO_CHANNEL_AUX0 + index : position;
}

static bool same_layout(const struct oav_pw_stream *stream, const uint32_t *positions, uint32_t count)
{
    return stream->stream && !stream->broken && stream->channel_count == count
        && memcmp(stream->positions, positions, count * sizeof *positions) == 0;
}

// The stream takes the device's own layout, so that nothing is mixed up or down; several devices have no common room,
// and get numbered channels.
static enum step lay_out(struct oav_pw_stream *stream)
{
    const struct oav_port *ports[OAV_PW_MAX_CHANNELS];
    uint32_t positions[OAV_PW_MAX_CHANNELS], total = 0;
    char text[sizeof stream->trouble];
    // In the middle of a burst only some of the ports are there.
    if (!stream->host->settled) return STEP_WAIT;
    for (uint32_t t = 0; t < stream->target_count; t++) {
        struct oav_target *target = &stream->targets[t];
        target->channel_count = oav_node_ports(
            stream->host, target->node_id, !stream->is_input, ports, OAV_PW_MAX_CHANNELS);
        if (target->channel_count == 0) return STEP_WAIT;
        if (total + target->channel_count > OAV_PW_MAX_CHANNELS) {
            oav_say(text, sizeof text, "the ports have more than %d channels together; link to fewer of them",
                OAV_PW_MAX_CHANNELS);
            fail(stream, text);
            return STEP_END;
        }
        for (uint32_t c = 0; c < target->channel_count; c++, total++) {
            positions[total] = stream->target_count > 1 ? SPA_AUDIO_CHANNEL_AUX0 + total
                                                        : position_of(ports[c]->channel, c);
        }
    }
    if (same_layout(stream, positions, total)) return STEP_NEXT;
    memcpy(stream->positions, positions, total * sizeof *positions);
    stream->channel_count = total;
    if (oav_stream_make(stream, text, sizeof text)) return STEP_NEXT;
    fail(stream, text);
    return STEP_END;
}

static enum step make_links(struct oav_pw_stream *stream)
{
    const struct oav_port *ours[OAV_PW_MAX_CHANNELS], *theirs[OAV_PW_MAX_CHANNELS];
    uint32_t node_id = pw_stream_get_node_id(stream->stream), first = 0;
    if (stream->refusals >= MAX_REFUSALS) {
        char text[sizeof stream->trouble];
        oav_say(text, sizeof text, "the device takes no more streams; end other programs that use it (%.90s)",
            stream->trouble);
        fail(stream, text);
        return STEP_END;
    }
    if (node_id == SPA_ID_INVALID
        || oav_node_ports(stream->host, node_id, stream->is_input, ours, OAV_PW_MAX_CHANNELS) != stream->channel_count) {
        return STEP_WAIT;
    }
    for (uint32_t t = 0; t < stream->target_count; t++) {
        const struct oav_target *target = &stream->targets[t];
        uint32_t count = oav_node_ports(
            stream->host, target->node_id, !stream->is_input, theirs, OAV_PW_MAX_CHANNELS);
        if (count != target->channel_count) {
            oav_stream_lose(stream, t, OAV_LOSS_PORT, "the device changed its channels meanwhile");
            return STEP_END;
        }
        for (uint32_t c = 0; c < count; c++) {
            if (oav_stream_add_link(stream, t, ours[first + c]->id, theirs[c]->id)) continue;
            fail(stream, "a link could not be made");
            return STEP_END;
        }
        first += count;
    }
    return STEP_NEXT;
}

static enum step open_gate(struct oav_pw_stream *stream)
{
    struct oav_pw_host *host = stream->host;
    if (!oav_stream_links_are_bound(stream)) return STEP_WAIT;
    stream->stage = OAV_LINK_IDLE;
    stream->refusals = 0;
    atomic_store(&stream->approved_clock, OAV_PW_NONE);
    atomic_store(&stream->seen_rate, 0);  // the last cycle on the old sink may have told its rate after all
    oav_streams_doubt(host);
    atomic_store(&stream->gate_open, true);
    if (stream->wants_active) pw_stream_set_active(stream->stream, true);
    host->events.stream_linked(host->events.context, stream->tag, pw_stream_get_node_id(stream->stream));
    return STEP_END;
}

static const struct {
    enum step (*enter)(struct oav_pw_stream *stream);
    const char *awaited;
} stages[] = {
    [OAV_LINK_ROUTES] = {switch_routes, "the card to switch to the chosen route"},
    [OAV_LINK_LAYOUT] = {lay_out, "the device's ports; is a session manager (wireplumber) running?"},
    [OAV_LINK_PORTS] = {make_links, "the stream's own ports"},
    [OAV_LINK_BOUND] = {open_gate, "the server to make the links"},
};

static void advance(struct oav_pw_stream *stream)
{
    while (stream->stage != OAV_LINK_IDLE) {
        if (stages[stream->stage].enter(stream) != STEP_NEXT) return;
        stream->stage++;
    }
}

void oav_streams_advance(struct oav_pw_host *host)
{
    struct oav_pw_stream *stream;
    spa_list_for_each(stream, &host->streams, link) advance(stream);
}

enum oav_pw_status oav_pw_stream_link(
    struct oav_pw_stream *stream, const struct oav_pw_target *targets, uint32_t count, char *text, size_t text_size)
{
    struct oav_pw_host *host = stream->host;
    if (count == 0 || count > OAV_PW_MAX_TARGETS) {
        oav_say(text, text_size, "%u ports were given; a stream links to 1 to %d", count, OAV_PW_MAX_TARGETS);
        return OAV_PW_REFUSED;
    }
    enum oav_pw_status status = host->lost ? OAV_PW_LOST : OAV_PW_OK;
    // First off the old device, then onto the new: the server does both in this order.
    oav_pw_stream_unlink(stream);
    if (status == OAV_PW_OK && host->factory_id == OAV_PW_NONE) {
        status = OAV_PW_REFUSED;
        oav_say(text, text_size, "the server lets this program make no links, as in a sandbox; run it outside");
    }
    if (status == OAV_PW_OK && !rate_is_usable(host, text, text_size)) status = OAV_PW_REFUSED;
    for (uint32_t t = 0; t < count && status == OAV_PW_OK; t++) {
        if (!resolve(stream, &targets[t], &stream->targets[t])) status = OAV_PW_NO_SUCH_PORT;
    }
    if (status == OAV_PW_OK) {
        stream->target_count = count;  // from here on a loss is noticed
        stream->trouble[0] = '\0';
        stream->refusals = 0;
        stream->stage = OAV_LINK_ROUTES;
        oav_host_wake(host);
    }
    return status;
}

void oav_pw_stream_abort_link(struct oav_pw_stream *stream, char *text, size_t text_size)
{
    if (stream->stage == OAV_LINK_IDLE) return;
    oav_say(text, text_size, "%s%s%s", stages[stream->stage].awaited, stream->trouble[0] ? "; before, " : "",
        stream->trouble);
    oav_pw_stream_unlink(stream);
}
#endif
