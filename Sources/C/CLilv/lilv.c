#define _GNU_SOURCE
#include "oav_lilv.h"
#include "map.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool oav_lilv_load(struct lilv_functions *functions, const char *library, char *text, size_t text_size)
{
    if (!library) library = "liblilv-0.so.0";
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *reason = dlerror();
        snprintf(text, text_size, "%s", reason ? reason : library);
        return false;
    }
#define X(result, name, arguments) \
    if (!(functions->name = (__typeof__(functions->name))dlsym(handle, "lilv_" #name))) { \
        snprintf(text, text_size, "%s has no lilv_" #name, library); \
        dlclose(handle); \
        return false; \
    }
    LILV_FUNCTIONS(X)
#undef X
    return true;
}

// ---- Numbers for URIs ----

// Bounds for what plug-ins ask for; the number 0 is "no such URI".
enum { MOST_URIS = 4096, LONGEST_URI = 2048 };

// One map for all plug-ins: it only grows, as numbers may be kept.
static pthread_mutex_t uris_lock = PTHREAD_MUTEX_INITIALIZER;
static char *uris[MOST_URIS];
static uint32_t uri_count;

uint32_t oav_lv2_map(const char *uri)
{
    if (!uri || strnlen(uri, LONGEST_URI) == LONGEST_URI) return 0;
    pthread_mutex_lock(&uris_lock);
    uint32_t index = 0;
    while (index < uri_count && strcmp(uris[index], uri) != 0) index++;
    if (index == uri_count && (index == MOST_URIS || !(uris[index] = strdup(uri)))) {
        pthread_mutex_unlock(&uris_lock);
        return 0;
    }
    if (index == uri_count) uri_count++;
    pthread_mutex_unlock(&uris_lock);
    return index + 1;
}

static uint32_t map_uri(void *handle, const char *uri)
{
    (void)handle;
    return oav_lv2_map(uri);
}

static const char *unmap_uri(void *handle, uint32_t number)
{
    (void)handle;
    pthread_mutex_lock(&uris_lock);
    const char *uri = number >= 1 && number <= uri_count ? uris[number - 1] : NULL;
    pthread_mutex_unlock(&uris_lock);
    return uri;
}

// ---- What a plug-in is given ----

#define MAP_URI "http://lv2plug.in/ns/ext/urid#map"
#define UNMAP_URI "http://lv2plug.in/ns/ext/urid#unmap"
#define OPTIONS_URI "http://lv2plug.in/ns/ext/options#options"
#define BOUNDED_URI "http://lv2plug.in/ns/ext/buf-size#boundedBlockLength"
// Holds for every host that runs the whole cycle at once.
#define LIVE_URI "http://lv2plug.in/ns/lv2core#isLive"

bool oav_lv2_has_feature(const char *uri)
{
    static const char *const known[] = {MAP_URI, UNMAP_URI, OPTIONS_URI, BOUNDED_URI, LIVE_URI};
    for (size_t index = 0; index < sizeof(known) / sizeof(known[0]); index++)
        if (strcmp(uri, known[index]) == 0) return true;
    return false;
}

// LV2_URID_Map, LV2_URID_Unmap and LV2_Options_Option, of lv2/urid/urid.h and lv2/options/options.h.
struct urid_map {
    void *handle;
    uint32_t (*map)(void *, const char *);
};
struct urid_unmap {
    void *handle;
    const char *(*unmap)(void *, uint32_t);
};
struct option {
    uint32_t context, subject, key, size, type;
    const void *value;
};

struct oav_lv2_host {
    struct urid_map map;
    struct urid_unmap unmap;
    float sample_rate;
    int32_t least_frames, most_frames, events_size;
    struct option options[6];
    LV2_Feature features[5];
    const LV2_Feature *list[6];
};

struct oav_lv2_host *oav_lv2_host_create(double sample_rate, uint32_t most_frames)
{
    struct oav_lv2_host *host = calloc(1, sizeof(*host));
    if (!host) return NULL;
    host->map.map = map_uri;
    host->unmap.unmap = unmap_uri;
    host->sample_rate = (float)sample_rate;
    host->most_frames = (int32_t)most_frames;
    host->events_size = OAV_LV2_EVENTS_SIZE;
    const uint32_t integer = oav_lv2_map("http://lv2plug.in/ns/ext/atom#Int");
    const uint32_t real = oav_lv2_map("http://lv2plug.in/ns/ext/atom#Float");
#define OPTION(uri, type, value) {0, 0, oav_lv2_map(uri), sizeof(value), type, &(value)}
    const struct option options[] = {
        OPTION("http://lv2plug.in/ns/ext/parameters#sampleRate", real, host->sample_rate),
        OPTION("http://lv2plug.in/ns/ext/buf-size#minBlockLength", integer, host->least_frames),
        OPTION("http://lv2plug.in/ns/ext/buf-size#maxBlockLength", integer, host->most_frames),
        OPTION("http://lv2plug.in/ns/ext/buf-size#nominalBlockLength", integer, host->most_frames),
        OPTION("http://lv2plug.in/ns/ext/buf-size#sequenceSize", integer, host->events_size),
        {0, 0, 0, 0, 0, NULL},
    };
#undef OPTION
    memcpy(host->options, options, sizeof(options));
    const LV2_Feature features[] = {
        {MAP_URI, &host->map}, {UNMAP_URI, &host->unmap}, {OPTIONS_URI, host->options}, {BOUNDED_URI, NULL},
        {LIVE_URI, NULL},
    };
    memcpy(host->features, features, sizeof(features));
    for (size_t index = 0; index < 5; index++) host->list[index] = &host->features[index];
    return host;
}

void oav_lv2_host_destroy(struct oav_lv2_host *host) { free(host); }

const LV2_Feature *const *oav_lv2_host_features(const struct oav_lv2_host *host) { return host->list; }

// ---- Before lilv loads a library ----

// LV2_Lib_Descriptor of lv2/core/lv2.h.
struct lib_descriptor {
    void *handle;
    uint32_t size;
    void (*cleanup)(void *);
    const LV2_Descriptor *(*get_plugin)(void *, uint32_t);
};
typedef const LV2_Descriptor *(*descriptor_function)(uint32_t);
typedef const struct lib_descriptor *(*lib_descriptor_function)(const char *, const LV2_Feature *const *);

// More than any library has.
enum { MOST_DESCRIPTORS = 4096 };

// NULL: lilv may use it.
static const char *fault(const LV2_Descriptor *descriptor)
{
    if (!descriptor->instantiate) return "it has no function instantiate";
    if (!descriptor->connect_port) return "it has no function connect_port";
    if (!descriptor->run) return "it has no function run";
    if (!descriptor->cleanup) return "it has no function cleanup";
    return NULL;
}

// NULL: the one of that URI may be used, and so may those before it, which lilv looks at.
static const char *fault_of(const char *uri, descriptor_function get, const struct lib_descriptor *library)
{
    for (uint32_t index = 0; index < MOST_DESCRIPTORS; index++) {
        const LV2_Descriptor *descriptor = library ? library->get_plugin(library->handle, index) : get(index);
        if (!descriptor) return "its library does not have it";
        if (!descriptor->URI) return "its library has a plug-in without a URI";
        if (strcmp(descriptor->URI, uri) == 0) return fault(descriptor);
    }
    return "its library has too many plug-ins";
}

static const char *fault_of_library(void *handle, const char *bundle, const char *uri, const LV2_Feature *const *features)
{
    descriptor_function get = (descriptor_function)dlsym(handle, "lv2_descriptor");
    lib_descriptor_function get_library = (lib_descriptor_function)dlsym(handle, "lv2_lib_descriptor");
    // As lilv does: the library's own descriptor comes first.
    if (!get_library) return get ? fault_of(uri, get, NULL) : "its library has no function lv2_descriptor";
    const struct lib_descriptor *library = get_library(bundle, features);
    if (!library) return "its library is not ready";
    if (!library->get_plugin || !library->cleanup) return "its library has no function get_plugin or cleanup";
    const char *reason = fault_of(uri, NULL, library);
    library->cleanup(library->handle);
    return reason;
}

void *oav_lv2_library_open(
    const char *path, const char *bundle, const char *uri, const LV2_Feature *const *features, char *text, size_t text_size)
{
    struct stat status;
    // A pipe would keep its reader for ever.
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        snprintf(text, text_size, "%s is no file", path);
        return NULL;
    }
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *reason = dlerror();
        snprintf(text, text_size, "%s", reason ? reason : path);
        return NULL;
    }
    const char *reason = fault_of_library(handle, bundle, uri, features);
    if (!reason) return handle;
    snprintf(text, text_size, "%s", reason);
    dlclose(handle);
    return NULL;
}

void oav_lv2_library_close(void *library) { dlclose(library); }

// ---- Messages ----

// The real standard error meanwhile.
static int real_error = -1;

int oav_lilv_keep_messages(void)
{
    const int kept = memfd_create("lilv", MFD_CLOEXEC);
    if (kept < 0) return -1;
    fflush(stderr);
    real_error = dup(STDERR_FILENO);
    if (real_error >= 0 && dup2(kept, STDERR_FILENO) >= 0) return kept;
    if (real_error >= 0) close(real_error);
    close(kept);
    return -1;
}

void oav_lilv_take_messages(int kept, char *text, size_t text_size)
{
    text[0] = 0;
    if (kept < 0) return;
    fflush(stderr);
    dup2(real_error, STDERR_FILENO);
    close(real_error);
    const ssize_t count = pread(kept, text, text_size - 1, 0);
    text[count > 0 ? count : 0] = 0;
    close(kept);
}
