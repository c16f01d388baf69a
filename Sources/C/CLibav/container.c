#define _GNU_SOURCE
#include "decoder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// MARK: The bytes

static int64_t read_file(struct oav_decoder *decoder, uint8_t *room, int count)
{
    ssize_t got;
    const int64_t left = decoder->byte_count - decoder->offset;
    if (left <= 0) return AVERROR_EOF;
    if (count > left) count = (int)left;
    do {
        got = pread(decoder->descriptor, room, (size_t)count, decoder->start + decoder->offset);
    } while (got < 0 && errno == EINTR);
    return got == 0 ? AVERROR_EOF : got < 0 ? AVERROR(errno) : got;
}

static int read_bytes(void *opaque, uint8_t *room, int count)
{
    struct oav_decoder *decoder = opaque;
    if (decoder->opening_left >= 0 && count > decoder->opening_left) count = (int)decoder->opening_left;
    int64_t got;
    if (count == 0) {
        decoder->hindrance = OAV_DECODER_ENDLESS;
        got = AVERROR(EIO);
    } else {
        got = decoder->read(decoder, room, count);
    }
    if (got > 0) {
        decoder->offset += got;
        if (decoder->opening_left >= 0) decoder->opening_left -= got;
    } else if (got != AVERROR_EOF) {
        decoder->failure = (int)got;
    }
    return (int)got;
}

static int64_t seek_bytes(void *opaque, int64_t offset, int whence)
{
    struct oav_decoder *decoder = opaque;
    switch (whence & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE: return decoder->byte_count >= 0 ? decoder->byte_count : AVERROR(ENOSYS);
    case SEEK_SET: break;
    case SEEK_CUR: offset += decoder->offset; break;
    case SEEK_END:
        if (decoder->byte_count < 0) return AVERROR(ENOSYS);
        offset += decoder->byte_count;
        break;
    default: return AVERROR(EINVAL);
    }
    if (offset < 0) return AVERROR(EINVAL);
    if (!decoder->is_seekable && offset < decoder->offset) {
        decoder->hindrance = OAV_DECODER_SCATTERED;
        return AVERROR(EPERM);
    }
    return decoder->offset = offset;
}

// MARK: Opening and closing

struct oav_decoder *oav_decoder_make(size_t size, int descriptor, int64_t start, int64_t byte_count)
{
    struct oav_decoder *decoder = calloc(1, size);
    if (!decoder) return NULL;
    decoder->read = read_file;
    decoder->is_file = decoder->is_seekable = true;
    decoder->descriptor = descriptor;
    decoder->end = -1;
    decoder->start = start;
    decoder->byte_count = byte_count;
    decoder->opening_left = -1;
    return decoder;
}

void oav_decoder_close_sound(struct oav_decoder *decoder)
{
    if (decoder->frame) av.av_frame_free(&decoder->frame);
    if (decoder->packet) av.av_packet_free(&decoder->packet);
    if (decoder->codec) av.avcodec_free_context(&decoder->codec);
    if (decoder->format) av.avformat_close_input(&decoder->format);
    if (decoder->io) {
        av.av_freep(&IO(decoder->io, buffer));
        av.avio_context_free(&decoder->io);
    }
}

void oav_decoder_close(struct oav_decoder *decoder)
{
    oav_decoder_close_sound(decoder);
    free(decoder);
}

bool oav_decoder_open_container(struct oav_decoder *decoder, const char *demuxers, char *text, size_t text_size)
{
    const int buffer_size = 65536;
    uint8_t *buffer = av.av_malloc((size_t)buffer_size);
    if (!buffer) return false;
    decoder->offset = 0;
    decoder->io = av.avio_alloc_context(buffer, buffer_size, 0, decoder, read_bytes, NULL, seek_bytes);
    if (!decoder->io) {
        av.av_freep(&buffer);
        return false;
    }
    decoder->failure = 0;
    IO(decoder->io, seekable) = decoder->is_seekable ? AVIO_SEEKABLE_NORMAL : 0;
    decoder->format = av.avformat_alloc_context();
    if (!decoder->format) return false;
    FORMAT(decoder->format, pb) = decoder->io;
    FORMAT(decoder->format, format_whitelist) = av.av_strdup(demuxers);
    FORMAT(decoder->format, protocol_whitelist) = av.av_strdup("");
    if (!decoder->is_file) {
        // A station sends no faster than it sounds.
        FORMAT(decoder->format, probesize) = 131072;
        FORMAT(decoder->format, max_analyze_duration) = AV_TIME_BASE;
    }
    snprintf(text, text_size, "FFmpeg does not know its format");
    AVDictionary *options = NULL;
    // FFmpeg waits for 50 frames otherwise, since those of MP3 and ADTS have no times: 1.3 s.
    if (decoder->is_live) av.av_dict_set(&options, "max_ts_probe", "1", 0);
    bool is_open = av.avformat_open_input(&decoder->format, NULL, decoder->demuxer, &options) >= 0;
    av.av_dict_free(&options);
    return is_open;
}

bool oav_decoder_open_input(struct oav_decoder *decoder, char *text, size_t text_size)
{
    const char *demuxers =
        decoder->is_file ? DEMUXERS "," SNDFILE_DEMUXERS "," FURTHER_DEMUXERS : DEMUXERS "," SNDFILE_DEMUXERS;
    if (!oav_decoder_open_container(decoder, demuxers, text, text_size)) return false;
    // Pictures and films are not read.
    for (unsigned i = 0; i < FORMAT(decoder->format, nb_streams); i++) {
        AVStream *stream = FORMAT(decoder->format, streams)[i];
        if (PARAMETERS(STREAM(stream, codecpar), codec_type) != AVMEDIA_TYPE_AUDIO) STREAM(stream, discard) = AVDISCARD_ALL;
    }
    return av.avformat_find_stream_info(decoder->format, NULL) >= 0;
}
