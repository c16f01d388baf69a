// PipeWire for Swift: only this target calls libpipewire, through these declarations.
//
// A host owns one loop thread with two connections, which begin and end together. It reports registry traffic as flat
// facts, through function pointers on that thread; it owns the proxies, the gate and the render cycle of output and input
// streams. HostPipeWire decides what the facts mean and how a stream is linked, with one exception: when a device disappears,
// the gate is closed, the stream paused and its links removed before any event is sent.
//
// Every build has these declarations. If libpipewire's headers were missing at build time, `oav_pw_host_connect` returns
// OAV_PW_UNREACHABLE and the reason; functions that take a host or what is made on one are weak and not there.
//
// oav_pod.h reads the PODs that other programs send.
//
// Threads: "control" is any one thread at a time that is not the loop thread; "loop" is the host's own thread, or any thread that
// has locked it with `oav_pw_host_lock`; "data" is PipeWire's real-time thread. Control functions that
// take a running host, or a stream, are called with the loop locked exactly once: when PipeWire 1.4 waits for the loop
// thread, it unlocks the loop only once. They do not wait for the server; they wait for the data thread's renderer, one cycle at most.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crealtime.h"

#pragma clang assume_nonnull begin
#if !__has_include(<pipewire/pipewire.h>)
#pragma clang attribute push(__attribute__((weak)), apply_to = function)
#endif

/// No object, no route or no rate: PipeWire's ids never have this value.
#define OAV_PW_NONE UINT32_MAX
#define OAV_PW_MAX_CHANNELS 64
#define OAV_PW_MAX_TARGETS 8

enum oav_pw_status {
    OAV_PW_OK = 0,
    /// No server answered, or this build has no libpipewire.
    OAV_PW_UNREACHABLE,
    /// The server, or one of our limits, refused the request.
    OAV_PW_REFUSED,
    /// The connection is gone.
    OAV_PW_LOST,
};

enum oav_pw_availability { OAV_PW_AVAILABLE_UNKNOWN = 0, OAV_PW_AVAILABLE_NO, OAV_PW_AVAILABLE_YES };

enum oav_pw_kind {
    // Bound objects: their own descriptions are reported too.
    OAV_PW_SINK = 0, OAV_PW_SOURCE, OAV_PW_STREAM, OAV_PW_CLAIM, OAV_PW_DEVICE,
    /// The metadata with the session manager's choices ("default"), and the one with the graph's settings.
    OAV_PW_METADATA, OAV_PW_SETTINGS,
    OAV_PW_LAST_BOUND = OAV_PW_SETTINGS,
    /// A port with a channel, on any node.
    OAV_PW_PORT,
    OAV_PW_LINK, OAV_PW_CLIENT, OAV_PW_FACTORY,
    /// In `object_removed`: an object of the last four kinds, or one that was not reported.
    OAV_PW_OTHER,
};

/// An object's properties; every text is untrusted. Valid only during the call.
struct oav_pw_properties;

/// NULL if no property has this key.
const char *_Nullable oav_pw_property(const struct oav_pw_properties *properties, const char *key);

/// An object of the server.
struct oav_pw_object {
    uint32_t id;
    /// `object.serial`: unlike `id`, this server never reuses it; for a claim, the claim's serial.
    uint64_t serial;
    /// The client that made the object, as the server reports it; OAV_PW_NONE: the object has outlived its maker.
    uint32_t client_id;
    enum oav_pw_kind kind;
    /// Whether this host made the link.
    bool is_ours;
    /// False: the properties are the registry's, and the node's or card's own description follows.
    bool is_described;
    /// For a stream or a claim.
    bool is_running;
    /// For a stream: it is muted, or its volume is 0.
    bool is_silent;
    const struct oav_pw_properties *properties;
};

/// A route to which a card can switch (EnumRoute). Strings and arrays are valid only during the call; missing strings are NULL.
struct oav_pw_route {
    int32_t index;
    bool is_input;
    int32_t priority;
    enum oav_pw_availability availability;
    const char *_Nullable name;
    const char *_Nullable description;
    /// `port.type`: "headphones", "speaker", "mic" ...
    const char *_Nullable port_type;
    /// The card devices (`card.profile.device` of nodes) that can use it.
    const int32_t *_Nullable card_devices;
    uint32_t card_device_count;
    /// The indices of the profiles that have the route.
    const int32_t *_Nullable profiles;
    uint32_t profile_count;
};

/// The volume of a sink, a source, or the active route of a card.
struct oav_pw_volume {
    bool is_muted;
    /// The amplitude of the loudest channel, linear.
    float amplitude;
    /// 0: the object has no volume, and the amplitude means nothing.
    uint32_t channel_count;
};

/// A profile that a card can have (EnumProfile), or has now (Profile).
struct oav_pw_profile {
    int32_t index;
    int32_t priority;
    bool is_available;
    /// Whether the profile has sources and sinks.
    bool has_input, has_output;
    bool is_active;
    /// Valid only during the call.
    const char *_Nullable name;
};

/// The route to which a card device is switched now (Route).
struct oav_pw_active_route {
    int32_t card_device;
    int32_t route_index;
    struct oav_pw_volume volume;
};

/// Why a stream is no longer linked to a target.
enum oav_pw_loss_cause {
    /// The card's route has become unavailable.
    OAV_PW_LOSS_ROUTE = 0,
    /// The server removed the link.
    OAV_PW_LOSS_REMOVED,
    /// The link failed, or could not be created.
    OAV_PW_LOSS_FAILED,
};

struct oav_pw_loss {
    /// The index in the stream's targets.
    uint32_t target;
    enum oav_pw_loss_cause cause;
    /// Whether the server had made the link.
    bool was_bound;
    /// The ends of the link; OAV_PW_NONE if the route is the cause.
    uint32_t our_port, their_port;
    const char *words;
};

/// The facts, called with the loop locked, on the loop thread or inside a control function. Inside these calls, only the functions
/// of this header that are marked "Loop" may be called.
struct oav_pw_events {
    void *_Nullable context;
    /// An object appeared, or a node's or card's description changed; for a stream or claim, also when it started or stopped
    /// running.
    void (*object)(void *_Nullable context, const struct oav_pw_object *object);
    /// Streams with this object as a target are already paused and unlinked, and their gates are closed.
    void (*object_removed)(void *_Nullable context, enum oav_pw_kind kind, uint32_t id, uint64_t serial);
    /// The node's own volume; the active route of its card may have another volume.
    void (*node_volume)(void *_Nullable context, uint32_t id, const struct oav_pw_volume *volume);
    /// After each change of a route, a volume or a Bluetooth card's profile, all routes of the card are read, and a Bluetooth card's
    /// profiles too. `is_over`: the card has answered everything. The next three callbacks come in between.
    void (*reading)(void *_Nullable context, uint32_t device_id, bool is_over);
    void (*route)(void *_Nullable context, uint32_t device_id, const struct oav_pw_route *route);
    void (*active_route)(void *_Nullable context, uint32_t device_id, const struct oav_pw_active_route *active);
    void (*profile)(void *_Nullable context, uint32_t device_id, const struct oav_pw_profile *profile);
    /// A value of the session manager's "default" metadata: `key` is "default.audio.sink", ".source" or
    /// "default.configured.audio.sink", ".source"; `node_name` is NULL if it names no node.
    /// `is_reading`: a reading (`oav_pw_host_read_metadata`) has found it, and the server may have reported it before.
    void (*default_node)(
        void *_Nullable context, const char *key, const char *_Nullable node_name, bool is_reading);
    /// A value of the graph's settings; 0 if the value is not a number.
    void (*setting)(void *_Nullable context, const char *key, uint32_t value);
    /// The observed rate of a sink or source to which one of our streams is linked, in hertz; 0: none of
    /// our streams runs there any more.
    void (*sink_rate)(void *_Nullable context, uint32_t node_id, uint32_t hertz);
    /// The server has answered the `oav_pw_host_sync` that returned this number.
    void (*synced)(void *_Nullable context, int seq);
    /// The time given to `oav_pw_host_arm` has come.
    void (*timer_fired)(void *_Nullable context);

    /// The server has made all links of the stream's node.
    void (*stream_linked)(void *_Nullable context, uint64_t tag, uint32_t node_id);
    /// The stream lost a target although the node still exists: it is paused and unlinked, its gate closed, its targets
    /// forgotten. Comes before the fact that is the cause.
    void (*stream_lost)(void *_Nullable context, uint64_t tag, const struct oav_pw_loss *loss);
    /// The stream stopped running although its gate is open.
    void (*stream_paused)(void *_Nullable context, uint64_t tag);
    void (*stream_running)(void *_Nullable context, uint64_t tag);
    /// The server has removed the stream's node, or could not run it: the stream is unlinked, its gate closed.
    void (*stream_failed)(void *_Nullable context, uint64_t tag, const char *message);
    /// The server has given the stream this node. May be called again, also with another node.
    void (*stream_named)(void *_Nullable context, uint64_t tag, uint32_t node_id);
    /// A mixer moved a node, ours or another program's: `target` is an object serial or a node name; NULL removes the
    /// choice. OAV_PW_NONE: the session manager, which kept the choices of all nodes, has left.
    void (*target_set)(void *_Nullable context, uint32_t node_id, const char *_Nullable target, bool is_reading);
    /// A reading has ended; `is_complete`: it has found everything.
    void (*metadata_read)(void *_Nullable context, bool is_complete);

    /// The server has given our claim this node. May be called again.
    void (*claim_named)(void *_Nullable context, uint64_t tag, uint32_t node_id);
    /// The server has read everything before the round trip with the number that `oav_pw_claim_withdraw` returned.
    void (*claims_read)(void *_Nullable context, int seq);
    /// The server refused or removed the claim.
    void (*claim_failed)(void *_Nullable context, uint64_t tag, const char *message);
    /// The client id of the connection that has our nodes.
    void (*own_client)(void *_Nullable context, uint32_t id);
    /// The connection is gone; called once, and only `timer_fired` may follow. `lacks_descriptors`: this process had
    /// too few descriptors left to read the server's messages.
    void (*lost)(void *_Nullable context, const char *message, bool lacks_descriptors);
};

struct oav_pw_host;
struct oav_pw_stream;

struct oav_pw_diagnosis {
    char server_version[32];
    char server_name[64];
    /// The client configuration in use, "client-rt.conf" or "client.conf".
    char configuration[32];
    /// A data thread has run: the next two values are valid.
    bool data_thread_seen;
    bool data_thread_is_realtime;
    int32_t data_thread_priority;
};

/// A claim registry. A host of the guards sees the claims of both registries, any other host only those of sessions.
enum oav_pw_claims { OAV_PW_CLAIMS_OF_SESSIONS = 0, OAV_PW_CLAIMS_OF_GUARDS };

/// Connects; facts come after `oav_pw_host_run`. Waits for no answer.
///
/// - socket_path: the server's socket, absolute; NULL uses the environment.
/// - claims: the claim registry in which the host takes part.
/// - text: receives the reason for a failure, in words for people.
/// Control thread.
enum oav_pw_status oav_pw_host_connect(
    const char *_Nullable socket_path, enum oav_pw_claims claims, const struct oav_pw_events *events,
    struct oav_pw_host *_Nullable *_Nonnull host, char *text, size_t text_size);
/// Starts the loop thread. False: the system has no more threads. Control thread.
bool oav_pw_host_run(struct oav_pw_host *host);

/// Disconnects. After it returns, no callback runs. All streams must be closed before. Control thread.
void oav_pw_host_close(struct oav_pw_host *host);

/// Whether the caller is inside one of the host's callbacks, where the host can be neither closed nor waited for.
bool oav_pw_host_is_calling(struct oav_pw_host *host);

/// Prevents callbacks, except those from control functions that the caller calls. May be nested. Any thread.
void oav_pw_host_lock(struct oav_pw_host *host);
void oav_pw_host_unlock(struct oav_pw_host *host);

/// Requests an answer from the server; `synced` passes the number that this returns. -1: the connection is lost. Loop.
int oav_pw_host_sync(struct oav_pw_host *host);
/// Makes `timer_fired` run at this time of CLOCK_MONOTONIC, at once if it is past, instead of the time set
/// before; 0: never. Loop.
void oav_pw_host_arm(struct oav_pw_host *host, uint64_t time_ns);
/// Sets the volume of a sink or source, for all programs and for later logins. False: the node does not exist. Loop.
bool oav_pw_host_set_volume(struct oav_pw_host *host, uint32_t node_id, const struct oav_pw_volume *volume);
/// Switches a card device to a route, and sets its volume there, for all programs; without channels, it sets only the mute.
/// `saved`: also for later logins; a session manager remembers nothing else. False: the card does not exist. Loop.
bool oav_pw_host_set_route(
    struct oav_pw_host *host, uint32_t device_id, int32_t card_device, int32_t route_index,
    const struct oav_pw_volume *_Nullable volume, bool saved);
/// Switches a card to another profile, not for later logins. False: the card does not exist. Loop.
bool oav_pw_host_set_profile(struct oav_pw_host *host, uint32_t device_id, int32_t index);
/// Removes a link that another client made. Loop.
void oav_pw_host_destroy_link(struct oav_pw_host *host, uint32_t id);

/// Publishes a claim; the answer is `claim_named` or `claim_failed`. If this call fails, no event follows. Loop.
///
/// - tag: passed back in the events.
/// - properties: of the claim's node: keys and values in turns, then NULL. They are copied.
enum oav_pw_status oav_pw_claim_put(
    struct oav_pw_host *host, uint64_t tag, enum oav_pw_claims registry, const char *_Nullable const *_Nonnull properties,
    char *text, size_t text_size);
/// Sets a property of a claim. Ignores unknown tags. Loop.
void oav_pw_claim_say(struct oav_pw_host *host, uint64_t tag, const char *key, const char *value);
/// Removes a claim; no event about it follows. Ignores unknown tags. Loop.
///
/// Returns the number of the round trip after which the server has read that the claim lets others resume; `claims_read` reports
/// it. If the program ends before that, the data in its socket's buffer is lost. -1: there is nothing to
/// wait for.
int oav_pw_claim_withdraw(struct oav_pw_host *host, uint64_t tag, bool notifying_others);

/// The class of a sink that is only a target by name: it is never the default, and no mixer shows it.
#define OAV_PW_PARKING_CLASS "Audio/Sink/Parking"

/// Reads the session manager's "default" metadata again, on a separate connection with the name below: `default_node` and
/// `target_set` report each value, then `metadata_read` follows. While the session manager hangs, the reading does not end.
/// False: no session manager runs, a reading is under way, or the connection failed. Loop.
bool oav_pw_host_read_metadata(struct oav_pw_host *host);
#define OAV_PW_READER_NAME "open-avfaudio reader"
void oav_pw_host_diagnose(struct oav_pw_host *host, struct oav_pw_diagnosis *diagnosis);

/// The version of the linked libpipewire; empty in a build without it.
const char *oav_pw_library_version(void);

// canceller.c: PipeWire's plugin that removes echo from a microphone's sound (aec/libspa-aec-webrtc), in this process.

/// One channel at one rate, in blocks of 10 ms.
struct oav_pw_canceller;

/// Loads the plugin from libpipewire's plugin directory (SPA_PLUGIN_DIR, else its own directory), and prepares it. Needs no
/// server. NULL: `text` contains the reason. Any thread; it allocates.
struct oav_pw_canceller *_Nullable oav_pw_canceller_open(uint32_t sample_rate, char *text, size_t text_size);
/// Cleans one block; a negative result is an errno. One thread at a time, of any kind: it does not wait.
int32_t oav_pw_canceller_run(
    void *_Nullable canceller, const float *captured, const float *played, float *cleaned, uint32_t frames);
/// Must be called after the last run on any thread.
void oav_pw_canceller_close(struct oav_pw_canceller *canceller);

// process.c: needs no libpipewire. Any thread.
/// The client configuration that gives data threads real-time scheduling, for a libpipewire of this version: up to 1.2 it
/// is "client-rt.conf"; since 1.3.81 it is "client.conf", and the other file no longer exists.
const char *oav_pw_client_configuration(const char *library_version);

/// Whether libpipewire finds a client configuration; without one it connects to no server.
bool oav_pw_has_client_configuration(void);
/// Whether the process can open fewer files than one server message may bring: libpipewire would then end the connection.
bool oav_pw_lacks_descriptors(void);
/// The path of the server's socket, which may not exist; `path` NULL uses the environment. The result is not absolute if the
/// environment names no directory.
void oav_socket_locate(const char *_Nullable path, char *text, size_t size);
/// Names the calling thread for debuggers and /proc; at most 15 characters.
void oav_name_thread(const char *name);

/// A stream's settings; strings are copied.
struct oav_pw_stream_config {
    /// Passed back in the events.
    uint64_t tag;
    /// It links to sources, and its renderer receives their frames; the renderer is called only while the gate is open.
    bool is_input;
    const char *title;
    const char *_Nullable role;
    /// Streams with the same group have one driver, whatever they are linked to; NULL: a group of its own.
    const char *_Nullable group;
    /// For an input: outputs of its group that are opened later have their cycles after it. For an output: it has them after the input
    /// that is open in its group.
    bool is_ordered;
    /// As in `oav_pw_stream_make_node`.
    bool makes_ports;
    double sample_rate;
    uint32_t max_frames;
    struct oav_renderer renderer;
};

/// A target to which a stream is linked: a sink, for an input stream a source, with the route of its card.
struct oav_pw_target {
    uint32_t node_id;
    /// OAV_PW_NONE and -1 if it has no route.
    uint32_t device_id;
    int32_t route_index;
    /// The route is not a speaker: its loss is a loss to the stream. A speaker makes way for a device that is plugged in.
    bool is_private;
};

/// Opens a stream that is not linked, not running, and has its gate closed. Control thread.
///
/// When the connection is lost, the renderer's last call has returned before `lost` is called. The stream must still be closed,
/// before its host.
enum oav_pw_status oav_pw_stream_open(
    struct oav_pw_host *host, const struct oav_pw_stream_config *config,
    struct oav_pw_stream *_Nullable *_Nonnull stream, char *text, size_t text_size);

/// Creates the stream's node and replaces its former one. `channels` are names as in a port's `audio.channel`, "FL,FR"; names that
/// PipeWire does not know get a number. `makes_ports`: no session manager runs that creates the ports. A failure leaves the stream
/// without a node. Loop.
enum oav_pw_status oav_pw_stream_make_node(
    struct oav_pw_stream *stream, const char *channels, bool makes_ports, char *text, size_t text_size);
/// Watches these targets: the shim reacts first to the loss of one of them, and `stream_lost` or `object_removed`
/// reports it. At most OAV_PW_MAX_TARGETS. Loop.
void oav_pw_stream_set_targets(struct oav_pw_stream *stream, const struct oav_pw_target *targets, uint32_t count);
/// Links a port of the stream's node with a port of the target. `stream_linked` comes when the server has made all links of
/// the stream. False: the link could not be requested. Loop.
bool oav_pw_stream_add_link(struct oav_pw_stream *stream, uint32_t target, uint32_t our_port, uint32_t their_port);
/// Opens the gate, so that a running stream is heard, or closes it, so that the stream is silent; its links stay. Loop.
void oav_pw_stream_set_gate(struct oav_pw_stream *stream, bool is_open);
/// Pauses the stream, removes its links and forgets its targets; `with_node`: removes its node too. Loop.
void oav_pw_stream_unlink(struct oav_pw_stream *stream, bool with_node);
void oav_pw_stream_start(struct oav_pw_stream *stream);
/// Stops the stream; when this returns, the renderer's last call has returned. Control thread.
void oav_pw_stream_stop(struct oav_pw_stream *stream);
/// Frees the stream; when this returns, the renderer's last call has returned. Control thread.
void oav_pw_stream_close(struct oav_pw_stream *stream);

/// Requests cycles of this many frames at 48 kHz. Control thread.
void oav_pw_stream_set_cycle(struct oav_pw_stream *stream, uint32_t frames);

/// A stream's progress.
struct oav_pw_progress {
    /// The number of calls; wraps to 0 after its highest value.
    uint32_t cycles;
    /// The stream is linked to all targets, and all links pass sound on.
    bool is_linked;
    /// The delay between a rendered frame and the sink's converter, or between the source's converter and a captured frame, at the
    /// stream's rate; 0 while unlinked or not running.
    uint32_t latency_frames;
    /// The length of the last cycle in seconds; 0 while unlinked or not running.
    double cycle_seconds;
};
/// Loop.
struct oav_pw_progress oav_pw_stream_progress(struct oav_pw_stream *stream);

#if !__has_include(<pipewire/pipewire.h>)
#pragma clang attribute pop
#endif
#pragma clang assume_nonnull end
