// The bound objects, and what is known of each.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <spa/utils/string.h>

const char *oav_pw_property(const struct oav_pw_properties *properties, const char *key)
{
    return spa_dict_lookup((const struct spa_dict *)properties, key);
}

struct oav_object *oav_object_find(struct oav_pw_host *host, enum oav_pw_kind kind, uint32_t id)
{
    struct oav_object *object;
    spa_list_for_each(object, &host->objects, link) {
        if (object->fact.id == id && object->fact.kind == kind) return object;
    }
    return NULL;
}

void oav_object_tell(struct oav_object *object)
{
    struct oav_pw_host *host = object->host;
    object->fact.is_described = true;
    object->fact.properties = (const struct oav_pw_properties *)&object->props->dict;
    if (!host->lost) host->events.object(host->events.context, &object->fact);
}

bool oav_param_changed(
    struct oav_object *object, const struct spa_param_info *params, uint32_t count, enum oav_param param)
{
    static const uint32_t ids[] = {
        [OAV_PARAM_PROPS] = SPA_PARAM_Props, [OAV_PARAM_ENUM_ROUTE] = SPA_PARAM_EnumRoute,
        [OAV_PARAM_ROUTE] = SPA_PARAM_Route, [OAV_PARAM_ENUM_PROFILE] = SPA_PARAM_EnumProfile,
        [OAV_PARAM_PROFILE] = SPA_PARAM_Profile};
    for (uint32_t i = 0; i < count; i++) {
        if (params[i].id != ids[param] || params[i].flags == object->param_flags[param]) continue;
        object->param_flags[param] = params[i].flags;
        return true;
    }
    return false;
}
#endif
