// What a process needs to find and reach its server, with or without libpipewire.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "oav_pipewire.h"

const char *oav_pw_client_configuration(const char *library_version)
{
    unsigned major = 0, minor = 0;
    bool is_known = sscanf(library_version, "%u.%u", &major, &minor) == 2;
    return is_known && (major > 1 || (major == 1 && minor >= 3)) ? "client.conf" : "client-rt.conf";
}

void oav_socket_locate(const char *path, char *text, size_t size)
{
    const char *remote = path ? path : getenv("PIPEWIRE_REMOTE");
    const char *directory = getenv("PIPEWIRE_RUNTIME_DIR");
    if (!directory) directory = getenv("XDG_RUNTIME_DIR");
    if (!remote) remote = "pipewire-0";
    bool absolute = remote[0] == '/';
    snprintf(text, size, "%s%s%s", absolute ? "" : directory ? directory : "(XDG_RUNTIME_DIR is not set)",
        absolute ? "" : "/", remote);
}

bool oav_pw_lacks_descriptors(void)
{
    int taken[28];
    const unsigned most = sizeof taken / sizeof *taken;
    unsigned count = 0;
    while (count < most && (taken[count] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) count++;
    bool lacks = count < most && (errno == EMFILE || errno == ENFILE);
    while (count > 0) close(taken[--count]);
    return lacks;
}

// Swift's overlay of the C library lacks this function.
void oav_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
