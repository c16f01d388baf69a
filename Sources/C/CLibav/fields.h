// The fields of FFmpeg's structs that are read and written here: the struct, the field's type, its name.
//
// FFmpeg gives a struct another layout with each major version of its libraries, and keeps it until the next. layouts.inc has
// the place of each field in each of these versions, so that one program works with all of them, and no header of FFmpeg is
// needed to build it (docs/decisions/0053-ffmpeg-of-any-major.md).
#pragma once

#define OAV_FIELDS(X) \
    X(AVIOContext, unsigned char *, buffer) \
    X(AVIOContext, int, error) \
    X(AVIOContext, int, seekable) \
    X(AVInputFormat, const char *, name) \
    X(AVOutputFormat, int, flags) \
    X(AVFormatContext, const AVInputFormat *, iformat) \
    X(AVFormatContext, const AVOutputFormat *, oformat) \
    X(AVFormatContext, AVIOContext *, pb) \
    X(AVFormatContext, unsigned, nb_streams) \
    X(AVFormatContext, AVStream **, streams) \
    X(AVFormatContext, int64_t, duration) \
    X(AVFormatContext, int, flags) \
    X(AVFormatContext, int64_t, probesize) \
    X(AVFormatContext, int64_t, max_analyze_duration) \
    X(AVFormatContext, AVDictionary *, metadata) \
    X(AVFormatContext, int, duration_estimation_method) \
    X(AVFormatContext, char *, format_whitelist) \
    X(AVFormatContext, char *, protocol_whitelist) \
    X(AVStream, int, index) \
    X(AVStream, AVCodecParameters *, codecpar) \
    X(AVStream, AVRational, time_base) \
    X(AVStream, int64_t, start_time) \
    X(AVStream, int64_t, duration) \
    X(AVStream, int64_t, nb_frames) \
    X(AVStream, int, disposition) \
    X(AVStream, int, discard) \
    X(AVStream, AVDictionary *, metadata) \
    X(AVStream, AVPacket, attached_pic) \
    X(AVCodecParameters, int, codec_type) \
    X(AVCodecParameters, int, sample_rate) \
    X(AVCodecContext, int, codec_id) \
    X(AVCodecContext, int64_t, bit_rate) \
    X(AVCodecContext, int, flags) \
    X(AVCodecContext, AVRational, time_base) \
    X(AVCodecContext, AVRational, pkt_timebase) \
    X(AVCodecContext, int, thread_count) \
    X(AVCodecContext, int, sample_rate) \
    X(AVCodecContext, int, sample_fmt) \
    X(AVCodecContext, int, frame_size) \
    X(AVCodecContext, int, bits_per_raw_sample) \
    X(AVCodecContext, AVChannelLayout, ch_layout) \
    X(AVPacket, int64_t, pts) \
    X(AVPacket, unsigned char *, data) \
    X(AVPacket, int, size) \
    X(AVPacket, int, stream_index) \
    X(AVPacket, int64_t, duration) \
    X(AVFrame, unsigned char **, extended_data) \
    X(AVFrame, int, nb_samples) \
    X(AVFrame, int, format) \
    X(AVFrame, int64_t, pts) \
    X(AVFrame, int64_t, best_effort_timestamp) \
    X(AVFrame, int, sample_rate) \
    X(AVFrame, AVChannelLayout, ch_layout) \
    X(AVDictionaryEntry, char *, value)
