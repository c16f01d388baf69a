#include "oav_sofa.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

// libmysofa.so.1's own, of mysofa.h.
typedef void *(*open_function)(const char *path, float sample_rate, int *taps, int *error);
typedef void (*filter_function)(
    void *easy, float x, float y, float z, float *left, float *right, float *left_delay, float *right_delay);
typedef void (*close_function)(void *easy);

static open_function open_file;
static filter_function get_filter;
static close_function close_file;

struct oav_sofa { void *easy; };

static void load(void)
{
    void *library = dlopen("libmysofa.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    open_function open = (open_function)dlsym(library, "mysofa_open");
    get_filter = (filter_function)dlsym(library, "mysofa_getfilter_float");
    close_file = (close_function)dlsym(library, "mysofa_close");
    if (get_filter && close_file) open_file = open;
}

struct oav_sofa *oav_sofa_open(const char *path, float sample_rate, int32_t *taps)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int count = 0, error = 0;
    pthread_once(&once, load);
    if (!open_file) return NULL;
    void *easy = open_file(path, sample_rate, &count, &error);
    if (!easy) return NULL;
    struct oav_sofa *sofa = malloc(sizeof *sofa);
    // A file is not ours: a filter of a second is no head's.
    if (!sofa || count < 1 || count > sample_rate) {
        close_file(easy);
        free(sofa);
        return NULL;
    }
    sofa->easy = easy;
    *taps = count;
    return sofa;
}

void oav_sofa_filter(
    struct oav_sofa *sofa, float ahead, float left_of, float up, float *left, float *right, float *left_delay,
    float *right_delay)
{
    get_filter(sofa->easy, ahead, left_of, up, left, right, left_delay, right_delay);
}

void oav_sofa_close(struct oav_sofa *sofa)
{
    close_file(sofa->easy);
    free(sofa);
}
