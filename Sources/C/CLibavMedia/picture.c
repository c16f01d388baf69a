#include "decoder.h"
#include "oav_libav_media.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
    const int64_t byte_count = fstat(descriptor, &status) == 0 ? status.st_size : 0;
    struct oav_decoder *decoder = oav_decoder_make(sizeof *decoder, descriptor, 0, byte_count);
    if (!decoder) return NULL;
    decoder->opening_left = opening_limit;
    uint8_t *copy = NULL;
    if (oav_decoder_open_container(decoder, DEMUXERS "," SNDFILE_DEMUXERS, text, sizeof text)) {
        const AVStream *stream = find_picture(decoder->format);
        if (stream && (copy = malloc((size_t)PACKET(picture(stream), size)))) {
            *size = (size_t)PACKET(picture(stream), size);
            memcpy(copy, PACKET(picture(stream), data), *size);
        }
    }
    oav_decoder_close(decoder);
    return copy;
}
