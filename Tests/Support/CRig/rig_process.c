// Child processes that cannot outlive this one, and waits on their descriptors.
#define _GNU_SOURCE
#include "crig.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NANOSECONDS_PER_SECOND 1000000000ull

uint64_t oav_rig_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * NANOSECONDS_PER_SECOND + (uint64_t)time.tv_nsec;
}

// ---- Spawning ----

struct spawn_request {
    const char *file, *log_path;
    char *const *arguments;
    char *const *environment;
    int ready_fd;
    pid_t parent;
    pid_t result;
    bool done;
};

static pthread_mutex_t spawn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t spawn_changed = PTHREAD_COND_INITIALIZER;
static struct spawn_request *spawn_pending;
static bool spawner_started;

// The first descriptor of a child that is not one of its standard ones: where it may say that it is ready.
enum { READY_FD = 3 };

// Runs between fork and exec in a process that had several threads: only async-signal-safe calls are allowed.
__attribute__((noreturn)) static void become(const struct spawn_request *request) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != request->parent)
        _exit(127);  // the parent died before the line above could take effect
    setsid();

    for (int signal_number = 1; signal_number < NSIG; signal_number++)
        signal(signal_number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);

    // Descriptors are first moved out of the way of the numbers they are to have.
    int input = fcntl(open("/dev/null", O_RDONLY), F_DUPFD, 10);
    int log = fcntl(open(request->log_path, O_WRONLY | O_CREAT | O_APPEND, 0644), F_DUPFD, 10);
    int ready = request->ready_fd < 0 ? -1 : fcntl(request->ready_fd, F_DUPFD, 10);
    dup2(input, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    if (ready >= 0)
        dup2(ready, READY_FD);
    syscall(SYS_close_range, ready >= 0 ? READY_FD + 1 : READY_FD, ~0u, 0);

    execve(request->file, request->arguments, request->environment);
    _exit(127);
}

static void *run_spawner(void *unused) {
    (void)unused;
    pthread_mutex_lock(&spawn_lock);
    for (;;) {
        while (!spawn_pending || spawn_pending->done)
            pthread_cond_wait(&spawn_changed, &spawn_lock);
        struct spawn_request *request = spawn_pending;
        request->parent = getpid();
        pid_t pid = fork();
        if (pid == 0)
            become(request);
        request->result = pid < 0 ? -errno : pid;
        request->done = true;
        pthread_cond_broadcast(&spawn_changed);
    }
    return NULL;
}

pid_t oav_rig_spawn(const char *file, char *const *arguments, char *const *environment, const char *log_path,
                    int ready_fd) {
    struct spawn_request request = {
        .file = file,
        .log_path = log_path,
        .arguments = arguments,
        .environment = environment,
        .ready_fd = ready_fd,
    };
    pthread_mutex_lock(&spawn_lock);
    if (!spawner_started) {
        pthread_t thread;
        int error = pthread_create(&thread, NULL, run_spawner, NULL);
        if (error) {
            pthread_mutex_unlock(&spawn_lock);
            return -error;
        }
        pthread_detach(thread);
        spawner_started = true;
    }
    while (spawn_pending)
        pthread_cond_wait(&spawn_changed, &spawn_lock);
    spawn_pending = &request;
    pthread_cond_broadcast(&spawn_changed);
    while (!request.done)
        pthread_cond_wait(&spawn_changed, &spawn_lock);
    spawn_pending = NULL;
    pthread_cond_broadcast(&spawn_changed);
    pthread_mutex_unlock(&spawn_lock);
    return request.result;
}

// ---- Waiting ----

static int milliseconds_until(uint64_t deadline) {
    uint64_t now = oav_rig_now();
    if (now >= deadline)
        return 0;
    uint64_t milliseconds = (deadline - now + 999999) / 1000000;
    return milliseconds > INT_MAX ? INT_MAX : (int)milliseconds;
}

// A descriptor that becomes readable when the process ends (Linux 5.3).
static int open_process(pid_t pid) {
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    return fd < 0 ? -errno : fd;
}

int oav_rig_wait_for_exit(pid_t pid, uint64_t timeout_ns, int *status) {
    int process = open_process(pid);
    if (process < 0)
        return process;
    struct pollfd poller = {.fd = process, .events = POLLIN};
    uint64_t deadline = oav_rig_now() + timeout_ns;
    int ready;
    do
        ready = poll(&poller, 1, milliseconds_until(deadline));
    while (ready < 0 && errno == EINTR);
    close(process);
    if (ready == 0)
        return -ETIMEDOUT;
    pid_t reaped;
    do
        reaped = waitpid(pid, status, 0);
    while (reaped < 0 && errno == EINTR);
    return reaped < 0 ? -errno : 0;
}

// Polls `fd` and the process together; 0 when `fd` has something.
static int wait_for_either(int fd, int process, uint64_t deadline) {
    struct pollfd pollers[2] = {{.fd = fd, .events = POLLIN}, {.fd = process, .events = POLLIN}};
    for (;;) {
        int ready = poll(pollers, 2, milliseconds_until(deadline));
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready < 0)
            return -errno;
        if (ready == 0)
            return -ETIMEDOUT;
        if (pollers[0].revents)
            return 0;
        if (pollers[1].revents)
            return -ECHILD;
    }
}

int oav_rig_wait_for_data(int fd, pid_t pid, uint64_t timeout_ns) {
    int process = open_process(pid);
    if (process < 0)
        return process;
    int result = wait_for_either(fd, process, oav_rig_now() + timeout_ns);
    close(process);
    return result;
}

static bool accepts_connections(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    bool accepted = connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    close(fd);
    return accepted;
}

int oav_rig_wait_for_socket(const char *path, pid_t pid, uint64_t timeout_ns) {
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash || (size_t)(slash - path) >= sizeof directory || strlen(path) >= sizeof ((struct sockaddr_un *)0)->sun_path)
        return -EINVAL;
    memcpy(directory, path, (size_t)(slash - path));
    directory[slash - path] = 0;

    int watcher = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (watcher < 0)
        return -errno;
    int process = open_process(pid);
    int result = process < 0 ? process : 0;
    if (!result && inotify_add_watch(watcher, directory, IN_CREATE | IN_MOVED_TO | IN_ATTRIB) < 0)
        result = -errno;

    uint64_t deadline = oav_rig_now() + timeout_ns;
    while (!result && !accepts_connections(path)) {
        // Between bind, which makes the file, and listen there is no event: so an existing file is asked again soon.
        uint64_t retry = oav_rig_now() + 1000000;
        bool exists = access(path, F_OK) == 0;
        int waited = wait_for_either(watcher, process, exists && retry < deadline ? retry : deadline);
        char events[4096];
        while (read(watcher, events, sizeof events) > 0) {
        }
        if (waited == -ETIMEDOUT && oav_rig_now() < deadline)
            continue;
        result = waited;
    }
    if (process >= 0)
        close(process);
    close(watcher);
    return result;
}
