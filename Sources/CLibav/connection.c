#define _GNU_SOURCE
#include "connection.h"

#if OAV_HAS_LIBAV
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// The waits before a connection is made again; their sum is what a server may be away.
static const int delays_ms[] = {0, 250, 500, 1000, 2000, 4000, 8000};
enum { attempt_limit = sizeof delays_ms / sizeof *delays_ms };
// Connections without a byte in which a server ends a file before the length that it told.
enum { empty_limit = 2 };

static int is_cancelled(void *context)
{
    const struct connection *connection = context;
    return connection->address->is_cancelled(connection->address->context);
}

static int connect_at(struct connection *connection, int64_t offset)
{
    const AVIOInterruptCB interrupt = {is_cancelled, connection};
    AVDictionary *options = NULL;
    char text[32];
    // Nothing that a server redirects to is a file or another protocol; httpproxy is https through the user's http_proxy.
    av.av_dict_set(&options, "protocol_whitelist", "http,https,httpproxy,tcp,tls", 0);
    av.av_dict_set(&options, "user_agent", "open-avfaudio", 0);
    snprintf(text, sizeof text, "%" PRId64, (int64_t)connection->address->timeout_seconds * 1000000);
    av.av_dict_set(&options, "rw_timeout", text, 0);
    if (offset > 0 && !connection->is_live) {
        snprintf(text, sizeof text, "%" PRId64, offset);
        av.av_dict_set(&options, "offset", text, 0);
    }
    const int result =
        av.avio_open2(&connection->io, connection->address->text, AVIO_FLAG_READ, &interrupt, &options);
    av.av_dict_free(&options);
    connection->at = offset;
    connection->bytes = 0;
    return result;
}

// Stations tell their name and the like.
static bool has_station_headers(AVIOContext *io)
{
    uint8_t *headers = NULL;
    const bool has_some = av.av_opt_get(io, "icy_metadata_headers", AV_OPT_SEARCH_CHILDREN, &headers) >= 0 && headers
        && *headers;
    if (headers) av.av_freep(&headers);
    return has_some;
}

bool connection_open(struct connection *connection, const struct oav_address *address, int *result)
{
    memset(connection, 0, sizeof *connection);
    connection->address = address;
    *result = connect_at(connection, 0);
    if (*result < 0) return false;
    connection->is_live = has_station_headers(connection->io);
    connection->size = connection->is_live ? -1 : av.avio_size(connection->io);
    connection->is_seekable =
        !connection->is_live && connection->size > 0 && (connection->io->seekable & AVIO_SEEKABLE_NORMAL);
    return true;
}

void connection_close(struct connection *connection)
{
    if (connection->io) av.avio_closep(&connection->io);
}

// Before another connection; false: cancelled, or there were too many.
static bool wait_before_attempt(struct connection *connection)
{
    if (connection->attempts >= attempt_limit) return false;
    const struct timespec step = {.tv_nsec = 50 * 1000000};
    for (int left = delays_ms[connection->attempts++]; left > 0; left -= 50) {
        if (is_cancelled(connection)) return false;
        nanosleep(&step, NULL);
    }
    return !is_cancelled(connection);
}

int connection_read(struct connection *connection, int64_t offset, uint8_t *room, int count)
{
    if (connection->size >= 0 && offset >= connection->size) return AVERROR_EOF;
    if (connection->io && connection->at != offset) connection_close(connection);
    for (int empty = 0;;) {
        int result = 0;
        if (is_cancelled(connection)) return AVERROR_EXIT;
        if (!connection->io) result = connect_at(connection, offset);
        // The server has told a length that it does not have.
        if (result == AVERROR_HTTP_OTHER_4XX) return AVERROR_EOF;
        if (result == AVERROR_HTTP_NOT_FOUND || result == AVERROR_HTTP_FORBIDDEN) return result;
        if (result >= 0) {
            result = av.avio_read_partial(connection->io, room, count);
            if (result > 0) {
                connection->at += result;
                connection->bytes += result;
                if (connection->bytes > 65536) connection->attempts = 0;
                return result;
            }
            // FFmpeg gives EIO where a connection ends before the length, also where there is none.
            const bool has_ended = result == 0 || result == AVERROR_EOF || result == AVERROR(EIO);
            if (has_ended && connection->size < 0 && !connection->is_live) return AVERROR_EOF;
            if (has_ended && connection->bytes == 0 && !connection->is_live && ++empty >= empty_limit)
                return AVERROR_EOF;
            connection_close(connection);
        }
        if (is_cancelled(connection)) return AVERROR_EXIT;
        if (!connection->is_seekable && !connection->is_live) return result < 0 ? result : AVERROR(EIO);
        if (!wait_before_attempt(connection))
            return is_cancelled(connection) ? AVERROR_EXIT : result < 0 ? result : AVERROR(EIO);
    }
}
#endif
