#define _GNU_SOURCE
#include "libav.h"
#include "oav_libav.h"

#include <stdio.h>

#if !OAV_HAS_LIBAV
bool oav_libav_is_available(char *text, size_t text_size)
{
    snprintf(text, text_size,
             "this program was built without FFmpeg; install libavformat-dev and libavcodec-dev and build it again");
    return false;
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

struct oav_libav av;
// Why the libraries are not there; empty when they are.
static char problem[256];

#define OAV_TEXT_(x) #x
#define OAV_TEXT(x) OAV_TEXT_(x)

static void *load(const char *name, const char *package)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) snprintf(problem, sizeof problem, "%s is not installed; install the package %s", name, package);
    return library;
}

static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    if (!symbol) snprintf(problem, sizeof problem, "FFmpeg's libraries have no %s", name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

// The libraries stay loaded.
static void load_libraries(void)
{
    const char *util_name = "libavutil.so." OAV_TEXT(LIBAVUTIL_VERSION_MAJOR);
    // A program that uses FFmpeg itself decides what FFmpeg writes to the terminal.
    void *present = dlopen(util_name, RTLD_NOW | RTLD_NOLOAD);
    if (present) dlclose(present);
    void *util = load(util_name, "libavutil" OAV_TEXT(LIBAVUTIL_VERSION_MAJOR));
    if (!util) return;
    void *codec =
        load("libavcodec.so." OAV_TEXT(LIBAVCODEC_VERSION_MAJOR), "libavcodec" OAV_TEXT(LIBAVCODEC_VERSION_MAJOR));
    if (!codec) return;
    void *format =
        load("libavformat.so." OAV_TEXT(LIBAVFORMAT_VERSION_MAJOR), "libavformat" OAV_TEXT(LIBAVFORMAT_VERSION_MAJOR));
    if (!format) return;
#define X(name) if (!find(format, #name, &av.name)) return;
    OAV_FORMAT_FUNCTIONS(X)
#undef X
#define X(name) if (!find(codec, #name, &av.name)) return;
    OAV_CODEC_FUNCTIONS(X)
#undef X
#define X(name) if (!find(util, #name, &av.name)) return;
    OAV_UTIL_FUNCTIONS(X)
#undef X
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
#endif
