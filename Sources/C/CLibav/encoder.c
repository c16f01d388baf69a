#define _GNU_SOURCE
#include "libav.h"
#include "oav_libav.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct oav_encoder {
    int descriptor;
    AVCodecContext *codec;
    AVFormatContext *format;
    AVStream *stream;
    AVIOContext *io;
    int64_t offset;
    AVPacket *packet;
    AVFrame *frame;
    // Samples in `frame`.
    int filled;
    int channels;
    int64_t time;
    bool has_header, has_failed;
};

static int write_bytes(void *opaque, const uint8_t *bytes, int count)
{
    struct oav_encoder *encoder = opaque;
    for (int done = 0; done < count;) {
        const ssize_t wrote = pwrite(encoder->descriptor, bytes + done, (size_t)(count - done), encoder->offset);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return AVERROR(errno ? errno : EIO);
        done += (int)wrote;
        encoder->offset += wrote;
    }
    return count;
}

static int64_t seek_bytes(void *opaque, int64_t offset, int whence)
{
    struct oav_encoder *encoder = opaque;
    const off_t end = lseek(encoder->descriptor, 0, SEEK_END);
    switch (whence & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE: return end;
    case SEEK_SET: break;
    case SEEK_CUR: offset += encoder->offset; break;
    case SEEK_END: offset += end; break;
    default: return AVERROR(EINVAL);
    }
    return offset < 0 ? AVERROR(EINVAL) : (encoder->offset = offset);
}

static void release(struct oav_encoder *encoder)
{
    if (encoder->frame) av.av_frame_free(&encoder->frame);
    if (encoder->packet) av.av_packet_free(&encoder->packet);
    if (encoder->codec) av.avcodec_free_context(&encoder->codec);
    if (encoder->format) av.avformat_free_context(encoder->format);
    if (encoder->io) {
        av.av_freep(&IO(encoder->io, buffer));
        av.avio_context_free(&encoder->io);
    }
    free(encoder);
}

static bool open_codec(
    struct oav_encoder *encoder, const struct oav_encoder_settings *settings, char *text, size_t text_size)
{
    snprintf(text, text_size, "FFmpeg has no encoder \"%s\"", settings->codec);
    const AVCodec *codec = av.avcodec_find_encoder_by_name(settings->codec);
    if (!codec) return false;
    encoder->codec = av.avcodec_alloc_context3(codec);
    encoder->packet = av.av_packet_alloc();
    encoder->frame = av.av_frame_alloc();
    if (!encoder->codec || !encoder->packet || !encoder->frame) return false;

    AVCodecContext *context = encoder->codec;
    const bool is_lossless = settings->bits > 0;
    CODEC(context, sample_rate) = settings->sample_rate;
    CODEC(context, time_base) = (AVRational){1, settings->sample_rate};
    CODEC(context, sample_fmt) =
        !is_lossless ? AV_SAMPLE_FMT_FLTP : settings->bits > 16 ? AV_SAMPLE_FMT_S32P : AV_SAMPLE_FMT_S16P;
    CODEC(context, bits_per_raw_sample) = settings->bits;
    CODEC(context, bit_rate) = settings->bit_rate;
    CODEC(context, thread_count) = 1;
    av.av_channel_layout_default(&CODEC(context, ch_layout), settings->channels);
    // Sample-accurate trimming needs the delay in the header.
    if (MUXER(FORMAT(encoder->format, oformat), flags) & AVFMT_GLOBALHEADER)
        CODEC(context, flags) |= AV_CODEC_FLAG_GLOBAL_HEADER;
    snprintf(text, text_size, "its encoder does not take %d channels at %d Hz", settings->channels, settings->sample_rate);
    if (av.avcodec_open2(context, codec, NULL) < 0) return false;

    FRAME(encoder->frame, format) = CODEC(context, sample_fmt);
    FRAME(encoder->frame, sample_rate) = settings->sample_rate;
    FRAME(encoder->frame, nb_samples) = CODEC(context, frame_size);
    av.av_channel_layout_default(&FRAME(encoder->frame, ch_layout), settings->channels);
    return CODEC(context, frame_size) > 0 && av.av_frame_get_buffer(encoder->frame, 0) >= 0;
}

static bool open_muxer(struct oav_encoder *encoder, const struct oav_encoder_settings *settings)
{
    encoder->stream = av.avformat_new_stream(encoder->format, NULL);
    if (!encoder->stream) return false;
    if (av.avcodec_parameters_from_context(STREAM(encoder->stream, codecpar), encoder->codec) < 0) return false;
    STREAM(encoder->stream, time_base) = CODEC(encoder->codec, time_base);

    const int buffer_size = 65536;
    uint8_t *buffer = av.av_malloc((size_t)buffer_size);
    if (!buffer) return false;
    encoder->io = av.avio_alloc_context(buffer, buffer_size, 1, encoder, NULL, write_bytes, seek_bytes);
    if (!encoder->io) {
        av.av_freep(&buffer);
        return false;
    }
    FORMAT(encoder->format, pb) = encoder->io;
    FORMAT(encoder->format, flags) |= AVFMT_FLAG_FLUSH_PACKETS;
    if (settings->title) av.av_dict_set(&FORMAT(encoder->format, metadata), "title", settings->title, 0);
    if (settings->artist) av.av_dict_set(&FORMAT(encoder->format, metadata), "artist", settings->artist, 0);
    // A fragment each half second: what a killed process leaves is readable up to the last one. The first packet decides
    // what the header says of the encoder's delay.
    AVDictionary *options = NULL;
    if (strcmp(settings->container, "adts") != 0) {
        av.av_dict_set(&options, "movflags", "+delay_moov+default_base_moof", 0);
        av.av_dict_set(&options, "frag_duration", "500000", 0);
    }
    const int result = av.avformat_write_header(encoder->format, &options);
    av.av_dict_free(&options);
    encoder->has_header = result >= 0;
    return encoder->has_header;
}

static bool set_up(struct oav_encoder *encoder, const struct oav_encoder_settings *settings, char *text, size_t text_size)
{
    snprintf(text, text_size, "FFmpeg does not write \"%s\"", settings->container);
    if (av.avformat_alloc_output_context2(&encoder->format, NULL, settings->container, NULL) < 0) return false;
    if (!open_codec(encoder, settings, text, text_size)) return false;
    snprintf(text, text_size, "the header cannot be written");
    return open_muxer(encoder, settings);
}

struct oav_encoder *oav_encoder_open(
    int descriptor, const struct oav_encoder_settings *settings, char *text, size_t text_size)
{
    if (!oav_libav_is_available(text, text_size)) return NULL;
    struct oav_encoder *encoder = calloc(1, sizeof *encoder);
    snprintf(text, text_size, "there is no memory for it");
    if (!encoder) return NULL;
    encoder->descriptor = descriptor;
    encoder->channels = settings->channels;
    if (set_up(encoder, settings, text, text_size)) return encoder;
    release(encoder);
    return NULL;
}

static bool write_packet(struct oav_encoder *encoder)
{
    AVPacket *packet = encoder->packet;
    av.av_packet_rescale_ts(packet, CODEC(encoder->codec, time_base), STREAM(encoder->stream, time_base));
    PACKET(packet, stream_index) = STREAM(encoder->stream, index);
    return av.av_write_frame(encoder->format, packet) >= 0;
}

static bool write_packets(struct oav_encoder *encoder)
{
    int result;
    while ((result = av.avcodec_receive_packet(encoder->codec, encoder->packet)) == 0) {
        if (!write_packet(encoder)) return false;
        av.av_packet_unref(encoder->packet);
    }
    return (result == AVERROR(EAGAIN) || result == AVERROR_EOF) && IO(encoder->io, error) >= 0;
}

static bool send_frame(struct oav_encoder *encoder)
{
    if (encoder->filled == 0) return true;
    FRAME(encoder->frame, nb_samples) = encoder->filled;
    FRAME(encoder->frame, pts) = encoder->time;
    encoder->time += encoder->filled;
    encoder->filled = 0;
    if (av.avcodec_send_frame(encoder->codec, encoder->frame) < 0) return false;
    return write_packets(encoder);
}

static void store(const struct oav_encoder *encoder, int index, int channel, double value)
{
    uint8_t *data = FRAME(encoder->frame, extended_data)[channel];
    const double sample = isnan(value) ? 0 : fmax(-1, fmin(1, value));
    const int bits = CODEC(encoder->codec, bits_per_raw_sample);
    const double full = bits > 0 ? (double)(1ll << (bits - 1)) : 1;
    const double step = fmin(nearbyint(sample * full), full - 1);
    switch (CODEC(encoder->codec, sample_fmt)) {
    case AV_SAMPLE_FMT_FLTP: ((float *)data)[index] = (float)sample; break;
    case AV_SAMPLE_FMT_S16P: ((int16_t *)data)[index] = (int16_t)step; break;
    default: ((int32_t *)data)[index] = (int32_t)((uint32_t)(int32_t)step << (32 - bits)); break;
    }
}

bool oav_encoder_write(struct oav_encoder *encoder, const double *samples, int64_t frames)
{
    if (encoder->has_failed) return false;
    for (int64_t i = 0; i < frames; i++) {
        // The encoder may hold on to the last frame's memory.
        if (encoder->filled == 0 && av.av_frame_make_writable(encoder->frame) < 0) return !(encoder->has_failed = true);
        for (int channel = 0; channel < encoder->channels; channel++)
            store(encoder, encoder->filled, channel, samples[i * encoder->channels + channel]);
        encoder->filled++;
        const bool is_full = encoder->filled == CODEC(encoder->codec, frame_size);
        if (is_full && !send_frame(encoder)) return !(encoder->has_failed = true);
    }
    return true;
}

bool oav_encoder_close(struct oav_encoder *encoder)
{
    bool is_complete = !encoder->has_failed && send_frame(encoder);
    if (is_complete && encoder->time > 0) {
        av.avcodec_send_frame(encoder->codec, NULL);
        is_complete = write_packets(encoder);
    }
    if (encoder->has_header && av.av_write_trailer(encoder->format) < 0) is_complete = false;
    if (encoder->io && IO(encoder->io, error) < 0) is_complete = false;
    release(encoder);
    return is_complete;
}
