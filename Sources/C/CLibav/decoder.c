#define _GNU_SOURCE
#include "libav.h"
#include "oav_libav.h"

#include <stdio.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// MARK: The file

struct oav_decoder {
    // -1: it is read from `source`.
    int descriptor;
    // Where the sound's bytes begin in the descriptor's file.
    int64_t start;
    struct oav_source source;
    // Bytes that may still be read until the sound begins; -1: it has begun.
    int64_t opening_left;
    int64_t offset;
    // -1: not known.
    int64_t byte_count;
    // FFmpeg's error of the last read that failed; 0: none.
    int failure;
    // Why there is no sound, as far as reading has shown it; OAV_DECODER_OK: nothing.
    enum oav_decoder_problem hindrance;
    // Of a source: its first bytes say so.
    bool is_mpeg4;
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

static bool has_text(const uint8_t *bytes, size_t count, const char *text)
{
    return memmem(bytes, count, text, strlen(text)) != NULL;
}

// Whether a server's answer begins like a playlist.
static enum oav_decoder_problem list_of(const uint8_t *bytes, size_t count)
{
    const size_t start = count < 16 ? count : 16;
    if (has_text(bytes, start, "#EXTM3U"))
        return has_text(bytes, count, "#EXT-X-") ? OAV_DECODER_SEGMENTS : OAV_DECODER_PLAYLIST;
    return has_text(bytes, start, "[playlist]") ? OAV_DECODER_PLAYLIST : OAV_DECODER_OK;
}

static int64_t read_source(struct oav_decoder *decoder, uint8_t *room, int count)
{
    const int64_t got = decoder->source.read(decoder->source.context, decoder->offset, room, count);
    if (decoder->offset == 0 && got > 0) {
        decoder->hindrance = list_of(room, (size_t)got);
        decoder->is_mpeg4 = got >= 8 && memcmp(room + 4, "ftyp", 4) == 0;
    }
    return got == 0 ? AVERROR_EOF : got < 0 ? AVERROR(EIO) : got;
}

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
        got = decoder->descriptor < 0 ? read_source(decoder, room, count) : read_file(decoder, room, count);
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
    if (decoder->descriptor < 0 && !decoder->source.is_seekable && offset < decoder->offset) {
        decoder->hindrance = OAV_DECODER_SCATTERED;
        return AVERROR(EPERM);
    }
    return decoder->offset = offset;
}

// The demuxers that may be used: none of them opens other files.
#define DEMUXERS "mov,matroska,aac,loas,asf,ape,wv,tta,mpc,mpc8,ac3,eac3,amr,ogg,caf"
// Those of the files that libsndfile reads.
#define SNDFILE_DEMUXERS "mp3,flac,wav,w64,aiff,au"
// Those that are asked about files only, which libsndfile has refused.
#define FURTHER_DEMUXERS "dsf,iff,voc,tak,shn,dts,dtshd,truehd,mlp,avi,flv,mpeg,mpegts,rm,oma,xwma,sox,nut,mp2"

// MARK: Decoding

static const char *container(const struct oav_decoder *decoder)
{
    return DEMUXER(FORMAT(decoder->format, iformat), name);
}

static const char *codec_name(const struct oav_decoder *decoder)
{
    return av.avcodec_get_name(CODEC(decoder->codec, codec_id));
}

static AVRational frame_time(const struct oav_decoder *decoder)
{
    return (AVRational){1, CODEC(decoder->codec, sample_rate)};
}

static int64_t in_frames(const struct oav_decoder *decoder, int64_t time)
{
    return av.av_rescale_q(time, STREAM(decoder->stream, time_base), frame_time(decoder));
}

static int64_t in_stream_time(const struct oav_decoder *decoder, int64_t frames)
{
    return av.av_rescale_q(frames, frame_time(decoder), STREAM(decoder->stream, time_base));
}

// The last frame of a file may be shorter than the others: a frame counts when another follows.
static void note_size(struct oav_decoder *decoder, int64_t samples)
{
    const int64_t last = decoder->last_samples;
    if (last > 0 && (decoder->least_samples == 0 || last < decoder->least_samples)) decoder->least_samples = last;
    if (last > decoder->most_samples) decoder->most_samples = last;
    if (decoder->decoded++ == 0) decoder->first_samples = samples;
    else decoder->last_samples = samples;
}

// Whether the container's clock is coarser than a sample.
static bool is_coarse(const struct oav_decoder *decoder)
{
    const AVRational base = STREAM(decoder->stream, time_base);
    return (int64_t)base.num * CODEC(decoder->codec, sample_rate) > base.den;
}

// The place of a decoded frame. Where the clock is coarse, frames of one size give it exactly.
static int64_t place(const struct oav_decoder *decoder, int64_t time)
{
    const int64_t frames = in_frames(decoder, time) - decoder->origin, size = decoder->most_samples;
    if (!is_coarse(decoder) || size == 0 || decoder->least_samples != size) return frames;
    const int64_t after_first = frames - decoder->first_samples;
    const int64_t rounded = after_first + (after_first < 0 ? -size / 2 : size / 2);
    return decoder->first_samples + rounded / size * size;
}

// Decodes the next frame; false at the end.
static bool decode(struct oav_decoder *decoder)
{
    av.av_frame_unref(decoder->frame);
    decoder->used = 0;
    // A bound for files that are all damage.
    for (int failures = 0; failures < 10000;) {
        int result = av.avcodec_receive_frame(decoder->codec, decoder->frame);
        if (result == 0) {
            const AVFrame *frame = decoder->frame;
            // What changes its shape within a file is left out.
            if (FRAME(frame, ch_layout).nb_channels == decoder->channels
                && FRAME(frame, sample_rate) == CODEC(decoder->codec, sample_rate)
                && FRAME(frame, format) == CODEC(decoder->codec, sample_fmt) && FRAME(frame, nb_samples) > 0) {
                note_size(decoder, FRAME(frame, nb_samples));
                return true;
            }
            failures++;
            continue;
        }
        if (result == AVERROR_EOF) return false;
        if (result != AVERROR(EAGAIN)) failures++;
        if (decoder->input_is_over) return false;
        result = av.av_read_frame(decoder->format, decoder->packet);
        if (result == AVERROR(EAGAIN)) continue;
        if (result < 0) {
            decoder->input_is_over = true;
            av.avcodec_send_packet(decoder->codec, NULL);
            continue;
        }
        if (PACKET(decoder->packet, stream_index) == STREAM(decoder->stream, index)) {
            if (decoder->first_time == AV_NOPTS_VALUE) decoder->first_time = PACKET(decoder->packet, pts);
            if (av.avcodec_send_packet(decoder->codec, decoder->packet) < 0) failures++;
        }
        av.av_packet_unref(decoder->packet);
    }
    return false;
}

static double sample(const AVFrame *frame, int index, int channel)
{
    const int planar = FRAME(frame, format) >= AV_SAMPLE_FMT_U8P && FRAME(frame, format) != AV_SAMPLE_FMT_S64;
    const uint8_t *data = FRAME(frame, extended_data)[planar ? channel : 0];
    const size_t channels = (size_t)FRAME(frame, ch_layout).nb_channels;
    const size_t at = planar ? (size_t)index : (size_t)index * channels + (size_t)channel;
    switch (FRAME(frame, format)) {
    case AV_SAMPLE_FMT_U8: case AV_SAMPLE_FMT_U8P: return (data[at] - 128) / 128.0;
    case AV_SAMPLE_FMT_S16: case AV_SAMPLE_FMT_S16P: return ((const int16_t *)data)[at] / 32768.0;
    case AV_SAMPLE_FMT_S32: case AV_SAMPLE_FMT_S32P: return ((const int32_t *)data)[at] / 2147483648.0;
    case AV_SAMPLE_FMT_FLT: case AV_SAMPLE_FMT_FLTP: return ((const float *)data)[at];
    case AV_SAMPLE_FMT_DBL: case AV_SAMPLE_FMT_DBLP: return ((const double *)data)[at];
    case AV_SAMPLE_FMT_S64: case AV_SAMPLE_FMT_S64P: return (double)((const int64_t *)data)[at] / 9223372036854775808.0;
    default: return 0;
    }
}

// Has a frame at hand whose next sample is to be given; false at the end.
static bool have_frame(struct oav_decoder *decoder)
{
    if (!decoder->frame) return false;
    while (true) {
        if (decoder->used >= FRAME(decoder->frame, nb_samples)) {
            if (!decode(decoder)) return false;
            const int64_t time = FRAME(decoder->frame, best_effort_timestamp);
            if (!decoder->place_is_known && time != AV_NOPTS_VALUE)
                decoder->position = place(decoder, time);
            decoder->place_is_known = true;
        }
        const int64_t early = decoder->wanted - decoder->position;
        if (early <= 0) return true;
        const int64_t left = FRAME(decoder->frame, nb_samples) - decoder->used;
        const int64_t skipped = early < left ? early : left;
        decoder->used += (int)skipped;
        decoder->position += skipped;
    }
}

int64_t oav_decoder_read(struct oav_decoder *decoder, double *samples, int64_t frames)
{
    int64_t done = 0;
    if (!decoder->codec) return -1;
    if (decoder->end >= 0 && frames > decoder->end - oav_decoder_position(decoder))
        frames = decoder->end - oav_decoder_position(decoder);
    while (done < frames && have_frame(decoder)) {
        const int64_t left = FRAME(decoder->frame, nb_samples) - decoder->used;
        const int64_t count = left < frames - done ? left : frames - done;
        for (int64_t i = 0; i < count; i++)
            for (int channel = 0; channel < decoder->channels; channel++)
                samples[(done + i) * decoder->channels + channel] =
                    sample(decoder->frame, decoder->used + (int)i, channel);
        decoder->used += (int)count;
        decoder->position += count;
        decoder->wanted = decoder->position;
        done += count;
    }
    return done == 0 && frames > 0 && decoder->failure ? -1 : done;
}

int64_t oav_decoder_position(const struct oav_decoder *decoder)
{
    return decoder->wanted > decoder->position ? decoder->wanted : decoder->position;
}

// MARK: Opening and closing

static void close_sound(struct oav_decoder *decoder)
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
    close_sound(decoder);
    free(decoder);
}

static bool open_container(struct oav_decoder *decoder, const char *demuxers, char *text, size_t text_size)
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
    if (decoder->descriptor < 0) {
        IO(decoder->io, seekable) = decoder->source.is_seekable ? AVIO_SEEKABLE_NORMAL : 0;
    }
    decoder->format = av.avformat_alloc_context();
    if (!decoder->format) return false;
    FORMAT(decoder->format, pb) = decoder->io;
    FORMAT(decoder->format, format_whitelist) = av.av_strdup(demuxers);
    FORMAT(decoder->format, protocol_whitelist) = av.av_strdup("");
    if (decoder->descriptor < 0) {
        // A station sends no faster than it sounds.
        FORMAT(decoder->format, probesize) = 131072;
        FORMAT(decoder->format, max_analyze_duration) = AV_TIME_BASE;
    }
    snprintf(text, text_size, "FFmpeg does not know its format");
    AVDictionary *options = NULL;
    // FFmpeg waits for 50 frames otherwise, since those of MP3 and ADTS have no times: 1.3 s.
    if (decoder->descriptor < 0 && decoder->source.is_live) av.av_dict_set(&options, "max_ts_probe", "1", 0);
    bool is_open = av.avformat_open_input(&decoder->format, NULL, decoder->demuxer, &options) >= 0;
    av.av_dict_free(&options);
    return is_open;
}

static bool open_input(struct oav_decoder *decoder, char *text, size_t text_size)
{
    const char *demuxers =
        decoder->descriptor < 0 ? DEMUXERS "," SNDFILE_DEMUXERS : DEMUXERS "," SNDFILE_DEMUXERS "," FURTHER_DEMUXERS;
    if (!open_container(decoder, demuxers, text, text_size)) return false;
    // Pictures and films are not read.
    for (unsigned i = 0; i < FORMAT(decoder->format, nb_streams); i++) {
        AVStream *stream = FORMAT(decoder->format, streams)[i];
        if (PARAMETERS(STREAM(stream, codecpar), codec_type) != AVMEDIA_TYPE_AUDIO) STREAM(stream, discard) = AVDISCARD_ALL;
    }
    return av.avformat_find_stream_info(decoder->format, NULL) >= 0;
}

// Opens the sound at its beginning, with its first frame decoded.
static bool open_sound(struct oav_decoder *decoder, char *text, size_t text_size)
{
    if (!open_input(decoder, text, text_size)) return false;
    const AVCodec *codec = NULL;
    snprintf(text, text_size, "FFmpeg finds no sound in it that it can decode");
    const int index = av.av_find_best_stream(decoder->format, AVMEDIA_TYPE_AUDIO, -1, -1, &codec, 0);
    if (index < 0 || !codec) return false;
    decoder->stream = FORMAT(decoder->format, streams)[index];
    for (unsigned i = 0; i < FORMAT(decoder->format, nb_streams); i++)
        STREAM(FORMAT(decoder->format, streams)[i], discard) = (int)i == index ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
    decoder->codec = av.avcodec_alloc_context3(codec);
    decoder->packet = av.av_packet_alloc();
    decoder->frame = av.av_frame_alloc();
    if (!decoder->codec || !decoder->packet || !decoder->frame) return false;
    if (av.avcodec_parameters_to_context(decoder->codec, STREAM(decoder->stream, codecpar)) < 0) return false;
    CODEC(decoder->codec, pkt_timebase) = STREAM(decoder->stream, time_base);
    CODEC(decoder->codec, thread_count) = 1;
    if (av.avcodec_open2(decoder->codec, codec, NULL) < 0) return false;

    // The first frame says what the header may not, or not rightly: rate, channels, and where the sound begins.
    decoder->decoded = decoder->last_samples = decoder->least_samples = decoder->most_samples = 0;
    decoder->first_time = AV_NOPTS_VALUE;
    decoder->input_is_over = false;
    decoder->channels = CODEC(decoder->codec, ch_layout).nb_channels;
    bool is_decoded = false;
    while (!is_decoded) {
        is_decoded = decode(decoder);
        const int channels = CODEC(decoder->codec, ch_layout).nb_channels;
        if (is_decoded || decoder->input_is_over || channels == decoder->channels) break;
        // A decoder may learn its shape from the first frame.
        decoder->channels = channels;
    }
    if (!is_decoded || decoder->channels < 1 || CODEC(decoder->codec, sample_rate) < 1) return false;
    const int64_t time = FRAME(decoder->frame, best_effort_timestamp);
    const int64_t first = time == AV_NOPTS_VALUE ? 0 : in_frames(decoder, time);
    // What comes before time 0 is the encoder's delay.
    decoder->origin = first < 0 && !is_coarse(decoder) ? 0 : first;
    decoder->place_is_known = true;
    decoder->position = first - decoder->origin;
    decoder->wanted = 0;
    return true;
}

// The same file from its beginning: exact in every container, unlike a seek to the first packet.
static bool rewind_sound(struct oav_decoder *decoder)
{
    const int channels = decoder->channels;
    char text[128];
    close_sound(decoder);
    return open_sound(decoder, text, sizeof text) && decoder->channels == channels;
}

// FFmpeg's demuxer does not say where the packets of Ogg FLAC are, nor rightly where those of compressed WAV: places are
// found by decoding, which is fast.
static bool has_no_times(const struct oav_decoder *decoder)
{
    const char *codec = codec_name(decoder);
    return (strcmp(codec, "flac") == 0 && strcmp(container(decoder), "ogg") == 0)
        || (strcmp(container(decoder), "wav") == 0 && strncmp(codec, "pcm_", 4) != 0);
}

// Containers whose packets or tables count frames that their decoders do not give.
static bool counts_too_much(const struct oav_decoder *decoder)
{
    static const char *const names[] = {"mp3", "caf", "voc", "nut", "avi", "flv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(container(decoder), names[i]) == 0) return true;
    return false;
}

bool oav_decoder_seek(struct oav_decoder *decoder, int64_t frame)
{
    // A seek before this one may have been cancelled.
    if (!decoder->codec && !rewind_sound(decoder)) return false;
    decoder->failure = 0;
    IO(decoder->io, error) = 0;
    // Decoders settle within a few packets.
    const int64_t start = frame - 8192;
    if (start <= 0 || has_no_times(decoder)) {
        const bool is_behind = start > 0 && frame >= oav_decoder_position(decoder);
        if (!is_behind && !rewind_sound(decoder)) return false;
        decoder->wanted = frame;
        return true;
    }
    while (is_coarse(decoder) && decoder->most_samples == 0 && decode(decoder)) continue;
    const int64_t time = in_stream_time(decoder, start + decoder->origin);
    if (av.avformat_seek_file(decoder->format, STREAM(decoder->stream, index), INT64_MIN, time, time, 0) < 0) return false;
    av.avcodec_flush_buffers(decoder->codec);
    av.av_frame_unref(decoder->frame);
    decoder->used = 0;
    decoder->last_samples = 0;
    decoder->input_is_over = false;
    decoder->place_is_known = false;
    // Until the first frame says where it is.
    decoder->position = start;
    decoder->wanted = frame;
    return true;
}

const char *oav_decoder_tag(const struct oav_decoder *decoder, const char *key)
{
    if (!decoder->format) return NULL;
    const AVDictionaryEntry *entry = av.av_dict_get(FORMAT(decoder->format, metadata), key, NULL, 0);
    if (!entry) entry = av.av_dict_get(STREAM(decoder->stream, metadata), key, NULL, 0);
    return entry ? ENTRY(entry, value) : NULL;
}

// Frames of the sound, counted by its packets: for containers that only guess their length. The decoder is at its
// beginning before and after; false: it is nowhere.
static bool count_frames(struct oav_decoder *decoder, int64_t *frames)
{
    int64_t time = 0;
    const int index = STREAM(decoder->stream, index);
    char text[128];
    close_sound(decoder);
    if (!open_input(decoder, text, sizeof text)) return false;
    while (av.av_read_frame(decoder->format, decoder->packet ? decoder->packet : (decoder->packet = av.av_packet_alloc())) >= 0) {
        if (PACKET(decoder->packet, stream_index) == index) time += PACKET(decoder->packet, duration);
        av.av_packet_unref(decoder->packet);
    }
    const AVStream *stream = FORMAT(decoder->format, streams)[index];
    const AVRational base = STREAM(stream, time_base);
    const int rate = PARAMETERS(STREAM(stream, codecpar), sample_rate);
    *frames = av.av_rescale_q(time, base, (AVRational){1, rate});
    return rewind_sound(decoder);
}

static bool find_length(struct oav_decoder *decoder, struct oav_decoder_info *info)
{
    const AVStream *stream = decoder->stream;
    const bool is_fragmented = STREAM(stream, nb_frames) == 0 && strncmp(container(decoder), "mov,", 4) == 0;
    info->frames = -1;
    // FFmpeg knows the fragments that it has come to.
    if (info->is_live || (is_fragmented && !info->is_seekable)) return true;
    // Not the whole sound is fetched to know its length.
    if (FORMAT(decoder->format, duration_estimation_method) == AVFMT_DURATION_FROM_BITRATE && decoder->descriptor >= 0) {
        info->frames_are_exact = !counts_too_much(decoder);
        return count_frames(decoder, &info->frames);
    }
    if (STREAM(stream, duration) != AV_NOPTS_VALUE && STREAM(stream, duration) > 0) {
        int64_t start = STREAM(stream, start_time) == AV_NOPTS_VALUE ? 0 : STREAM(stream, start_time);
        // Of an MPEG-4 file in fragments, FFmpeg 6 and later names the start without the encoder's delay, but the
        // duration with it.
        if (is_fragmented && decoder->first_time != AV_NOPTS_VALUE && decoder->first_time < start)
            start = decoder->first_time;
        info->frames = in_frames(decoder, STREAM(stream, duration) + start) - decoder->origin;
        info->frames_are_exact =
            FORMAT(decoder->format, duration_estimation_method) == AVFMT_DURATION_FROM_STREAM && !is_coarse(decoder)
            && !counts_too_much(decoder);
    } else if (FORMAT(decoder->format, duration) != AV_NOPTS_VALUE && FORMAT(decoder->format, duration) > 0) {
        info->frames =
            av.av_rescale_q(FORMAT(decoder->format, duration), (AVRational){1, AV_TIME_BASE}, frame_time(decoder));
    }
    return true;
}

static bool is_lossless(const char *codec)
{
    static const char *const names[] = {"alac", "flac", "ape", "wavpack", "tta", "tak", "wmalossless"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(codec, names[i]) == 0) return true;
    return false;
}

static bool describe(struct oav_decoder *decoder, struct oav_decoder_info *info)
{
    const AVChannelLayout *layout = &CODEC(decoder->codec, ch_layout);
    *info = (struct oav_decoder_info){
        .sample_rate = CODEC(decoder->codec, sample_rate),
        .channels = decoder->channels,
        .channel_mask = layout->order == AV_CHANNEL_ORDER_NATIVE ? layout->u.mask : 0,
        .is_seekable = decoder->descriptor >= 0 || decoder->source.is_seekable,
        .is_live = decoder->source.is_live,
    };
    if (is_lossless(codec_name(decoder))) {
        const int bits = CODEC(decoder->codec, bits_per_raw_sample);
        info->bits = bits ? bits : 16;
    }
    snprintf(info->codec, sizeof info->codec, "%s", codec_name(decoder));
    snprintf(info->container, sizeof info->container, "%s", container(decoder));
    if (!find_length(decoder, info)) return false;
    decoder->end = info->frames_are_exact ? info->frames : -1;
    return true;
}

static struct oav_decoder *make_decoder(int descriptor, int64_t start, int64_t byte_count)
{
    struct oav_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->descriptor = descriptor;
    decoder->end = -1;
    decoder->start = start;
    decoder->byte_count = byte_count;
    decoder->opening_left = -1;
    return decoder;
}

struct oav_decoder *oav_decoder_open(
    int descriptor, int64_t start, int64_t byte_count, const char *demuxer, struct oav_decoder_info *info, enum oav_decoder_problem *problem, char *text,
    size_t text_size)
{
    if (!oav_libav_is_available(text, text_size)) {
        *problem = OAV_DECODER_MISSING;
        return NULL;
    }
    struct oav_decoder *decoder = make_decoder(descriptor, start, byte_count);
    *problem = OAV_DECODER_UNKNOWN;
    snprintf(text, text_size, "there is no memory for it");
    if (!decoder) return NULL;
    if (demuxer) decoder->demuxer = av.av_find_input_format(demuxer);
    if (!open_sound(decoder, text, text_size) || !describe(decoder, info)) {
        oav_decoder_close(decoder);
        return NULL;
    }
    *problem = OAV_DECODER_OK;
    return decoder;
}

static bool open_within_limit(
    struct oav_decoder *decoder, struct oav_decoder_info *info, char *text, size_t text_size)
{
    decoder->hindrance = OAV_DECODER_OK;
    decoder->opening_left = decoder->source.opening_limit;
    if (!open_sound(decoder, text, text_size) || !describe(decoder, info)) return false;
    decoder->opening_left = -1;
    return true;
}

struct oav_decoder *oav_decoder_open_source(
    const struct oav_source *source, struct oav_decoder_info *info, enum oav_decoder_problem *problem, char *text,
    size_t text_size)
{
    if (!oav_libav_is_available(text, text_size)) {
        *problem = OAV_DECODER_MISSING;
        return NULL;
    }
    struct oav_decoder *decoder = make_decoder(-1, 0, 0);
    *problem = OAV_DECODER_UNKNOWN;
    snprintf(text, text_size, "there is no memory for it");
    if (!decoder) return NULL;
    decoder->source = *source;
    decoder->byte_count = source->size;
    if (open_within_limit(decoder, info, text, text_size)) {
        *problem = OAV_DECODER_OK;
        return decoder;
    }
    if (decoder->hindrance == OAV_DECODER_ENDLESS && decoder->is_mpeg4 && source->is_seekable) {
        // FFmpeg looks for all fragments of such a file first. In their order, they need no search.
        decoder->source.is_seekable = false;
        close_sound(decoder);
        if (open_within_limit(decoder, info, text, text_size)) {
            *problem = OAV_DECODER_OK;
            return decoder;
        }
    }
    if (decoder->hindrance != OAV_DECODER_OK) *problem = decoder->hindrance;
    // The sound came, and not what describes it.
    if (*problem == OAV_DECODER_ENDLESS && decoder->is_mpeg4 && !source->is_seekable) *problem = OAV_DECODER_SCATTERED;
    oav_decoder_close(decoder);
    return NULL;
}

// MARK: Pictures

static AVPacket *picture(const AVStream *stream) { return AT_ADDRESS(AVStream, stream, attached_pic); }

// The stream of the picture; the front cover, else the first one.
static const AVStream *find_picture(const AVFormatContext *format)
{
    const AVStream *first = NULL;
    for (unsigned i = 0; i < FORMAT(format, nb_streams); i++) {
        const AVStream *stream = FORMAT(format, streams)[i];
        if (!(STREAM(stream, disposition) & AV_DISPOSITION_ATTACHED_PIC) || PACKET(picture(stream), size) <= 0) continue;
        const AVDictionaryEntry *kind = av.av_dict_get(STREAM(stream, metadata), "comment", NULL, 0);
        if (kind && strcmp(ENTRY(kind, value), "Cover (front)") == 0) return stream;
        if (!first) first = stream;
    }
    return first;
}

uint8_t *oav_picture_read(int descriptor, int64_t opening_limit, size_t *size)
{
    char text[256];
    if (!oav_libav_is_available(text, sizeof text)) return NULL;
    struct stat status;
    struct oav_decoder *decoder = make_decoder(descriptor, 0, fstat(descriptor, &status) == 0 ? status.st_size : 0);
    if (!decoder) return NULL;
    decoder->opening_left = opening_limit;
    uint8_t *copy = NULL;
    if (open_container(decoder, DEMUXERS "," SNDFILE_DEMUXERS, text, sizeof text)) {
        const AVStream *stream = find_picture(decoder->format);
        if (stream && (copy = malloc((size_t)PACKET(picture(stream), size)))) {
            *size = (size_t)PACKET(picture(stream), size);
            memcpy(copy, PACKET(picture(stream), data), *size);
        }
    }
    oav_decoder_close(decoder);
    return copy;
}
