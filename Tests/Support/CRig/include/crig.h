// The C half of the project's PipeWire rig: one client of one private server, for tests and benchmarks only.
//
// It connects by the absolute path of the server's socket, whatever the process' environment says, makes virtual
// devices there, counts what reaches them, and waits for events instead of sleeping.
//
// Conventions of every function here:
//  - Threads: any thread, except the callbacks the rig itself calls; calls on one rig are serialised by its loop's lock.
//  - Results: 0 or a negative errno. -ENOTSUP: built without PipeWire's headers. -ETIMEDOUT: the deadline passed.
//    -EPIPE: the server is gone (killed, or restarted); everything of this rig is then dead and must be made again.
//  - Times: CLOCK_MONOTONIC, in nanoseconds. Timeouts: in nanoseconds from now.
//  - Ownership: devices, meters, tones and cards belong to their rig; their handles stay valid until oav_rig_close.
//  - Loud: a frame in which at least one channel is above -60 dBFS (0.001 of full scale).
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define OAV_RIG_MAX_CHANNELS 32

struct oav_rig;
struct oav_rig_device;
struct oav_rig_meter;
struct oav_rig_node_profile;
struct oav_rig_tone;
struct oav_rig_card;
struct oav_rig_object;

struct oav_rig_property {
    const char *_Nonnull key;
    const char *_Nonnull value;
};

// ---- Processes -------------------------------------------------------------------------------------------------

/// Starts a program in its own session, with standard output and error in `log_path`.
///
/// The kernel kills it when this process ends in any way (PR_SET_PDEATHSIG); since that signal follows the thread that
/// forked, all children come from one thread that lives as long as the process. If `ready_fd` is not negative, the
/// child gets that descriptor as number 3.
/// Returns the process id, or a negative errno.
pid_t oav_rig_spawn(const char *_Nonnull file, char *const _Nullable *_Nonnull arguments,
                    char *const _Nullable *_Nonnull environment, const char *_Nonnull log_path, int ready_fd);

/// Waits for a child of oav_rig_spawn to end and reaps it. `status` receives what waitpid says.
int oav_rig_wait_for_exit(pid_t pid, uint64_t timeout_ns, int *_Nonnull status);

/// Waits until a server accepts connections on a socket; ends early with -ECHILD when the process `pid` has ended.
int oav_rig_wait_for_socket(const char *_Nonnull path, pid_t pid, uint64_t timeout_ns);

/// Waits until `fd` has something to read or is closed at the other end; -ECHILD when the process has ended.
int oav_rig_wait_for_data(int fd, pid_t pid, uint64_t timeout_ns);

uint64_t oav_rig_now(void);

// ---- Connection ------------------------------------------------------------------------------------------------

/// Whether the rig was built with PipeWire's headers.
bool oav_rig_available(void);

/// The version of libpipewire in this process, for example "0.3.65"; empty if the rig is not available.
const char *_Nonnull oav_rig_library_version(void);

/// Connects to the server listening on `socket_path`, and returns once its objects are known here.
///
/// Without a session manager (`has_session_manager` false) the rig's own nodes configure their ports themselves.
int oav_rig_connect(const char *_Nonnull socket_path, bool has_session_manager, uint64_t timeout_ns,
                    struct oav_rig *_Nullable *_Nonnull rig);
void oav_rig_close(struct oav_rig *_Nonnull rig);

/// False once the server has gone.
bool oav_rig_is_connected(struct oav_rig *_Nonnull rig);

/// Waits until the server has handled everything sent so far and its events have arrived.
int oav_rig_round_trip(struct oav_rig *_Nonnull rig, uint64_t timeout_ns);

/// Waits until `predicate` is true. It is asked at once, and again after every event from the server, on the calling
/// thread with the rig locked: it may call the inspecting functions below and must not wait.
int oav_rig_wait_until(struct oav_rig *_Nonnull rig, bool (*_Nonnull predicate)(void *_Nullable),
                       void *_Nullable context, uint64_t timeout_ns);

// ---- Inspection ------------------------------------------------------------------------------------------------

enum oav_rig_kind {
    OAV_RIG_NODE,
    OAV_RIG_PORT,
    OAV_RIG_LINK,
    OAV_RIG_DEVICE,
    OAV_RIG_METADATA,
    OAV_RIG_CLIENT,
    OAV_RIG_PROFILER,
    OAV_RIG_OTHER,
};

/// Calls `visit` for each object of one kind, oldest first. The object is valid during the call only.
void oav_rig_for_each(struct oav_rig *_Nonnull rig, enum oav_rig_kind kind,
                      void (*_Nonnull visit)(void *_Nullable context, const struct oav_rig_object *_Nonnull object),
                      void *_Nullable context);
uint32_t oav_rig_object_id(const struct oav_rig_object *_Nonnull object);

/// A property from the object's registry entry (node.name, media.class, link.input.node, ...), or NULL.
const char *_Nullable oav_rig_object_property(const struct oav_rig_object *_Nonnull object, const char *_Nonnull key);

/// Asks for all values again. While another client binds a metadata object, the server tells a change only to that one
/// (PipeWire, module-metadata/metadata.c: `pending`), and those who have bound it before never hear of it.
void oav_rig_read_metadata_again(struct oav_rig *_Nonnull rig);

/// Copies a value of a metadata object ("default", "settings") as text; -ENOENT if it has none.
int oav_rig_metadata_get(struct oav_rig *_Nonnull rig, const char *_Nonnull metadata, uint32_t subject,
                         const char *_Nonnull key, char *_Nonnull value, size_t capacity);

/// Sets a value, or removes it if `value` is NULL; `type` may be NULL. -ENOENT: there is no such metadata object.
/// The server has the change when this returns; who acts on it does so later.
int oav_rig_metadata_set(struct oav_rig *_Nonnull rig, const char *_Nonnull metadata, uint32_t subject,
                         const char *_Nonnull key, const char *_Nullable type, const char *_Nullable value,
                         uint64_t timeout_ns);

// ---- Devices ---------------------------------------------------------------------------------------------------

/// Makes an adapter node in the server (as a session manager does for hardware) and waits until it has ports.
int oav_rig_device_create(struct oav_rig *_Nonnull rig, const struct oav_rig_property *_Nonnull properties,
                          size_t count, uint64_t timeout_ns, struct oav_rig_device *_Nullable *_Nonnull device);
uint32_t oav_rig_device_node_id(struct oav_rig_device *_Nonnull device);

/// Takes the node away as a pulled plug does, and returns the time just before; 0 if it was gone already.
uint64_t oav_rig_device_destroy(struct oav_rig_device *_Nonnull device);

/// Publishes a node without ports that this process runs itself, until the rig is closed.
///
/// One that `lies_about_sizes` has volumes, in an array whose elements are 2,000 bytes long.
int oav_rig_node_publish(struct oav_rig *_Nonnull rig, const struct oav_rig_property *_Nonnull properties, size_t count,
                         bool lies_about_sizes, uint64_t timeout_ns);

/// Publishes a stereo sink of this process that drives its graph and never begins a cycle, until the rig is closed; waits until
/// it has ports.
int oav_rig_still_sink_publish(struct oav_rig *_Nonnull rig, const struct oav_rig_property *_Nonnull properties,
                               size_t count, uint64_t timeout_ns);

// ---- Meters ----------------------------------------------------------------------------------------------------

struct oav_rig_meter_reading {
    uint64_t marked_at;       ///< when counting began
    uint64_t frames;          ///< frames seen since then: a meter that hears nothing still counts these
    uint64_t loud_frames;
    uint64_t first_loud_at;   ///< when the cycle that held the first loud frame was seen; 0 if none
    uint64_t last_loud_at;
    uint64_t first_loud_frame; ///< its number, counted from the mark
    uint64_t last_loud_frame;
    uint64_t missed_frames;   ///< frames of the sink's clock that never reached the meter; 0 proves a gap-free count
    float peak;               ///< largest absolute sample
};

/// Starts counting what the node `node_name` plays, from its monitor ports, by links of the rig's own.
/// Returns once frames of every channel arrive. If a node of that name comes back later, it is metered again.
///
/// `channels` are position names (FL, FR, ...) as the sink's ports carry them; `captured_frames` of the newest samples
/// are kept (0: none).
int oav_rig_meter_create(struct oav_rig *_Nonnull rig, const char *_Nonnull node_name,
                         const char *_Nonnull const *_Nonnull channels, size_t channel_count, size_t captured_frames,
                         uint64_t timeout_ns, struct oav_rig_meter *_Nullable *_Nonnull meter);

/// Sets every count to zero and returns the time; everything captured so far is forgotten.
uint64_t oav_rig_meter_mark(struct oav_rig_meter *_Nonnull meter);
/// Ends the metering; readings stay as they are. Else a meter goes on, also with the next node of that name.
void oav_rig_meter_stop(struct oav_rig *_Nonnull rig, struct oav_rig_meter *_Nonnull meter);
void oav_rig_meter_read(struct oav_rig_meter *_Nonnull meter, struct oav_rig_meter_reading *_Nonnull reading);

/// Waits until at least so many frames, and so many loud ones, were seen since the mark, and the newest
/// `quiet_frames` were not loud.
int oav_rig_meter_wait(struct oav_rig_meter *_Nonnull meter, uint64_t frames, uint64_t loud_frames,
                       uint64_t quiet_frames, uint64_t timeout_ns);

/// Copies the newest captured frames, oldest first, planar: channel c begins at `samples + c * capacity_frames`.
/// Returns how many frames were copied. `end_position` becomes the driver's clock position behind the last one, which
/// is one and the same for all meters of sinks with one driver.
size_t oav_rig_meter_copy(struct oav_rig_meter *_Nonnull meter, float *_Nonnull samples, size_t capacity_frames,
                          uint64_t *_Nonnull end_position);

// ---- Profiles --------------------------------------------------------------------------------------------------

/// Since the profile was made: cycles in which a node was to run, and those at whose end it had not finished.
struct oav_rig_node_profile_reading {
    uint64_t cycles;
    uint64_t errors;
};

/// Begins to count for all nodes of this name; -ENOENT if the server has no profiler.
int oav_rig_node_profile_create(struct oav_rig *_Nonnull rig, const char *_Nonnull node_name,
                                struct oav_rig_node_profile *_Nullable *_Nonnull profile);
struct oav_rig_node_profile_reading oav_rig_node_profile_read(struct oav_rig *_Nonnull rig,
                                                              struct oav_rig_node_profile *_Nonnull profile);

// ---- Tones -----------------------------------------------------------------------------------------------------

enum oav_rig_tone_routing {
    OAV_RIG_TONE_AUTOMATIC, ///< the session manager links it: to the default, or to `target_node` as a wish
    OAV_RIG_TONE_LINKED,    ///< the rig links it to `target_node` and owns the links
    OAV_RIG_TONE_SOURCE,    ///< it is a microphone (media.class Audio/Source), which is not linked
};

struct oav_rig_tone_options {
    enum oav_rig_tone_routing routing;
    const char *_Nullable target_node;
    const char *_Nonnull const *_Nonnull channels;
    size_t channel_count;
    uint32_t rate;
    double frequency;
    float amplitude;
    const struct oav_rig_property *_Nullable properties; ///< of the stream's node; node.name is required
    size_t property_count;
};

/// Makes a stream that is silent until oav_rig_tone_play.
///
/// Channel 0 carries a sine, channel 1 a cosine, and so on by turns: with two channels every single frame is loud, so
/// that frames can be counted exactly. A single channel carries a square wave for the same reason.
int oav_rig_tone_create(struct oav_rig *_Nonnull rig, const struct oav_rig_tone_options *_Nonnull options,
                        uint64_t timeout_ns, struct oav_rig_tone *_Nullable *_Nonnull tone);

/// Plays exactly so many frames from the next cycle on, starting at phase 0, and silence after them; UINT64_MAX: no end.
void oav_rig_tone_play(struct oav_rig_tone *_Nonnull tone, uint64_t frames);

/// Frames of tone handed to the server so far.
uint64_t oav_rig_tone_played_frames(struct oav_rig_tone *_Nonnull tone);
uint32_t oav_rig_tone_node_id(struct oav_rig_tone *_Nonnull tone);

/// Whether the server asks it for frames now.
bool oav_rig_tone_is_streaming(struct oav_rig_tone *_Nonnull tone);
int oav_rig_tone_set_active(struct oav_rig_tone *_Nonnull tone, bool active);
void oav_rig_tone_destroy(struct oav_rig_tone *_Nonnull tone);

// ---- Virtual card ----------------------------------------------------------------------------------------------

enum oav_rig_route {
    OAV_RIG_ROUTE_SPEAKER,
    OAV_RIG_ROUTE_HEADPHONES,
    OAV_RIG_ROUTE_MICROPHONE,
    OAV_RIG_ROUTE_COUNT,
};

/// The values are those of SPA_PARAM_AVAILABILITY_*.
enum oav_rig_availability {
    OAV_RIG_AVAILABLE_UNKNOWN = 0,
    OAV_RIG_AVAILABLE_NO = 1,
    OAV_RIG_AVAILABLE_YES = 2,
};

struct oav_rig_card_options {
    const char *_Nonnull name;                     ///< alsa_card.NAME, alsa_output.NAME.analog-stereo, ...
    enum oav_rig_availability speaker, headphones, microphone; ///< at the start
    /// As ACP's path files do it: the speaker is "no" while the headphones are in and "unknown" while they are out.
    bool speaker_follows_jack;
    bool moves_route_itself;                       ///< as ACP with auto-port; else the session manager moves it
    uint32_t ring_frames;                          ///< what the hardware still emits after a change of route
    /// A Bluetooth headset: bluez_card.NAME, bluez_output.NAME.1, bluez_input.NAME.0. In A2DP it is a sink of two
    /// channels, in HFP a sink and a source of one; its routes are the headphones and the microphone.
    bool is_headset;
    /// Of a headset: bluez_input.NAME is there in both profiles, as WirePlumber 0.5 makes it, in place of HFP's source.
    bool has_loopback;
    bool lies_about_sizes;                         ///< the arrays of its routes have elements of 2,000 bytes
};

enum oav_rig_profile {
    OAV_RIG_PROFILE_OFF,
    OAV_RIG_PROFILE_ON,   ///< of a card with a jack; of a headset, A2DP
    OAV_RIG_PROFILE_HFP,
};

struct oav_rig_card_reading {
    uint64_t marked_at;
    uint64_t frames;                               ///< frames seen in all, loud or not
    uint64_t loud_frames[OAV_RIG_ROUTE_COUNT];     ///< emitted by each output route while it was active and not muted
    uint64_t first_loud_at[OAV_RIG_ROUTE_COUNT];
    uint64_t last_loud_at[OAV_RIG_ROUTE_COUNT];
    uint64_t muted_loud_frames;                    ///< loud frames that a muted route swallowed
    uint64_t missed_frames;
    int active_output;                             ///< an oav_rig_route, or -1
    int active_input;
    enum oav_rig_profile profile;
    bool muted[OAV_RIG_ROUTE_COUNT];
    enum oav_rig_availability available[OAV_RIG_ROUTE_COUNT];
};

/// Exports a sound card with one sink and one source, and waits until a profile is chosen and both have ports.
int oav_rig_card_create(struct oav_rig *_Nonnull rig, const struct oav_rig_card_options *_Nonnull options,
                        uint64_t timeout_ns, struct oav_rig_card *_Nullable *_Nonnull card);

/// The jack: changes the headphones' availability (and the speaker's, if it follows the jack) in one event, after
/// setting every count to zero. Returns the time just before.
uint64_t oav_rig_card_plug(struct oav_rig_card *_Nonnull card, bool headphones_in);
void oav_rig_card_set_availability(struct oav_rig_card *_Nonnull card, enum oav_rig_route route,
                                   enum oav_rig_availability availability);

/// From the next change of the routes on, no question about them is answered until this is called with false. The rig's
/// loop stands still meanwhile.
void oav_rig_card_hold_answers(struct oav_rig_card *_Nonnull card, bool holds);

/// Mutes a route as a mixer program would, by the card's own Route parameter.
void oav_rig_card_set_mute(struct oav_rig_card *_Nonnull card, enum oav_rig_route route, bool muted);
uint64_t oav_rig_card_mark(struct oav_rig_card *_Nonnull card);
void oav_rig_card_read(struct oav_rig_card *_Nonnull card, struct oav_rig_card_reading *_Nonnull reading);

/// Switches the profile, as a program for settings does.
void oav_rig_card_set_profile(struct oav_rig_card *_Nonnull card, enum oav_rig_profile profile);

/// Waits until the card's meter has seen so many frames since the mark.
int oav_rig_card_wait_for_frames(struct oav_rig_card *_Nonnull card, uint64_t frames, uint64_t timeout_ns);

/// What the microphone hears from now on: so many frames of its tone; UINT64_MAX: no end.
void oav_rig_card_play_into_microphone(struct oav_rig_card *_Nonnull card, uint64_t frames);
uint32_t oav_rig_card_device_id(struct oav_rig_card *_Nonnull card);

/// Takes the whole card away, nodes first, as a pulled USB plug does. Returns the time just before.
uint64_t oav_rig_card_destroy(struct oav_rig_card *_Nonnull card);
