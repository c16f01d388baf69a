// The functions of sd-bus, which is loaded at run time and not linked.
//
// The declarations are those of <systemd/sd-bus.h>, whose ABI is stable since systemd 221; the header is not needed.
#pragma once
#include <stdint.h>

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct sd_bus_slot sd_bus_slot;
typedef struct {
    const char *name;
    const char *message;
    int _need_free;
} sd_bus_error;
typedef int (*sd_bus_message_handler_t)(sd_bus_message *message, void *userdata, sd_bus_error *error);

// X(result, name, arguments)
#define SD_BUS_FUNCTIONS(X) \
    X(int, new, (sd_bus **bus)) \
    X(int, set_address, (sd_bus *bus, const char *address)) \
    X(int, set_bus_client, (sd_bus *bus, int is_client)) \
    X(int, start, (sd_bus *bus)) \
    X(int, open_system, (sd_bus **bus)) \
    X(int, open_user, (sd_bus **bus)) \
    X(void, close, (sd_bus *bus)) \
    X(sd_bus *, unref, (sd_bus *bus)) \
    X(int, get_fd, (sd_bus *bus)) \
    X(int, get_events, (sd_bus *bus)) \
    X(int, get_timeout, (sd_bus *bus, uint64_t *until_us)) \
    X(int, get_n_queued_write, (sd_bus *bus, uint64_t *count)) \
    X(int, process, (sd_bus *bus, sd_bus_message **message)) \
    X(int, add_match_async, (sd_bus *bus, sd_bus_slot **slot, const char *match, sd_bus_message_handler_t handler, \
        sd_bus_message_handler_t installed, void *userdata)) \
    X(int, add_object, (sd_bus *bus, sd_bus_slot **slot, const char *path, sd_bus_message_handler_t handler, \
        void *userdata)) \
    X(sd_bus_slot *, slot_unref, (sd_bus_slot *slot)) \
    X(int, call_async, (sd_bus *bus, sd_bus_slot **slot, sd_bus_message *message, sd_bus_message_handler_t handler, \
        void *userdata, uint64_t timeout_us)) \
    X(int, send, (sd_bus *bus, sd_bus_message *message, uint64_t *cookie)) \
    X(int, message_new_method_call, (sd_bus *bus, sd_bus_message **message, const char *destination, const char *path, \
        const char *interface, const char *member)) \
    X(int, message_new_signal, (sd_bus *bus, sd_bus_message **message, const char *path, const char *interface, \
        const char *member)) \
    X(int, message_new_method_return, (sd_bus_message *call, sd_bus_message **message)) \
    X(int, message_new_method_error, (sd_bus_message *call, sd_bus_message **message, const sd_bus_error *error)) \
    X(sd_bus_message *, message_ref, (sd_bus_message *message)) \
    X(sd_bus_message *, message_unref, (sd_bus_message *message)) \
    X(int, message_append_basic, (sd_bus_message *message, char type, const void *value)) \
    X(int, message_open_container, (sd_bus_message *message, char type, const char *contents)) \
    X(int, message_close_container, (sd_bus_message *message)) \
    X(int, message_peek_type, (sd_bus_message *message, char *type, const char **contents)) \
    X(int, message_read_basic, (sd_bus_message *message, char type, void *value)) \
    X(int, message_enter_container, (sd_bus_message *message, char type, const char *contents)) \
    X(int, message_exit_container, (sd_bus_message *message)) \
    X(const sd_bus_error *, message_get_error, (sd_bus_message *message)) \
    X(const char *, message_get_sender, (sd_bus_message *message)) \
    X(const char *, message_get_path, (sd_bus_message *message)) \
    X(const char *, message_get_interface, (sd_bus_message *message)) \
    X(const char *, message_get_member, (sd_bus_message *message))

struct sd_bus_functions {
#define X(result, name, arguments) result(*name) arguments;
    SD_BUS_FUNCTIONS(X)
#undef X
};
