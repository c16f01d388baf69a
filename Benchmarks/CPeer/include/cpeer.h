// What the benchmarks compare the library with, written by hand in plain C.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

// ---- Rendering: the same work as one cycle of RenderCore, as one loop ----

/// Takes interleaved stereo apart, plays what is not finite as 0, and returns the bits of the greatest magnitude.
uint32_t cpeer_render_stereo(const float *interleaved, uint32_t frames, float *left, float *right);

/// The same for six channels, mixed to two by a matrix of [output][source] gains.
uint32_t cpeer_render_surround(
    const float *interleaved, uint32_t frames, const float *matrix, float *left, float *right);

// ---- Mixing: many stereo sources to several outputs ----

#define CPEER_MAX_FRAMES 1024

/// Mixes `frames` frames from `offset` on of interleaved stereo `inputs` to planar `outputs` by a matrix of
/// [output][source channel] gains; gains of 0 cost nothing. Plays what is not finite as 0; returns the bits of the peak.
uint32_t cpeer_mix(
    const float *_Nonnull const *_Nonnull inputs, uint32_t sources, uint32_t offset, uint32_t frames, const float *matrix,
    float *_Nonnull const *_Nonnull outputs, uint32_t output_count);

struct cpeer_sdl;

/// One SDL 2 audio stream a source, from stereo to 5.1 at 48 kHz. NULL where there is no libSDL2.
struct cpeer_sdl *_Nullable cpeer_sdl_open(uint32_t sources);
void cpeer_sdl_close(struct cpeer_sdl *sdl);

/// Appends frames to a source; negative where that fails. Streams convert to six channels here, not in `cpeer_sdl_mix`.
int cpeer_sdl_put(struct cpeer_sdl *sdl, uint32_t source, const float *interleaved, uint32_t frames);

/// Takes as many frames from each stream and mixes them to interleaved 5.1; negative where that fails.
int cpeer_sdl_mix(struct cpeer_sdl *sdl, uint32_t frames, float *output);

// ---- Effects ----

struct cpeer_equalizer;

/// Peaks of the Audio EQ Cookbook in a row, for stereo. NULL without memory.
struct cpeer_equalizer *_Nullable cpeer_equalizer_open(
    uint32_t bands, const float *frequencies, const float *gains, float octaves, float rate);
void cpeer_equalizer_close(struct cpeer_equalizer *equalizer);
void cpeer_equalizer_run(
    struct cpeer_equalizer *equalizer, const float *_Nonnull const *_Nonnull inputs,
    float *_Nonnull const *_Nonnull outputs, uint32_t frames);

struct cpeer_freeverb;

/// Freeverb for stereo, without its dry sound. NULL without memory.
struct cpeer_freeverb *_Nullable cpeer_freeverb_open(void);
void cpeer_freeverb_close(struct cpeer_freeverb *reverb);
void cpeer_freeverb_run(
    struct cpeer_freeverb *reverb, const float *_Nonnull const *_Nonnull inputs,
    float *_Nonnull const *_Nonnull outputs, uint32_t frames);

// ---- Listening: a client that does nothing but wait for the news of a loss ----

struct cpeer_listener;

/// Connects to the server with this socket and watches its registry and its devices. NULL where that fails.
struct cpeer_listener *_Nullable cpeer_listener_open(const char *socket_path);
void cpeer_listener_close(struct cpeer_listener *listener);

/// Forgets what it has heard; the next news is the first.
void cpeer_listener_arm(struct cpeer_listener *listener);

/// When the first news came (an object went, or a device's params changed), CLOCK_MONOTONIC in ns; 0: none yet.
uint64_t cpeer_listener_first_news(const struct cpeer_listener *listener);

// ---- Counting functions: dev/make walk ----

/// Notes each function of this program that begins, from now on. False without memory.
bool cpeer_calls_begin(void);

/// Writes a line for each of them, in order: its thread, its frame's address, and where it begins in the program's
/// file. False where that fails, where none was noted, and where there were more than there is room for.
bool cpeer_calls_end(const char *path);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif
