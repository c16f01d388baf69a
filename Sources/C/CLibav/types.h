// FFmpeg's types and constants, those that are the same in all its major versions from 59 to 63. No header of FFmpeg is
// included: its structs have another layout in each major version (fields.h).
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct AVIOContext AVIOContext;
typedef struct AVInputFormat AVInputFormat;
typedef struct AVOutputFormat AVOutputFormat;
typedef struct AVFormatContext AVFormatContext;
typedef struct AVStream AVStream;
typedef struct AVCodec AVCodec;
typedef struct AVCodecParameters AVCodecParameters;
typedef struct AVCodecContext AVCodecContext;
typedef struct AVPacket AVPacket;
typedef struct AVFrame AVFrame;
typedef struct AVDictionary AVDictionary;
typedef struct AVDictionaryEntry AVDictionaryEntry;

typedef struct AVRational {
    int num, den;
} AVRational;

typedef struct AVChannelLayout {
    int order, nb_channels;
    union {
        uint64_t mask;
        void *map;
    } u;
    void *opaque;
} AVChannelLayout;

// As far as it is read.
typedef struct AVOption {
    const char *name, *help;
    int offset;
} AVOption;

// libavformat 61 made the bytes const.
typedef int (*oav_write_function)(void *, const uint8_t *, int);

#define AVERROR(code) (-(code))
// -'E', 'O', 'F', ' '
#define AVERROR_EOF (-0x20464f45)
#define AV_NOPTS_VALUE INT64_MIN
#define AV_TIME_BASE 1000000
#define AVSEEK_SIZE 0x10000
#define AVSEEK_FORCE 0x20000
#define AVIO_SEEKABLE_NORMAL 1
#define AVFMT_GLOBALHEADER 0x40
#define AVFMT_FLAG_FLUSH_PACKETS 0x200
#define AV_CODEC_FLAG_GLOBAL_HEADER (1 << 22)
#define AV_DISPOSITION_ATTACHED_PIC (1 << 10)
#define AV_LOG_QUIET (-8)
enum { AVMEDIA_TYPE_UNKNOWN = -1, AVMEDIA_TYPE_AUDIO = 1 };
enum { AVDISCARD_DEFAULT = 0, AVDISCARD_ALL = 48 };
enum { AVFMT_DURATION_FROM_STREAM = 1, AVFMT_DURATION_FROM_BITRATE = 2 };
enum { AV_CHANNEL_ORDER_NATIVE = 1 };
enum {
    AV_SAMPLE_FMT_NONE = -1, AV_SAMPLE_FMT_U8, AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_FLT, AV_SAMPLE_FMT_DBL,
    AV_SAMPLE_FMT_U8P, AV_SAMPLE_FMT_S16P, AV_SAMPLE_FMT_S32P, AV_SAMPLE_FMT_FLTP, AV_SAMPLE_FMT_DBLP, AV_SAMPLE_FMT_S64,
    AV_SAMPLE_FMT_S64P,
};
