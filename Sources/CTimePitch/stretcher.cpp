#include "oav_timepitch.h"

#include <SoundTouch.h>

static_assert(sizeof(soundtouch::SAMPLETYPE) == sizeof(float), "this SoundTouch was built for integers");

struct oav_stretcher {
    soundtouch::SoundTouch touch;
};

// A SoundTouch that was built with -ffast-math, as Debian 12's is, sets the processor to take the smallest numbers
// (denormals) for 0 as it is loaded: in this thread, and so in all that it starts. Samples would not pass bit by bit any
// more, anywhere in the process. Constructors of what depends on a library run after the library's own.
__attribute__((constructor)) static void restore_denormals() {
#if defined(__x86_64__)
    const unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~(flush_to_zero | denormals_are_zero));
#elif defined(__aarch64__)
    const uint64_t flush_to_zero = 1u << 24;
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control & ~flush_to_zero));
#endif
}

// Exceptions do not cross into C and Swift.
template <typename Work> static bool guarded(Work work) {
    try {
        work();
        return true;
    } catch (...) {
        return false;
    }
}

oav_stretcher *oav_stretcher_create(uint32_t channels, uint32_t sample_rate) {
    if (channels == 0 || channels > OAV_STRETCHER_MOST_CHANNELS) return nullptr;
    if (sample_rate == 0 || sample_rate > OAV_STRETCHER_HIGHEST_RATE) return nullptr;
    oav_stretcher *stretcher = nullptr;
    bool done = guarded([&] {
        stretcher = new oav_stretcher;
        stretcher->touch.setSampleRate(sample_rate);
        stretcher->touch.setChannels(channels);
    });
    if (!done) {
        delete stretcher;
        return nullptr;
    }
    return stretcher;
}

void oav_stretcher_destroy(oav_stretcher *stretcher) { delete stretcher; }

bool oav_stretcher_set(oav_stretcher *stretcher, double tempo, double pitch, int32_t overlap_ms) {
    if (!(tempo > 0) || !(pitch > 0) || overlap_ms <= 0) return false;
    return guarded([&] {
        // To set it anew, even to the same, fades what is in progress out.
        if (stretcher->touch.getSetting(SETTING_OVERLAP_MS) != overlap_ms)
            stretcher->touch.setSetting(SETTING_OVERLAP_MS, overlap_ms);
        stretcher->touch.setTempo(tempo);
        stretcher->touch.setPitch(pitch);
    });
}

bool oav_stretcher_put(oav_stretcher *stretcher, const float *frames, uint32_t count) {
    return guarded([&] { stretcher->touch.putSamples(frames, count); });
}

uint32_t oav_stretcher_ready(const oav_stretcher *stretcher) { return stretcher->touch.numSamples(); }

uint32_t oav_stretcher_take(oav_stretcher *stretcher, float *frames, uint32_t count) {
    uint32_t taken = 0;
    guarded([&] { taken = stretcher->touch.receiveSamples(frames, count); });
    return taken;
}

bool oav_stretcher_clear(oav_stretcher *stretcher) {
    return guarded([&] { stretcher->touch.clear(); });
}
