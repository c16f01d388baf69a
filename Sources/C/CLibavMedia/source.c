#define _GNU_SOURCE
#include "decoder.h"
#include "oav_libav_media.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct source_decoder {
    // First: the decoder's other functions know it alone.
    struct oav_decoder decoder;
    struct oav_source source;
    // Its first bytes say so.
    bool is_mpeg4;
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
    struct source_decoder *opened = (struct source_decoder *)decoder;
    const int64_t got = opened->source.read(opened->source.context, decoder->offset, room, count);
    if (decoder->offset == 0 && got > 0) {
        decoder->hindrance = list_of(room, (size_t)got);
        opened->is_mpeg4 = got >= 8 && memcmp(room + 4, "ftyp", 4) == 0;
    }
    return got == 0 ? AVERROR_EOF : got < 0 ? AVERROR(EIO) : got;
}

static bool open_within_limit(
    struct source_decoder *opened, struct oav_decoder_info *info, char *text, size_t text_size)
{
    opened->decoder.hindrance = OAV_DECODER_OK;
    opened->decoder.opening_left = opened->source.opening_limit;
    if (!oav_decoder_open_sound(&opened->decoder, info, text, text_size)) return false;
    opened->decoder.opening_left = -1;
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
    struct oav_decoder *decoder = oav_decoder_make(sizeof(struct source_decoder), -1, 0, source->size);
    struct source_decoder *opened = (struct source_decoder *)decoder;
    *problem = OAV_DECODER_UNKNOWN;
    snprintf(text, text_size, "there is no memory for it");
    if (!decoder) return NULL;
    opened->source = *source;
    decoder->read = read_source;
    decoder->is_file = false;
    decoder->is_seekable = source->is_seekable;
    decoder->is_live = source->is_live;
    if (open_within_limit(opened, info, text, text_size)) {
        *problem = OAV_DECODER_OK;
        return decoder;
    }
    if (decoder->hindrance == OAV_DECODER_ENDLESS && opened->is_mpeg4 && source->is_seekable) {
        // FFmpeg looks for all fragments of such a file first. In their order, they need no search.
        decoder->is_seekable = false;
        oav_decoder_close_sound(decoder);
        if (open_within_limit(opened, info, text, text_size)) {
            *problem = OAV_DECODER_OK;
            return decoder;
        }
    }
    if (decoder->hindrance != OAV_DECODER_OK) *problem = decoder->hindrance;
    // The sound came, and not what describes it.
    if (*problem == OAV_DECODER_ENDLESS && opened->is_mpeg4 && !source->is_seekable) *problem = OAV_DECODER_SCATTERED;
    oav_decoder_close(decoder);
    return NULL;
}
