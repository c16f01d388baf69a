#include "decoder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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

// MARK: Opening

// Opens the sound at its beginning, with its first frame decoded.
static bool open_sound(struct oav_decoder *decoder, char *text, size_t text_size)
{
    if (!oav_decoder_open_input(decoder, text, text_size)) return false;
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
    oav_decoder_close_sound(decoder);
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
    oav_decoder_close_sound(decoder);
    if (!oav_decoder_open_input(decoder, text, sizeof text)) return false;
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
    if (FORMAT(decoder->format, duration_estimation_method) == AVFMT_DURATION_FROM_BITRATE && decoder->is_file) {
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
        .is_seekable = decoder->is_seekable,
        .is_live = decoder->is_live,
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

bool oav_decoder_open_sound(
    struct oav_decoder *decoder, struct oav_decoder_info *info, char *text, size_t text_size)
{
    return open_sound(decoder, text, text_size) && describe(decoder, info);
}

struct oav_decoder *oav_decoder_open(
    int descriptor, int64_t start, int64_t byte_count, const char *demuxer, struct oav_decoder_info *info, enum oav_decoder_problem *problem, char *text,
    size_t text_size)
{
    if (!oav_libav_is_available(text, text_size)) {
        *problem = OAV_DECODER_MISSING;
        return NULL;
    }
    struct oav_decoder *decoder = oav_decoder_make(sizeof *decoder, descriptor, start, byte_count);
    *problem = OAV_DECODER_UNKNOWN;
    snprintf(text, text_size, "there is no memory for it");
    if (!decoder) return NULL;
    if (demuxer) decoder->demuxer = av.av_find_input_format(demuxer);
    if (!oav_decoder_open_sound(decoder, info, text, text_size)) {
        oav_decoder_close(decoder);
        return NULL;
    }
    *problem = OAV_DECODER_OK;
    return decoder;
}
