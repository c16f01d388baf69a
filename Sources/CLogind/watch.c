#define _GNU_SOURCE
#include "oav_logind.h"

#include <errno.h>
#include <fcntl.h>
#include <oav_sd_bus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define LOGIN1 "org.freedesktop.login1"
#define MANAGER "org.freedesktop.login1.Manager"
#define MS 1000ull  // the times of sd-bus are in microseconds

static const uint64_t longest_delay = 2000 * MS, longest_answer = 500 * MS, first_pause = 250 * MS, longest_pause = 30000 * MS;

struct oav_logind_watch {
    struct oav_logind_events events;
    struct oav_sd_bus api;
    char *address;
    pthread_t thread;
    int wake;  // an eventfd

    // Used by the thread only.
    sd_bus *bus;
    int inhibitor;
    bool is_asleep;           // announced, and not woken yet
    uint64_t release_at;      // of the inhibitor while asleep
    uint64_t retry_at, pause; // without a bus
    uint64_t announced;       // how many announcements there were

    pthread_mutex_t lock;  // for what follows
    pthread_cond_t answered;
    bool is_closing, has_answer;
    uint64_t allowed;  // how many announcements were answered
    uint64_t answerable;
    bool is_armed;
    char state[192];
};

static void set_state(struct oav_logind_watch *watch, bool is_armed, const char *what, const char *why)
{
    pthread_mutex_lock(&watch->lock);
    watch->is_armed = is_armed;
    watch->has_answer = true;
    pthread_cond_broadcast(&watch->answered);
    snprintf(watch->state, sizeof watch->state, "%s%s%s", what, why ? ": " : "", why ? why : "");
    pthread_mutex_unlock(&watch->lock);
}

static void release_inhibitor(struct oav_logind_watch *watch)
{
    if (watch->inhibitor >= 0) close(watch->inhibitor);
    watch->inhibitor = -1;
}

// ---- Messages of logind ----

static int on_inhibited(sd_bus_message *message, void *data, sd_bus_error *unused)
{
    struct oav_logind_watch *watch = data;
    int fd;
    (void)unused;
    const sd_bus_error *error = watch->api.message_get_error(message);
    if (error) {
        set_state(watch, false, "not delayed", error->message ? error->message : error->name);
        return 0;
    }
    // The message owns the descriptor; the copy inhibits.
    if (watch->api.message_read(message, "h", &fd) < 0) return 0;
    release_inhibitor(watch);
    watch->inhibitor = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (watch->is_asleep) {
        // The request came before the announcement, and its answer comes too late for it.
        release_inhibitor(watch);
        return 0;
    }
    bool is_held = watch->inhibitor >= 0;
    if (is_held) watch->pause = first_pause;
    set_state(watch, is_held, is_held ? "announced by logind, and delayed up to 2 s" : "not delayed",
        is_held ? NULL : strerror(errno));
    return 0;
}

static void inhibit(struct oav_logind_watch *watch)
{
    int result = watch->api.call_method_async(watch->bus, NULL, LOGIN1, "/org/freedesktop/login1", MANAGER, "Inhibit",
        on_inhibited, watch, "ssss", "sleep", program_invocation_short_name, "pausing audio", "delay");
    if (result < 0) set_state(watch, false, "not delayed", strerror(-result));
}

static void wake_up(struct oav_logind_watch *watch)
{
    if (!watch->is_asleep) return;
    watch->is_asleep = false;
    watch->events.woke(watch->events.context);
}

static void fall_asleep(struct oav_logind_watch *watch)
{
    if (watch->is_asleep) return;
    watch->is_asleep = true;
    watch->announced++;
    watch->release_at = oav_sd_bus_now() + longest_delay;
    pthread_mutex_lock(&watch->lock);
    watch->answerable = watch->announced;
    pthread_mutex_unlock(&watch->lock);
    watch->events.announced(watch->events.context);
}

static int on_prepare_for_sleep(sd_bus_message *message, void *data, sd_bus_error *unused)
{
    struct oav_logind_watch *watch = data;
    int is_beginning;
    (void)unused;
    if (watch->api.message_read(message, "b", &is_beginning) < 0) return 0;
    if (is_beginning) {
        fall_asleep(watch);
    } else {
        // An inhibitor that is still held means that the sleep was cancelled.
        if (watch->inhibitor < 0) inhibit(watch);
        wake_up(watch);
    }
    return 0;
}

static int on_owner_changed(sd_bus_message *message, void *data, sd_bus_error *unused)
{
    struct oav_logind_watch *watch = data;
    const char *name, *old, *new;
    (void)unused;
    if (watch->api.message_read(message, "sss", &name, &old, &new) < 0) return 0;
    // The logind that would report the wake-up is gone.
    release_inhibitor(watch);
    wake_up(watch);
    if (new[0]) {
        inhibit(watch);
    } else {
        set_state(watch, false, "not announced", "logind has gone");
    }
    return 0;
}

// ---- The bus ----

static void disconnect(struct oav_logind_watch *watch)
{
    oav_sd_bus_close(&watch->api, &watch->bus);
    release_inhibitor(watch);
}

// Does not wait for an answer.
static int connect_to_bus(struct oav_logind_watch *watch)
{
    int result = oav_sd_bus_open(&watch->api, OAV_SD_BUS_SYSTEM, watch->address, &watch->bus);
    if (result >= 0) {
        result = watch->api.add_match_async(watch->bus, NULL,
            "type='signal',sender='" LOGIN1 "',interface='" MANAGER "',member='PrepareForSleep'", on_prepare_for_sleep,
            NULL, watch);
    }
    if (result >= 0) {
        result = watch->api.add_match_async(watch->bus, NULL,
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
            "arg0='" LOGIN1 "'",
            on_owner_changed, NULL, watch);
    }
    if (result >= 0) {
        inhibit(watch);
        return 0;
    }
    disconnect(watch);
    return result;
}

static void lose_bus(struct oav_logind_watch *watch, int error)
{
    disconnect(watch);
    set_state(watch, false, "not announced, the system bus is away", strerror(-error));
    watch->retry_at = oav_sd_bus_now() + watch->pause;
    watch->pause = watch->pause * 2 < longest_pause ? watch->pause * 2 : longest_pause;
    wake_up(watch);
}

// ---- The thread ----

static void wait_for_something(struct oav_logind_watch *watch)
{
    uint64_t until = watch->bus ? UINT64_MAX : watch->retry_at;
    if (watch->is_asleep && watch->inhibitor >= 0 && watch->release_at < until) until = watch->release_at;
    oav_sd_bus_wait(&watch->api, watch->bus, watch->wake, until);
}

static void *run(void *data)
{
    struct oav_logind_watch *watch = data;
    pthread_setname_np(pthread_self(), "oav-sleep");
    for (;;) {
        pthread_mutex_lock(&watch->lock);
        bool is_closing = watch->is_closing, is_allowed = watch->allowed == watch->announced;
        pthread_mutex_unlock(&watch->lock);
        if (is_closing) break;
        if (watch->is_asleep && (is_allowed || oav_sd_bus_now() >= watch->release_at)) release_inhibitor(watch);
        int result = 0;
        if (watch->bus) {
            result = watch->api.process(watch->bus, NULL);
            if (result < 0) lose_bus(watch, result);
        } else if (oav_sd_bus_now() >= watch->retry_at) {
            result = connect_to_bus(watch);
            if (result < 0) lose_bus(watch, result);
        }
        // A positive result means that more messages may be waiting.
        if (result <= 0) wait_for_something(watch);
    }
    disconnect(watch);
    return NULL;
}

static void free_watch(struct oav_logind_watch *watch)
{
    if (watch->wake >= 0) close(watch->wake);
    pthread_cond_destroy(&watch->answered);
    pthread_mutex_destroy(&watch->lock);
    free(watch->address);
    free(watch);
}

struct oav_logind_watch *oav_logind_open(
    const char *bus_address, const char *library, const struct oav_logind_events *events, char *text, size_t text_size)
{
    struct oav_logind_watch *watch = calloc(1, sizeof *watch);
    if (!watch) return NULL;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&watch->answered, &attributes);
    pthread_mutex_init(&watch->lock, NULL);
    watch->events = *events;
    watch->inhibitor = -1;
    watch->pause = first_pause;
    watch->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    watch->address = bus_address ? strdup(bus_address) : NULL;
    snprintf(watch->state, sizeof watch->state, "not announced yet: logind has not answered");
    if (!oav_sd_bus_load(&watch->api, library, text, text_size)) {
        free_watch(watch);
        return NULL;
    }
    // The first attempt is synchronous: a machine without a system bus does not get one later.
    int result = watch->wake < 0 ? -errno : connect_to_bus(watch);
    if (result >= 0) result = oav_sd_bus_start_thread(&watch->thread, run, watch);
    if (result >= 0) return watch;
    disconnect(watch);
    snprintf(text, text_size, "no system bus (%s)", strerror(-result));
    free_watch(watch);
    return NULL;
}

static void change(struct oav_logind_watch *watch, bool is_closing)
{
    pthread_mutex_lock(&watch->lock);
    watch->is_closing = watch->is_closing || is_closing;
    if (!is_closing && watch->allowed < watch->answerable) watch->allowed++;
    pthread_mutex_unlock(&watch->lock);
    oav_sd_bus_wake(watch->wake);
}

void oav_logind_close(struct oav_logind_watch *watch)
{
    change(watch, true);
    pthread_join(watch->thread, NULL);
    free_watch(watch);
}

void oav_logind_allow(struct oav_logind_watch *watch) { change(watch, false); }

bool oav_logind_describe(struct oav_logind_watch *watch, char *text, size_t text_size)
{
    uint64_t until = oav_sd_bus_now() + longest_answer;
    struct timespec deadline = {.tv_sec = (time_t)(until / 1000000), .tv_nsec = (long)(until % 1000000 * 1000)};
    int error = 0;
    pthread_mutex_lock(&watch->lock);
    while (!watch->has_answer && !error) {
        error = pthread_cond_timedwait(&watch->answered, &watch->lock, &deadline);
    }
    bool is_armed = watch->is_armed;
    snprintf(text, text_size, "%s", watch->state);
    pthread_mutex_unlock(&watch->lock);
    return is_armed;
}
