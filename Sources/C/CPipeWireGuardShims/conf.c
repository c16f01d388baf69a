// Reads configuration like PipeWire and WirePlumber.
#include "oav_conf.h"

#include <regex.h>
#include <stdio.h>

#if __has_include(<spa/utils/json.h>)
#include <spa/utils/json.h>

struct reader {
    const char *text;
    oav_conf_visit visit;
    void *data;
    size_t fault;
};

static enum oav_conf_status fail(struct reader *reader, const char *place, enum oav_conf_status status)
{
    reader->fault = (size_t)(place - reader->text);
    return status;
}

static enum oav_conf_status read_word(struct reader *reader, const char *value, int size)
{
    char word[OAV_CONF_TEXT + 1];
    if (size > OAV_CONF_TEXT) return fail(reader, value, OAV_CONF_TOO_LONG);
    if (spa_json_parse_stringn(value, size, word, sizeof word) < 0) return fail(reader, value, OAV_CONF_MALFORMED);
    // Before PipeWire 1.0, a word of the full length is not terminated with NUL.
    word[size] = '\0';
    reader->visit(reader->data, *value == '"' ? OAV_CONF_STRING : OAV_CONF_WORD, word, (size_t)(value - reader->text));
    return OAV_CONF_OK;
}

// Checks that brackets match and are closed: the tokenizer of 0.3.65 does not report it, and that of 1.6 ends with an error.
static enum oav_conf_status read_tokens(struct reader *reader, struct spa_json *tokens, int depth, char closer)
{
    const char *value;
    int size;
    while ((size = spa_json_next(tokens, &value)) > 0) {
        enum oav_conf_status status;
        if (spa_json_is_container(value, size)) {
            if (depth == OAV_CONF_DEPTH) return fail(reader, value, OAV_CONF_TOO_DEEP);
            bool is_object = *value == '{';
            reader->visit(
                reader->data, is_object ? OAV_CONF_OBJECT : OAV_CONF_ARRAY, NULL, (size_t)(value - reader->text));
            struct spa_json inner;
            spa_json_enter(tokens, &inner);
            status = read_tokens(reader, &inner, depth + 1, is_object ? '}' : ']');
            if (status == OAV_CONF_UNCLOSED && reader->fault == SIZE_MAX) reader->fault = (size_t)(value - reader->text);
            if (status == OAV_CONF_OK) reader->visit(reader->data, OAV_CONF_END, NULL, (size_t)(inner.cur - reader->text));
        } else {
            status = read_word(reader, value, size);
        }
        if (status != OAV_CONF_OK) return status;
    }
    bool is_at_end = tokens->cur >= tokens->end;
    bool is_at_bracket = !is_at_end && (*tokens->cur == '}' || *tokens->cur == ']');
    if (size < 0 && !(closer && (is_at_end || is_at_bracket)))
        return fail(reader, is_at_end ? value : tokens->cur, OAV_CONF_MALFORMED);
    if (!closer) return is_at_end ? OAV_CONF_OK : fail(reader, tokens->cur, OAV_CONF_MALFORMED);
    // The caller that opened the bracket sets the place.
    reader->fault = SIZE_MAX;
    return size == 0 && is_at_bracket && *tokens->cur == closer ? OAV_CONF_OK : OAV_CONF_UNCLOSED;
}

enum oav_conf_status oav_conf_read(const char *text, size_t size, oav_conf_visit visit, void *data, size_t *fault)
{
    struct reader reader = {.text = text, .visit = visit, .data = data};
    struct spa_json tokens;
    spa_json_init(&tokens, text, size);
    enum oav_conf_status status = read_tokens(&reader, &tokens, 0, '\0');
    *fault = reader.fault < size ? reader.fault : size;
    return status;
}
#else
enum oav_conf_status oav_conf_read(const char *text, size_t size, oav_conf_visit visit, void *data, size_t *fault)
{
    (void)text, (void)size, (void)visit, (void)data;
    *fault = 0;
    return OAV_CONF_UNAVAILABLE;
}
#endif

// The end of a bracket expression: after its "]", or at the end of the pattern.
static const char *bracket_end(const char *at)
{
    at += *at == '^';
    at += *at == ']';
    while (*at && *at != ']') {
        char kind = at[0] == '[' ? at[1] : '\0';
        if (kind == ':' || kind == '.' || kind == '=') {
            for (at += 2; *at && !(at[0] == kind && at[1] == ']'); at++) {}
            at += *at ? 2 : 0;
        } else {
            at++;
        }
    }
    return *at ? at + 1 : at;
}

// How many copies of its operand the counts after "{" make; moves past "}". regcomp judges anything that is not a count.
static size_t repetitions(const char **at)
{
    size_t counts[2] = {0, 0};
    const char *place = *at;
    int which = 0;
    bool is_open = false;
    for (; *place && *place != '}'; place++) {
        if (*place == ',' && which == 0) {
            which = 1;
            is_open = true;
        } else if (*place >= '0' && *place <= '9') {
            counts[which] = counts[which] < OAV_CONF_PATTERN ? counts[which] * 10 + (size_t)(*place - '0') : counts[which];
            if (which == 1) is_open = false;
        } else {
            return 1;
        }
    }
    *at = *place ? place + 1 : place;
    size_t most = counts[0] > counts[1] ? counts[0] : counts[1];
    return (most ? most : 1) + is_open;
}

// glibc expands every count before it matches anything: "((a{1,250}){1,250}){1,250}" takes gigabytes. It resolves a
// back-reference by trying.
static const char *excess(const char *pattern)
{
    size_t sums[OAV_CONF_DEPTH + 1] = {0}, operand = 0;
    unsigned depth = 0;
    for (const char *at = pattern; *at;) {
        char letter = *at++;
        size_t times = 1;
        if (letter == '(') {
            if (depth == OAV_CONF_DEPTH) return "it has too many parentheses within each other";
            sums[depth] += operand;
            sums[++depth] = operand = 0;
            continue;
        }
        if (letter == ')' && depth > 0) {
            operand += sums[depth--] + 1;
            continue;
        }
        if (letter == '{') times = repetitions(&at);
        if (letter == '+') times = 2;
        if (times > 1) {
            operand = operand * times;
        } else if (letter != '{' && letter != '*' && letter != '?') {
            sums[depth] += operand;
            operand = 1;
            if (letter == '[') at = bracket_end(at);
            if (letter == '\\' && *at >= '1' && *at <= '9') return "it has a back-reference";
            if (letter == '\\' && *at) at++;
        }
        if (operand + sums[depth] > OAV_CONF_PATTERN) return "its counts, written out, make it too long; use smaller ones";
    }
    return NULL;
}

bool oav_conf_pattern_fault(const char *pattern, char *text, size_t text_size)
{
    regex_t regex;
    const char *words = excess(pattern);
    if (words) {
        snprintf(text, text_size, "%s", words);
        return true;
    }
    int result = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
    if (result == 0) {
        regfree(&regex);
    } else {
        regerror(result, &regex, text, text_size);
    }
    return result != 0;
}

bool oav_conf_pattern_matches(const char *pattern, const char *text)
{
    regex_t regex;
    if (excess(pattern) || regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0) return false;
    bool matches = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return matches;
}
