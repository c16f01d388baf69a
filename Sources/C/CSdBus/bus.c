#define _GNU_SOURCE
#include "oav_bus.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

struct oav_bus {
    struct oav_bus_events events;
    struct sd_bus_functions api;
    char name[16];
    pthread_t thread;
    int wake;  // an eventfd
    uint64_t close_timeout_us;  // written before `is_closing`
    atomic_bool is_closing;

    // Used by the thread only.
    sd_bus *bus;  // NULL: it has ended
    bool frees_itself;  // it was closed inside an event: nothing joins the thread
};

// ---- What Swift calls itself ----

const struct sd_bus_functions *oav_bus_functions(const struct oav_bus *bus) { return &bus->api; }

sd_bus *oav_bus_connection(const struct oav_bus *bus) { return bus->bus; }

// ---- The connection ----

// False: `text` says what is missing. The library stays loaded: it keeps state in its threads.
static bool load(struct sd_bus_functions *api, const char *library, char *text, size_t text_size)
{
    if (!library) library = "libsystemd.so.0";
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *reason = dlerror();
        snprintf(text, text_size, "%s", reason ? reason : library);
        return false;
    }
#define X(result, name, arguments) \
    if (!(api->name = (__typeof__(api->name))dlsym(handle, "sd_bus_" #name))) { \
        snprintf(text, text_size, "%s has no sd_bus_" #name "; 238 or later is needed", library); \
        dlclose(handle); \
        return false; \
    }
    SD_BUS_FUNCTIONS(X)
#undef X
    return true;
}

// Does not wait for an answer.
static int connect_to(struct oav_bus *bus, enum oav_bus_kind kind, const char *address)
{
    const struct sd_bus_functions *api = &bus->api;
    if (!address) return kind == OAV_BUS_SYSTEM ? api->open_system(&bus->bus) : api->open_user(&bus->bus);
    int result = api->new(&bus->bus);
    if (result >= 0) result = api->set_address(bus->bus, address);
    if (result >= 0) result = api->set_bus_client(bus->bus, 1);
    if (result >= 0) result = api->start(bus->bus);
    return result;
}

static void disconnect(struct oav_bus *bus)
{
    if (bus->bus) {
        bus->api.close(bus->bus);
        bus->api.unref(bus->bus);
    }
    bus->bus = NULL;
}

// ---- The thread ----

static uint64_t now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

// Waits until the bus has something to process, `wake` was written, or the time has come.
static void wait_until(struct oav_bus *bus, uint64_t until_us)
{
    struct pollfd pollers[2] = {{.fd = bus->wake, .events = POLLIN}, {.fd = -1}};
    uint64_t timeout;
    if (bus->bus) {
        int events = bus->api.get_events(bus->bus);
        pollers[1].fd = bus->api.get_fd(bus->bus);
        pollers[1].events = (short)(events > 0 ? events : 0);
        if (bus->api.get_timeout(bus->bus, &timeout) >= 0 && timeout < until_us) until_us = timeout;
    }
    uint64_t now = now_us(), left = until_us > now ? until_us - now : 0;
    struct timespec time = {.tv_sec = (time_t)(left / 1000000), .tv_nsec = (long)(left % 1000000 * 1000)};
    ppoll(pollers, 2, until_us == UINT64_MAX ? NULL : &time, NULL);
    uint64_t count;
    ssize_t size = read(bus->wake, &count, sizeof count);
    (void)size;
}

// Messages wait in a queue until the bus has accepted the connection, and while its socket is full.
static void send_rest(struct oav_bus *bus)
{
    uint64_t count, deadline = now_us() + bus->close_timeout_us;
    while (bus->bus && bus->api.get_n_queued_write(bus->bus, &count) >= 0 && count > 0 && now_us() < deadline) {
        int result = bus->api.process(bus->bus, NULL);
        if (result < 0) return;
        if (result == 0) wait_until(bus, deadline);
    }
}

static void free_bus(struct oav_bus *bus)
{
    if (bus->wake >= 0) close(bus->wake);
    free(bus);
}

static void *run(void *data)
{
    struct oav_bus *bus = data;
    pthread_setname_np(pthread_self(), bus->name);
    for (;;) {
        bus->events.work(bus->events.context);
        if (atomic_load(&bus->is_closing)) break;
        int result = bus->bus ? bus->api.process(bus->bus, NULL) : 0;
        if (result < 0) {
            disconnect(bus);
            bus->events.lost(bus->events.context, strerror(-result));
        }
        // A positive result means that more messages may be waiting.
        if (result <= 0) wait_until(bus, UINT64_MAX);
    }
    send_rest(bus);
    disconnect(bus);
    bus->events.ended(bus->events.context);
    if (bus->frees_itself) free_bus(bus);
    return NULL;
}

// Its thread handles no signals: those are for the program's own threads.
static int start_thread(struct oav_bus *bus)
{
    sigset_t all, former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    int error = pthread_create(&bus->thread, NULL, run, bus);
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    return -error;
}

struct oav_bus *oav_bus_open(
    enum oav_bus_kind kind, const char *address, const char *library, const char *thread_name,
    const struct oav_bus_events *events, char *text, size_t text_size)
{
    struct oav_bus *bus = calloc(1, sizeof *bus);
    if (!bus) return NULL;
    bus->events = *events;
    snprintf(bus->name, sizeof bus->name, "%s", thread_name);
    bus->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!load(&bus->api, library, text, text_size)) {
        free_bus(bus);
        return NULL;
    }
    int result = bus->wake < 0 ? -errno : connect_to(bus, kind, address);
    if (result >= 0) result = start_thread(bus);
    if (result >= 0) return bus;
    disconnect(bus);
    snprintf(text, text_size, "no %s bus (%s)", kind == OAV_BUS_SYSTEM ? "system" : "session", strerror(-result));
    free_bus(bus);
    return NULL;
}

void oav_bus_close(struct oav_bus *bus, uint64_t timeout_us)
{
    bus->close_timeout_us = timeout_us;
    atomic_store(&bus->is_closing, true);
    // Also for the thread itself: after `lost` it would wait for another wake.
    oav_bus_wake(bus);
    if (pthread_equal(pthread_self(), bus->thread)) {
        bus->frees_itself = true;
        pthread_detach(bus->thread);
        return;
    }
    pthread_join(bus->thread, NULL);
    free_bus(bus);
}

void oav_bus_wake(struct oav_bus *bus)
{
    uint64_t one = 1;
    // Full means that it is awake already.
    ssize_t size = write(bus->wake, &one, sizeof one);
    (void)size;
}
