// Output and input streams: their lifetime, on the loop and control threads. cycle.c processes their sound.
#define _GNU_SOURCE
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spa/debug/types.h>
#include <spa/param/audio/format-utils.h>
#include <spa/param/audio/type-info.h>

static void on_io_changed(void *data, uint32_t id, void *area, uint32_t size)
{
    struct oav_pw_stream *stream = data;
    (void)size;
    if (id != SPA_IO_Position) return;
    // The old area may be unmapped as soon as this returns.
    atomic_store(&stream->position, (struct spa_io_position *)area);
    oav_stream_quiesce(stream);
}

static void on_state_changed(
    void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error)
{
    struct oav_pw_stream *stream = data;
    struct oav_pw_host *host = stream->host;
    if (host->lost) return;
    oav_stream_order(stream);
    if (stream->is_closed) return;
    uint32_t node_id = pw_stream_get_node_id(stream->stream);
    if (node_id != SPA_ID_INVALID) host->events.stream_named(host->events.context, stream->tag, node_id);
    // An unlinked input runs only as a clock.
    bool is_clock = stream->is_input && spa_list_is_empty(&stream->links);
    if (state == PW_STREAM_STATE_STREAMING && !is_clock) host->events.stream_running(host->events.context, stream->tag);
    // Our own pauses first close the gate or clear `wants_active`.
    bool is_open = stream->wants_active && atomic_load(&stream->gate_open);
    if (old == PW_STREAM_STATE_STREAMING && state == PW_STREAM_STATE_PAUSED && is_open) {
        host->events.stream_paused(host->events.context, stream->tag);
    }
    if (state != PW_STREAM_STATE_ERROR && state != PW_STREAM_STATE_UNCONNECTED) return;
    // The server removed our node, or could not run it.
    atomic_store(&stream->gate_open, false);
    oav_stream_drop_links(stream);
    stream->target_count = 0;
    host->events.stream_failed(
        host->events.context, stream->tag, error ? error : "the server removed the stream's node");
}

static const struct pw_stream_events stream_events = {
    PW_VERSION_STREAM_EVENTS,
    .state_changed = on_state_changed,
    .io_changed = on_io_changed,
    .process = oav_stream_process,
};

static struct pw_properties *stream_properties(const struct oav_pw_stream *stream, bool makes_ports)
{
    struct pw_properties *properties = pw_properties_new(
        PW_KEY_MEDIA_TYPE, "Audio",
        PW_KEY_MEDIA_CATEGORY, stream->is_input ? "Capture" : "Playback",
        PW_KEY_APP_NAME, program_invocation_short_name,
        PW_KEY_NODE_NAME, program_invocation_short_name,
        PW_KEY_MEDIA_NAME, stream->title,
        // Only we link this node. So the rest of the music cannot reach the speaker, and a recording cannot capture other programs'
        // music from a sink's monitor.
        PW_KEY_NODE_AUTOCONNECT, "false",
        // Otherwise the session manager changes our ports to fit the target that it assumes.
        "stream.dont-remix", "true",
        // Otherwise a dummy drives an unlinked stream, and its frames are lost.
        "node.want-driver", "false",
        // Otherwise WirePlumber 0.5 sets the target that a user chose for an earlier run.
        "state.restore-target", "false",
        OAV_STREAM_MARK, "true",
        NULL);
    if (!properties) return NULL;
    // The session manager creates the ports; only without one does the node create its own. If the node did so beside a manager, the
    // manager's ports would come a few milliseconds later and replace ours, with the links on them.
    if (makes_ports) pw_properties_set(properties, "adapter.auto-port-config", "{ mode = dsp position = preserve }");
    if (stream->role) pw_properties_set(properties, PW_KEY_MEDIA_ROLE, stream->role);
    // No "node.link-group": with it, session managers and this library would treat the node as part of a loopback.
    if (stream->group) pw_properties_set(properties, PW_KEY_NODE_GROUP, stream->group);
    // Otherwise 1.0 to 1.4 do not run it unlinked.
    if (stream->is_input && stream->is_ordered) pw_properties_set(properties, PW_KEY_NODE_ALWAYS_PROCESS, "true");
    // The leader asks for the cycle of both: a change of this property of a follower would make it wait for one more trigger (0.3.65).
    if (!stream->leader) pw_properties_setf(properties, PW_KEY_NODE_LATENCY, "%u/48000", stream->cycle_frames);
    return properties;
}

// Requests an answer on the connection for which the stage waits.
static void await_answer(struct oav_pw_host *host, struct oav_dead_node *node, enum oav_dead_stage stage)
{
    struct pw_core *core = stage == OAV_DEAD_NODE || stage == OAV_DEAD_LAST ? host->export_core : host->core;
    node->stage = stage;
    node->seq = pw_core_sync(core, PW_ID_CORE, 0);
}

static void destroy_dead(struct oav_dead_node *node)
{
    if (node->stream) pw_stream_destroy(node->stream);
    if (node->filter) pw_filter_destroy(node->filter);
}

static void retire(struct oav_pw_host *host, struct oav_dead_node dead)
{
    struct oav_dead_node *node = host->lost ? NULL : calloc(1, sizeof *node);
    if (!node) return destroy_dead(&dead);
    *node = dead;
    await_answer(host, node, node->stream ? OAV_DEAD_LINKS : OAV_DEAD_NODE);
    spa_list_append(&host->dead_nodes, &node->link);
}

void oav_host_retire(struct oav_pw_host *host, struct pw_stream *stream)
{
    if (!host->lost) pw_stream_set_active(stream, false);
    retire(host, (struct oav_dead_node){.stream = stream});
}

void oav_host_retire_filter(struct oav_pw_host *host, struct pw_filter *filter)
{
    retire(host, (struct oav_dead_node){.filter = filter});
}

// Removes the node, which is silent from now on.
static void discard(struct oav_pw_stream *stream)
{
    if (!stream->stream) return;
    struct oav_pw_stream *leader = oav_stream_leave_leader(stream);
    oav_stream_pause_follower(stream);
    stream->is_active = false;
    if (!stream->host->lost) pw_stream_set_active(stream->stream, false);
    // When this returns, the data thread has left our callbacks.
    spa_hook_remove(&stream->stream_hook);
    oav_host_retire(stream->host, stream->stream);
    stream->stream = NULL;
    atomic_store(&stream->position, NULL);
    if (leader && leader->is_closed) oav_pw_stream_close(leader);
}

// The limit for a node that the server never registers.
#define MAX_ROUND_TRIPS 100

// The stage after the descriptors of a node that the server has registered, or never registers. A filter has no links, so it is done.
static enum oav_dead_stage node_came(struct oav_pw_host *host, struct oav_dead_node *node)
{
    uint32_t id = node->stream ? pw_stream_get_node_id(node->stream) : SPA_ID_INVALID;
    if (id == SPA_ID_INVALID) return OAV_DEAD_DONE;
    // If this is not permitted, the node is removed with the stream.
    pw_registry_destroy(host->registry, id);
    return OAV_DEAD_REMOVED;
}

static enum oav_dead_stage next_stage(struct oav_pw_host *host, struct oav_dead_node *node)
{
    switch (node->stage) {
    case OAV_DEAD_LINKS: return OAV_DEAD_NODE;
    case OAV_DEAD_NODE: {
        // A busy server answers before it has registered the node.
        bool is_new = node->stream ? pw_stream_get_state(node->stream, NULL) == PW_STREAM_STATE_CONNECTING
                                   : pw_filter_get_state(node->filter, NULL) == PW_FILTER_STATE_CONNECTING;
        if (is_new && node->round_trips++ < MAX_ROUND_TRIPS) return OAV_DEAD_NODE;
        // The node's id may have arrived without its descriptors.
        if (node->has_id || is_new) return node_came(host, node);
        node->has_id = true;
        return OAV_DEAD_NODE;
    }
    case OAV_DEAD_REMOVED: return OAV_DEAD_LAST;
    case OAV_DEAD_LAST:
    case OAV_DEAD_DONE: break;
    }
    return OAV_DEAD_DONE;
}

void oav_dead_nodes_sync_done(struct oav_pw_host *host, bool is_export, int seq)
{
    struct oav_dead_node *node;
    spa_list_for_each(node, &host->dead_nodes, link) {
        bool awaits_export = node->stage == OAV_DEAD_NODE || node->stage == OAV_DEAD_LAST;
        if (node->stage == OAV_DEAD_DONE || awaits_export != is_export || node->seq != seq) continue;
        enum oav_dead_stage stage = next_stage(host, node);
        if (stage != OAV_DEAD_DONE) {
            await_answer(host, node, stage);
        } else {
            node->stage = OAV_DEAD_DONE;
            oav_host_wake(host);
        }
    }
}

#define MOST_UNANSWERED 200

bool oav_host_is_behind(const struct oav_pw_host *host, char *text, size_t size)
{
    const struct oav_dead_node *node;
    const struct oav_claim *claim;
    const struct oav_pw_stream *stream;
    unsigned count = 0;
    spa_list_for_each(node, &host->dead_nodes, link) count++;
    spa_list_for_each(claim, &host->claims, link) count += !claim->is_made && !claim->failed;
    spa_list_for_each(stream, &host->streams, link) {
        count += stream->stream && pw_stream_get_state(stream->stream, NULL) == PW_STREAM_STATE_CONNECTING;
    }
    if (count < MOST_UNANSWERED) return false;
    snprintf(text, size, "the sound server has not answered for the last %u streams; try again when it has", count);
    return true;
}

void oav_host_destroy_nodes(struct oav_pw_host *host, bool all)
{
    struct oav_dead_node *node, *next;
    spa_list_for_each_safe(node, next, &host->dead_nodes, link) {
        if (!all && node->stage != OAV_DEAD_DONE) continue;
        spa_list_remove(&node->link);
        destroy_dead(node);
        free(node);
    }
}

static void read_channels(const char *channels, struct spa_audio_info_raw *info)
{
    for (; *channels && info->channels < OAV_PW_MAX_CHANNELS; info->channels++) {
        char name[16];
        int length = (int)strcspn(channels, ",");
        snprintf(name, sizeof name, "%.*s", length, channels);
        uint32_t position = spa_debug_type_find_type_short(spa_type_audio_channel, name);
        bool is_known = position != SPA_ID_INVALID;
        info->position[info->channels] = is_known ? position : SPA_AUDIO_CHANNEL_AUX0 + info->channels;
        channels += length;
        if (*channels) channels++;
    }
}

enum oav_pw_status oav_pw_stream_make_node(
    struct oav_pw_stream *stream, const char *channels, bool makes_ports, char *text, size_t size)
{
    if (stream->host->lost) return OAV_PW_LOST;
    if (oav_host_is_behind(stream->host, text, size)) return OAV_PW_REFUSED;
    discard(stream);
    stream->makes_ports = makes_ports;
    oav_stream_choose_leader(stream);
    struct pw_properties *properties = stream_properties(stream, makes_ports);
    if (properties) stream->stream = pw_stream_new(stream->host->export_core, stream->title, properties);
    if (!stream->stream) {
        oav_stream_leave_leader(stream);
        snprintf(text, size, "the stream could not be made (%s)", strerror(errno));
        return OAV_PW_REFUSED;
    }
    pw_stream_add_listener(stream->stream, &stream->stream_hook, &stream_events, stream);

    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    struct spa_audio_info_raw info = {
        .format = SPA_AUDIO_FORMAT_F32P,
        .rate = (uint32_t)stream->sample_rate,
    };
    read_channels(channels, &info);
    const struct spa_pod *params[] = {spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat, &info)};
    int result = pw_stream_connect(stream->stream, stream->is_input ? PW_DIRECTION_INPUT : PW_DIRECTION_OUTPUT, PW_ID_ANY,
        PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_RT_PROCESS | PW_STREAM_FLAG_INACTIVE
            | (stream->leader ? PW_STREAM_FLAG_TRIGGER : 0), params, 1);
    if (result < 0) {
        snprintf(text, size, "the server refused the stream (%s)", strerror(-result));
        discard(stream);
        return OAV_PW_REFUSED;
    }
    if (stream->is_input) oav_stream_order(stream);
    return OAV_PW_OK;
}

void oav_pw_stream_set_cycle(struct oav_pw_stream *stream, uint32_t frames)
{
    char value[32];
    struct spa_dict_item items[] = {SPA_DICT_ITEM_INIT(PW_KEY_NODE_LATENCY, value)};
    snprintf(value, sizeof value, "%u/48000", frames);
    bool has_changed = stream->cycle_frames != frames;
    stream->cycle_frames = frames;
    if (has_changed && stream->stream && !stream->leader && !stream->host->lost) {
        pw_stream_update_properties(stream->stream, &SPA_DICT_INIT_ARRAY(items));
    }
}

void oav_pw_stream_unlink(struct oav_pw_stream *stream, bool with_node)
{
    oav_stream_lose(stream);
    oav_host_destroy_links(stream->host);
    if (with_node) discard(stream);
}

static void stream_free(struct oav_pw_stream *stream)
{
    free(stream->title);
    free(stream->role);
    free(stream->group);
    free(stream);
}

enum oav_pw_status oav_pw_stream_open(
    struct oav_pw_host *host, const struct oav_pw_stream_config *config, struct oav_pw_stream **result, char *text,
    size_t text_size)
{
    *result = NULL;
    struct oav_pw_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return OAV_PW_REFUSED;
    stream->host = host;
    stream->tag = config->tag;
    stream->is_input = config->is_input;
    stream->is_ordered = config->is_ordered;
    stream->title = strdup(config->title);
    stream->role = config->role ? strdup(config->role) : NULL;
    stream->group = config->group ? strdup(config->group) : NULL;
    stream->sample_rate = config->sample_rate;
    stream->max_frames = SPA_MAX(config->max_frames, 1u);
    stream->renderer = config->renderer;
    stream->cycle_frames = 1024;
    stream->reported_rate_node = OAV_PW_NONE;
    atomic_init(&stream->approved_clock, OAV_PW_NONE);
    atomic_init(&stream->data_policy, -1);
    spa_list_init(&stream->links);

    // A layout that fits most sinks.
    enum oav_pw_status status = oav_pw_stream_make_node(stream, "FL,FR", config->makes_ports, text, text_size);
    if (status == OAV_PW_OK) {
        spa_list_append(&host->streams, &stream->link);
        *result = stream;
    } else {
        stream_free(stream);
    }
    return status;
}

void oav_pw_stream_start(struct oav_pw_stream *stream)
{
    if (!stream->host->lost) {
        stream->wants_active = true;
        atomic_store(&stream->running, true);
        if (oav_stream_is_linked(stream)) oav_stream_set_active(stream, true);
    }
}

void oav_pw_stream_stop(struct oav_pw_stream *stream)
{
    stream->wants_active = false;
    atomic_store(&stream->running, false);
    oav_stream_set_active(stream, false);
    oav_stream_quiesce(stream);
    oav_stream_forget_rate(stream);
}

void oav_pw_stream_close(struct oav_pw_stream *stream)
{
    struct oav_pw_stream *follower = oav_stream_follower(stream);
    atomic_store(&stream->running, false);
    oav_stream_quiesce(stream);
    if (follower && !stream->host->lost) {
        // Until the follower's node goes: then `discard` calls this again.
        stream->is_closed = true;
        oav_pw_stream_unlink(stream, false);
        char text[192];
        bool has_node = stream->stream && pw_stream_get_state(stream->stream, NULL) > PW_STREAM_STATE_UNCONNECTED;
        if (!has_node) oav_pw_stream_make_node(stream, "FL,FR", stream->makes_ports, text, sizeof text);
        return;
    }
    if (follower) oav_stream_leave_leader(follower);
    oav_pw_stream_unlink(stream, true);
    spa_list_remove(&stream->link);
    stream_free(stream);
}

static uint32_t latency_frames(struct oav_pw_stream *stream)
{
    struct pw_time time = {0};
    double seconds = 0;
    bool known = oav_stream_is_linked(stream) && stream->stream
        && pw_stream_get_time_n(stream->stream, &time, sizeof time) == 0 && time.rate.denom > 0;
    if (known) {
        // `delay` ends where the graph passes the quantum to the sink, or takes it from the source; the hardware's ring
        // holds about one more quantum.
        int64_t frames = SPA_MAX(time.delay, 0) + atomic_load(&stream->quantum);
        seconds = (double)frames * time.rate.num / time.rate.denom;
    }
    return (uint32_t)(seconds * stream->sample_rate + 0.5);
}

struct oav_pw_progress oav_pw_stream_progress(struct oav_pw_stream *stream)
{
    uint32_t rate = atomic_load(&stream->seen_rate);
    struct oav_pw_progress progress = {
        .cycles = atomic_load(&stream->cycles),
        .is_linked = oav_stream_is_linked(stream),
        .latency_frames = latency_frames(stream),
        .cycle_seconds = rate > 0 ? (double)atomic_load(&stream->quantum) / rate : 0,
    };
    const struct oav_link *link;
    spa_list_for_each(link, &stream->links, link) progress.is_linked = progress.is_linked && link->active;
    return progress;
}
#endif
