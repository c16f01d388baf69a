// A build without libpipewire's headers: there is no host, and nothing calls these.
#if !__has_include(<pipewire/pipewire.h>)
#pragma clang diagnostic ignored "-Wunused-parameter"
#include "oav_pipewire_guard.h"

bool oav_pw_host_set_target(struct oav_pw_host *host, uint32_t node, const char *type, const char *value) { return false; }
bool oav_pw_host_set_configured_sink(struct oav_pw_host *host, const char *json) { return false; }
uint32_t oav_pw_host_server_cookie(struct oav_pw_host *host) { return 0; }
struct oav_pw_park *oav_pw_park_new(
    struct oav_pw_host *host, const char *node_name, const char *description, const char *media_class, int32_t priority)
{
    return NULL;
}
void oav_pw_park_free(struct oav_pw_park *park) {}
uint32_t oav_pw_park_node(struct oav_pw_park *park) { return OAV_PW_NONE; }
struct oav_pw_duck *oav_pw_duck_new(struct oav_pw_host *host, const char *node_name, const char *description) { return NULL; }
void oav_pw_duck_free(struct oav_pw_duck *duck) {}
uint32_t oav_pw_duck_sink_node(struct oav_pw_duck *duck) { return OAV_PW_NONE; }
uint32_t oav_pw_duck_player_node(struct oav_pw_duck *duck) { return OAV_PW_NONE; }
bool oav_pw_duck_link(struct oav_pw_duck *duck, uint32_t our_port, uint32_t their_port) { return false; }
void oav_pw_duck_unlink(struct oav_pw_duck *duck) {}
void oav_pw_duck_fade(struct oav_pw_duck *duck, float gain, float seconds) {}
#endif
