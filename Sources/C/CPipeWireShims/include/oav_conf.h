// Reads configuration as PipeWire and WirePlumber do: SPA-JSON by libspa's own tokens, and patterns as their rules spell them.
//
// A text may hold anything. Nothing here reads outside of it, and what nests deeper than `OAV_CONF_DEPTH` is refused.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// The most containers within each other.
#define OAV_CONF_DEPTH 16
/// The longest word or string, in bytes.
#define OAV_CONF_TEXT 1024
/// The longest pattern, in characters, when its counts are written out.
#define OAV_CONF_PATTERN 2048

enum oav_conf_token {
    /// A word, or what a string holds; `text` ends with a NUL.
    OAV_CONF_WORD,
    OAV_CONF_STRING,
    OAV_CONF_OBJECT,
    OAV_CONF_ARRAY,
    /// Of the container that began last.
    OAV_CONF_END,
};

enum oav_conf_status {
    OAV_CONF_OK,
    /// A character that may not be there, or a bracket that nothing has opened.
    OAV_CONF_MALFORMED,
    /// A bracket is not closed, or by the wrong one.
    OAV_CONF_UNCLOSED,
    OAV_CONF_TOO_DEEP,
    OAV_CONF_TOO_LONG,
    /// This program was built without libpipewire's headers.
    OAV_CONF_UNAVAILABLE,
};

/// - offset: where the token begins, in bytes.
typedef void (*oav_conf_visit)(void *data, enum oav_conf_token token, const char *_Nullable text, size_t offset);

/// Visits the tokens of a text in their order, up to the first fault.
///
/// - fault: where it is; set unless the status is `OAV_CONF_OK`.
enum oav_conf_status oav_conf_read(const char *text, size_t size, oav_conf_visit visit, void *data, size_t *fault);

/// What is wrong with an extended regular expression of POSIX, or with its size; false where nothing is. One with a
/// back-reference, or longer than `OAV_CONF_PATTERN`, is not compiled.
bool oav_conf_pattern_fault(const char *pattern, char *text, size_t text_size);
/// Whether it matches somewhere in the text. Source: PipeWire 0.3.65 src/pipewire/conf.c, find_match.
bool oav_conf_pattern_matches(const char *pattern, const char *text);

#pragma clang assume_nonnull end
