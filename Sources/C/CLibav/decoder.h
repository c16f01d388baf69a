// The decoder's parts: for the files of this module, and for CLibavMedia, which opens it on what is no file.
#pragma once
#include "libav.h"
#include "oav_libav.h"

// The demuxers that may be used: none of them opens other files.
#define DEMUXERS "mov,matroska,aac,loas,asf,ape,wv,tta,mpc,mpc8,ac3,eac3,amr,ogg,caf"
// Those of the files that libsndfile reads.
#define SNDFILE_DEMUXERS "mp3,flac,wav,w64,aiff,au"
// Those that are asked about files only, which libsndfile has refused.
#define FURTHER_DEMUXERS "dsf,iff,voc,tak,shn,dts,dtshd,truehd,mlp,avi,flv,mpeg,mpegts,rm,oma,xwma,sox,nut,mp2"

struct oav_decoder {
    // Reads at most `count` bytes at `offset`; at the end AVERROR_EOF, else FFmpeg's error.
    int64_t (*read)(struct oav_decoder *decoder, uint8_t *room, int count);
    // Otherwise its bytes come from elsewhere, as slowly as they may.
    bool is_file;
    // Of a file, and where the sound's bytes begin in it.
    int descriptor;
    int64_t start;
    // Whether `read` may go back, and whether the bytes have no places, as those of a radio station.
    bool is_seekable, is_live;
    // Bytes that may still be read until the sound begins; -1: it has begun.
    int64_t opening_left;
    int64_t offset;
    // -1: not known.
    int64_t byte_count;
    // FFmpeg's error of the last read that failed; 0: none.
    int failure;
    // Why there is no sound, as far as reading has shown it; OAV_DECODER_OK: nothing.
    enum oav_decoder_problem hindrance;
    // NULL: FFmpeg asks every demuxer it has.
    const AVInputFormat *demuxer;
    AVIOContext *io;
    AVFormatContext *format;
    AVCodecContext *codec;
    AVStream *stream;
    AVPacket *packet;
    AVFrame *frame;
    // Frames of `frame` that have been given.
    int used;
    int channels;
    // The time of the sound's first frame, in frames; encoders begin before it.
    int64_t origin;
    // The time of the first packet; AV_NOPTS_VALUE: not known.
    int64_t first_time;
    // Of the next frame that is given.
    int64_t position;
    // The place that a seek wants: frames before it are left out.
    int64_t wanted;
    // Where reading ends; -1: where decoding does.
    int64_t end;
    bool input_is_over;
    // Of decoding; the first frame after a seek says where it is.
    bool place_is_known;
    // Decoded since the file was opened, and of how many samples: to find the place in containers in milliseconds.
    int64_t decoded, first_samples, last_samples, least_samples, most_samples;
};

// A decoder of a file, to be freed with `oav_decoder_close`; NULL: there is no memory.
//
// `size`: of what begins with the decoder.
struct oav_decoder *oav_decoder_make(size_t size, int descriptor, int64_t start, int64_t byte_count);
// The containers by the demuxers of these names.
bool oav_decoder_open_container(struct oav_decoder *decoder, const char *demuxers, char *text, size_t text_size);
// The same with what FFmpeg finds in its beginning.
bool oav_decoder_open_input(struct oav_decoder *decoder, char *text, size_t text_size);
// The sound at its beginning, with its first frame decoded.
bool oav_decoder_open_sound(
    struct oav_decoder *decoder, struct oav_decoder_info *info, char *text, size_t text_size);
// Closes what these have opened; the decoder stays.
void oav_decoder_close_sound(struct oav_decoder *decoder);
