// FFmpeg's functions that are called here, as all its major versions from 59 to 63 declare them: result, name, parameters.
#pragma once
#include "types.h"

#define OAV_FUNCTIONS(X) \
    X(AVFormatContext *, avformat_alloc_context, (void)) \
    X(int, avformat_open_input, (AVFormatContext **, const char *, const AVInputFormat *, AVDictionary **)) \
    X(int, avformat_find_stream_info, (AVFormatContext *, AVDictionary **)) \
    X(void, avformat_close_input, (AVFormatContext **)) \
    X(const AVInputFormat *, av_find_input_format, (const char *)) \
    X(int, av_find_best_stream, (AVFormatContext *, int, int, int, const AVCodec **, int)) \
    X(int, av_read_frame, (AVFormatContext *, AVPacket *)) \
    X(int, avformat_seek_file, (AVFormatContext *, int, int64_t, int64_t, int64_t, int)) \
    X(AVIOContext *, avio_alloc_context, \
      (unsigned char *, int, int, void *, int (*)(void *, uint8_t *, int), oav_write_function, \
       int64_t (*)(void *, int64_t, int))) \
    X(void, avio_context_free, (AVIOContext **)) \
    X(int, avformat_alloc_output_context2, (AVFormatContext **, const AVOutputFormat *, const char *, const char *)) \
    X(void, avformat_free_context, (AVFormatContext *)) \
    X(AVStream *, avformat_new_stream, (AVFormatContext *, const AVCodec *)) \
    X(int, avformat_write_header, (AVFormatContext *, AVDictionary **)) \
    X(int, av_write_frame, (AVFormatContext *, AVPacket *)) \
    X(int, av_write_trailer, (AVFormatContext *)) \
    X(unsigned, avformat_version, (void)) \
    X(AVCodecContext *, avcodec_alloc_context3, (const AVCodec *)) \
    X(int, avcodec_parameters_to_context, (AVCodecContext *, const AVCodecParameters *)) \
    X(int, avcodec_open2, (AVCodecContext *, const AVCodec *, AVDictionary **)) \
    X(void, avcodec_free_context, (AVCodecContext **)) \
    X(int, avcodec_send_packet, (AVCodecContext *, const AVPacket *)) \
    X(int, avcodec_receive_frame, (AVCodecContext *, AVFrame *)) \
    X(void, avcodec_flush_buffers, (AVCodecContext *)) \
    X(AVPacket *, av_packet_alloc, (void)) \
    X(void, av_packet_free, (AVPacket **)) \
    X(void, av_packet_unref, (AVPacket *)) \
    X(const char *, avcodec_get_name, (int)) \
    X(const AVCodec *, avcodec_find_encoder_by_name, (const char *)) \
    X(int, avcodec_parameters_from_context, (AVCodecParameters *, const AVCodecContext *)) \
    X(int, avcodec_send_frame, (AVCodecContext *, const AVFrame *)) \
    X(int, avcodec_receive_packet, (AVCodecContext *, AVPacket *)) \
    X(void, av_packet_rescale_ts, (AVPacket *, AVRational, AVRational)) \
    X(unsigned, avcodec_version, (void)) \
    X(void *, av_malloc, (size_t)) \
    X(void, av_freep, (void *)) \
    X(AVFrame *, av_frame_alloc, (void)) \
    X(void, av_frame_free, (AVFrame **)) \
    X(void, av_frame_unref, (AVFrame *)) \
    X(AVDictionaryEntry *, av_dict_get, \
      (const AVDictionary *, const char *, const AVDictionaryEntry *, int)) \
    X(int64_t, av_rescale_q, (int64_t, AVRational, AVRational)) \
    X(void, av_log_set_level, (int)) \
    X(char *, av_strdup, (const char *)) \
    X(int, av_frame_get_buffer, (AVFrame *, int)) \
    X(int, av_frame_make_writable, (AVFrame *)) \
    X(int, av_dict_set, (AVDictionary **, const char *, const char *, int)) \
    X(void, av_dict_free, (AVDictionary **)) \
    X(void, av_max_alloc, (size_t)) \
    X(const AVOption *, av_opt_find, (void *, const char *, const char *, int, int)) \
    X(void, av_channel_layout_default, (AVChannelLayout *, int)) \
    X(unsigned, avutil_version, (void))
