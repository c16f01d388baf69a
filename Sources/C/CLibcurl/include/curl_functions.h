// The functions and numbers of libcurl, which is loaded at run time and not linked.
//
// The declarations are those of <curl/curl.h> 7.85, whose ABI is stable since 7.16; the header is not needed.
#pragma once
#include <stddef.h>

typedef struct oav_curl_easy CURL;
typedef struct oav_curl_multi CURLM;
struct curl_slist;

struct curl_header {
    const char *name;
    const char *value;
    size_t amount, index;
    unsigned origin;
    void *anchor;
};

struct oav_curl_message {
    int kind;  // 1: the transfer has ended
    CURL *easy;
    union {
        void *whatever;
        int result;
    } data;
};

// X(result, name, arguments)
#define OAV_CURL_FUNCTIONS(X) \
    X(int, global_init, (long flags)) \
    X(CURL *, easy_init, (void)) \
    X(void, easy_cleanup, (CURL *easy)) \
    X(int, easy_setopt, (CURL *easy, int option, ...)) \
    X(int, easy_getinfo, (CURL *easy, int info, ...)) \
    X(int, easy_pause, (CURL *easy, int paused)) \
    X(const char *, easy_strerror, (int code)) \
    X(struct curl_header *, easy_nextheader, \
        (CURL *easy, unsigned origin, int request, struct curl_header *previous)) \
    X(CURLM *, multi_init, (void)) \
    X(int, multi_cleanup, (CURLM *multi)) \
    X(int, multi_add_handle, (CURLM *multi, CURL *easy)) \
    X(int, multi_remove_handle, (CURLM *multi, CURL *easy)) \
    X(int, multi_perform, (CURLM *multi, int *running)) \
    X(int, multi_poll, (CURLM *multi, void *others, unsigned count, int milliseconds, int *ready)) \
    X(struct oav_curl_message *, multi_info_read, (CURLM *multi, int *left)) \
    X(struct curl_slist *, slist_append, (struct curl_slist *list, const char *text)) \
    X(void, slist_free_all, (struct curl_slist *list))

struct oav_curl {
#define X(result, name, arguments) result(*name) arguments;
    OAV_CURL_FUNCTIONS(X)
#undef X
};

enum {
    CURLE_OK = 0,
    CURLE_UNSUPPORTED_PROTOCOL = 1,
    CURLE_URL_MALFORMAT = 3,
    CURLE_WEIRD_SERVER_REPLY = 8,
    CURLE_PARTIAL_FILE = 18,
    CURLE_TOO_MANY_REDIRECTS = 47,
    CURLE_GOT_NOTHING = 52,
    CURLE_RECV_ERROR = 56,
    CURLE_PEER_FAILED_VERIFICATION = 60,
    CURLE_SSL_CACERT_BADFILE = 77,
    CURLE_TOO_LARGE = 100,
};

enum {
    CURLOPT_FOLLOWLOCATION = 52,
    CURLOPT_SSL_VERIFYPEER = 64,
    CURLOPT_MAXREDIRS = 68,
    CURLOPT_FORBID_REUSE = 75,
    CURLOPT_CONNECTTIMEOUT = 78,
    CURLOPT_SSL_VERIFYHOST = 81,
    CURLOPT_HTTP_VERSION = 84,
    CURLOPT_NOSIGNAL = 99,
    CURLOPT_HTTPAUTH = 107,
    CURLOPT_SUPPRESS_CONNECT_HEADERS = 265,
    CURLOPT_QUICK_EXIT = 322,
    CURLOPT_URL = 10002,
    CURLOPT_RANGE = 10007,
    CURLOPT_USERAGENT = 10018,
    CURLOPT_HTTPHEADER = 10023,
    CURLOPT_CAINFO = 10065,
    CURLOPT_CAPATH = 10097,
    CURLOPT_HTTP200ALIASES = 10104,
    CURLOPT_USERNAME = 10173,
    CURLOPT_PASSWORD = 10174,
    CURLOPT_PROTOCOLS_STR = 10318,
    CURLOPT_REDIR_PROTOCOLS_STR = 10319,

    CURL_HTTP_VERSION_1_1 = 2,
    CURLAUTH_BASIC_OR_DIGEST = 1 | 2,

    CURLINFO_EFFECTIVE_URL = 0x100001,
    CURLINFO_RESPONSE_CODE = 0x200002,

    CURLH_HEADER = 1,
    CURL_WRITEFUNC_PAUSE = 0x10000001,
};
