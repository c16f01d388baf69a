// Reads configuration like PipeWire and WirePlumber: SPA-JSON with libspa's own tokenizer, and patterns in the syntax of their rules.
//
// A text may contain anything. Nothing here reads outside it, and nesting deeper than `OAV_CONF_DEPTH` is refused.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// The most containers nested in each other.
#define OAV_CONF_DEPTH 16
/// The longest word or string, in bytes.
#define OAV_CONF_TEXT 1024
/// The longest pattern, in characters, after its counts are expanded.
#define OAV_CONF_PATTERN 2048

enum oav_conf_token {
    /// A word, or the contents of a string; `text` ends with a NUL.
    OAV_CONF_WORD,
    OAV_CONF_STRING,
    OAV_CONF_OBJECT,
    OAV_CONF_ARRAY,
    /// The end of the container that began last and is still open.
    OAV_CONF_END,
};

enum oav_conf_status {
    OAV_CONF_OK,
    /// An invalid character, or a closing bracket without an opening one.
    OAV_CONF_MALFORMED,
    /// A bracket is not closed, or is closed by the wrong one.
    OAV_CONF_UNCLOSED,
    OAV_CONF_TOO_DEEP,
    OAV_CONF_TOO_LONG,
    /// This program was built without libpipewire's headers.
    OAV_CONF_UNAVAILABLE,
};

/// - offset: where the token begins, in bytes.
typedef void (*oav_conf_visit)(void *data, enum oav_conf_token token, const char *_Nullable text, size_t offset);

/// Visits the tokens of a text in order, up to the first fault.
///
/// - fault: the fault's place; set unless the status is `OAV_CONF_OK`.
enum oav_conf_status oav_conf_read(const char *text, size_t size, oav_conf_visit visit, void *data, size_t *fault);

/// Whether an extended POSIX regular expression, or its size, is faulty; `text` receives the fault. A pattern with a
/// back-reference, or longer than `OAV_CONF_PATTERN`, is not compiled.
bool oav_conf_pattern_fault(const char *pattern, char *text, size_t text_size);
/// Whether the pattern matches anywhere in the text. Source: PipeWire 0.3.65 src/pipewire/conf.c, find_match.
bool oav_conf_pattern_matches(const char *pattern, const char *text);

#pragma clang assume_nonnull end
