// Metadata objects: a mirror of their values, and setting them.
#include "rig_internal.h"

#if OAV_RIG_HAS_PIPEWIRE
#include <errno.h>
#include <pipewire/extensions/metadata.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct metadata_entry {
    struct spa_list link;
    uint32_t subject;
    char *key;
    char *value;
};

static void release_entry(struct metadata_entry *entry) {
    spa_list_remove(&entry->link);
    free(entry->key);
    free(entry->value);
    free(entry);
}

static int on_property(void *data, uint32_t subject, const char *key, const char *type, const char *value) {
    (void)type;
    struct oav_rig_object *object = data;
    struct metadata_entry *entry, *next;
    // Without a key all values of the subject go, without a value this one goes.
    spa_list_for_each_safe(entry, next, &object->entries, link) {
        if (entry->subject == subject && (!key || strcmp(entry->key, key) == 0))
            release_entry(entry);
    }
    if (key && value) {
        entry = calloc(1, sizeof *entry);
        entry->subject = subject;
        entry->key = strdup(key);
        entry->value = strdup(value);
        spa_list_append(&object->entries, &entry->link);
    }
    rig_changed(object->rig);
    return 0;
}

static const struct pw_metadata_events metadata_events = {
    PW_VERSION_METADATA_EVENTS,
    .property = on_property,
};

void rig_metadata_bind(struct oav_rig_object *object) {
    spa_list_init(&object->entries);
    object->proxy = pw_registry_bind(object->rig->registry, object->id, PW_TYPE_INTERFACE_Metadata,
                                     PW_VERSION_METADATA, 0);
    if (object->proxy)
        pw_metadata_add_listener((struct pw_metadata *)object->proxy, &object->proxy_hook, &metadata_events, object);
}

void rig_metadata_release(struct oav_rig_object *object) {
    struct metadata_entry *entry;
    spa_list_consume(entry, &object->entries, link) release_entry(entry);
    if (object->proxy) {
        spa_hook_remove(&object->proxy_hook);
        pw_proxy_destroy(object->proxy);
    }
}

void oav_rig_read_metadata_again(struct oav_rig *rig) {
    struct oav_rig_object *object;
    rig_lock(rig);
    spa_list_for_each(object, &rig->objects, link) {
        if (object->kind != OAV_RIG_METADATA || rig->lost)
            continue;
        rig_metadata_release(object);
        rig_metadata_bind(object);
    }
    rig_unlock(rig);
}

static struct oav_rig_object *find_metadata(struct oav_rig *rig, const char *name) {
    struct oav_rig_object *object;
    spa_list_for_each(object, &rig->objects, link) {
        if (object->kind == OAV_RIG_METADATA && rig_property_is(object, PW_KEY_METADATA_NAME, name))
            return object;
    }
    return NULL;
}

int oav_rig_metadata_get(struct oav_rig *rig, const char *metadata, uint32_t subject, const char *key, char *value,
                         size_t capacity) {
    int result = -ENOENT;
    rig_lock(rig);
    struct oav_rig_object *object = find_metadata(rig, metadata);
    struct metadata_entry *entry;
    if (object) {
        spa_list_for_each(entry, &object->entries, link) {
            if (entry->subject == subject && strcmp(entry->key, key) == 0)
                result = (size_t)snprintf(value, capacity, "%s", entry->value) < capacity ? 0 : -ENOSPC;
        }
    }
    rig_unlock(rig);
    return result;
}

int oav_rig_metadata_set(struct oav_rig *rig, const char *metadata, uint32_t subject, const char *key,
                         const char *type, const char *value, uint64_t timeout_ns) {
    rig_lock(rig);
    struct oav_rig_object *object = find_metadata(rig, metadata);
    int result = rig->lost ? -EPIPE : !object || !object->proxy ? -ENOENT : 0;
    if (!result)
        pw_metadata_set_property((struct pw_metadata *)object->proxy, subject, key, type, value);
    rig_unlock(rig);
    return result ? result : oav_rig_round_trip(rig, timeout_ns);
}

#endif
