#include "oav_lilv.h"
#include "map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// LV2_Atom_Sequence of lv2/atom/atom.h: the head of a list of events.
struct events {
    uint32_t size, type;
    uint32_t unit, pad;
};

// One number that an instance reads or writes.
struct control {
    uint32_t *value;  // the unit's
    float *memory;    // the instance's
    float factor;
    bool is_written;  // by the plug-in
};

struct oav_lv2_processor {
    struct oav_lv2_layout layout;
    const LilvInstance **instances;
    uint32_t *values;
    uint32_t *bypass;
    float *inputs;   // [instance][port][frame]
    float *outputs;  // the same
    float *numbers;  // [instance][port]
    struct control *controls;
    uint32_t control_count;
    struct events **lists;
    bool *is_room;  // by list
    uint32_t list_count;
    uint32_t list_type, room_type;
    float wet;       // 0 while bypassed, 1 while not
    float wet_step;  // of one frame
    bool are_active;
    bool has_run;
};

static void *rows(uint32_t count, uint32_t size) { return calloc((size_t)count * size + 1, sizeof(float)); }

// False without memory.
static bool connect_port(struct oav_lv2_processor *self, uint32_t instance, uint32_t port, enum oav_lv2_port kind,
                         uint32_t port_count, uint32_t *input, uint32_t *output)
{
    const struct oav_lv2_layout *layout = &self->layout;
    void *memory = NULL;
    switch (kind) {
    case OAV_LV2_INPUT:
        memory = self->inputs + (size_t)(instance * layout->input_ports + (*input)++) * layout->most_frames;
        break;
    case OAV_LV2_OUTPUT:
        memory = self->outputs + (size_t)(instance * layout->output_ports + (*output)++) * layout->most_frames;
        break;
    case OAV_LV2_CONTROL:
    case OAV_LV2_RATE_CONTROL:
    case OAV_LV2_MEASUREMENT: {
        float *number = self->numbers + (size_t)instance * port_count + port;
        memory = number;
        self->controls[self->control_count++] = (struct control){
            self->values + port, number, kind == OAV_LV2_RATE_CONTROL ? (float)layout->sample_rate : 1,
            kind == OAV_LV2_MEASUREMENT};
        break;
    }
    case OAV_LV2_EVENTS_IN:
    case OAV_LV2_EVENTS_OUT: {
        struct events *list = calloc(1, OAV_LV2_EVENTS_SIZE);
        if (!list) return false;
        self->is_room[self->list_count] = kind == OAV_LV2_EVENTS_OUT;
        self->lists[self->list_count++] = list;
        memory = list;
        break;
    }
    case OAV_LV2_UNCONNECTED: break;
    }
    const LilvInstance *plugin = self->instances[instance];
    plugin->lv2_descriptor->connect_port(plugin->lv2_handle, port, memory);
    return true;
}

// Takes the newest values, and empties the lists.
static void prepare(struct oav_lv2_processor *self)
{
    for (uint32_t index = 0; index < self->control_count; index++) {
        const struct control *control = &self->controls[index];
        if (control->is_written) continue;
        const uint32_t bits = __atomic_load_n(control->value, __ATOMIC_RELAXED);
        float value;
        memcpy(&value, &bits, sizeof(value));
        *control->memory = value * control->factor;
    }
    for (uint32_t index = 0; index < self->list_count; index++)
        *self->lists[index] = self->is_room[index] ? (struct events){OAV_LV2_EVENTS_SIZE - 8, self->room_type, 0, 0}
                                                   : (struct events){8, self->list_type, 0, 0};
}

static void run(struct oav_lv2_processor *self, uint32_t frames)
{
    prepare(self);
    for (uint32_t index = 0; index < self->layout.instances; index++) {
        const LilvInstance *plugin = self->instances[index];
        plugin->lv2_descriptor->run(plugin->lv2_handle, frames);
    }
    for (uint32_t index = 0; index < self->control_count; index++) {
        const struct control *control = &self->controls[index];
        if (!control->is_written || !isfinite(*control->memory)) continue;
        uint32_t bits;
        memcpy(&bits, control->memory, sizeof(bits));
        __atomic_store_n(control->value, bits, __ATOMIC_RELAXED);
    }
}

struct oav_lv2_processor *oav_lv2_processor_create(
    const LilvInstance *const *instances, const enum oav_lv2_port *ports, uint32_t port_count,
    const struct oav_lv2_layout *layout, uint32_t *values)
{
    struct oav_lv2_processor *self = calloc(1, sizeof(*self));
    if (!self) return NULL;
    const uint32_t count = layout->instances;
    self->layout = *layout;
    self->values = values;
    self->bypass = values + port_count;
    self->wet = __atomic_load_n(self->bypass, __ATOMIC_RELAXED) ? 0 : 1;
    self->wet_step = (float)(1 / (0.005 * layout->sample_rate));
    self->list_type = oav_lv2_map("http://lv2plug.in/ns/ext/atom#Sequence");
    self->room_type = oav_lv2_map("http://lv2plug.in/ns/ext/atom#Chunk");
    self->instances = malloc((count + 1) * sizeof(*self->instances));
    self->inputs = rows(count * layout->input_ports, layout->most_frames);
    self->outputs = rows(count * layout->output_ports, layout->most_frames);
    self->numbers = rows(count, port_count);
    self->controls = calloc((size_t)count * port_count + 1, sizeof(*self->controls));
    self->lists = calloc((size_t)count * port_count + 1, sizeof(*self->lists));
    self->is_room = calloc((size_t)count * port_count + 1, sizeof(*self->is_room));
    bool is_complete = self->instances && self->inputs && self->outputs && self->numbers && self->controls &&
                       self->lists && self->is_room;
    if (is_complete) memcpy(self->instances, instances, count * sizeof(*instances));
    for (uint32_t instance = 0; is_complete && instance < count; instance++) {
        uint32_t input = 0, output = 0;
        for (uint32_t port = 0; is_complete && port < port_count; port++)
            is_complete = connect_port(self, instance, port, ports[port], port_count, &input, &output);
    }
    if (!is_complete) {
        oav_lv2_processor_destroy(self);
        return NULL;
    }
    prepare(self);
    for (uint32_t index = 0; index < count; index++)
        if (instances[index]->lv2_descriptor->activate) instances[index]->lv2_descriptor->activate(instances[index]->lv2_handle);
    self->are_active = true;
    return self;
}

void oav_lv2_processor_destroy(struct oav_lv2_processor *self)
{
    for (uint32_t index = 0; self->are_active && index < self->layout.instances; index++) {
        const LilvInstance *plugin = self->instances[index];
        if (plugin->lv2_descriptor->deactivate) plugin->lv2_descriptor->deactivate(plugin->lv2_handle);
    }
    for (uint32_t index = 0; self->lists && index < self->list_count; index++) free(self->lists[index]);
    free(self->instances);
    free(self->inputs);
    free(self->outputs);
    free(self->numbers);
    free(self->controls);
    free(self->lists);
    free(self->is_room);
    free(self);
}

float oav_lv2_processor_latency(struct oav_lv2_processor *self, uint32_t port)
{
    run(self, 0);
    const uint32_t bits = __atomic_load_n(self->values + port, __ATOMIC_RELAXED);
    float frames;
    memcpy(&frames, &bits, sizeof(frames));
    return frames > 0 ? frames : 0;
}

// ---- A cycle ----

// The mean of a bus's channels.
static void mean(const float *const *channels, uint32_t count, float *target, uint32_t frames)
{
    for (uint32_t frame = 0; frame < frames; frame++) {
        float sum = 0;
        for (uint32_t channel = 0; channel < count; channel++) sum += channels[channel][frame];
        target[frame] = sum / (float)count;
    }
}

static void fill_inputs(struct oav_lv2_processor *self, const struct oav_bus *bus, uint32_t frames)
{
    const struct oav_lv2_layout *layout = &self->layout;
    const uint32_t ports = layout->instances * layout->input_ports;
    for (uint32_t port = 0; port < ports; port++) {
        float *target = self->inputs + (size_t)port * layout->most_frames;
        if (bus->channel_count == 0) {
            memset(target, 0, frames * sizeof(float));
        } else if (ports == 1 && bus->channel_count > 1) {
            mean((const float *const *)bus->channels, bus->channel_count, target, frames);
        } else if (bus->channel_count == 1 || port < bus->channel_count) {
            const float *source = bus->channels[bus->channel_count == 1 ? 0 : port];
            memcpy(target, source, frames * sizeof(float));
        } else {
            memset(target, 0, frames * sizeof(float));
        }
    }
}

static void take_outputs(struct oav_lv2_processor *self, const struct oav_bus *bus, uint32_t frames)
{
    const struct oav_lv2_layout *layout = &self->layout;
    const uint32_t ports = layout->instances * layout->output_ports;
    for (uint32_t channel = 0; channel < bus->channel_count; channel++) {
        float *target = bus->channels[channel];
        for (uint32_t frame = 0; frame < frames; frame++) {
            float value = 0;
            if (bus->channel_count == 1) {
                for (uint32_t port = 0; port < ports; port++)
                    value += self->outputs[(size_t)port * layout->most_frames + frame];
                value /= (float)ports;
            } else if (ports == 1 || channel < ports) {
                value = self->outputs[(size_t)(ports == 1 ? 0 : channel) * layout->most_frames + frame];
            }
            target[frame] = isfinite(value) ? value : 0;
        }
    }
}

// What goes in, on an output channel.
static float dry(const struct oav_bus *input, uint32_t channel, uint32_t frame)
{
    if (input->channel_count == 0) return 0;
    return input->channels[channel < input->channel_count ? channel : input->channel_count - 1][frame];
}

void oav_lv2_process(void *context, const struct oav_process *process)
{
    struct oav_lv2_processor *self = context;
    const struct oav_bus *input = process->inputs, *output = &process->output;
    const uint32_t frames = process->frames;
    const float target = __atomic_load_n(self->bypass, __ATOMIC_RELAXED) ? 0 : 1;
    // Nothing has sounded that a change could make click.
    if (!self->has_run) self->wet = target;
    self->has_run = true;
    const bool is_dry = self->wet == 0 && target == 0;
    if (frames > self->layout.most_frames || process->input_count == 0) {
        for (uint32_t channel = 0; channel < output->channel_count; channel++)
            memset(output->channels[channel], 0, frames * sizeof(float));
        return;
    }
    if (!is_dry) {
        fill_inputs(self, input, frames);
        run(self, frames);
        take_outputs(self, output, frames);
    }
    if (self->wet == 1 && target == 1) return;
    const float begin = self->wet, step = target > begin ? self->wet_step : -self->wet_step;
    for (uint32_t channel = 0; channel < output->channel_count; channel++) {
        float wet = begin;
        for (uint32_t frame = 0; frame < frames; frame++) {
            const float through = dry(input, channel, frame);
            float *sample = &output->channels[channel][frame];
            *sample = is_dry ? through : through + (*sample - through) * wet;
            if (wet != target) wet = fminf(fmaxf(wet + step, 0), 1);
        }
        self->wet = wet;
    }
}
