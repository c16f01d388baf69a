#include "cpeer.h"
#include <string.h>

static uint32_t bits_of(float sample)
{
    uint32_t bits;
    memcpy(&bits, &sample, sizeof bits);
    return bits;
}

static float finite(float sample)
{
    uint32_t bits = bits_of(sample);
    bits = (bits & 0x7F800000u) == 0x7F800000u ? 0 : bits;
    memcpy(&sample, &bits, sizeof bits);
    return sample;
}

static uint32_t louder(uint32_t peak, float sample)
{
    uint32_t magnitude = bits_of(sample) & 0x7FFFFFFFu;
    return magnitude > peak ? magnitude : peak;
}

uint32_t cpeer_render_stereo(
    const float *restrict interleaved, uint32_t frames, float *restrict left, float *restrict right)
{
    uint32_t peak = 0;
    for (uint32_t i = 0; i < frames; i++) {
        left[i] = finite(interleaved[2 * i]);
        right[i] = finite(interleaved[2 * i + 1]);
        peak = louder(louder(peak, left[i]), right[i]);
    }
    return peak;
}

uint32_t cpeer_render_surround(
    const float *restrict interleaved, uint32_t frames, const float *restrict matrix, float *restrict left,
    float *restrict right)
{
    uint32_t peak = 0;
    for (uint32_t i = 0; i < frames; i++) {
        float l = 0, r = 0;
        for (uint32_t c = 0; c < 6; c++) {
            float sample = finite(interleaved[6 * i + c]);
            l += sample * matrix[c];
            r += sample * matrix[6 + c];
        }
        left[i] = l;
        right[i] = r;
        peak = louder(louder(peak, l), r);
    }
    return peak;
}
