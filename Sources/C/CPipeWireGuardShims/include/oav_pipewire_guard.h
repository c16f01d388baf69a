// The sinks of a guard: those that hold streams, and the one that lowers them; and the targets that it sets. Only GuardRuntime
// uses them. oav_conf.h reads configuration in PipeWire's syntax.
//
// oav_pipewire.h has the host that they are made on, and says what "loop" and "control" are.
#pragma once
#include "oav_pipewire.h"

#pragma clang assume_nonnull begin
// As in oav_pipewire.h.
#if !__has_include(<pipewire/pipewire.h>)
#pragma clang attribute push(__attribute__((weak)), apply_to = function)
#endif

/// Asks the session manager to move a node: `value` is a node name ("Spa:String") or an object serial ("Spa:Id"); NULL removes
/// the choice. False: no session manager runs. Loop.
bool oav_pw_host_set_target(
    struct oav_pw_host *host, uint32_t node_id, const char *_Nullable type, const char *_Nullable value);
/// Sets the output that the user has configured: a JSON object with its "name"; NULL removes the choice. False: no session manager
/// runs. Loop.
bool oav_pw_host_set_configured_sink(struct oav_pw_host *host, const char *_Nullable json);
/// A number that is unique to this lifetime of the server; 0 until the server has sent it. Loop.
uint32_t oav_pw_host_server_cookie(struct oav_pw_host *host);

struct oav_pw_park;
struct oav_pw_duck;

/// Creates a sink that never runs: streams linked to it stop, and continue at the same frame when they are moved on. Others can
/// use it when the session manager has set it up. NULL if the server is gone or refuses it. Loop.
///
/// - media_class: "Audio/Sink" can become the default; other classes that begin with it are only targets by name, and no mixer
///   shows them.
/// - priority: `priority.session`
struct oav_pw_park *_Nullable oav_pw_park_new(
    struct oav_pw_host *host, const char *node_name, const char *description, const char *media_class, int32_t priority);
/// Removes the sink; the session manager moves its streams. Must be called before its host is closed. Loop.
void oav_pw_park_free(struct oav_pw_park *park);
/// OAV_PW_NONE until the server has created the node. Loop.
uint32_t oav_pw_park_node(struct oav_pw_park *park);

/// Creates a sink that passes its sound on to an output at our gain: linked to no output, at a gain of 1, and only a target by
/// name, like a parking sink. NULL if the server is gone or refuses it. Loop.
struct oav_pw_duck *_Nullable oav_pw_duck_new(struct oav_pw_host *host, const char *node_name, const char *description);
/// As for a parking sink. Loop.
void oav_pw_duck_free(struct oav_pw_duck *duck);
/// The node to which streams are moved, and the node that plays; OAV_PW_NONE until the server has created them. Loop.
uint32_t oav_pw_duck_sink_node(struct oav_pw_duck *duck);
uint32_t oav_pw_duck_player_node(struct oav_pw_duck *duck);
/// Links a port of the playing node with a port of an output. Loop.
bool oav_pw_duck_link(struct oav_pw_duck *duck, uint32_t our_port, uint32_t their_port);
/// Removes all its links: streams that play to it stop. Loop.
void oav_pw_duck_unlink(struct oav_pw_duck *duck);
/// Changes the gain linearly over this time. Loop.
void oav_pw_duck_fade(struct oav_pw_duck *duck, float gain, float seconds);

#if !__has_include(<pipewire/pipewire.h>)
#pragma clang attribute pop
#endif
#pragma clang assume_nonnull end
