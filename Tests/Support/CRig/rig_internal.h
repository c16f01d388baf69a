// What the rig's files share. Everything here runs on the loop's thread, or with its lock held, unless it says otherwise.
#pragma once
#include "crig.h"

#if __has_include(<pipewire/pipewire.h>)
#define OAV_RIG_HAS_PIPEWIRE 1

#include <pipewire/pipewire.h>
#include <pthread.h>
#include <spa/pod/builder.h>
#include <string.h>

#define RIG_EXPORT_PREFIX "oav-rig"

struct oav_rig_object {
    struct spa_list link;
    enum oav_rig_kind kind;
    uint32_t id;
    struct pw_properties *properties;
    struct oav_rig *rig;
    struct pw_proxy *proxy;      // metadata only: bound, to hear of its values
    struct spa_hook proxy_hook;
    struct spa_list entries;     // struct metadata_entry
};

// Something that lives until the rig is closed.
struct rig_resource {
    struct spa_list link;
    void (*release)(struct rig_resource *resource);  // the loop stands still then
};

struct oav_rig {
    struct pw_thread_loop *loop;
    struct pw_context *context;
    char *socket_path;
    struct pw_core *core;
    struct spa_hook core_hook;
    struct pw_core *export_core;  // see rig_export_core
    struct pw_registry *registry;
    struct spa_hook registry_hook;
    bool has_session_manager;
    bool lost;
    int done_sequence;
    struct spa_list objects;
    struct spa_list linkers;
    struct spa_list resources;
};

// An array of elements of 4 bytes. One that lies has an element of 2,000 bytes of the same type.
static inline void rig_add_array(struct spa_pod_builder *builder, uint32_t type, uint32_t count, const void *elements,
                                 bool lies) {
    char wide[2000];
    memset(wide, 'A', sizeof wide);
    if (lies)
        spa_pod_builder_array(builder, sizeof wide, type, 1, wide);
    else
        spa_pod_builder_array(builder, 4, type, count, elements);
}

static inline void rig_lock(struct oav_rig *rig) { pw_thread_loop_lock(rig->loop); }
static inline void rig_unlock(struct oav_rig *rig) { pw_thread_loop_unlock(rig->loop); }

// A second connection, for what a session manager sets up (cards, streams, microphones); NULL if the server is gone.
//
// One connection would not do: the server stops reading from a client that binds a metadata object of the session
// manager's until that answers, and from a session manager that asks an exported device or node for something until the
// exporter answers. A client that does both at once waits for ever (seen with 0.3.65; the code of 1.4.2 is the same).
struct pw_core *rig_export_core(struct oav_rig *rig);

// Wakes everyone in rig_wait: to be called after each change that a waiter may ask for.
void rig_changed(struct oav_rig *rig);

// Waits, with the lock held once, until `predicate` is true.
int rig_wait(struct oav_rig *rig, bool (*predicate)(void *context), void *context, uint64_t timeout_ns);
void rig_keep(struct oav_rig *rig, struct rig_resource *resource, void (*release)(struct rig_resource *));

const char *rig_property(const struct oav_rig_object *object, const char *key);
bool rig_property_is(const struct oav_rig_object *object, const char *key, const char *value);
uint32_t rig_property_id(const struct oav_rig_object *object, const char *key);
struct oav_rig_object *rig_find_node(struct oav_rig *rig, const char *name);

// How many ports of a direction ("in", "out") a node has.
size_t rig_count_ports(struct oav_rig *rig, uint32_t node_id, const char *direction);

// What a session manager does for a sink: a port and a monitor for each channel of its "audio.position".
void rig_make_sink_ports(struct pw_proxy *node, const struct pw_properties *properties);

// The SPA channel of a name such as FL; SPA_AUDIO_CHANNEL_UNKNOWN if there is none.
uint32_t rig_channel_named(const char *name);

void rig_metadata_bind(struct oav_rig_object *object);
void rig_metadata_release(struct oav_rig_object *object);

// ---- Links of our own ----

struct rig_linker;
struct rig_own_link {
    struct rig_linker *linker;
    struct pw_proxy *proxy;
    struct spa_hook hook;
    uint32_t output_port, input_port;
};

enum rig_linker_kind {
    RIG_LINK_TO_TARGET,     // our node's outputs to the target's inputs
    RIG_LINK_FROM_MONITOR,  // the target's monitors to our node's inputs
};

// Keeps one node of ours linked, channel by channel, to whatever node has the target's name at the time.
struct rig_linker {
    struct spa_list link;
    struct oav_rig *rig;
    enum rig_linker_kind kind;
    uint32_t node_id;
    char *target;
    struct rig_own_link links[OAV_RIG_MAX_CHANNELS];
};

void rig_linker_start(struct rig_linker *linker, struct oav_rig *rig, enum rig_linker_kind kind, const char *target);
void rig_linker_stop(struct rig_linker *linker);
void rig_linkers_update(struct oav_rig *rig);

// ---- Taps ----

// One cycle of a sink's monitor. `channels[c]` is NULL where that channel brought nothing. On the data thread.
struct rig_cycle {
    const float *const *channels;
    size_t channel_count;
    uint32_t frames;
    uint64_t missed_frames;  // that the sink's clock counted since the last cycle, and we did not get
    uint64_t time;
    uint64_t position;  // of the driver's clock, at the first frame
};

struct rig_tap {
    struct oav_rig *rig;
    struct pw_filter *filter;
    struct spa_hook filter_hook;
    struct rig_linker linker;
    size_t channel_count;
    void *ports[OAV_RIG_MAX_CHANNELS];
    void (*on_cycle)(void *data, const struct rig_cycle *cycle);
    void *data;
    uint32_t clock_id;
    uint64_t next_position;
    bool has_position;
};

int rig_tap_start(struct rig_tap *tap, struct oav_rig *rig, struct pw_core *core, const char *node_name,
                  const char *const *channels, size_t channel_count,
                  void (*on_cycle)(void *data, const struct rig_cycle *cycle), void *data);
void rig_tap_stop(struct rig_tap *tap);

// Whether a frame of a cycle is loud, and its largest absolute sample.
bool rig_frame_is_loud(const struct rig_cycle *cycle, uint32_t frame, float *peak);

// ---- A lock between the data thread and the test ----

// Priority inheritance: a reader that loses the processor while it holds the lock must not stall the data thread.
struct rig_shared {
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

void rig_shared_init(struct rig_shared *shared);
void rig_shared_destroy(struct rig_shared *shared);

// Waits with the lock held; -ETIMEDOUT after `deadline` (CLOCK_MONOTONIC, ns).
int rig_shared_wait(struct rig_shared *shared, uint64_t deadline);

#else
#define OAV_RIG_HAS_PIPEWIRE 0
#endif
