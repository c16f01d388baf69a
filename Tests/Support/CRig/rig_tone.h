// The tone's half that the virtual card uses for its microphone.
#pragma once
#include "rig_internal.h"

#if OAV_RIG_HAS_PIPEWIRE
// Makes the stream without waiting, with the rig locked; whoever calls this frees it before the rig is closed.
int rig_tone_start(struct oav_rig *rig, struct pw_core *core, const struct oav_rig_tone_options *options,
                   struct oav_rig_tone **tone);
void rig_tone_free(struct oav_rig_tone *tone);
bool rig_tone_has_ports(const struct oav_rig_tone *tone);
#endif
