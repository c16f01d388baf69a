#include "oav_timepitch.h"

#include <cfenv>
#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>

namespace {

// The memory of the library's class soundtouch::SoundTouch; 104 bytes in 2.3.
struct SoundTouch {
    alignas(std::max_align_t) unsigned char memory[4096];
};

// SETTING_OVERLAP_MS
const int overlap_setting = 5;

// SoundTouch, loaded when the first stretcher is made: a program that plays at the file's own speed loads neither it nor
// libstdc++ (1 MB resident). Its headers are not needed: these are its member functions, as C++ on Linux names and calls them.
// One that was built for integers has others.
struct Library {
    void (*construct)(SoundTouch *) = nullptr;
    void (*destroy)(SoundTouch *) = nullptr;
    void (*set_sample_rate)(SoundTouch *, unsigned) = nullptr;
    void (*set_channels)(SoundTouch *, unsigned) = nullptr;
    void (*set_tempo)(SoundTouch *, double) = nullptr;
    void (*set_pitch)(SoundTouch *, double) = nullptr;
    bool (*set_setting)(SoundTouch *, int, int) = nullptr;
    int (*get_setting)(const SoundTouch *, int) = nullptr;
    void (*put)(SoundTouch *, const float *, unsigned) = nullptr;
    unsigned (*count)(const SoundTouch *) = nullptr;
    unsigned (*take)(SoundTouch *, float *, unsigned) = nullptr;
    void (*clear)(SoundTouch *) = nullptr;
    bool is_complete = false;

    Library() {
        // A SoundTouch that was built with -ffast-math, as Debian 12's is, sets the processor to take the smallest numbers
        // (denormals) for 0 in the thread that loads it: samples would not pass bit by bit any more.
        fenv_t environment;
        fegetenv(&environment);
        void *handle = dlopen("libSoundTouch.so.1", RTLD_NOW | RTLD_LOCAL);
        fesetenv(&environment);
        is_complete = handle && find(handle, construct, "_ZN10soundtouch10SoundTouchC1Ev") &&
                      find(handle, destroy, "_ZN10soundtouch10SoundTouchD1Ev") &&
                      find(handle, set_sample_rate, "_ZN10soundtouch10SoundTouch13setSampleRateEj") &&
                      find(handle, set_channels, "_ZN10soundtouch10SoundTouch11setChannelsEj") &&
                      find(handle, set_tempo, "_ZN10soundtouch10SoundTouch8setTempoEd") &&
                      find(handle, set_pitch, "_ZN10soundtouch10SoundTouch8setPitchEd") &&
                      find(handle, set_setting, "_ZN10soundtouch10SoundTouch10setSettingEii") &&
                      find(handle, get_setting, "_ZNK10soundtouch10SoundTouch10getSettingEi") &&
                      find(handle, put, "_ZN10soundtouch10SoundTouch10putSamplesEPKfj") &&
                      find(handle, count, "_ZNK10soundtouch13FIFOProcessor10numSamplesEv") &&
                      find(handle, take, "_ZN10soundtouch10SoundTouch14receiveSamplesEPfj") &&
                      find(handle, clear, "_ZN10soundtouch10SoundTouch5clearEv");
    }

    template <typename Function> static bool find(void *handle, Function &function, const char *symbol) {
        function = reinterpret_cast<Function>(dlsym(handle, symbol));
        return function != nullptr;
    }

    // Never freed: a stretcher may outlive the statics of the program.
    static const Library &shared() {
        static const Library *library = new Library;
        return *library;
    }
};

// Exceptions do not cross into C and Swift.
template <typename Work> bool guarded(Work work) {
    try {
        work();
        return true;
    } catch (...) {
        return false;
    }
}

} // namespace

struct oav_stretcher {
    // Constructed by the library.
    SoundTouch touch;
};

bool oav_stretcher_is_available(void) { return Library::shared().is_complete; }

oav_stretcher *oav_stretcher_create(uint32_t channels, uint32_t sample_rate) {
    if (channels == 0 || channels > OAV_STRETCHER_MOST_CHANNELS) return nullptr;
    if (sample_rate == 0 || sample_rate > OAV_STRETCHER_HIGHEST_RATE) return nullptr;
    const Library &library = Library::shared();
    if (!library.is_complete) return nullptr;
    auto *stretcher = static_cast<oav_stretcher *>(malloc(sizeof(oav_stretcher)));
    if (!stretcher) return nullptr;
    if (!guarded([&] { library.construct(&stretcher->touch); })) {
        free(stretcher);
        return nullptr;
    }
    bool done = guarded([&] {
        library.set_sample_rate(&stretcher->touch, sample_rate);
        library.set_channels(&stretcher->touch, channels);
    });
    if (!done) {
        oav_stretcher_destroy(stretcher);
        return nullptr;
    }
    return stretcher;
}

void oav_stretcher_destroy(oav_stretcher *stretcher) {
    guarded([&] { Library::shared().destroy(&stretcher->touch); });
    free(stretcher);
}

bool oav_stretcher_set(oav_stretcher *stretcher, double tempo, double pitch, int32_t overlap_ms) {
    if (!(tempo > 0) || !(pitch > 0) || overlap_ms <= 0) return false;
    const Library &library = Library::shared();
    return guarded([&] {
        // Setting it again, even to the same value, fades out what is in progress.
        if (library.get_setting(&stretcher->touch, overlap_setting) != overlap_ms)
            library.set_setting(&stretcher->touch, overlap_setting, overlap_ms);
        library.set_tempo(&stretcher->touch, tempo);
        library.set_pitch(&stretcher->touch, pitch);
    });
}

bool oav_stretcher_put(oav_stretcher *stretcher, const float *frames, uint32_t count) {
    return guarded([&] { Library::shared().put(&stretcher->touch, frames, count); });
}

uint32_t oav_stretcher_ready(const oav_stretcher *stretcher) { return Library::shared().count(&stretcher->touch); }

uint32_t oav_stretcher_take(oav_stretcher *stretcher, float *frames, uint32_t count) {
    uint32_t taken = 0;
    guarded([&] { taken = Library::shared().take(&stretcher->touch, frames, count); });
    return taken;
}

bool oav_stretcher_clear(oav_stretcher *stretcher) {
    return guarded([&] { Library::shared().clear(&stretcher->touch); });
}
