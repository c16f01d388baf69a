// Filters of a head from a SOFA file (AES69): libmysofa behind C functions, loaded at run time where it is installed.
//
// Needs no header of it. One thread at a time; it allocates.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

struct oav_sofa;

/// Opens the file at a rate in hertz; NULL without libmysofa, the file, or what the library takes for a head.
///
/// taps: of one ear's filter.
struct oav_sofa *_Nullable oav_sofa_open(const char *path, float sample_rate, int32_t *taps);
/// The filters for a direction of length 1: ahead, to the left, and up. `left` and `right` have room for the taps; the delays before
/// them are in seconds.
void oav_sofa_filter(
    struct oav_sofa *sofa, float ahead, float left_of, float up, float *left, float *right, float *left_delay,
    float *right_delay);
void oav_sofa_close(struct oav_sofa *sofa);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif
