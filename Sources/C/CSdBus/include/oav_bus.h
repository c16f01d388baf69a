// A connection to a message bus (D-Bus) over sd-bus, which is loaded at run time and not linked.
//
// Threads: a connection has one thread, which polls the bus and an eventfd and calls the events. `oav_bus_close` and
// `oav_bus_wake` may be called from any other thread; all other functions that take a connection, and those of sd-bus, on its
// thread only: in an event, or in a handler that sd-bus calls. All texts from the bus are untrusted.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sd_bus.h"

#pragma clang assume_nonnull begin

struct oav_bus;

enum oav_bus_kind {
    // The user's: DBUS_SESSION_BUS_ADDRESS, or bus in XDG_RUNTIME_DIR.
    OAV_BUS_SESSION,
    // The machine's: DBUS_SYSTEM_BUS_ADDRESS, or /run/dbus/system_bus_socket.
    OAV_BUS_SYSTEM,
};

struct oav_bus_events {
    void *_Nullable context;
    /// After `oav_bus_wake`, once at least.
    void (*work)(void *_Nullable context);
    /// The bus has ended. No handler is called after it; `work` is.
    void (*lost)(void *_Nullable context, const char *reason);
    /// The last call, once: the thread ends, and the bus is disconnected.
    void (*ended)(void *_Nullable context);
};

/// Connects; NULL on failure, and `text` says why.
///
/// - address: NULL is the bus of that kind.
/// - library: to be loaded; NULL is libsystemd.so.0.
/// - thread_name: 15 characters at most.
struct oav_bus *_Nullable oav_bus_open(
    enum oav_bus_kind kind, const char *_Nullable address, const char *_Nullable library, const char *thread_name,
    const struct oav_bus_events *events, char *text, size_t text_size);

/// Sends what is on its way, and disconnects. No event comes after it has returned; inside an event it returns at once, and
/// the thread does this when that event has returned.
///
/// - timeout_us: how long sending may take.
void oav_bus_close(struct oav_bus *bus, uint64_t timeout_us);

/// Has `work` called.
void oav_bus_wake(struct oav_bus *bus);

/// The functions of sd-bus; a message is the caller's from its making to `message_unref`, and a slot to `slot_unref`.
const struct sd_bus_functions *oav_bus_functions(const struct oav_bus *bus);
/// What those functions take; NULL once the bus has ended.
sd_bus *_Nullable oav_bus_connection(const struct oav_bus *bus);

#pragma clang assume_nonnull end
