// A server for the `pods` target: it has the shim's own code, and whatever the fuzzer says in place of a connection.
//
// libpipewire's functions that would reach a server are defined here instead, so that this target never connects.
#pragma once
#include "oav_pipewire.h"

#pragma clang assume_nonnull begin

enum fuzz_kind { FUZZ_NODE, FUZZ_DEVICE, FUZZ_PORT, FUZZ_METADATA, FUZZ_CLIENT, FUZZ_LINK, FUZZ_KIND_COUNT };

/// What `fuzz_server_info` calls changed, and `fuzz_server_tell` tells.
enum fuzz_param {
    FUZZ_ENUM_PROFILE, FUZZ_PROFILE, FUZZ_ENUM_ROUTE, FUZZ_ROUTE, FUZZ_PROPS, FUZZ_PARAM_COUNT,
};

struct fuzz_server;
struct fuzz_server *fuzz_server_new(const struct oav_pw_events *events);
void fuzz_server_free(struct fuzz_server *server);

/// A property of the next object that is added or has info.
void fuzz_server_set(struct fuzz_server *server, const char *key, const char *value);
void fuzz_server_add(struct fuzz_server *server, uint32_t id, enum fuzz_kind kind);
void fuzz_server_remove(struct fuzz_server *server, uint32_t id);
/// `changed` has a bit for each `enum fuzz_param`.
void fuzz_server_info(struct fuzz_server *server, uint32_t id, uint32_t changed);
/// `size` bytes of a POD, or no POD where there are fewer than its header. The size in the header is made `size`'s, as
/// libpipewire ensures; everything else is as it is.
void fuzz_server_tell(struct fuzz_server *server, uint32_t id, enum fuzz_param param, const uint8_t *bytes, size_t size);
void fuzz_server_metadata(
    struct fuzz_server *server, uint32_t id, uint32_t subject, const char *_Nullable key, const char *_Nullable value);
/// The answer to every question so far.
void fuzz_server_answer(struct fuzz_server *server);

#pragma clang assume_nonnull end
