// An http or https address as bytes from any place, connected again where a connection is cut.
//
// One thread at a time.
#pragma once
#include "libav.h"
#include "oav_libav.h"

#if OAV_HAS_LIBAV
struct connection {
    const struct oav_address *address;
    // NULL while there is none.
    AVIOContext *io;
    // Of the next byte that `io` gives.
    int64_t at;
    // Of the whole; -1: the server does not tell.
    int64_t size;
    bool is_seekable;
    // A radio station: its bytes have no places.
    bool is_live;
    // Connections made since bytes came for a while, and bytes since the last one was made.
    int attempts;
    int64_t bytes;
};

// False: `result` is FFmpeg's error.
bool connection_open(struct connection *connection, const struct oav_address *address, int *result);

// Bytes from `offset` on, at least 1; AVERROR_EOF at the end; AVERROR_EXIT: cancelled; another error: the server cannot be
// reached any more. Waits for the server.
int connection_read(struct connection *connection, int64_t offset, uint8_t *room, int count);

void connection_close(struct connection *connection);
#endif
