// Declarations that the files of this target and of CPipeWireGuardShims share. Everything here belongs to the loop thread (or to
// the thread that holds its lock), except the members of oav_pw_stream that are marked as the data thread's.
//
// A file calls only functions of files in earlier groups: canceller, pod, process, objects, metadata, cycle; order, links,
// socket; loss, stream; claims; device; registry, reader; host.
#pragma once
#if __has_include(<pipewire/pipewire.h>)
#define OAV_HAS_PIPEWIRE 1

#include <stdatomic.h>
#include <stdio.h>

#include <pipewire/pipewire.h>
// After pipewire.h: before 1.0, this header does not include what it needs.
#include <pipewire/extensions/metadata.h>
#include <pipewire/filter.h>
#include <spa/utils/list.h>

#include "oav_pipewire.h"
#include "oav_pod.h"

// The parameters that are read again when their flags change.
enum oav_param {
    OAV_PARAM_PROPS, OAV_PARAM_ENUM_ROUTE, OAV_PARAM_ROUTE, OAV_PARAM_ENUM_PROFILE, OAV_PARAM_PROFILE, OAV_PARAM_COUNT,
};

struct oav_object {  // a bound node, card or metadata
    struct spa_list link;
    bool is_listed;
    bool is_reader;  // metadata on the connection of a reading
    struct oav_pw_host *host;
    struct oav_pw_object fact;
    struct pw_properties *props;
    struct pw_proxy *proxy;
    struct spa_hook hook;
    uint32_t param_flags[OAV_PARAM_COUNT];  // UINT32_MAX: it has none
    bool has_info;  // of a node
    int volume_seq;  // of a stream: the sync that ends the first reading of its volume, and then -1
    // Of a card.
    bool is_reading, is_stale;
    bool is_doubted;  // the availability of its routes has changed, and the enumeration has not said which
    int reading_seq;  // the sync that ends the reading under way
};

struct oav_link {
    struct spa_list link;
    struct oav_pw_stream *stream;
    uint32_t target;  // index in the stream's targets
    uint32_t our_port, their_port;
    bool bound, active;
    struct pw_proxy *proxy;
    struct spa_hook proxy_hook, link_hook;
};

struct oav_claim {  // one of ours
    struct spa_list link;
    struct oav_pw_host *host;
    uint64_t tag;
    bool failed;
    // libpipewire calls back at this moment.
    bool is_in_callback;
    int seq;  // the round trip that ends the making of its node; -1 before
    bool is_made;  // everything that the server sends for it has come
    struct pw_filter *filter;
    struct spa_hook filter_hook;
};

struct oav_pw_host {
    struct oav_pw_events events;
    char *socket_path;  // NULL: libpipewire finds the server itself
    enum oav_pw_claims claims_of;
    uint32_t server_cookie;
    struct pw_thread_loop *thread;
    struct pw_context *context;
    // Two connections. While another client answers for an object, the server stops reading from the client that asked: from ours
    // while a session manager answers for its metadata or devices, and from a session manager while we answer for our nodes. If both
    // happen at once on one connection, neither ever ends, and every client that asks the session manager after that waits too (0.3.65
    // to 1.4.2). So the connection that has our nodes asks no other client.
    struct pw_core *core;  // registry, metadata, devices, links
    struct spa_hook core_hook;
    struct pw_core *export_core;  // streams, claims, sinks of a guard
    struct spa_hook export_hook, export_client_hook;
    struct pw_registry *registry;
    struct spa_hook registry_hook;
    struct spa_source *wake;  // an eventfd: the data thread's only way to reach the loop
    struct spa_source *timer;
    struct spa_list objects, streams, dead_links, dead_nodes, claims;
    struct oav_reader *reader;  // NULL: no reading is under way
    bool lost;
    struct oav_pw_diagnosis diagnosis;
};

enum { OAV_STREAM_WANTS_RECHECK = 1, OAV_STREAM_WANTS_RATE = 2 };

// The event for which a removed node waits before it is destroyed.
enum oav_dead_stage {
    OAV_DEAD_LINKS,  // the end of its links, on the connection that made them
    OAV_DEAD_NODE,  // its descriptors, on its own connection
    OAV_DEAD_REMOVED,  // the server has removed the node, on the other connection: links of others send descriptors up to then
    OAV_DEAD_LAST,  // the last of what the server sent for it, on its own connection
    OAV_DEAD_DONE,  // the loop, outside of its callbacks
};

struct oav_dead_node {
    struct spa_list link;
    struct pw_stream *stream;  // NULL: it is a filter
    struct pw_filter *filter;
    enum oav_dead_stage stage;
    int seq, round_trips;
    bool has_id;
};

struct oav_pw_stream {
    struct spa_list link;
    struct oav_pw_host *host;
    uint64_t tag;
    bool is_input, is_ordered;
    bool is_active;  // its node is to run for the stream's own sake; an input's may run for its follower's
    bool is_closed;  // its node is still its follower's clock
    bool makes_ports;  // as its node was made last
    struct oav_pw_stream *leader;  // of an output: the input whose cycles come before ours (order.c)
    char *title, *role, *group;
    double sample_rate;
    uint32_t max_frames;
    struct oav_renderer renderer;
    struct pw_stream *stream;
    struct spa_hook stream_hook;
    uint32_t cycle_frames;  // asked for, at 48 kHz
    struct oav_pw_target targets[OAV_PW_MAX_TARGETS];
    uint32_t target_count;
    struct spa_list links;
    bool wants_active;
    int recheck_seq;
    bool rechecking;
    uint32_t reported_rate_node;

    // The data thread's members.
    _Atomic(struct pw_stream *) follower;  // of an input: the output that waits for the end of our cycle
    // The gate: written by the loop and control threads, read once before and once after each render.
    _Atomic bool gate_open;
    // A jack of the card has changed, perhaps the one in use: silent until the card has reported which. Written by the loop.
    _Atomic bool doubted;
    _Atomic bool running;
    // busy is 1 while process() may use `position` or the renderer. A thread that removes one of them first publishes the
    // removal (running, position) and then waits until busy is 0. All four accesses are sequentially consistent, so one side
    // always sees the other.
    _Atomic bool busy;
    _Atomic(struct spa_io_position *) position;
    // The driver for which the open gate was approved; OAV_PW_NONE: the next cycle's driver will be.
    _Atomic uint32_t approved_clock;
    _Atomic uint32_t seen_rate;
    _Atomic uint32_t quantum;  // of the last cycle, in graph frames
    _Atomic uint32_t cycles;  // so many calls
    _Atomic uint32_t wants;    // OAV_STREAM_WANTS_ bits for the loop
    _Atomic int data_policy, data_priority;  // -1 until the first cycle
};

/// Makes the loop destroy dead links and nodes, outside all other callbacks.
static inline void oav_host_wake(struct oav_pw_host *host)
{
    pw_loop_signal_event(pw_thread_loop_get_loop(host->thread), host->wake);
}

// canceller.c
/// Before any other call of libpipewire. Never undone: other users of it in this process may still need it.
void oav_library_init(void);

// socket.c
/// Opens the socket at this path: libpipewire would prefer PIPEWIRE_REMOTE of the environment. -1: see errno.
int oav_socket_open(const char *path);
/// Opens another connection for the host and takes ownership of the properties. NULL: it failed, see errno.
struct pw_core *oav_core_connect(struct oav_pw_host *host, struct pw_properties *properties);
/// Explains, by errno, why no server was reached; `path` NULL: the server that the environment names.
void oav_socket_explain(const char *path, char *text, size_t size);

/// A parameter from an event; NULL reads as no value. libpipewire has checked that the object lies within the server's message, and
/// the server passes on only objects (PipeWire, protocol-native.c of module-client-device and module-client-node).
static inline struct oav_pod oav_param_pod(const struct spa_pod *param)
{
    return oav_pod_in(param, param ? SPA_POD_SIZE(param) : 0);
}

/// The samples of one plane of a buffer.
struct oav_plane {
    const float *samples;  // NULL: there is none
    uint32_t frames;
};

/// Another client may write to the chunk at any time: each word is read once, and the memory ends at maxsize.
static inline struct oav_plane oav_plane_of(const struct spa_data *data)
{
    uint32_t offset = data->data ? SPA_MIN(__atomic_load_n(&data->chunk->offset, __ATOMIC_RELAXED), data->maxsize) : 0;
    uint32_t size = SPA_MIN(__atomic_load_n(&data->chunk->size, __ATOMIC_RELAXED), data->maxsize - offset);
    return (struct oav_plane){
        .samples = data->data ? SPA_PTROFF(data->data, offset, const float) : NULL,
        .frames = size / (uint32_t)sizeof(float),
    };
}

// objects.c
/// Reports the object's description.
void oav_object_tell(struct oav_object *object);
struct oav_object *oav_object_find(struct oav_pw_host *host, enum oav_pw_kind kind, uint32_t id);
/// Whether the flags of this parameter differ from the known ones; replaces the known ones.
bool oav_param_changed(
    struct oav_object *object, const struct spa_param_info *params, uint32_t count, enum oav_param param);

// registry.c
/// The mark of streams that one of our hosts made: another host of the same process is another session.
#define OAV_STREAM_MARK "audiosession.stream"
extern const struct pw_registry_events oav_registry_events;
void oav_objects_clear(struct oav_pw_host *host);
void oav_objects_sync_done(struct oav_pw_host *host, int seq);

// reader.c
/// Ends a reading that is over, or any reading if `always`; must be called outside the reading's callbacks.
void oav_reader_end(struct oav_pw_host *host, bool always);

// metadata.c
extern const struct pw_metadata_events oav_metadata_events;
void oav_metadata_removed(struct oav_pw_host *host);

// device.c
extern const struct pw_device_events oav_device_events;
/// The volume in an object with a node's properties (SPA_PROP_...); any other object has none.
struct oav_pw_volume oav_volume_parse(struct oav_pod props);
/// Whether a stream with these properties is muted or at volume 0.
bool oav_volume_is_silent(struct oav_pod props);
void oav_devices_sync_done(struct oav_pw_host *host, int seq);

// loss.c: what happens to streams when a device disappears
void oav_streams_node_removed(struct oav_pw_host *host, uint32_t node_id);
void oav_streams_route_unavailable(struct oav_pw_host *host, uint32_t device_id, int32_t route_index);
/// Silences the output streams whose routes may have become unavailable, or ends that.
void oav_streams_doubt(struct oav_pw_host *host);
void oav_streams_sync_done(struct oav_pw_host *host, int seq);
void oav_streams_wake(struct oav_pw_host *host);
void oav_streams_lost(struct oav_pw_host *host);

// claims.c
/// Whether a node with this name is a claim that the host sees; this identifies a claim before its properties arrive.
bool oav_claim_is_seen(const struct oav_pw_host *host, const char *name);
void oav_claims_sync_done(struct oav_pw_host *host, int seq);
void oav_claims_free(struct oav_pw_host *host);

// order.c
/// Chooses the leader of an output whose node is about to be made.
void oav_stream_choose_leader(struct oav_pw_stream *stream);
/// The output that has this input as its leader; NULL: there is none.
struct oav_pw_stream *oav_stream_follower(const struct oav_pw_stream *stream);
/// Lets the stream's node run, or pauses it. All changes of a node's activity go through this, but for the end of a node.
void oav_stream_set_active(struct oav_pw_stream *stream, bool is_active);
/// The stream's node is new or has changed its state.
void oav_stream_order(struct oav_pw_stream *stream);
/// Before the node of an input is removed.
void oav_stream_pause_follower(struct oav_pw_stream *leader);
/// Ends the order for an output whose node is about to be removed. Returns its former leader.
struct oav_pw_stream *oav_stream_leave_leader(struct oav_pw_stream *stream);

// links.c
/// Whether the server has made all links of the stream, and the stream has at least one.
bool oav_stream_is_linked(const struct oav_pw_stream *stream);
void oav_stream_drop_links(struct oav_pw_stream *stream);
/// The first reaction to a loss: closes the gate, pauses the stream, and removes all its links.
void oav_stream_lose(struct oav_pw_stream *stream);
void oav_host_destroy_links(struct oav_pw_host *host);

// cycle.c
void oav_stream_process(void *stream);
/// Returns when the data thread no longer uses anything that was removed before the call. It waits one cycle at most, and the
/// data thread never waits for us.
void oav_stream_quiesce(struct oav_pw_stream *stream);
void oav_stream_report_rate(struct oav_pw_stream *stream);
void oav_stream_forget_rate(struct oav_pw_stream *stream);

// stream.c
/// Handles the server's answer to a round trip; `is_export`: on the connection that has our nodes.
void oav_dead_nodes_sync_done(struct oav_pw_host *host, bool is_export, int seq);
/// Destroys a stream or a filter, whose hooks are removed, after the server's last message about it: libpipewire 0.3.65 leaks
/// the descriptors that arrive for a destroyed node. No other function of this target may destroy a connected one.
void oav_host_retire(struct oav_pw_host *host, struct pw_stream *stream);
void oav_host_retire_filter(struct oav_pw_host *host, struct pw_filter *filter);
/// Whether the number of unanswered nodes is at its limit: each brings three descriptors, and
/// libpipewire 0.3.65 mixes up the descriptors of a message if more than 1024 are read at once.
bool oav_host_is_behind(const struct oav_pw_host *host, char *text, size_t size);
/// Destroys the nodes that wait for nothing; with `all`, every one. Must be called outside the streams' own callbacks.
void oav_host_destroy_nodes(struct oav_pw_host *host, bool all);

#endif
