// Which of libpipewire's client configurations gives the data thread real-time scheduling.
#include <stdbool.h>
#include <stdio.h>

#include "oav_pipewire.h"

const char *oav_pw_client_configuration(const char *library_version)
{
    unsigned major = 0, minor = 0;
    bool is_known = sscanf(library_version, "%u.%u", &major, &minor) == 2;
    return is_known && (major > 1 || (major == 1 && minor >= 3)) ? "client.conf" : "client-rt.conf";
}
