// Links that the rig makes and owns, so that what it measures does not depend on the session manager's policy.
#include "rig_internal.h"

#if OAV_RIG_HAS_PIPEWIRE
#include <stdlib.h>
#include <string.h>

static void drop_link(struct rig_own_link *link) {
    if (!link->proxy)
        return;
    spa_hook_remove(&link->hook);
    pw_proxy_destroy(link->proxy);
    link->proxy = NULL;
}

// The server took the link away: perhaps because the ports were made again, under numbers that may be the old ones.
static void on_link_removed(void *data) {
    struct rig_own_link *link = data;
    drop_link(link);
    rig_linkers_update(link->linker->rig);
}

static void on_link_error(void *data, int sequence, int result, const char *message) {
    // A port went while the link was being made; the next change in the registry brings another try.
    (void)sequence, (void)result, (void)message;
    drop_link(data);
}

static const struct pw_proxy_events link_events = {
    PW_VERSION_PROXY_EVENTS,
    .removed = on_link_removed,
    .error = on_link_error,
};

static void make_link(struct rig_linker *linker, const struct oav_rig_object *output,
                      const struct oav_rig_object *input) {
    struct rig_own_link *vacant = NULL;
    for (size_t i = 0; i < SPA_N_ELEMENTS(linker->links); i++) {
        struct rig_own_link *link = &linker->links[i];
        if (!link->proxy)
            vacant = vacant ? vacant : link;
        else if (link->output_port == output->id && link->input_port == input->id)
            return;
    }
    if (!vacant)
        return;
    struct pw_properties *properties = pw_properties_new(NULL, NULL);
    pw_properties_setf(properties, PW_KEY_LINK_OUTPUT_PORT, "%u", output->id);
    pw_properties_setf(properties, PW_KEY_LINK_INPUT_PORT, "%u", input->id);
    vacant->proxy = pw_core_create_object(linker->rig->core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK,
                                          &properties->dict, 0);
    pw_properties_free(properties);
    if (!vacant->proxy)
        return;
    vacant->output_port = output->id;
    vacant->input_port = input->id;
    pw_proxy_add_listener(vacant->proxy, &vacant->hook, &link_events, vacant);
}

static bool is_port_of(const struct oav_rig_object *object, uint32_t node_id, const char *direction) {
    return object->kind == OAV_RIG_PORT && rig_property_id(object, PW_KEY_NODE_ID) == node_id &&
           rig_property_is(object, PW_KEY_PORT_DIRECTION, direction);
}

static void update(struct rig_linker *linker) {
    struct oav_rig *rig = linker->rig;
    struct oav_rig_object *target = rig_find_node(rig, linker->target);
    if (!target || linker->node_id == SPA_ID_INVALID)
        return;
    bool forward = linker->kind == RIG_LINK_TO_TARGET;
    uint32_t from = forward ? linker->node_id : target->id, to = forward ? target->id : linker->node_id;
    struct oav_rig_object *output, *input;
    spa_list_for_each(output, &rig->objects, link) {
        if (!is_port_of(output, from, "out"))
            continue;
        const char *channel = rig_property(output, PW_KEY_AUDIO_CHANNEL);
        spa_list_for_each(input, &rig->objects, link) {
            if (channel && is_port_of(input, to, "in") && rig_property_is(input, PW_KEY_AUDIO_CHANNEL, channel))
                make_link(linker, output, input);
        }
    }
}

void rig_linkers_update(struct oav_rig *rig) {
    struct rig_linker *linker;
    spa_list_for_each(linker, &rig->linkers, link) update(linker);
}

void rig_linker_start(struct rig_linker *linker, struct oav_rig *rig, enum rig_linker_kind kind, const char *target) {
    linker->rig = rig;
    linker->kind = kind;
    linker->node_id = SPA_ID_INVALID;
    linker->target = strdup(target);
    for (size_t i = 0; i < SPA_N_ELEMENTS(linker->links); i++)
        linker->links[i].linker = linker;
    spa_list_append(&rig->linkers, &linker->link);
}

void rig_linker_stop(struct rig_linker *linker) {
    if (!linker->target)
        return;
    spa_list_remove(&linker->link);
    for (size_t i = 0; i < SPA_N_ELEMENTS(linker->links); i++)
        drop_link(&linker->links[i]);
    free(linker->target);
    linker->target = NULL;
}

#endif
