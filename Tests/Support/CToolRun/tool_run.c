#define _GNU_SOURCE
#include "ctoolrun.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

int oav_tool_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0 ? 0 : -errno; }

pid_t oav_tool_spawn(
    const char *file, char *const arguments[], char *const environment[], const int descriptors[3],
    const char *terminal) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (terminal) {
        // The first terminal that a session's leader opens becomes its session's.
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, terminal, O_RDWR, 0);
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO);
    } else {
        for (int number = 0; number < 3; number++)
            posix_spawn_file_actions_adddup2(&actions, descriptors[number], number);
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);

    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (terminal ? POSIX_SPAWN_SETSID : 0));

    pid_t child;
    int result = posix_spawn(&child, file, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return result == 0 ? child : -result;
}

int oav_tool_limit_files(pid_t process, unsigned count) {
    struct rlimit limit = {.rlim_cur = count, .rlim_max = count};
    return prlimit(process, RLIMIT_NOFILE, &limit, NULL) == 0 ? 0 : -errno;
}

int oav_tool_signal_at_read(const char *directory, pid_t process, int signal) {
    int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // The notification first: it makes this process the owner.
    if (descriptor >= 0 && fcntl(descriptor, F_NOTIFY, DN_ACCESS) == 0 && fcntl(descriptor, F_SETSIG, signal) == 0 &&
        fcntl(descriptor, F_SETOWN, process) == 0)
        return descriptor;
    int error = errno;
    if (descriptor >= 0)
        close(descriptor);
    return -error;
}

int oav_tool_open_terminal(char *path, size_t path_size) {
    int primary = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (primary < 0)
        return -errno;
    if (grantpt(primary) == 0 && unlockpt(primary) == 0 && ptsname_r(primary, path, path_size) == 0)
        return primary;
    int error = errno;
    close(primary);
    return -error;
}
