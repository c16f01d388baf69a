// FFmpeg's functions, as far as the build has their headers.
#pragma once

#if !defined(OAV_WITHOUT_LIBAV) && __has_include(<libavformat/avformat.h>) && __has_include(<libavcodec/avcodec.h>)
#define OAV_HAS_LIBAV 1
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/log.h>
#include <libavutil/opt.h>

// Since FFmpeg 5.1 the channels are part of the layout.
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 24, 100)
#define CHANNELS(x) ((x)->ch_layout.nb_channels)
#define CHANNEL_MASK(x) ((x)->ch_layout.order == AV_CHANNEL_ORDER_NATIVE ? (x)->ch_layout.u.mask : 0)
#define SET_CHANNELS(x, count) av.av_channel_layout_default(&(x)->ch_layout, count)
#define OAV_LAYOUT_FUNCTIONS(X) X(av_channel_layout_default)
#else
#define CHANNELS(x) ((x)->channels)
#define CHANNEL_MASK(x) ((x)->channel_layout)
#define SET_CHANNELS(x, count) \
    ((x)->channels = (count), (x)->channel_layout = (uint64_t)av.av_get_default_channel_layout(count))
#define OAV_LAYOUT_FUNCTIONS(X) X(av_get_default_channel_layout)
#endif

#define OAV_FORMAT_FUNCTIONS(X) \
    X(avformat_alloc_context) X(avformat_open_input) X(avformat_find_stream_info) X(avformat_close_input) \
    X(av_find_input_format) X(av_find_best_stream) X(av_read_frame) X(avformat_seek_file) X(avio_alloc_context) \
    X(avio_context_free) \
    X(avformat_alloc_output_context2) X(avformat_free_context) X(avformat_new_stream) X(avformat_write_header) \
    X(av_write_frame) X(av_write_trailer)
#define OAV_CODEC_FUNCTIONS(X) \
    X(avcodec_alloc_context3) X(avcodec_parameters_to_context) X(avcodec_open2) X(avcodec_free_context) \
    X(avcodec_send_packet) X(avcodec_receive_frame) X(avcodec_flush_buffers) X(av_packet_alloc) X(av_packet_free) \
    X(av_packet_unref) X(avcodec_get_name) X(avcodec_find_encoder_by_name) X(avcodec_parameters_from_context) \
    X(avcodec_send_frame) X(avcodec_receive_packet) X(av_packet_rescale_ts)
#define OAV_UTIL_FUNCTIONS(X) \
    X(av_malloc) X(av_freep) X(av_frame_alloc) X(av_frame_free) X(av_frame_unref) X(av_dict_get) X(av_rescale_q) \
    X(av_log_set_level) X(av_strdup) X(av_frame_get_buffer) X(av_frame_make_writable) X(av_dict_set) X(av_dict_free) \
    X(av_max_alloc) \
    OAV_LAYOUT_FUNCTIONS(X)

struct oav_libav {
#define X(name) __typeof__(&name) name;
    OAV_FORMAT_FUNCTIONS(X) OAV_CODEC_FUNCTIONS(X) OAV_UTIL_FUNCTIONS(X)
#undef X
};
// Once `oav_libav_is_available` has returned true.
extern struct oav_libav av;
#else
#define OAV_HAS_LIBAV 0
#endif
