#define _GNU_SOURCE
#include "mock_login.h"

#if __has_include(<systemd/sd-bus.h>)
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <systemd/sd-bus.h>
#include <time.h>
#include <unistd.h>

#define FUNCTIONS(X) \
    X(new) X(set_address) X(set_bus_client) X(start) X(close) X(unref) X(get_fd) X(get_events) X(process) \
    X(request_name) X(add_object) X(message_is_method_call) X(message_read) X(reply_method_return) X(emit_signal) \
    X(flush)

enum { MOST = 16 };

struct mock_login {
#define X(name) __typeof__(&sd_bus_##name) name;
    FUNCTIONS(X)
#undef X
    sd_bus *bus;
    pthread_t thread;
    int wake;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int inhibitors[MOST];  // our ends of the pipes; -1: free
    int wanted[64], wanted_count;  // signals to be sent
    bool is_stopping;
    char newest[256];
};

static bool load(struct mock_login *login)
{
    void *handle = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return false;
#define X(name) \
    if (!(login->name = (__typeof__(login->name))dlsym(handle, "sd_bus_" #name))) return false;
    FUNCTIONS(X)
#undef X
    return true;
}

static int on_message(sd_bus_message *message, void *data, sd_bus_error *error)
{
    struct mock_login *login = data;
    const char *what, *who, *why, *mode;
    int ends[2];
    (void)error;
    if (login->message_is_method_call(message, "org.freedesktop.login1.Manager", "Inhibit") <= 0) return 0;
    if (login->message_read(message, "ssss", &what, &who, &why, &mode) < 0 || pipe2(ends, O_CLOEXEC) < 0) return 0;
    pthread_mutex_lock(&login->lock);
    snprintf(login->newest, sizeof login->newest, "%s|%s|%s|%s", what, who, why, mode);
    for (int i = 0; i < MOST; i++) {
        if (login->inhibitors[i] >= 0) continue;
        login->inhibitors[i] = ends[0];
        break;
    }
    pthread_cond_broadcast(&login->changed);
    pthread_mutex_unlock(&login->lock);
    login->reply_method_return(message, "h", ends[1]);
    // What is on its way is a copy; only the client's end keeps the pipe open.
    login->flush(login->bus);
    close(ends[1]);
    return 1;
}

static void *run(void *data)
{
    struct mock_login *login = data;
    pthread_setname_np(pthread_self(), "mock-login");
    for (;;) {
        int wanted[64], count;
        pthread_mutex_lock(&login->lock);
        bool is_stopping = login->is_stopping;
        count = login->wanted_count;
        memcpy(wanted, login->wanted, sizeof wanted);
        login->wanted_count = 0;
        pthread_mutex_unlock(&login->lock);
        if (is_stopping) return NULL;
        for (int i = 0; i < count; i++) {
            login->emit_signal(login->bus, "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
                "PrepareForSleep", "b", wanted[i]);
        }
        int result;
        while ((result = login->process(login->bus, NULL)) > 0) {}
        struct pollfd pollers[MOST + 2] = {{.fd = login->wake, .events = POLLIN}};
        // A bus that has gone leaves nothing to wait for but the end.
        int events = result < 0 ? 0 : login->get_events(login->bus);
        pollers[1] = (struct pollfd){.fd = result < 0 ? -1 : login->get_fd(login->bus), .events = (short)events};
        for (int i = 0; i < MOST; i++) pollers[i + 2] = (struct pollfd){.fd = login->inhibitors[i]};
        poll(pollers, MOST + 2, -1);
        uint64_t ignored;
        ssize_t size = read(login->wake, &ignored, sizeof ignored);
        (void)size;
        pthread_mutex_lock(&login->lock);
        for (int i = 0; i < MOST; i++) {
            if (login->inhibitors[i] < 0 || !(pollers[i + 2].revents & (POLLHUP | POLLERR))) continue;
            close(login->inhibitors[i]);
            login->inhibitors[i] = -1;
            pthread_cond_broadcast(&login->changed);
        }
        pthread_mutex_unlock(&login->lock);
    }
}

struct mock_login *mock_login_start(const char *bus_address)
{
    struct mock_login *login = calloc(1, sizeof *login);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&login->changed, &attributes);
    pthread_mutex_init(&login->lock, NULL);
    for (int i = 0; i < MOST; i++) login->inhibitors[i] = -1;
    login->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    bool is_ready = load(login) && login->new(&login->bus) >= 0 && login->set_address(login->bus, bus_address) >= 0
        && login->set_bus_client(login->bus, 1) >= 0 && login->start(login->bus) >= 0
        && login->add_object(login->bus, NULL, "/org/freedesktop/login1", on_message, login) >= 0
        && login->request_name(login->bus, "org.freedesktop.login1", 0) >= 0;
    if (is_ready && pthread_create(&login->thread, NULL, run, login) == 0) return login;
    if (login->bus) login->unref(login->bus);
    close(login->wake);
    free(login);
    return NULL;
}

static void wake(struct mock_login *login)
{
    uint64_t one = 1;
    ssize_t size = write(login->wake, &one, sizeof one);
    (void)size;
}

void mock_login_stop(struct mock_login *login)
{
    pthread_mutex_lock(&login->lock);
    login->is_stopping = true;
    pthread_mutex_unlock(&login->lock);
    wake(login);
    pthread_join(login->thread, NULL);
    login->close(login->bus);
    login->unref(login->bus);
    for (int i = 0; i < MOST; i++) {
        if (login->inhibitors[i] >= 0) close(login->inhibitors[i]);
    }
    close(login->wake);
    free(login);
}

void mock_login_prepare_for_sleep(struct mock_login *login, bool before)
{
    pthread_mutex_lock(&login->lock);
    if (login->wanted_count < 64) login->wanted[login->wanted_count++] = before;
    pthread_mutex_unlock(&login->lock);
    wake(login);
}

static int held(struct mock_login *login)
{
    int count = 0;
    for (int i = 0; i < MOST; i++) count += login->inhibitors[i] >= 0;
    return count;
}

bool mock_login_wait_for_inhibitors(struct mock_login *login, int count, uint64_t timeout_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)(timeout_ms / 1000);
    until.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    int error = 0;
    pthread_mutex_lock(&login->lock);
    while (held(login) != count && !error) error = pthread_cond_timedwait(&login->changed, &login->lock, &until);
    bool is_reached = held(login) == count;
    pthread_mutex_unlock(&login->lock);
    return is_reached;
}

int mock_login_inhibitors(struct mock_login *login)
{
    pthread_mutex_lock(&login->lock);
    int count = held(login);
    pthread_mutex_unlock(&login->lock);
    return count;
}

const char *mock_login_newest(struct mock_login *login) { return login->newest; }

#else
#include <stddef.h>

struct mock_login *mock_login_start(const char *bus_address)
{
    (void)bus_address;
    return NULL;
}
void mock_login_stop(struct mock_login *login) { (void)login; }
void mock_login_prepare_for_sleep(struct mock_login *login, bool before) { (void)login, (void)before; }
bool mock_login_wait_for_inhibitors(struct mock_login *login, int count, uint64_t timeout_ms)
{
    (void)login, (void)count, (void)timeout_ms;
    return false;
}
int mock_login_inhibitors(struct mock_login *login)
{
    (void)login;
    return 0;
}
const char *mock_login_newest(struct mock_login *login)
{
    (void)login;
    return "";
}
#endif
