// The part of libsystemd that is used, loaded at run time.
#pragma once
#if __has_include(<systemd/sd-bus.h>)
#define OAV_HAS_SD_BUS 1
#include <stdbool.h>
#include <stddef.h>
#include <systemd/sd-bus.h>

#define OAV_SD_BUS_FUNCTIONS(X) \
    X(new) X(set_address) X(set_bus_client) X(start) X(open_system) X(close) X(unref) X(get_fd) X(get_events) \
    X(get_timeout) X(process) X(add_match_async) X(call_method_async) X(message_read) X(message_get_error)

struct oav_sd_bus {
#define X(name) __typeof__(&sd_bus_##name) name;
    OAV_SD_BUS_FUNCTIONS(X)
#undef X
};

/// False: `text` says what is missing. What was loaded stays loaded: libsystemd keeps state in its threads.
bool oav_sd_bus_load(struct oav_sd_bus *bus, const char *library, char *text, size_t text_size);
#endif
