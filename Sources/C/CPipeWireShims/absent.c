// A build without libpipewire's headers: what needs no host, and opening one, which reports what is missing. The other functions
// are not there (oav_pipewire.h).
#if !__has_include(<pipewire/pipewire.h>)
#pragma clang diagnostic ignored "-Wunused-parameter"
#include <stdio.h>

#include "oav_pipewire.h"

enum oav_pw_status oav_pw_host_connect(
    const char *socket_path, enum oav_pw_claims claims, const struct oav_pw_events *events, struct oav_pw_host **host,
    char *text, size_t text_size)
{
    snprintf(text, text_size,
        "this program was built without libpipewire; install libpipewire-0.3-dev (0.3.65 or later) and build again.");
    return OAV_PW_UNREACHABLE;
}

const char *oav_pw_library_version(void) { return ""; }
bool oav_pw_has_client_configuration(void) { return true; }

struct oav_pw_canceller *oav_pw_canceller_open(uint32_t sample_rate, char *text, size_t text_size)
{
    snprintf(text, text_size, "this program was built without libpipewire");
    return NULL;
}
#endif
