// Sleep, as systemd-logind announces it on the system bus (org.freedesktop.login1).
//
// A watch holds a "delay" inhibitor: the machine waits for us between the announcement and the sleep, a few seconds at
// most (InhibitDelayMaxSec, 5 s). libsystemd is loaded at run time and not linked. Without it or without a bus,
// there is no watch, and the text says why.
//
// Threads: a watch has one thread, which polls the bus and an eventfd, waits for no other thread, and calls the events.
// The functions here may be called from any other thread, one at a time.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

struct oav_logind_watch;

/// On the watch's thread, in turns, beginning with `announced`.
struct oav_logind_events {
    void *_Nullable context;
    /// The machine is about to sleep, and waits for `oav_logind_allow`, 2 s at most.
    void (*announced)(void *_Nullable context);
    /// The machine woke, the announcement was withdrawn, or its sender is gone.
    void (*woke)(void *_Nullable context);
};

/// Connects to a bus and begins to watch; NULL on failure, and `text` says why.
///
/// - bus_address: NULL is the system bus (DBUS_SYSTEM_BUS_ADDRESS, or /run/dbus/system_bus_socket).
/// - library: to be loaded; NULL is libsystemd.so.0.
///
/// A bus that goes away later is tried again after 0.25 s, then after twice as long each time, up to 30 s.
struct oav_logind_watch *_Nullable oav_logind_open(
    const char *_Nullable bus_address, const char *_Nullable library, const struct oav_logind_events *events, char *text,
    size_t text_size);

/// Releases the inhibitor. No event comes after it has returned. Do not call it inside an event.
void oav_logind_close(struct oav_logind_watch *watch);

/// Answers one announcement: the machine may sleep.
void oav_logind_allow(struct oav_logind_watch *watch);

/// Whether an inhibitor is held or, during an announcement, was held; `text` describes the state in a few words. Waits
/// for logind's first answer, half a second at most.
bool oav_logind_describe(struct oav_logind_watch *watch, char *text, size_t text_size);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif
#ifdef __cplusplus
}
#endif
