#define _GNU_SOURCE
#include "oav_sd_bus.h"

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

bool oav_sd_bus_load(struct oav_sd_bus *api, const char *library, char *text, size_t text_size)
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
    OAV_SD_BUS_FUNCTIONS(X)
#undef X
    return true;
}

int oav_sd_bus_open(const struct oav_sd_bus *api, enum oav_sd_bus_kind kind, const char *address, sd_bus **bus)
{
    if (!address) return kind == OAV_SD_BUS_SYSTEM ? api->open_system(bus) : api->open_user(bus);
    int result = api->new(bus);
    if (result >= 0) result = api->set_address(*bus, address);
    if (result >= 0) result = api->set_bus_client(*bus, 1);
    if (result >= 0) result = api->start(*bus);
    return result;
}

void oav_sd_bus_close(const struct oav_sd_bus *api, sd_bus **bus)
{
    if (*bus) {
        api->close(*bus);
        api->unref(*bus);
    }
    *bus = NULL;
}

int oav_sd_bus_start_thread(pthread_t *thread, void *(*run)(void *data), void *data)
{
    sigset_t all, former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    int error = pthread_create(thread, NULL, run, data);
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    return -error;
}

void oav_sd_bus_wait(const struct oav_sd_bus *api, sd_bus *bus, int wake, uint64_t until_us)
{
    struct pollfd pollers[2] = {{.fd = wake, .events = POLLIN}, {.fd = -1}};
    uint64_t timeout;
    if (bus) {
        int events = api->get_events(bus);
        pollers[1].fd = api->get_fd(bus);
        pollers[1].events = (short)(events > 0 ? events : 0);
        if (api->get_timeout(bus, &timeout) >= 0 && timeout < until_us) until_us = timeout;
    }
    uint64_t now = oav_sd_bus_now(), left = until_us > now ? until_us - now : 0;
    struct timespec time = {.tv_sec = (time_t)(left / 1000000), .tv_nsec = (long)(left % 1000000 * 1000)};
    ppoll(pollers, 2, until_us == UINT64_MAX ? NULL : &time, NULL);
    uint64_t count;
    ssize_t size = read(wake, &count, sizeof count);
    (void)size;
}

void oav_sd_bus_wake(int wake)
{
    uint64_t one = 1;
    // Full means that it is awake already.
    ssize_t size = write(wake, &one, sizeof one);
    (void)size;
}

uint64_t oav_sd_bus_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}
