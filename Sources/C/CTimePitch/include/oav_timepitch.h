// Changes of speed and pitch of a stream of sound: SoundTouch behind C functions.
//
// SoundTouch is C++ and throws; nothing it throws leaves here. One thread at a time per stretcher, and never the render
// thread: it allocates.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef struct oav_stretcher oav_stretcher;

/// What SoundTouch can do.
enum { OAV_STRETCHER_MOST_CHANNELS = 16, OAV_STRETCHER_HIGHEST_RATE = 192000 };

/// Whether SoundTouch is installed, which is loaded for the answer.
bool oav_stretcher_is_available(void);

/// NULL for 0 or too many channels, a rate of 0 or too high, without memory and without SoundTouch.
oav_stretcher *_Nullable oav_stretcher_create(uint32_t channels, uint32_t sample_rate);
void oav_stretcher_destroy(oav_stretcher *stretcher);

/// From the next frame that it works on.
///
/// tempo: the speed, above 0; pitch: a factor of the frequencies, above 0; overlap_ms: how long pieces of sound fade into
/// each other, above 0.
bool oav_stretcher_set(oav_stretcher *stretcher, double tempo, double pitch, int32_t overlap_ms);

/// Appends interleaved frames.
bool oav_stretcher_put(oav_stretcher *stretcher, const float *frames, uint32_t count);

/// Frames that are ready.
uint32_t oav_stretcher_ready(const oav_stretcher *stretcher);

/// Takes frames that are ready, at most so many; returns how many.
uint32_t oav_stretcher_take(oav_stretcher *stretcher, float *frames, uint32_t count);

/// Forgets all frames.
bool oav_stretcher_clear(oav_stretcher *stretcher);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif
