// What the benchmarks compare the library with, written by hand in plain C.
#pragma once
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

// ---- Listening: a client that does nothing but wait for the news of a loss ----

struct cpeer_listener;

/// Connects to the server with this socket and watches its registry and its devices. NULL where that fails.
struct cpeer_listener *_Nullable cpeer_listener_open(const char *socket_path);
void cpeer_listener_close(struct cpeer_listener *listener);

/// Forgets what it has heard; the next news is the first.
void cpeer_listener_arm(struct cpeer_listener *listener);

/// When the first news came (an object went, or a device's params changed), CLOCK_MONOTONIC in ns; 0: none yet.
uint64_t cpeer_listener_first_news(const struct cpeer_listener *listener);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif
