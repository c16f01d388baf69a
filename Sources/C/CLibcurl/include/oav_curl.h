// libcurl, loaded at run time.
//
// Threads: `oav_curl_load` may be called on any; the other functions on one thread at a time for each handle.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "curl_functions.h"

#pragma clang assume_nonnull begin

/// What a transfer calls while `multi_perform` and `easy_pause` run.
struct oav_curl_callbacks {
    void *context;
    /// Bytes of the body; gives `count`, or CURL_WRITEFUNC_PAUSE, after which the same bytes come again.
    size_t (*body)(char *bytes, size_t size, size_t count, void *context);
    /// A line of a head or a trailer; anything but `count` ends the transfer.
    size_t (*line)(char *bytes, size_t size, size_t count, void *context);
    /// There is a connection for the next request; anything but 0 ends the transfer.
    int (*request)(void *context, char *remote, char *local, int remote_port, int local_port);
};

enum { OAV_CURL_ERROR_SIZE = 256 };

/// Loads libcurl and stays loaded; NULL where there is none that has all of these functions.
const struct oav_curl *_Nullable oav_curl_load(void);

// True unless this libcurl has no such option.
bool oav_curl_set_number(const struct oav_curl *curl, CURL *easy, int option, long value);
/// - value: a text, which is copied, or a list, which lives as long as the handle.
bool oav_curl_set_pointer(const struct oav_curl *curl, CURL *easy, int option, const void *_Nullable value);
/// - error: of OAV_CURL_ERROR_SIZE bytes; lives as long as the handle.
bool oav_curl_set_callbacks(
    const struct oav_curl *curl, CURL *easy, const struct oav_curl_callbacks *callbacks, char *error);

/// NULL where it is not known; valid until the next call for this handle.
const char *_Nullable oav_curl_text(const struct oav_curl *curl, CURL *easy, int info);
long oav_curl_number(const struct oav_curl *curl, CURL *easy, int info);
/// True once the only transfer has ended; `code` says how.
bool oav_curl_has_ended(const struct oav_curl *curl, CURLM *multi, int *code);

#pragma clang assume_nonnull end
