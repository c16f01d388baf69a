// Echo cancellation with PipeWire's own plugin, in this process and without a server.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <spa/interfaces/audio/aec.h>
#include <spa/utils/names.h>
#include <spa/utils/result.h>

struct oav_pw_canceller {
    struct spa_handle *handle;
    struct spa_audio_aec *aec;
    uint32_t block_frames;
};

// The settings for both versions of the plugin, which ignores unknown ones. The plugin's gain control would raise the
// rest of an echo; `SpeechGain` does not.
static const struct spa_dict_item settings[] = {
    {"webrtc.gain_control", "false"},
    {"webrtc.high_pass_filter", "true"},
    {"webrtc.noise_suppression", "true"},
    {"webrtc.extended_filter", "true"},
    {"webrtc.delay_agnostic", "true"},
};

static void library_init(void) { pw_init(NULL, NULL); }

void oav_library_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, library_init);
}

struct oav_pw_canceller *oav_pw_canceller_open(uint32_t sample_rate, char *text, size_t text_size)
{
    struct spa_handle *handle;
    struct oav_pw_canceller *canceller;
    void *interface = NULL;
    int result;

    if (sample_rate < 8000 || sample_rate > 192000 || sample_rate % 100 != 0) {
        snprintf(text, text_size, "%u Hz is not a multiple of 100 from 8000 to 192000", sample_rate);
        return NULL;
    }
    oav_library_init();
    handle = pw_load_spa_handle("aec/libspa-aec-webrtc", SPA_NAME_AEC, NULL, 0, NULL);
    if (!handle) {
        snprintf(text, text_size, "the plugin aec/libspa-aec-webrtc cannot be loaded: %s", strerror(errno));
        return NULL;
    }
    result = spa_handle_get_interface(handle, SPA_TYPE_INTERFACE_AUDIO_AEC, &interface);
    if (result < 0 || !interface) {
        snprintf(text, text_size, "the plugin aec/libspa-aec-webrtc has no canceller: %s", spa_strerror(result));
        goto unload;
    }
    struct spa_audio_info_raw info = {
        .format = SPA_AUDIO_FORMAT_F32P, .rate = sample_rate, .channels = 1, .position = {SPA_AUDIO_CHANNEL_MONO}};
    const struct spa_dict arguments = {.n_items = SPA_N_ELEMENTS(settings), .items = settings};
    // The result is -ENOTSUP if the interface lacks the method.
    result = spa_audio_aec_init((struct spa_audio_aec *)interface, &arguments, &info);
    if (result >= 0) {
        result = spa_audio_aec_activate((struct spa_audio_aec *)interface);
        // Before 0.3.58 there is nothing to activate.
        if (result == -ENOTSUP) result = 0;
    }
    if (result < 0) {
        snprintf(text, text_size, "the canceller refused one channel at %u Hz: %s", sample_rate, spa_strerror(result));
        goto unload;
    }
    canceller = calloc(1, sizeof *canceller);
    if (!canceller) {
        snprintf(text, text_size, "%s", strerror(ENOMEM));
        goto unload;
    }
    canceller->handle = handle;
    canceller->aec = interface;
    canceller->block_frames = sample_rate / 100;
    return canceller;

unload:
    pw_unload_spa_handle(handle);
    return NULL;
}

int32_t oav_pw_canceller_run(
    void *context, const float *captured, const float *played, float *cleaned, uint32_t frames)
{
    struct oav_pw_canceller *canceller = context;
    if (!canceller || frames != canceller->block_frames) return -EINVAL;
    const float *recorded[] = {captured}, *reference[] = {played};
    float *output[] = {cleaned};
    return spa_audio_aec_run(canceller->aec, recorded, reference, output, frames);
}

void oav_pw_canceller_close(struct oav_pw_canceller *canceller)
{
    spa_audio_aec_deactivate(canceller->aec);
    pw_unload_spa_handle(canceller->handle);
    free(canceller);
}
#endif
