#define _GNU_SOURCE
#include "libav.h"
#include "oav_libav.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct oav_libav av;
// Why the libraries are not there; empty when they are.
static char problem[256];

// The newest first.
static const struct oav_layout layouts[] = {
#define X(...) {__VA_ARGS__},
#include "layouts.inc"
#undef X
};
enum { LAYOUT_COUNT = sizeof layouts / sizeof *layouts };

// libavformat's other libraries come with it, and dlsym looks into them too.
static void *open_library(const struct oav_layout *layout, int flags)
{
    char name[32];
    snprintf(name, sizeof name, "libavformat.so.%d", layout->format);
    return dlopen(name, RTLD_NOW | RTLD_LOCAL | flags);
}

static bool find_functions(void *library)
{
    void *symbol;
#define X(result, name, parameters) \
    if (!(symbol = dlsym(library, #name))) { \
        snprintf(problem, sizeof problem, "FFmpeg's libraries have no %s", #name); \
        return false; \
    } \
    memcpy(&av.name, &symbol, sizeof symbol);
    OAV_FUNCTIONS(X)
#undef X
    return true;
}

static bool has_option(void *object, const char *option, size_t offset)
{
    const AVOption *found = av.av_opt_find(object, option, NULL, 0, 0);
    return found && found->offset == (int)offset;
}
#define HAS_OPTION(type, object, option, name) has_option(object, option, av.layout->type##_##name)

static bool codec_fits(AVCodecContext *codec)
{
    return codec && HAS_OPTION(AVCodecContext, codec, "ar", sample_rate) && HAS_OPTION(AVCodecContext, codec, "b", bit_rate)
        && HAS_OPTION(AVCodecContext, codec, "threads", thread_count) && HAS_OPTION(AVCodecContext, codec, "flags", flags)
        && HAS_OPTION(AVCodecContext, codec, "time_base", time_base)
        && HAS_OPTION(AVCodecContext, codec, "pkt_timebase", pkt_timebase)
        && HAS_OPTION(AVCodecContext, codec, "frame_size", frame_size)
        && HAS_OPTION(AVCodecContext, codec, "bits_per_raw_sample", bits_per_raw_sample)
        && HAS_OPTION(AVCodecContext, codec, "ch_layout", ch_layout) && CODEC(codec, sample_fmt) == AV_SAMPLE_FMT_NONE;
}

static bool format_fits(AVFormatContext *format)
{
    if (!format || !HAS_OPTION(AVFormatContext, format, "probesize", probesize)
        || !HAS_OPTION(AVFormatContext, format, "analyzeduration", max_analyze_duration)
        || !HAS_OPTION(AVFormatContext, format, "fflags", flags)
        || !HAS_OPTION(AVFormatContext, format, "format_whitelist", format_whitelist)
        || !HAS_OPTION(AVFormatContext, format, "protocol_whitelist", protocol_whitelist))
        return false;
    const AVStream *stream = av.avformat_new_stream(format, NULL);
    return stream && FORMAT(format, nb_streams) == 1 && FORMAT(format, streams)[0] == stream && STREAM(stream, index) == 0
        && STREAM(stream, start_time) == AV_NOPTS_VALUE && STREAM(stream, duration) == AV_NOPTS_VALUE
        && STREAM(stream, codecpar) && PARAMETERS(STREAM(stream, codecpar), codec_type) == AVMEDIA_TYPE_UNKNOWN;
}

static bool frame_fits(const AVFrame *frame)
{
    return frame && FRAME(frame, format) == -1 && FRAME(frame, pts) == AV_NOPTS_VALUE
        && FRAME(frame, best_effort_timestamp) == AV_NOPTS_VALUE
        && (const void *)FRAME(frame, extended_data) == (const void *)frame;
}

// Whether the fields are where the layout says. A library that was built in another way than the one that the layout is of would
// be written to at wrong places.
static bool layout_fits(void)
{
    AVCodecContext *codec = av.avcodec_alloc_context3(NULL);
    AVFormatContext *format = av.avformat_alloc_context();
    AVFrame *frame = av.av_frame_alloc();
    const bool fits = codec_fits(codec) && format_fits(format) && frame_fits(frame);
    av.av_frame_free(&frame);
    av.avformat_free_context(format);
    av.avcodec_free_context(&codec);
    return fits;
}

// The libraries stay loaded.
static void load_libraries(void)
{
    // A program that uses FFmpeg itself decides which one, and what FFmpeg writes to the terminal.
    void *present = NULL, *library = NULL;
    int index = 0;
    for (int i = 0; i < LAYOUT_COUNT && !present; i++) present = open_library(&layouts[index = i], RTLD_NOLOAD);
    library = present;
    for (int i = 0; i < LAYOUT_COUNT && !library; i++) library = open_library(&layouts[index = i], 0);
    if (!library) {
        snprintf(problem, sizeof problem, "FFmpeg's libraries are not installed (libavformat, version %d to %d)",
                 layouts[LAYOUT_COUNT - 1].format, layouts[0].format);
        return;
    }
    if (!find_functions(library)) return;
    av.layout = &layouts[index];
    const unsigned util = av.avutil_version() >> 16, codec = av.avcodec_version() >> 16;
    if ((int)util != av.layout->util || (int)codec != av.layout->codec || !layout_fits()) {
        snprintf(problem, sizeof problem, "libavformat.so.%d is not built as FFmpeg's own releases are", av.layout->format);
        return;
    }
    if (present) return;
    av.av_log_set_level(AV_LOG_QUIET);
    // The tables of a file may say that they have any number of entries, in a few bytes: 24 bytes of memory for each packet.
    // This is enough for 66 hours of AAC at 48 kHz.
    av.av_max_alloc(256 << 20);
}

bool oav_libav_is_available(char *text, size_t text_size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_libraries);
    if (problem[0] == '\0') return true;
    snprintf(text, text_size, "%s", problem);
    return false;
}
