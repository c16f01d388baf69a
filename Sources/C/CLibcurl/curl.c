#include "oav_curl.h"

#include <dlfcn.h>
#include <pthread.h>

static const char *const libraries[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
static struct oav_curl loaded;
static bool is_loaded;

static bool find_all(void *handle)
{
#define X(result, name, arguments) \
    if (!(loaded.name = (__typeof__(loaded.name))dlsym(handle, "curl_" #name))) return false;
    OAV_CURL_FUNCTIONS(X)
#undef X
    // CURL_GLOBAL_ALL
    return loaded.global_init(3) == CURLE_OK;
}

static void load(void)
{
    for (size_t i = 0; !is_loaded && i < sizeof libraries / sizeof *libraries; i++) {
        void *handle = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
        is_loaded = handle && find_all(handle);
    }
}

const struct oav_curl *oav_curl_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded ? &loaded : NULL;
}

bool oav_curl_set_number(const struct oav_curl *curl, CURL *easy, int option, long value)
{
    return curl->easy_setopt(easy, option, value) == CURLE_OK;
}

bool oav_curl_set_pointer(const struct oav_curl *curl, CURL *easy, int option, const void *value)
{
    return curl->easy_setopt(easy, option, value) == CURLE_OK;
}

bool oav_curl_set_callbacks(
    const struct oav_curl *curl, CURL *easy, const struct oav_curl_callbacks *callbacks, char *error)
{
    enum {
        WRITEDATA = 10001, ERRORBUFFER = 10010, HEADERDATA = 10029, PREREQDATA = 10313,
        WRITEFUNCTION = 20011, HEADERFUNCTION = 20079, PREREQFUNCTION = 20312,
    };
    return curl->easy_setopt(easy, ERRORBUFFER, error) == CURLE_OK
        && curl->easy_setopt(easy, WRITEFUNCTION, callbacks->body) == CURLE_OK
        && curl->easy_setopt(easy, WRITEDATA, callbacks->context) == CURLE_OK
        && curl->easy_setopt(easy, HEADERFUNCTION, callbacks->line) == CURLE_OK
        && curl->easy_setopt(easy, HEADERDATA, callbacks->context) == CURLE_OK
        && curl->easy_setopt(easy, PREREQFUNCTION, callbacks->request) == CURLE_OK
        && curl->easy_setopt(easy, PREREQDATA, callbacks->context) == CURLE_OK;
}

const char *oav_curl_text(const struct oav_curl *curl, CURL *easy, int info)
{
    char *text = NULL;
    return curl->easy_getinfo(easy, info, &text) == CURLE_OK ? text : NULL;
}

long oav_curl_number(const struct oav_curl *curl, CURL *easy, int info)
{
    long value = 0;
    curl->easy_getinfo(easy, info, &value);
    return value;
}

bool oav_curl_has_ended(const struct oav_curl *curl, CURLM *multi, int *code)
{
    int left = 0;
    struct oav_curl_message *message = curl->multi_info_read(multi, &left);
    if (!message || message->kind != 1) return false;
    *code = message->data.result;
    return true;
}
