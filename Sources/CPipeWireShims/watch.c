// The look-out for a server that is not there: its socket, or the directory that it would be in.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

struct oav_pw_watch {
    int events;  // inotify
    int wake;    // an eventfd
    int watched; // the watch descriptor of `watched_length` characters of `path`, or -1
    size_t watched_length;
    char path[512];
};

struct oav_pw_watch *oav_pw_watch_new(const char *socket_path)
{
    struct oav_pw_watch *watch = calloc(1, sizeof *watch);
    if (!watch) return NULL;
    watch->watched = -1;
    oav_socket_locate(socket_path, watch->path, sizeof watch->path);
    watch->events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    watch->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (watch->events >= 0 && watch->wake >= 0) return watch;
    oav_pw_watch_free(watch);
    return NULL;
}

void oav_pw_watch_free(struct oav_pw_watch *watch)
{
    if (watch->events >= 0) close(watch->events);
    if (watch->wake >= 0) close(watch->wake);
    free(watch);
}

void oav_pw_watch_end(struct oav_pw_watch *watch)
{
    if (watch->watched >= 0) inotify_rm_watch(watch->events, watch->watched);
    watch->watched = -1;
    watch->watched_length = 0;
    char ignored[4096];
    while (read(watch->events, ignored, sizeof ignored) > 0) {}
}

// The length of the path of the directory around the first `length` characters; 0 for the root's own.
static size_t parent(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/') length--;
    while (length > 1 && path[length - 1] == '/') length--;
    return length;
}

// Watches the deepest directory on the way to the socket that is there.
static void aim(struct oav_pw_watch *watch)
{
    char directory[sizeof watch->path];
    if (watch->path[0] != '/') return;
    for (size_t length = parent(watch->path, strlen(watch->path)); length > 0; length = parent(watch->path, length)) {
        memcpy(directory, watch->path, length);
        directory[length] = '\0';
        // The socket's permissions are set after it was made, and a directory's may let us in later.
        int watched = inotify_add_watch(watch->events, directory,
            IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR);
        if (watched >= 0) {
            // Of one that stays the watch is the same; one that was deleted and made again has another.
            if (watch->watched >= 0 && watch->watched != watched) inotify_rm_watch(watch->events, watch->watched);
            watch->watched = watched;
            watch->watched_length = length;
            return;
        }
        if (length == 1) return;
    }
}

void oav_pw_watch_begin(struct oav_pw_watch *watch)
{
    size_t before;
    // What comes between the look and the watch is found by looking again.
    do {
        before = watch->watched_length;
        aim(watch);
    } while (watch->watched_length != before);
}

// Other programs make files in the same directory all the time.
static bool concerns(const struct oav_pw_watch *watch, const struct inotify_event *event)
{
    if (event->wd != watch->watched) return false;
    if (event->len == 0) return true;  // the directory itself
    const char *next = watch->path + watch->watched_length;
    next += strspn(next, "/");
    size_t length = strcspn(next, "/");
    return strlen(event->name) == length && strncmp(event->name, next, length) == 0;
}

static bool read_events(struct oav_pw_watch *watch)
{
    _Alignas(struct inotify_event) char buffer[4096];
    bool appeared = false;
    ssize_t size;
    while ((size = read(watch->events, buffer, sizeof buffer)) > 0) {
        for (char *at = buffer; at < buffer + size;) {
            const struct inotify_event *event = (const struct inotify_event *)at;
            appeared = concerns(watch, event) || appeared;
            at += sizeof *event + event->len;
        }
    }
    return appeared;
}

static uint64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / SPA_NSEC_PER_MSEC;
}

enum oav_pw_watch_result oav_pw_watch_wait(struct oav_pw_watch *watch, int timeout_ms)
{
    struct pollfd pollers[] = {{.fd = watch->wake, .events = POLLIN}, {.fd = watch->events, .events = POLLIN}};
    uint64_t deadline = now_ms() + (uint64_t)SPA_MAX(timeout_ms, 0);
    for (;;) {
        uint64_t now = now_ms(), count;
        int left = timeout_ms < 0 ? -1 : now < deadline ? (int)(deadline - now) : 0;
        int ready = poll(pollers, 2, left);
        if (ready < 0 && errno == EINTR) continue;
        if (read(watch->wake, &count, sizeof count) == sizeof count) return OAV_PW_WATCH_WOKEN;
        if (ready > 0 && read_events(watch)) {
            oav_pw_watch_begin(watch);
            return OAV_PW_WATCH_APPEARED;
        }
        if (ready < 0 || left == 0) return OAV_PW_WATCH_TIMED_OUT;
    }
}

void oav_pw_watch_wake(struct oav_pw_watch *watch)
{
    uint64_t one = 1;
    // Full means that it is awake already.
    ssize_t written = write(watch->wake, &one, sizeof one);
    (void)written;
}
#endif
