// A connection to a message bus (D-Bus) over sd-bus, which is loaded at run time and not linked.
//
// Threads: a connection has one thread, which polls the bus and an eventfd and calls the events. `oav_bus_close` and
// `oav_bus_wake` may be called from any other thread; all other functions that take a connection, on its thread only, in an
// event.
// Results are 0 or more, or a negative error number. All texts from the bus are untrusted.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

struct oav_bus;
struct oav_bus_message;

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
    /// A message for a match, an object, or the reply to a call, which comes once. Returns whether it was answered: what
    /// nothing answers gets an error as its reply. The message is valid until this returns.
    bool (*message)(void *_Nullable context, uint64_t id, struct oav_bus_message *message);
    /// The bus has ended. No message comes after it; `work` does.
    void (*lost)(void *_Nullable context, const char *reason);
};

/// Connects; NULL on failure, and `text` says why.
///
/// - address: NULL is the bus of that kind.
/// - library: to be loaded; NULL is libsystemd.so.0.
/// - thread_name: 15 characters at most.
struct oav_bus *_Nullable oav_bus_open(
    enum oav_bus_kind kind, const char *_Nullable address, const char *_Nullable library, const char *thread_name,
    const struct oav_bus_events *events, char *text, size_t text_size);

/// Sends what is on its way, and disconnects. No event comes after it has returned. Not in an event.
///
/// - timeout_us: how long sending may take.
void oav_bus_close(struct oav_bus *bus, uint64_t timeout_us);

/// Has `work` called.
void oav_bus_wake(struct oav_bus *bus);

/// Has messages that match the rule sent with `id`, until `oav_bus_remove`.
int oav_bus_add_match(struct oav_bus *bus, const char *rule, uint64_t id);
/// Has calls to this path sent with `id`, until `oav_bus_remove`.
int oav_bus_add_object(struct oav_bus *bus, const char *path, uint64_t id);
void oav_bus_remove(struct oav_bus *bus, uint64_t id);

/// Sends a call whose reply, or error, comes with `id`.
int oav_bus_call(struct oav_bus *bus, struct oav_bus_message *message, uint64_t id, uint64_t timeout_us);
/// Sends a message without a reply.
int oav_bus_send(struct oav_bus *bus, struct oav_bus_message *message);

/// NULL: a name is not valid, or the bus has ended. All that are made are freed with `oav_bus_message_free`.
struct oav_bus_message *_Nullable oav_bus_new_call(
    struct oav_bus *bus, const char *destination, const char *path, const char *interface, const char *member);
struct oav_bus_message *_Nullable oav_bus_new_signal(
    struct oav_bus *bus, const char *path, const char *interface, const char *member);
struct oav_bus_message *_Nullable oav_bus_new_reply(struct oav_bus *bus, struct oav_bus_message *call);
struct oav_bus_message *_Nullable oav_bus_new_error(
    struct oav_bus *bus, struct oav_bus_message *call, const char *name, const char *text);
void oav_bus_message_free(struct oav_bus *bus, struct oav_bus_message *message);

/// What a message's header says; NULL where it does not.
struct oav_bus_header {
    const char *_Nullable sender;
    const char *_Nullable path;
    const char *_Nullable interface;
    const char *_Nullable member;
    const char *_Nullable error_name;
    const char *_Nullable error_text;
};
struct oav_bus_header oav_bus_header(struct oav_bus *bus, struct oav_bus_message *message);

/// - value: the text itself for 's', 'o' and 'g'; the address of a number of the type's size for others, an int for 'b'.
int oav_bus_append(struct oav_bus *bus, struct oav_bus_message *message, char type, const void *value);
/// - type: 'a', 'v', 'r' (a structure) or 'e' (an entry of a dictionary).
int oav_bus_open_container(struct oav_bus *bus, struct oav_bus_message *message, char type, const char *contents);
int oav_bus_close_container(struct oav_bus *bus, struct oav_bus_message *message);

/// The type of the next value; 0 at the end of the message or container. `contents` is set for containers.
int oav_bus_peek(
    struct oav_bus *bus, struct oav_bus_message *message, char *type, const char *_Nullable *_Nonnull contents);
/// A file descriptor ('h') stays the message's.
int oav_bus_read(struct oav_bus *bus, struct oav_bus_message *message, char type, void *value);
int oav_bus_skip(struct oav_bus *bus, struct oav_bus_message *message);
int oav_bus_enter_container(struct oav_bus *bus, struct oav_bus_message *message, char type, const char *contents);
int oav_bus_exit_container(struct oav_bus *bus, struct oav_bus_message *message);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif
#ifdef __cplusplus
}
#endif
