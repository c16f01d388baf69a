// PipeWire for Swift: everything that touches libpipewire is behind these declarations.
//
// A host owns one loop thread with two connections, which begin and end together. It reports registry traffic as flat
// facts, by function pointers on that thread; it has the proxies, the gate and the render cycle of output and input streams.
// HostPipeWire decides what the facts mean and how a stream is linked, with one exception: when a device goes away, the gate
// is closed, the stream paused and its links dropped before any event is sent.
//
// The declarations are there in every build. Where libpipewire's headers were missing at build time,
// `oav_pw_host_connect` answers OAV_PW_UNREACHABLE and says why.
//
// oav_pod.h reads the PODs that come from other programs, and oav_conf.h configuration in the syntax of PipeWire.
//
// Threads: "control" is any one thread at a time that is not the loop thread; "loop" is the host's own, or whoever has
// locked it with `oav_pw_host_lock`; "data" is PipeWire's real-time thread. Control functions that
// take a host that runs, or a stream, are called with the loop locked, and locked once: where PipeWire 1.4 waits for the loop
// thread, it unlocks the loop once. They do not wait for the server, and for the data thread's renderer one cycle at most.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crealtime.h"

#pragma clang assume_nonnull begin

/// No object, no route, no rate: PipeWire's ids never have this value.
#define OAV_PW_NONE UINT32_MAX
#define OAV_PW_MAX_CHANNELS 64
#define OAV_PW_MAX_TARGETS 8

enum oav_pw_status {
    OAV_PW_OK = 0,
    /// No server answered, or this build has no libpipewire.
    OAV_PW_UNREACHABLE,
    /// The server, or a limit of ours, said no.
    OAV_PW_REFUSED,
    /// The sink or its route is not there (any more).
    OAV_PW_NO_SUCH_PORT,
    /// The connection is gone.
    OAV_PW_LOST,
};

enum oav_pw_availability { OAV_PW_AVAILABLE_UNKNOWN = 0, OAV_PW_AVAILABLE_NO, OAV_PW_AVAILABLE_YES };

enum oav_pw_kind {
    // Bound: what they say of themselves is told, too.
    OAV_PW_SINK = 0, OAV_PW_SOURCE, OAV_PW_STREAM, OAV_PW_CLAIM, OAV_PW_DEVICE,
    /// The session manager's choices ("default"), and the graph's settings.
    OAV_PW_METADATA, OAV_PW_SETTINGS,
    OAV_PW_LAST_BOUND = OAV_PW_SETTINGS,
    /// With a channel, of any node.
    OAV_PW_PORT,
    OAV_PW_LINK, OAV_PW_CLIENT, OAV_PW_FACTORY,
    /// In `object_removed`: one of the last four, or one that was not told.
    OAV_PW_OTHER,
};

/// What an object says of itself; every text is untrusted. Lives during the call only.
struct oav_pw_properties;

/// NULL: there is none with this key.
const char *_Nullable oav_pw_property(const struct oav_pw_properties *properties, const char *key);

/// An object of the server's.
struct oav_pw_object {
    uint32_t id;
    /// `object.serial`: never used again by this server, unlike `id`; the serial of a claim.
    uint64_t serial;
    /// The connection that made it, as the server says; OAV_PW_NONE: it has outlived its maker.
    uint32_t client_id;
    enum oav_pw_kind kind;
    /// This host's link.
    bool is_ours;
    /// False: the properties are the registry's. What the node or card says of itself follows.
    bool is_described;
    /// Of a stream or a claim.
    bool is_running;
    /// Of a stream: it is muted, or its volume is 0.
    bool is_silent;
    const struct oav_pw_properties *properties;
};

/// One thing a card can switch to (EnumRoute). Strings and arrays live during the call only; absent strings are NULL.
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
    /// The indices of the profiles that have it.
    const int32_t *_Nullable profiles;
    uint32_t profile_count;
};

/// The volume of a sink, a source, or the active route of a card.
struct oav_pw_volume {
    bool is_muted;
    /// Of the loudest channel, linear.
    float amplitude;
    /// 0: it has none, and the amplitude means nothing.
    uint32_t channel_count;
};

/// What a card can be as a whole (EnumProfile), or is (Profile).
struct oav_pw_profile {
    int32_t index;
    int32_t priority;
    bool is_available;
    /// It has sources, sinks.
    bool has_input, has_output;
    bool is_active;
    /// Lives during the call only.
    const char *_Nullable name;
};

/// What a card device is switched to now (Route).
struct oav_pw_active_route {
    int32_t card_device;
    int32_t route_index;
    struct oav_pw_volume volume;
};

/// Why a stream is not linked to a target any more.
enum oav_pw_loss_cause {
    /// The card's route has become unavailable.
    OAV_PW_LOSS_ROUTE = 0,
    /// The server removed the link.
    OAV_PW_LOSS_REMOVED,
    /// The link failed, or could not be made.
    OAV_PW_LOSS_FAILED,
};

struct oav_pw_loss {
    /// The index in the stream's targets.
    uint32_t target;
    enum oav_pw_loss_cause cause;
    /// The server had made the link.
    bool was_bound;
    /// The ends of the link; OAV_PW_NONE where the route is the cause.
    uint32_t our_port, their_port;
    const char *words;
};

/// The facts, with the loop locked, on the loop thread or inside a control function. Of this header, only functions that
/// are marked "Loop" may be called here.
struct oav_pw_events {
    void *_Nullable context;
    /// An object came, or what a node or card says of itself changed; a stream, or a claim, also where it began or ceased to
    /// run.
    void (*object)(void *_Nullable context, const struct oav_pw_object *object);
    /// Streams that had it as a target are paused and unlinked, their gates closed.
    void (*object_removed)(void *_Nullable context, enum oav_pw_kind kind, uint32_t id, uint64_t serial);
    /// The volume of a node itself; the active route of its card may have another.
    void (*node_volume)(void *_Nullable context, uint32_t id, const struct oav_pw_volume *volume);
    /// A card is asked for all its routes, and a Bluetooth card for its profiles, after each change of any of them, or of a
    /// volume. `is_over`: it has answered all. The next three come in between.
    void (*reading)(void *_Nullable context, uint32_t device_id, bool is_over);
    void (*route)(void *_Nullable context, uint32_t device_id, const struct oav_pw_route *route);
    void (*active_route)(void *_Nullable context, uint32_t device_id, const struct oav_pw_active_route *active);
    void (*profile)(void *_Nullable context, uint32_t device_id, const struct oav_pw_profile *profile);
    /// A value of the session manager's "default" metadata: `key` is "default.audio.sink", ".source" or
    /// "default.configured.audio.sink", ".source"; `node_name` is NULL when it names none.
    /// `is_reading`: a reading (`oav_pw_host_read_metadata`) has found it, and the server has perhaps told it before.
    void (*default_node)(
        void *_Nullable context, const char *key, const char *_Nullable node_name, bool is_reading);
    /// A value of the graph's settings; what is no number is 0.
    void (*setting)(void *_Nullable context, const char *key, uint32_t value);
    /// The rate at which a sink or source that one of our streams is linked to is really driven, in hertz; 0: nothing of
    /// ours runs there any more.
    void (*sink_rate)(void *_Nullable context, uint32_t node_id, uint32_t hertz);
    /// The server has answered the `oav_pw_host_sync` that returned this number.
    void (*synced)(void *_Nullable context, int seq);
    /// The time given to `oav_pw_host_arm` has come.
    void (*timer_fired)(void *_Nullable context);

    /// The server has made all links of the stream's node.
    void (*stream_linked)(void *_Nullable context, uint64_t tag, uint32_t node_id);
    /// The stream lost a target although the node is there: it is paused and unlinked, its gate closed, its targets
    /// forgotten. Comes before the fact that is the cause.
    void (*stream_lost)(void *_Nullable context, uint64_t tag, const struct oav_pw_loss *loss);
    /// The stream stopped running although its gate is open.
    void (*stream_paused)(void *_Nullable context, uint64_t tag);
    void (*stream_running)(void *_Nullable context, uint64_t tag);
    /// The server has taken the stream's node away, or could not run it: it is unlinked, its gate closed.
    void (*stream_failed)(void *_Nullable context, uint64_t tag, const char *message);
    /// The server has given the stream this node. May come again, and with another node.
    void (*stream_named)(void *_Nullable context, uint64_t tag, uint32_t node_id);
    /// A mixer moved a node, of ours or of another program: `target` is an object serial or a node name; NULL lifts the
    /// choice. OAV_PW_NONE: whoever kept the choices of all nodes has gone.
    void (*target_set)(void *_Nullable context, uint32_t node_id, const char *_Nullable target, bool is_reading);
    /// A reading has found all, or not.
    void (*metadata_read)(void *_Nullable context, bool is_complete);

    /// The server has given our claim this node. May come again.
    void (*claim_named)(void *_Nullable context, uint64_t tag, uint32_t node_id);
    /// The server has read what came before the round trip with the number that `oav_pw_claim_withdraw` returned.
    void (*claims_read)(void *_Nullable context, int seq);
    /// The server refused the claim, or has removed it.
    void (*claim_failed)(void *_Nullable context, uint64_t tag, const char *message);
    /// The client of the connection that has our nodes.
    void (*own_client)(void *_Nullable context, uint32_t id);
    /// The connection is gone; comes once, and nothing after it but `timer_fired`. `lacks_descriptors`: this process had
    /// too few left to read what the server sent.
    void (*lost)(void *_Nullable context, const char *message, bool lacks_descriptors);
};

struct oav_pw_host;
struct oav_pw_stream;

struct oav_pw_diagnosis {
    char server_version[32];
    char server_name[64];
    /// The client configuration in use, "client-rt.conf" or "client.conf".
    char configuration[32];
    /// A data thread has run: the two below are meaningful.
    bool data_thread_seen;
    bool data_thread_is_realtime;
    int32_t data_thread_priority;
};

/// Whose claims a registry has. A host of the guards' sees both, any other the sessions' alone.
enum oav_pw_claims { OAV_PW_CLAIMS_OF_SESSIONS = 0, OAV_PW_CLAIMS_OF_GUARDS };

/// Connects; facts come once `oav_pw_host_run` was called. Waits for no answer.
///
/// - socket_path: of the server, absolute; NULL asks the environment.
/// - claims: the registry of claims that it sees others' in.
/// - text: receives why not, in words for people.
/// Control thread.
enum oav_pw_status oav_pw_host_connect(
    const char *_Nullable socket_path, enum oav_pw_claims claims, const struct oav_pw_events *events,
    struct oav_pw_host *_Nullable *_Nonnull host, char *text, size_t text_size);
/// Starts the loop thread. False: the system has no more threads. Control thread.
bool oav_pw_host_run(struct oav_pw_host *host);

/// Disconnects. No callback runs after it has returned. Every stream must be closed. Control thread.
void oav_pw_host_close(struct oav_pw_host *host);

/// Whether the caller is inside one of the host's callbacks, where it can neither be closed nor waited for.
bool oav_pw_host_is_calling(struct oav_pw_host *host);

/// Keeps callbacks from running, except those that control functions of the caller's make. May be nested. Any thread.
void oav_pw_host_lock(struct oav_pw_host *host);
void oav_pw_host_unlock(struct oav_pw_host *host);

/// Asks the server for an answer; `synced` brings the number that is returned here. -1: the connection is lost. Loop.
int oav_pw_host_sync(struct oav_pw_host *host);
/// Has `timer_fired` called at this instant of CLOCK_MONOTONIC, at once where it is past, in place of the instant given
/// before; 0: not at all. Loop.
void oav_pw_host_arm(struct oav_pw_host *host, uint64_t time_ns);
/// Sets the volume of a sink or source, for all programs and for later logins. False: there is no such node. Loop.
bool oav_pw_host_set_volume(struct oav_pw_host *host, uint32_t node_id, const struct oav_pw_volume *volume);
/// Switches a device of a card to a route, and sets its volume there, for all programs; without channels the mute alone.
/// `saved`: also for later logins; a session manager remembers nothing else. False: there is no such card. Loop.
bool oav_pw_host_set_route(
    struct oav_pw_host *host, uint32_t device_id, int32_t card_device, int32_t route_index,
    const struct oav_pw_volume *_Nullable volume, bool saved);
/// Switches a card to another profile, not for later logins. False: there is no such card. Loop.
bool oav_pw_host_set_profile(struct oav_pw_host *host, uint32_t device_id, int32_t index);
/// Removes a link that another client made. Loop.
void oav_pw_host_destroy_link(struct oav_pw_host *host, uint32_t id);

/// What a claim says; strings are copied. Of these, a guard's has the mode alone: "focus" where it only serves holders.
struct oav_pw_claim_config {
    /// Comes back in the events.
    uint64_t tag;
    enum oav_pw_claims registry;
    /// What the claim asks of programs without a session; NULL: what its category and options say.
    const char *_Nullable focus;
    /// The program that it is of, for others; NULL: this process.
    const char *_Nullable program;
    const char *_Nullable category;
    const char *_Nullable mode;
    const char *_Nullable policy;
    uint64_t options;
};

/// The process may open fewer files than one of the server's messages may bring: libpipewire then ends the connection.
bool oav_pw_lacks_descriptors(void);

/// Publishes a claim, answered by `claim_named` or `claim_failed`. A failure here is the answer. Control thread.
enum oav_pw_status oav_pw_claim_put(
    struct oav_pw_host *host, const struct oav_pw_claim_config *config, char *text, size_t text_size);
/// Says that the claim's session is interrupted and waits for its end. Unknown tags do nothing. Control thread.
void oav_pw_claim_suspend(struct oav_pw_host *host, uint64_t tag);
/// Sets a property of a claim. Unknown tags do nothing. Control thread.
void oav_pw_claim_say(struct oav_pw_host *host, uint64_t tag, const char *key, const char *value);
/// Takes a claim down; nothing is told of it from here on. Unknown tags do nothing. Control thread.
///
/// Returns the number of the round trip, told by `claims_read`, after which the server has read that the claim hands the
/// sound back: a program that ends before takes with it what is still in its socket's buffer. -1: there is nothing to
/// wait for.
int oav_pw_claim_withdraw(struct oav_pw_host *host, uint64_t tag, bool notifying_others);

/// The class of a sink that is a target by name only: no default, and in no mixer.
#define OAV_PW_PARKING_CLASS "Audio/Sink/Parking"

/// Asks the session manager to move a node: `value` is a node name ("Spa:String") or an object serial ("Spa:Id"); NULL lifts
/// the choice. False: there is no session manager. Loop.
/// Reads the session manager's "default" metadata once more, on a connection of its own, which has the name below:
/// `default_node` and `target_set` come with what there is, then `metadata_read`. While a session manager stands still it
/// does not end. False: there is none, or a reading is under way.
bool oav_pw_host_read_metadata(struct oav_pw_host *host);
#define OAV_PW_READER_NAME "open-avfaudio reader"
bool oav_pw_host_set_target(
    struct oav_pw_host *host, uint32_t node_id, const char *_Nullable type, const char *_Nullable value);
/// Sets the output that the user has configured: a JSON object with its "name"; NULL lifts the choice. False: there is no
/// session manager. Loop.
bool oav_pw_host_set_configured_sink(struct oav_pw_host *host, const char *_Nullable json);
void oav_pw_host_diagnose(struct oav_pw_host *host, struct oav_pw_diagnosis *diagnosis);
/// Tells this life of the server from every other one; 0 until the server has said it. Loop.
uint32_t oav_pw_host_server_cookie(struct oav_pw_host *host);

/// The version of the linked libpipewire; empty in a build without it.
const char *oav_pw_library_version(void);

// canceller.c: PipeWire's plugin that takes echo out of a microphone's sound (aec/libspa-aec-webrtc), in this process.

/// One channel at one rate, in blocks of 10 ms.
struct oav_pw_canceller;

/// Loads the plugin from where libpipewire looks for plugins (SPA_PLUGIN_DIR, else its own directory), and prepares it. It needs no
/// server. NULL: `text` says why. Any thread; it allocates.
struct oav_pw_canceller *_Nullable oav_pw_canceller_open(uint32_t sample_rate, char *text, size_t text_size);
/// Cleans one block; negative: an errno. One thread at a time, of any kind: it does not wait.
int32_t oav_pw_canceller_run(
    void *_Nullable canceller, const float *captured, const float *played, float *cleaned, uint32_t frames);
/// When no thread runs it any more.
void oav_pw_canceller_close(struct oav_pw_canceller *canceller);

// process.c: needs no libpipewire. Any thread.
/// The client configuration that gives data threads real-time scheduling, for a libpipewire of this version: up to 1.2 it
/// is "client-rt.conf", since 1.3.81 "client.conf", and the other is gone.
const char *oav_pw_client_configuration(const char *library_version);

/// Whether libpipewire finds a configuration for clients; without one it connects to no server.
bool oav_pw_has_client_configuration(void);
/// Where the server's socket is or would be; `path` NULL: as the environment has it. Not absolute where nothing names a
/// directory.
void oav_socket_locate(const char *_Nullable path, char *text, size_t size);
/// Names the calling thread, as debuggers and /proc show it: 15 characters at most.
void oav_name_thread(const char *name);

/// What a stream is; strings are copied.
struct oav_pw_stream_config {
    /// Comes back in the events.
    uint64_t tag;
    /// It links to sources, and its renderer gets their frames; it is called with an open gate only.
    bool is_input;
    const char *title;
    const char *_Nullable role;
    /// Streams with the same group have one driver, whatever they are linked to; NULL: a group of its own.
    const char *_Nullable group;
    /// As in `oav_pw_stream_make_node`.
    bool makes_ports;
    double sample_rate;
    uint32_t max_frames;
    struct oav_renderer renderer;
};

/// What a stream is to be linked to: a sink, for an input stream a source, with the route of its card.
struct oav_pw_target {
    uint32_t node_id;
    /// OAV_PW_NONE, -1: it has no route.
    uint32_t device_id;
    int32_t route_index;
    /// The loss of the route is a loss to the stream, and no speaker that makes way for something plugged in.
    bool is_private;
};

/// Makes a stream that is not linked, not running, and has its gate closed. Control thread.
///
/// When the connection is lost, the renderer's last call has returned before `lost` is called. The stream must be closed
/// all the same, before its host is.
enum oav_pw_status oav_pw_stream_open(
    struct oav_pw_host *host, const struct oav_pw_stream_config *config,
    struct oav_pw_stream *_Nullable *_Nonnull stream, char *text, size_t text_size);

/// Makes the stream's node, in place of the one that it had. `channels` are names as in `oav_pw_port`, "FL,FR"; others than
/// PipeWire's get a number. `makes_ports`: no session manager is there to make them. A failure leaves the stream without a
/// node. Loop.
enum oav_pw_status oav_pw_stream_make_node(
    struct oav_pw_stream *stream, const char *channels, bool makes_ports, char *text, size_t text_size);
/// From here on the loss of one of these is noticed: the first answer to it is given, and `stream_lost` or `node_removed`
/// says it. OAV_PW_MAX_TARGETS at most. Loop.
void oav_pw_stream_set_targets(struct oav_pw_stream *stream, const struct oav_pw_target *targets, uint32_t count);
/// Links a port of the stream's node with one of the target's. `stream_linked` comes when the server has made all links of
/// the stream. False: it could not be asked for. Loop.
bool oav_pw_stream_add_link(struct oav_pw_stream *stream, uint32_t target, uint32_t our_port, uint32_t their_port);
/// From here on a stream that runs sounds, or is silent; its links stay. Loop.
void oav_pw_stream_set_gate(struct oav_pw_stream *stream, bool is_open);
/// Pauses the stream, drops its links and forgets its targets; `with_node`: takes its node away too. Loop.
void oav_pw_stream_unlink(struct oav_pw_stream *stream, bool with_node);
void oav_pw_stream_start(struct oav_pw_stream *stream);
/// The renderer's last call has returned when this returns. Control thread.
void oav_pw_stream_stop(struct oav_pw_stream *stream);
/// Frees the stream; the renderer's last call has returned when this returns. Control thread.
void oav_pw_stream_close(struct oav_pw_stream *stream);

/// Asks for cycles of that many frames at 48 kHz. Control thread.
void oav_pw_stream_set_cycle(struct oav_pw_stream *stream, uint32_t frames);

/// How a stream runs.
struct oav_pw_progress {
    /// How often it was called; begins at 0 again after its highest value.
    uint32_t cycles;
    /// It is linked to all targets, and all links pass sound on.
    bool is_linked;
    /// Between a rendered frame and the sink's converter, or between the source's and a captured frame, at the stream's rate;
    /// 0 while unlinked or not running.
    uint32_t latency_frames;
    /// The length of the last cycle; 0 while not linked or not running.
    double cycle_seconds;
};
/// Loop.
struct oav_pw_progress oav_pw_stream_progress(struct oav_pw_stream *stream);

#pragma clang assume_nonnull end
