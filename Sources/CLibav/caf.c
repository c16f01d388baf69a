#define _GNU_SOURCE
#include "caf.h"

#if OAV_HAS_LIBAV
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// MARK: Bytes

struct bytes {
    uint8_t *data;
    size_t count, room;
};

static bool append(struct bytes *bytes, const void *data, size_t count)
{
    if (bytes->count + count > bytes->room) {
        const size_t room = 2 * (bytes->count + count);
        uint8_t *grown = realloc(bytes->data, room);
        if (!grown) return false;
        bytes->data = grown;
        bytes->room = room;
    }
    memcpy(bytes->data + bytes->count, data, count);
    bytes->count += count;
    return true;
}

// Big-endian, as all numbers of a CAF file.
static bool append_number(struct bytes *bytes, uint64_t value, int count)
{
    uint8_t text[8];
    for (int i = 0; i < count; i++) text[i] = (uint8_t)(value >> 8 * (count - 1 - i));
    return append(bytes, text, (size_t)count);
}

static bool append_chunk(struct bytes *bytes, const char *name, uint64_t size)
{
    return append(bytes, name, 4) && append_number(bytes, size, 8);
}

static bool write_at(int descriptor, const uint8_t *data, size_t count, int64_t offset)
{
    while (count > 0) {
        const ssize_t wrote = pwrite(descriptor, data, count, offset);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        data += wrote;
        count -= (size_t)wrote;
        offset += wrote;
    }
    return true;
}

// MARK: The file

// What readers find: packets, and the table of their sizes behind them.
struct extent {
    int64_t data_bytes, packets, frames;
    size_t table_bytes;
};

struct caf {
    int descriptor;
    int frames_per_packet;
    // Of the number that says how long the data are, and of the first packet.
    int64_t size_offset, data_offset;
    // The packets' sizes, seven bits a byte.
    struct bytes table;
    // Packets that are not in the file yet.
    struct bytes pending;
    // With and without `pending`.
    struct extent all, written;
    // Between two writes.
    int64_t interval;
};

static bool append_table(struct bytes *bytes, const struct caf *caf, const struct extent *extent)
{
    return append_chunk(bytes, "pakt", 24 + extent->table_bytes) && append_number(bytes, (uint64_t)extent->packets, 8)
        && append_number(bytes, (uint64_t)extent->frames, 8) && append_number(bytes, 0, 4)
        && append_number(bytes, (uint64_t)(extent->packets * caf->frames_per_packet - extent->frames), 4)
        && append(bytes, caf->table.data, extent->table_bytes);
}

// What the header says of the data counts; between the two calls of the kernel, it says too little for the table to be found.
static bool write_extent(struct caf *caf, struct bytes *tail, int64_t offset, const struct extent *extent)
{
    struct bytes size = {0};
    // The data begin with four bytes of their own.
    const bool is_written = append_table(tail, caf, extent) && append_number(&size, (uint64_t)extent->data_bytes + 4, 8)
        && write_at(caf->descriptor, tail->data, tail->count, caf->data_offset + offset)
        && write_at(caf->descriptor, size.data, size.count, caf->size_offset);
    free(size.data);
    return is_written;
}

// A full disk has overwritten the table: the one before it has room where it was.
static void restore(struct caf *caf)
{
    if (!write_extent(caf, &caf->pending, caf->written.data_bytes, &caf->written)) return;
    const int64_t end = caf->data_offset + caf->written.data_bytes + (int64_t)caf->pending.count;
    caf->pending.count = 0;
    if (ftruncate(caf->descriptor, end) != 0) return;
}

static bool write_pending(struct caf *caf)
{
    const bool is_written = write_extent(caf, &caf->pending, caf->written.data_bytes, &caf->all);
    caf->pending.count = 0;
    if (is_written) {
        caf->written = caf->all;
        return true;
    }
    caf->all = caf->written;
    caf->table.count = caf->written.table_bytes;
    restore(caf);
    return false;
}

static bool append_header(struct caf *caf, struct bytes *bytes, const AVCodecContext *codec,
                          const struct oav_encoder_settings *settings)
{
    // FFmpeg's cookie begins with 12 bytes that are those of an MPEG-4 file.
    enum { mpeg4_bytes = 12 };
    if (codec->extradata_size <= mpeg4_bytes) return false;
    const size_t cookie_size = (size_t)codec->extradata_size - mpeg4_bytes;
    const double rate = codec->sample_rate;
    uint64_t rate_bits;
    memcpy(&rate_bits, &rate, sizeof rate_bits);
    const bool is_begun = append(bytes, "caff\0\1\0\0", 8) && append_chunk(bytes, "desc", 32)
        && append_number(bytes, rate_bits, 8) && append(bytes, "alac", 4)
        // The flags of Apple Lossless: 1 for 16 bits, 3 for 24. Packets have no fixed size.
        && append_number(bytes, settings->bits > 16 ? 3 : 1, 4) && append_number(bytes, 0, 4)
        && append_number(bytes, (uint64_t)codec->frame_size, 4) && append_number(bytes, (uint64_t)settings->channels, 4)
        && append_number(bytes, 0, 4) && append_chunk(bytes, "kuki", cookie_size)
        && append(bytes, codec->extradata + mpeg4_bytes, cookie_size);
    if (!is_begun) return false;
    const char *keys[] = {"title", "artist"}, *texts[] = {settings->title, settings->artist};
    struct bytes strings = {0};
    unsigned count = 0;
    bool has_strings = true;
    for (int i = 0; i < 2; i++) {
        if (!texts[i]) continue;
        count++;
        has_strings = has_strings && append(&strings, keys[i], strlen(keys[i]) + 1)
            && append(&strings, texts[i], strlen(texts[i]) + 1);
    }
    if (count > 0)
        has_strings = has_strings && append_chunk(bytes, "info", 4 + strings.count) && append_number(bytes, count, 4)
            && append(bytes, strings.data, strings.count);
    free(strings.data);
    if (!has_strings || !append_chunk(bytes, "data", 4) || !append_number(bytes, 0, 4)) return false;
    caf->data_offset = (int64_t)bytes->count;
    caf->size_offset = caf->data_offset - 12;
    return true;
}

static void release(struct caf *caf)
{
    free(caf->table.data);
    free(caf->pending.data);
    free(caf);
}

struct caf *caf_open(int descriptor, const AVCodecContext *codec, const struct oav_encoder_settings *settings)
{
    struct caf *caf = calloc(1, sizeof *caf);
    if (!caf) return NULL;
    caf->descriptor = descriptor;
    caf->frames_per_packet = codec->frame_size;
    caf->interval = codec->sample_rate / 2;
    struct bytes header = {0};
    const bool is_open = append_header(caf, &header, codec, settings) && append_table(&header, caf, &caf->all)
        && write_at(descriptor, header.data, header.count, 0);
    free(header.data);
    if (is_open) return caf;
    release(caf);
    return NULL;
}

bool caf_write(struct caf *caf, const uint8_t *packet, int size, int64_t frames)
{
    uint8_t text[5];
    int length = 0;
    for (int shift = 28; shift >= 0; shift -= 7)
        if (shift == 0 || size >> shift > 0)
            text[length++] = (uint8_t)((size >> shift & 0x7F) | (shift > 0 ? 0x80 : 0));
    if (!append(&caf->table, text, (size_t)length) || !append(&caf->pending, packet, (size_t)size)) return false;
    caf->all.data_bytes += size;
    caf->all.packets++;
    caf->all.frames += frames;
    caf->all.table_bytes = caf->table.count;
    return caf->all.frames - caf->written.frames < caf->interval || write_pending(caf);
}

bool caf_close(struct caf *caf)
{
    const bool is_complete = caf->all.packets == caf->written.packets || write_pending(caf);
    release(caf);
    return is_complete;
}
#endif
