// Opens the connection to the server, and explains failures.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int oav_socket_open(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (path[0] != '/' || strlen(path) >= sizeof address.sun_path) {
        errno = EINVAL;
        return -1;
    }
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

struct pw_core *oav_core_connect(struct oav_pw_host *host, struct pw_properties *properties)
{
    if (!host->socket_path) return pw_context_connect(host->context, properties, 0);
    int fd = oav_socket_open(host->socket_path);
    if (fd >= 0) return pw_context_connect_fd(host->context, fd, properties, 0);
    pw_properties_free(properties);
    return NULL;
}

void oav_socket_explain(const char *path, char *text, size_t size)
{
    int error = errno;
    char tried[512];
    oav_socket_locate(path, tried, sizeof tried);
    if (error == EMFILE || error == ENFILE) {
        snprintf(text, size,
            "the PipeWire server at %s cannot be asked (%s); raise the limit of open files (ulimit -n), or close some.",
            tried, strerror(error));
        return;
    }
    snprintf(text, size,
        "no PipeWire server answers at %s (%s); start one (systemctl --user start pipewire wireplumber), or name"
        " its socket in PIPEWIRE_REMOTE.",
        tried, strerror(error));
}
#endif
