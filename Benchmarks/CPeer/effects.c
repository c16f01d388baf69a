#include "cpeer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- A row of biquads by the Audio EQ Cookbook, one after the other, in transposed direct form II ----

struct biquad {
    float b0, b1, b2, a1, a2;
    float s1[2], s2[2];
};

struct cpeer_equalizer {
    uint32_t bands;
    struct biquad filters[];
};

struct cpeer_equalizer *cpeer_equalizer_open(
    uint32_t bands, const float *frequencies, const float *gains, float octaves, float rate)
{
    struct cpeer_equalizer *equalizer = calloc(1, sizeof *equalizer + bands * sizeof(struct biquad));
    if (!equalizer) return NULL;
    equalizer->bands = bands;
    for (uint32_t band = 0; band < bands; band++) {
        double w = 2 * M_PI * frequencies[band] / rate, a = pow(10, gains[band] / 40);
        double alpha = sin(w) * sinh(log(2) / 2 * octaves * w / sin(w)), a0 = 1 + alpha / a;
        struct biquad *filter = &equalizer->filters[band];
        filter->b0 = (float)((1 + alpha * a) / a0);
        filter->b1 = filter->a1 = (float)(-2 * cos(w) / a0);
        filter->b2 = (float)((1 - alpha * a) / a0);
        filter->a2 = (float)((1 - alpha / a) / a0);
    }
    return equalizer;
}

void cpeer_equalizer_close(struct cpeer_equalizer *equalizer) { free(equalizer); }

void cpeer_equalizer_run(
    struct cpeer_equalizer *equalizer, const float *const *inputs, float *const *outputs, uint32_t frames)
{
    for (uint32_t channel = 0; channel < 2; channel++) {
        float *restrict samples = outputs[channel];
        memcpy(samples, inputs[channel], frames * sizeof(float));
        for (uint32_t band = 0; band < equalizer->bands; band++) {
            struct biquad *filter = &equalizer->filters[band];
            float b0 = filter->b0, b1 = filter->b1, b2 = filter->b2, a1 = filter->a1, a2 = filter->a2;
            float s1 = filter->s1[channel], s2 = filter->s2[channel];
            for (uint32_t i = 0; i < frames; i++) {
                float x = samples[i], y = b0 * x + s1;
                s1 = b1 * x - a1 * y + s2;
                s2 = b2 * x - a2 * y;
                samples[i] = y;
            }
            filter->s1[channel] = s1;
            filter->s2[channel] = s2;
        }
    }
}

// ---- Freeverb: eight combs with a low pass side by side, then four allpasses, for each of two channels ----
// The structure and the numbers of Jezar at Dreampoint's program of 2000, which is in the public domain.

enum { COMBS = 8, ALLPASSES = 4, SPREAD = 23 };
static const int comb_frames[COMBS] = {1116, 1188, 1277, 1356, 1422, 1491, 1557, 1617};
static const int allpass_frames[ALLPASSES] = {556, 441, 341, 225};

struct comb {
    float line[1617 + SPREAD], store;
    int frames, place;
};

struct allpass {
    float line[556 + SPREAD];
    int frames, place;
};

struct cpeer_freeverb {
    struct comb combs[2][COMBS];
    struct allpass allpasses[2][ALLPASSES];
};

struct cpeer_freeverb *cpeer_freeverb_open(void)
{
    struct cpeer_freeverb *reverb = calloc(1, sizeof *reverb);
    if (!reverb) return NULL;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < COMBS; i++) reverb->combs[side][i].frames = comb_frames[i] + side * SPREAD;
        for (int i = 0; i < ALLPASSES; i++) reverb->allpasses[side][i].frames = allpass_frames[i] + side * SPREAD;
    }
    return reverb;
}

void cpeer_freeverb_close(struct cpeer_freeverb *reverb) { free(reverb); }

static inline float run_comb(struct comb *comb, float input, float feedback, float damp)
{
    float output = comb->line[comb->place];
    comb->store = output * (1 - damp) + comb->store * damp;
    comb->line[comb->place] = input + comb->store * feedback;
    if (++comb->place >= comb->frames) comb->place = 0;
    return output;
}

static inline float run_allpass(struct allpass *allpass, float input)
{
    float late = allpass->line[allpass->place];
    allpass->line[allpass->place] = input + late * 0.5f;
    if (++allpass->place >= allpass->frames) allpass->place = 0;
    return late - input;
}

void cpeer_freeverb_run(
    struct cpeer_freeverb *reverb, const float *const *inputs, float *const *outputs, uint32_t frames)
{
    for (uint32_t i = 0; i < frames; i++) {
        float input = (inputs[0][i] + inputs[1][i]) * 0.015f;
        for (int side = 0; side < 2; side++) {
            float output = 0;
            for (int k = 0; k < COMBS; k++) output += run_comb(&reverb->combs[side][k], input, 0.84f, 0.2f);
            for (int k = 0; k < ALLPASSES; k++) output = run_allpass(&reverb->allpasses[side][k], output);
            outputs[side][i] = output;
        }
    }
}
