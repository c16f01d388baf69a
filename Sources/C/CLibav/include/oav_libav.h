// Sound in files that libsndfile does not know (AAC, Apple Lossless in MPEG-4, Windows Media, ...), by FFmpeg's libavformat
// and libavcodec. They are loaded when the first such file is opened, and not linked; no header of theirs is needed
// (fields.h).
//
// A decoder or an encoder is for one thread at a time.
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

// Whether the libraries are installed and loaded; `text` says which package is missing.
bool oav_libav_is_available(char *text, size_t text_size);

// MARK: Reading

struct oav_decoder;

struct oav_decoder_info {
    int32_t sample_rate;
    int32_t channels;
    // FFmpeg's bits of the channels' places (AV_CH_FRONT_LEFT is 1), which are those of WAVE; 0: not known.
    uint64_t channel_mask;
    // Frames of the whole sound, as far as the container says without the encoder's delay and padding; -1: not known.
    int64_t frames;
    // Otherwise `frames` is what a container in milliseconds says.
    bool frames_are_exact;
    // Bits of a sample of a lossless codec; 0: others.
    int32_t bits;
    // Whether it can be read from any place; always in a file.
    bool is_seekable;
    // A radio station: it has no length.
    bool is_live;
    // "aac", "alac", ...
    char codec[32];
    // "mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm", ...
    char container[64];
};

enum oav_decoder_problem {
    OAV_DECODER_OK = 0,
    // The libraries are not installed, or not built as FFmpeg's own releases are; the text says which.
    OAV_DECODER_MISSING,
    // The file is no sound that the libraries know.
    OAV_DECODER_UNKNOWN,
    // It has a list of addresses, or of the segments of one sound (HLS).
    OAV_DECODER_PLAYLIST,
    OAV_DECODER_SEGMENTS,
    // More than `opening_limit` was read, and the sound had not begun.
    OAV_DECODER_ENDLESS,
    // It has to be read from several places, and the source is not seekable.
    OAV_DECODER_SCATTERED,
};

// Opens the sound in `byte_count` bytes of a file from `start` on; the descriptor stays the caller's and is read with pread.
//
// `demuxer` is FFmpeg's name of it. NULL: FFmpeg looks for one, which loads 2 MB of code of all demuxers.
//
// On failure NULL, and `text` says why.
struct oav_decoder *_Nullable oav_decoder_open(
    int descriptor, int64_t start, int64_t byte_count, const char *_Nullable demuxer, struct oav_decoder_info *info,
    enum oav_decoder_problem *problem, char *text, size_t text_size);

void oav_decoder_close(struct oav_decoder *decoder);

// Frames of interleaved samples, nominal +-1; fewer than asked for only before the end, 0 at the end, -1 where the file
// cannot be read on. Damaged parts are left out.
int64_t oav_decoder_read(struct oav_decoder *decoder, double *samples, int64_t frames);

// The frame that the next read begins with; false: the place was not reached, and the decoder is at `position`.
bool oav_decoder_seek(struct oav_decoder *decoder, int64_t frame);

// The frame that the next read begins with.
int64_t oav_decoder_position(const struct oav_decoder *decoder);

// The tag of FFmpeg's name for it ("title", "album_artist", ...), in UTF-8 as far as the file keeps to it; NULL: none. Good
// until the next read or seek.
const char *_Nullable oav_decoder_tag(const struct oav_decoder *decoder, const char *key);

// MARK: Writing

struct oav_encoder;

struct oav_encoder_settings {
    int32_t sample_rate;
    // In the order of WAVE.
    int32_t channels;
    // FFmpeg's names: "aac", "alac"; "ipod" (M4A), "adts".
    const char *codec, *container;
    // Of a lossless codec: 16 or 24 bits of a sample; 0: others.
    int32_t bits;
    // Bits a second of codecs that have one.
    int64_t bit_rate;
    const char *_Nullable title, *_Nullable artist;
};

// Begins a file; the descriptor stays the caller's and is written with pwrite. M4A files are complete after each half
// second, so that they are readable when the process is killed.
//
// On failure NULL, and `text` says why.
struct oav_encoder *_Nullable oav_encoder_open(
    int descriptor, const struct oav_encoder_settings *settings, char *text, size_t text_size);

// Appends frames of interleaved samples; beyond +-1 they are clipped. False: the file cannot be written on.
bool oav_encoder_write(struct oav_encoder *encoder, const double *samples, int64_t frames);

// Completes the file and frees the encoder; false: the file is not complete.
bool oav_encoder_close(struct oav_encoder *encoder);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif
#ifdef __cplusplus
}
#endif
