// The functions of lilv, which is loaded at run time and not linked, and what a host and an LV2 plug-in call of each other.
//
// lilv reads the descriptions of plug-ins (Turtle files in bundles) and loads the one that is instantiated. One thread at a time,
// for the functions of lilv. All texts and numbers are untrusted.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "crealtime.h"
#include "lilv_functions.h"

#pragma clang assume_nonnull begin

/// Loads lilv; false: `text` says why not. It stays loaded.
///
/// - library: to be loaded; NULL is liblilv-0.so.0.
bool oav_lilv_load(struct lilv_functions *functions, const char *_Nullable library, char *text, size_t text_size);

/// What a plug-in is given when it is made: a map of URIs and numbers, and the length of blocks. Made for each instance, whose life
/// it outlives.
struct oav_lv2_host;
struct oav_lv2_host *_Nullable oav_lv2_host_create(double sample_rate, uint32_t most_frames);
void oav_lv2_host_destroy(struct oav_lv2_host *host);
/// For lilv_plugin_instantiate: NULL at the end.
const LV2_Feature *const _Nonnull *_Nonnull oav_lv2_host_features(const struct oav_lv2_host *host);

/// Loads the library of a plug-in and looks at its functions, before lilv calls them: it calls each without a look.
///
/// - path: of the library; no file but a regular one is opened.
/// - bundle: the directory of its bundle.
/// - text: gets why it cannot be used.
/// - Returns: what `oav_lv2_library_close` closes, once lilv has loaded the library; NULL: it cannot be used.
void *_Nullable oav_lv2_library_open(
    const char *path, const char *bundle, const char *uri, const LV2_Feature *const _Nonnull *_Nonnull features, char *text,
    size_t text_size);
void oav_lv2_library_close(void *library);

/// What the process writes to its standard error from now on is kept, and not written: lilv writes there what it takes from
/// descriptions. One thread at a time.
///
/// - Returns: what `oav_lilv_take_messages` takes; below 0: nothing is kept.
int oav_lilv_keep_messages(void);
/// Ends that.
///
/// - text: gets what was written meanwhile, as far as there is room.
void oav_lilv_take_messages(int kept, char *text, size_t text_size);

/// Whether `oav_lv2_host_features` has a feature of this URI.
bool oav_lv2_has_feature(const char *uri);

// ---- Instances in the render cycle ----

/// How channels and a plug-in's audio ports go together: see `PluginLayout`.
struct oav_lv2_layout {
    uint32_t instances;
    /// Of one instance.
    uint32_t input_ports, output_ports;
    /// Of the busses.
    uint32_t inputs, outputs;
    uint32_t most_frames;
    /// Hertz.
    double sample_rate;
};

/// What a port is connected to.
enum oav_lv2_port {
    OAV_LV2_INPUT,
    OAV_LV2_OUTPUT,
    /// A number that is set, and one in parts of the sample rate.
    OAV_LV2_CONTROL,
    OAV_LV2_RATE_CONTROL,
    /// A number that the plug-in says.
    OAV_LV2_MEASUREMENT,
    /// Lists of events: always empty.
    OAV_LV2_EVENTS_IN,
    OAV_LV2_EVENTS_OUT,
    OAV_LV2_UNCONNECTED,
};

struct oav_lv2_processor;

/// Connects instances and activates them; NULL without memory.
///
/// - ports: [port_count] of the plug-in.
/// - values: [port_count + 1] the bits of a Float for each port, read and (of measurements) written without order; then 1 for a
///   bypass, else 0. Outlives the processor, as the instances do.
struct oav_lv2_processor *_Nullable oav_lv2_processor_create(
    const LilvInstance *_Nonnull const *_Nonnull instances, const enum oav_lv2_port *ports, uint32_t port_count,
    const struct oav_lv2_layout *layout, uint32_t *values);
/// After the last cycle; deactivates the instances.
void oav_lv2_processor_destroy(struct oav_lv2_processor *processor);

/// Frames from going in to coming out, as the plug-in's port says it after a cycle without frames; 0 or more.
float oav_lv2_processor_latency(struct oav_lv2_processor *processor, uint32_t port);

/// For the renderer: `context` is the processor. What is no number becomes silence.
void oav_lv2_process(void *_Nullable processor, const struct oav_process *process);

#pragma clang assume_nonnull end
