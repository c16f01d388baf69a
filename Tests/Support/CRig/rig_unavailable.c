// The rig of a tree built without PipeWire's headers: everything says so.
#include "rig_internal.h"

#if !OAV_RIG_HAS_PIPEWIRE
#include <errno.h>

#define UNAVAILABLE(signature) \
    signature { return -ENOTSUP; }
#define ABSENT(type, signature) \
    type signature { return (type)0; }

bool oav_rig_available(void) { return false; }
const char *oav_rig_library_version(void) { return ""; }

UNAVAILABLE(int oav_rig_connect(const char *path, bool manager, uint64_t timeout, struct oav_rig **rig))
void oav_rig_close(struct oav_rig *rig) {}
ABSENT(bool, oav_rig_is_connected(struct oav_rig *rig))
UNAVAILABLE(int oav_rig_round_trip(struct oav_rig *rig, uint64_t timeout))
UNAVAILABLE(int oav_rig_wait_until(struct oav_rig *rig, bool (*predicate)(void *), void *context, uint64_t timeout))
void oav_rig_for_each(struct oav_rig *rig, enum oav_rig_kind kind,
                      void (*visit)(void *context, const struct oav_rig_object *object), void *context) {}
ABSENT(uint32_t, oav_rig_object_id(const struct oav_rig_object *object))
const char *oav_rig_object_property(const struct oav_rig_object *object, const char *key) { return NULL; }
void oav_rig_read_metadata_again(struct oav_rig *rig) {}
UNAVAILABLE(int oav_rig_metadata_get(struct oav_rig *rig, const char *metadata, uint32_t subject, const char *key,
                                     char *value, size_t capacity))
UNAVAILABLE(int oav_rig_metadata_set(struct oav_rig *rig, const char *metadata, uint32_t subject, const char *key,
                                     const char *type, const char *value, uint64_t timeout))

UNAVAILABLE(int oav_rig_device_create(struct oav_rig *rig, const struct oav_rig_property *properties, size_t count,
                                      uint64_t timeout, struct oav_rig_device **device))
ABSENT(uint32_t, oav_rig_device_node_id(struct oav_rig_device *device))
ABSENT(uint64_t, oav_rig_device_destroy(struct oav_rig_device *device))
UNAVAILABLE(int oav_rig_node_publish(struct oav_rig *rig, const struct oav_rig_property *properties, size_t count,
                                     bool lies, uint64_t timeout))
UNAVAILABLE(int oav_rig_still_sink_publish(struct oav_rig *rig, const struct oav_rig_property *properties, size_t count,
                                           uint64_t timeout))

UNAVAILABLE(int oav_rig_meter_create(struct oav_rig *rig, const char *node_name, const char *const *channels,
                                     size_t channel_count, size_t captured_frames, uint64_t timeout,
                                     struct oav_rig_meter **meter))
ABSENT(uint64_t, oav_rig_meter_mark(struct oav_rig_meter *meter))
void oav_rig_meter_stop(struct oav_rig *rig, struct oav_rig_meter *meter) {}
void oav_rig_meter_read(struct oav_rig_meter *meter, struct oav_rig_meter_reading *reading) {}
UNAVAILABLE(int oav_rig_meter_wait(struct oav_rig_meter *meter, uint64_t frames, uint64_t loud_frames,
                                   uint64_t quiet_frames, uint64_t timeout))
ABSENT(size_t, oav_rig_meter_copy(
    struct oav_rig_meter *meter, float *samples, size_t capacity_frames, uint64_t *end_position))

UNAVAILABLE(int oav_rig_tone_create(struct oav_rig *rig, const struct oav_rig_tone_options *options, uint64_t timeout,
                                    struct oav_rig_tone **tone))
void oav_rig_tone_play(struct oav_rig_tone *tone, uint64_t frames) {}
ABSENT(uint64_t, oav_rig_tone_played_frames(struct oav_rig_tone *tone))
ABSENT(uint32_t, oav_rig_tone_node_id(struct oav_rig_tone *tone))
ABSENT(bool, oav_rig_tone_is_streaming(struct oav_rig_tone *tone))
UNAVAILABLE(int oav_rig_tone_set_active(struct oav_rig_tone *tone, bool active))
void oav_rig_tone_destroy(struct oav_rig_tone *tone) {}

UNAVAILABLE(int oav_rig_card_create(struct oav_rig *rig, const struct oav_rig_card_options *options, uint64_t timeout,
                                    struct oav_rig_card **card))
ABSENT(uint64_t, oav_rig_card_plug(struct oav_rig_card *card, bool headphones_in))
void oav_rig_card_set_availability(struct oav_rig_card *card, enum oav_rig_route route,
                                   enum oav_rig_availability availability) {}
void oav_rig_card_hold_answers(struct oav_rig_card *card, bool holds) {}
void oav_rig_card_set_mute(struct oav_rig_card *card, enum oav_rig_route route, bool muted) {}
ABSENT(uint64_t, oav_rig_card_mark(struct oav_rig_card *card))
void oav_rig_card_read(struct oav_rig_card *card, struct oav_rig_card_reading *reading) {}
UNAVAILABLE(int oav_rig_card_wait_for_frames(struct oav_rig_card *card, uint64_t frames, uint64_t timeout))
void oav_rig_card_play_into_microphone(struct oav_rig_card *card, uint64_t frames) {}
ABSENT(uint32_t, oav_rig_card_device_id(struct oav_rig_card *card))
ABSENT(uint64_t, oav_rig_card_destroy(struct oav_rig_card *card))

UNAVAILABLE(int oav_rig_node_profile_create(struct oav_rig *rig, const char *node_name,
                                            struct oav_rig_node_profile **profile))
struct oav_rig_node_profile_reading oav_rig_node_profile_read(struct oav_rig *rig,
                                                              struct oav_rig_node_profile *profile) {
    return (struct oav_rig_node_profile_reading){0};
}
#endif
