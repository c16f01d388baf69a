// The sinks of a guard: those that hold streams, and the one that lowers them. Only GuardRuntime uses them.
//
// oav_pipewire.h has the host that they are made on, and says what "loop" and "control" are.
#pragma once
#include "oav_pipewire.h"

#pragma clang assume_nonnull begin

struct oav_pw_park;
struct oav_pw_duck;

/// A sink that never runs: what is linked to it stands still, and continues at the same frame when it is moved on.
struct oav_pw_park_config {
    const char *node_name;
    const char *description;
    /// "Audio/Sink" can become the default; what else begins with it can be named as a target only, and is in no mixer.
    const char *media_class;
    /// `priority.session`
    int32_t priority;
};

/// Makes a parking sink; it is there for others when the session manager has set it up. Loop.
enum oav_pw_status oav_pw_park_new(
    struct oav_pw_host *host, const struct oav_pw_park_config *config, struct oav_pw_park *_Nullable *_Nonnull park,
    char *text, size_t text_size);
/// What is linked to it is moved by the session manager. To be called before its host is closed. Loop.
void oav_pw_park_free(struct oav_pw_park *park);
/// OAV_PW_NONE until the server has made it. Loop.
uint32_t oav_pw_park_node(struct oav_pw_park *park);

/// A sink that passes what it gets on to an output, at a gain of ours; a target by name only, like a parking sink.
struct oav_pw_duck_config {
    const char *node_name;
    const char *description;
};

/// Makes the sink, linked to no output, at a gain of 1. Loop.
enum oav_pw_status oav_pw_duck_new(
    struct oav_pw_host *host, const struct oav_pw_duck_config *config, struct oav_pw_duck *_Nullable *_Nonnull duck,
    char *text, size_t text_size);
/// As for a parking sink. Loop.
void oav_pw_duck_free(struct oav_pw_duck *duck);
/// The node that streams are moved to, and the one that plays; OAV_PW_NONE until the server has made them. Loop.
uint32_t oav_pw_duck_sink_node(struct oav_pw_duck *duck);
uint32_t oav_pw_duck_player_node(struct oav_pw_duck *duck);
/// Links a port of the node that plays with one of an output. Loop.
bool oav_pw_duck_link(struct oav_pw_duck *duck, uint32_t our_port, uint32_t their_port);
/// Removes all its links: what is played to it stands still. Loop.
void oav_pw_duck_unlink(struct oav_pw_duck *duck);
/// Moves the gain there, in a straight line. Loop.
void oav_pw_duck_fade(struct oav_pw_duck *duck, float gain, float seconds);

#pragma clang assume_nonnull end
