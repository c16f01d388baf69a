// FFmpeg's functions, and the fields of its structs, of whichever major version is loaded.
#pragma once
#include "fields.h"
#include "functions.h"

// The places of the fields in one major version.
struct oav_layout {
    int format, codec, util;
#define X(type, kind, name) uint16_t type##_##name;
    OAV_FIELDS(X)
#undef X
};

struct oav_libav {
#define X(result, name, parameters) result (*name) parameters;
    OAV_FUNCTIONS(X)
#undef X
    const struct oav_layout *layout;
};
// Once `oav_libav_is_available` has returned true.
extern struct oav_libav av;

#define X(type, kind, name) typedef kind type##_##name;
OAV_FIELDS(X)
#undef X
// A field of an object, to be read or written; the compiler checks the object's type.
#define AT(type, object, name) (*AT_ADDRESS(type, object, name))
#define AT_ADDRESS(type, object, name) \
    ((type##_##name *)((const char *)(1 ? (object) : (type *)0) + av.layout->type##_##name))

#define DEMUXER(object, name) AT(AVInputFormat, object, name)
#define MUXER(object, name) AT(AVOutputFormat, object, name)
#define IO(object, name) AT(AVIOContext, object, name)
#define FORMAT(object, name) AT(AVFormatContext, object, name)
#define STREAM(object, name) AT(AVStream, object, name)
#define PARAMETERS(object, name) AT(AVCodecParameters, object, name)
#define CODEC(object, name) AT(AVCodecContext, object, name)
#define PACKET(object, name) AT(AVPacket, object, name)
#define FRAME(object, name) AT(AVFrame, object, name)
#define ENTRY(object, name) AT(AVDictionaryEntry, object, name)
