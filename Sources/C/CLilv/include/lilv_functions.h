// The declarations of lilv and of LV2's core that a host of effects needs; their headers are not needed.
//
// Source: the ABI of lilv 0.24 (lilv/lilv.h) and LV2 1.18 (lv2/core/lv2.h), which do not change within these names.
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct LilvWorldImpl LilvWorld;
typedef struct LilvNodeImpl LilvNode;
typedef struct LilvPluginImpl LilvPlugin;
typedef struct LilvPluginClassImpl LilvPluginClass;
typedef struct LilvPortImpl LilvPort;
typedef struct LilvScalePointImpl LilvScalePoint;
typedef void LilvIter;
typedef void LilvPlugins;
typedef void LilvNodes;
typedef void LilvScalePoints;

typedef struct LV2_Feature {
    const char *_Nonnull URI;
    void *_Nullable data;
} LV2_Feature;

typedef struct LV2_Descriptor {
    const char *_Nullable URI;
    void *_Nullable (*_Nullable instantiate)(
        const struct LV2_Descriptor *_Nonnull, double, const char *_Nonnull, const LV2_Feature *_Nonnull const *_Nonnull);
    void (*_Nullable connect_port)(void *_Nullable, uint32_t, void *_Nullable);
    void (*_Nullable activate)(void *_Nullable);
    void (*_Nullable run)(void *_Nullable, uint32_t);
    void (*_Nullable deactivate)(void *_Nullable);
    void (*_Nullable cleanup)(void *_Nullable);
    const void *_Nullable (*_Nullable extension_data)(const char *_Nonnull);
} LV2_Descriptor;

typedef struct LilvInstanceImpl {
    const LV2_Descriptor *_Nullable lv2_descriptor;
    void *_Nullable lv2_handle;
    void *_Nullable pimpl;
} LilvInstance;

#define LILV_FUNCTIONS(X) \
    X(LilvWorld *_Nullable, world_new, (void)) \
    X(void, world_free, (LilvWorld *_Nullable)) \
    X(void, world_set_option, (LilvWorld *_Nonnull, const char *_Nonnull, const LilvNode *_Nonnull)) \
    X(void, world_load_all, (LilvWorld *_Nonnull)) \
    X(const LilvPlugins *_Nullable, world_get_all_plugins, (const LilvWorld *_Nonnull)) \
    X(LilvNode *_Nullable, new_uri, (LilvWorld *_Nonnull, const char *_Nonnull)) \
    X(LilvNode *_Nullable, new_string, (LilvWorld *_Nonnull, const char *_Nonnull)) \
    X(LilvNode *_Nullable, new_bool, (LilvWorld *_Nonnull, bool)) \
    X(void, node_free, (LilvNode *_Nullable)) \
    X(const char *_Nullable, node_as_string, (const LilvNode *_Nonnull)) \
    X(bool, node_is_int, (const LilvNode *_Nonnull)) \
    X(bool, node_is_float, (const LilvNode *_Nonnull)) \
    X(int, node_as_int, (const LilvNode *_Nonnull)) \
    X(float, node_as_float, (const LilvNode *_Nonnull)) \
    X(LilvIter *_Nullable, plugins_begin, (const LilvPlugins *_Nonnull)) \
    X(const LilvPlugin *_Nullable, plugins_get, (const LilvPlugins *_Nonnull, LilvIter *_Nullable)) \
    X(LilvIter *_Nullable, plugins_next, (const LilvPlugins *_Nonnull, LilvIter *_Nullable)) \
    X(bool, plugins_is_end, (const LilvPlugins *_Nonnull, LilvIter *_Nullable)) \
    X(LilvIter *_Nullable, nodes_begin, (const LilvNodes *_Nonnull)) \
    X(const LilvNode *_Nullable, nodes_get, (const LilvNodes *_Nonnull, LilvIter *_Nullable)) \
    X(LilvIter *_Nullable, nodes_next, (const LilvNodes *_Nonnull, LilvIter *_Nullable)) \
    X(bool, nodes_is_end, (const LilvNodes *_Nonnull, LilvIter *_Nullable)) \
    X(void, nodes_free, (LilvNodes *_Nullable)) \
    X(LilvIter *_Nullable, scale_points_begin, (const LilvScalePoints *_Nonnull)) \
    X(const LilvScalePoint *_Nullable, scale_points_get, (const LilvScalePoints *_Nonnull, LilvIter *_Nullable)) \
    X(LilvIter *_Nullable, scale_points_next, (const LilvScalePoints *_Nonnull, LilvIter *_Nullable)) \
    X(bool, scale_points_is_end, (const LilvScalePoints *_Nonnull, LilvIter *_Nullable)) \
    X(void, scale_points_free, (LilvScalePoints *_Nullable)) \
    X(const LilvNode *_Nullable, scale_point_get_label, (const LilvScalePoint *_Nonnull)) \
    X(const LilvNode *_Nullable, scale_point_get_value, (const LilvScalePoint *_Nonnull)) \
    X(const LilvNode *_Nullable, plugin_get_uri, (const LilvPlugin *_Nonnull)) \
    X(const LilvNode *_Nullable, plugin_get_library_uri, (const LilvPlugin *_Nonnull)) \
    X(const LilvNode *_Nullable, plugin_get_bundle_uri, (const LilvPlugin *_Nonnull)) \
    X(char *_Nullable, file_uri_parse, (const char *_Nonnull, char *_Nullable *_Nullable)) \
    X(LilvNode *_Nullable, plugin_get_name, (const LilvPlugin *_Nonnull)) \
    X(LilvNode *_Nullable, plugin_get_author_name, (const LilvPlugin *_Nonnull)) \
    X(LilvNodes *_Nullable, plugin_get_value, (const LilvPlugin *_Nonnull, const LilvNode *_Nonnull)) \
    X(LilvNodes *_Nullable, world_find_nodes, \
      (LilvWorld *_Nonnull, const LilvNode *_Nullable, const LilvNode *_Nonnull, const LilvNode *_Nullable)) \
    X(LilvNodes *_Nullable, plugin_get_required_features, (const LilvPlugin *_Nonnull)) \
    X(uint32_t, plugin_get_num_ports, (const LilvPlugin *_Nonnull)) \
    X(const LilvPort *_Nullable, plugin_get_port_by_index, (const LilvPlugin *_Nonnull, uint32_t)) \
    X(bool, port_is_a, (const LilvPlugin *_Nonnull, const LilvPort *_Nonnull, const LilvNode *_Nonnull)) \
    X(bool, port_has_property, (const LilvPlugin *_Nonnull, const LilvPort *_Nonnull, const LilvNode *_Nonnull)) \
    X(LilvNode *_Nullable, port_get_name, (const LilvPlugin *_Nonnull, const LilvPort *_Nonnull)) \
    X(const LilvNode *_Nullable, port_get_symbol, (const LilvPlugin *_Nonnull, const LilvPort *_Nonnull)) \
    X(LilvNodes *_Nullable, port_get_value, \
      (const LilvPlugin *_Nonnull, const LilvPort *_Nonnull, const LilvNode *_Nonnull)) \
    X(void, port_get_range, \
      (const LilvPlugin *_Nonnull, const LilvPort *_Nonnull, LilvNode *_Nullable *_Nullable, \
       LilvNode *_Nullable *_Nullable, LilvNode *_Nullable *_Nullable)) \
    X(LilvScalePoints *_Nullable, port_get_scale_points, (const LilvPlugin *_Nonnull, const LilvPort *_Nonnull)) \
    X(LilvInstance *_Nullable, plugin_instantiate, \
      (const LilvPlugin *_Nonnull, double, const LV2_Feature *_Nonnull const *_Nullable)) \
    X(void, instance_free, (LilvInstance *_Nullable))

struct lilv_functions {
#define X(result, name, arguments) result (*_Nonnull name) arguments;
    LILV_FUNCTIONS(X)
#undef X
};
