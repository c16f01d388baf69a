// Sounds that are no files, and the pictures of files, by the libraries and the decoder of CLibav.
#pragma once
#include "oav_libav.h"

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

// Bytes that a caller fetches from somewhere.
struct oav_source {
    // Bytes from `offset` on, at least 1; 0 at the end; negative: there are none, and the decoder ends. May wait.
    int64_t (*read)(void *_Nullable context, int64_t offset, uint8_t *room, int64_t count);
    void *_Nullable context;
    // Of the whole; -1: not known.
    int64_t size;
    // Whether `read` may go back.
    bool is_seekable;
    // A radio station: its bytes have no places.
    bool is_live;
    // Bytes that are read until the sound begins; after them, it is refused. An MPEG-4 file of more fragments is read twice so
    // far, and is then not seekable.
    int64_t opening_limit;
};

// Opens the sound in a source, which is copied; all kinds of file, also those that libsndfile reads.
//
// On failure NULL, and `text` says why.
struct oav_decoder *_Nullable oav_decoder_open_source(
    const struct oav_source *source, struct oav_decoder_info *info, enum oav_decoder_problem *problem, char *text,
    size_t text_size);

// A copy of the picture in a file's tags, also of files that libsndfile reads; the front cover where there are several.
// The descriptor stays the caller's.
//
// NULL: there is none within so many bytes that are read to open the file, or the libraries are missing. To be freed with
// free.
uint8_t *_Nullable oav_picture_read(int descriptor, int64_t opening_limit, size_t *size);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif
#ifdef __cplusplus
}
#endif
