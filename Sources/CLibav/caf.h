// A CAF file of Apple Lossless that is complete after every half second: FFmpeg's own muxer and libsndfile write the table of
// the packets' sizes, without which no packet can be found, when they close the file.
//
// One thread at a time.
#pragma once
#include "oav_libav.h"
#include "libav.h"

#if OAV_HAS_LIBAV
struct caf;

// Writes the header of a file without packets; the descriptor stays the caller's. NULL: there is no room for it.
struct caf *caf_open(int descriptor, const AVCodecContext *codec, const struct oav_encoder_settings *settings);

// Appends a packet of `frames` frames; it is in the file half a second later at the latest. False: it cannot be written.
bool caf_write(struct caf *caf, const uint8_t *packet, int size, int64_t frames);

// Writes what is left and frees the writer; false: the file ends with an earlier packet.
bool caf_close(struct caf *caf);
#endif
