#include "cpeer.h"
#include <string.h>

static float finite(float sample)
{
    uint32_t bits;
    memcpy(&bits, &sample, sizeof bits);
    bits = (bits & 0x7F800000u) == 0x7F800000u ? 0 : bits;
    memcpy(&sample, &bits, sizeof bits);
    return sample;
}

static void add(float *restrict output, const float *restrict input, float gain, uint32_t frames)
{
    for (uint32_t i = 0; i < frames; i++) output[i] += input[i] * gain;
}

// Aligned, so that its speed does not hang on where the linker puts it: up to a seventh.
__attribute__((aligned(64))) uint32_t cpeer_mix(
    const float *const *inputs, uint32_t sources, uint32_t offset, uint32_t frames, const float *matrix,
    float *const *outputs, uint32_t output_count)
{
    float left[CPEER_MAX_FRAMES], right[CPEER_MAX_FRAMES];
    for (uint32_t c = 0; c < output_count; c++) memset(outputs[c], 0, frames * sizeof(float));
    for (uint32_t s = 0; s < sources; s++) {
        const float *restrict input = inputs[s] + 2 * offset;
        for (uint32_t i = 0; i < frames; i++) {
            left[i] = finite(input[2 * i]);
            right[i] = finite(input[2 * i + 1]);
        }
        for (uint32_t c = 0; c < output_count; c++) {
            const float *gains = matrix + (size_t)c * 2 * sources + 2 * s;
            if (gains[0] != 0) add(outputs[c], left, gains[0], frames);
            if (gains[1] != 0) add(outputs[c], right, gains[1], frames);
        }
    }
    uint32_t peak = 0;
    for (uint32_t c = 0; c < output_count; c++) {
        for (uint32_t i = 0; i < frames; i++) {
            uint32_t bits;
            memcpy(&bits, &outputs[c][i], sizeof bits);
            bits &= 0x7FFFFFFFu;
            peak = bits > peak ? bits : peak;
        }
    }
    return peak;
}
