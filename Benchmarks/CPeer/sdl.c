#include "cpeer.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// SDL 2's audio streams and its mixing function, looked up when they are asked for: neither its headers nor its library
// are needed to build. Source: SDL_audio.h of 2.26.
typedef struct SDL_AudioStream SDL_AudioStream;
enum { format_f32 = 0x8120, full_volume = 128 };

struct cpeer_sdl {
    void *library;
    SDL_AudioStream *(*new_stream)(uint16_t, uint8_t, int, uint16_t, uint8_t, int);
    int (*put)(SDL_AudioStream *, const void *, int);
    int (*get)(SDL_AudioStream *, void *, int);
    void (*free_stream)(SDL_AudioStream *);
    void (*mix)(uint8_t *, const uint8_t *, uint16_t, uint32_t, int);
    uint32_t sources;
    SDL_AudioStream **streams;
    float converted[6 * CPEER_MAX_FRAMES];
};

struct cpeer_sdl *cpeer_sdl_open(uint32_t sources)
{
    struct cpeer_sdl *sdl = calloc(1, sizeof *sdl);
    if (!sdl) return NULL;
    sdl->library = dlopen("libSDL2-2.0.so.0", RTLD_NOW);
    if (sdl->library) {
        *(void **)&sdl->new_stream = dlsym(sdl->library, "SDL_NewAudioStream");
        *(void **)&sdl->put = dlsym(sdl->library, "SDL_AudioStreamPut");
        *(void **)&sdl->get = dlsym(sdl->library, "SDL_AudioStreamGet");
        *(void **)&sdl->free_stream = dlsym(sdl->library, "SDL_FreeAudioStream");
        *(void **)&sdl->mix = dlsym(sdl->library, "SDL_MixAudioFormat");
    }
    sdl->streams = calloc(sources ? sources : 1, sizeof *sdl->streams);
    if (!sdl->new_stream || !sdl->put || !sdl->get || !sdl->free_stream || !sdl->mix || !sdl->streams) {
        cpeer_sdl_close(sdl);
        return NULL;
    }
    for (; sdl->sources < sources; sdl->sources++) {
        sdl->streams[sdl->sources] = sdl->new_stream(format_f32, 2, 48000, format_f32, 6, 48000);
        if (!sdl->streams[sdl->sources]) {
            cpeer_sdl_close(sdl);
            return NULL;
        }
    }
    return sdl;
}

void cpeer_sdl_close(struct cpeer_sdl *sdl)
{
    for (uint32_t s = 0; s < sdl->sources; s++) sdl->free_stream(sdl->streams[s]);
    free(sdl->streams);
    if (sdl->library) dlclose(sdl->library);
    free(sdl);
}

int cpeer_sdl_put(struct cpeer_sdl *sdl, uint32_t source, const float *interleaved, uint32_t frames)
{
    return sdl->put(sdl->streams[source], interleaved, (int)(frames * 2 * sizeof(float)));
}

int cpeer_sdl_mix(struct cpeer_sdl *sdl, uint32_t frames, float *output)
{
    int bytes = (int)(frames * 6 * sizeof(float));
    memset(output, 0, (size_t)bytes);
    for (uint32_t s = 0; s < sdl->sources; s++) {
        if (sdl->get(sdl->streams[s], sdl->converted, bytes) != bytes) return -1;
        sdl->mix((uint8_t *)output, (const uint8_t *)sdl->converted, format_f32, (uint32_t)bytes, full_volume);
    }
    return 0;
}
