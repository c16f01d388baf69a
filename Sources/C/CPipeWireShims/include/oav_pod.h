// Reads PODs, PipeWire's values: other programs write them, and the server passes them on unchanged.
//
// A POD's size, type and elements are untrusted. Nothing here reads outside the POD that contains the
// value. Before PipeWire 1.6, libspa's functions do: `spa_pod_copy_array` copies elements of the size that the array names, and
// `spa_pod_parser` trusts the size of a choice's value.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The types that this file reads, as on the wire. Source: PipeWire (spa/utils/type.h).
enum oav_pod_type {
    OAV_POD_BOOL = 2,
    OAV_POD_ID = 3,
    OAV_POD_INT = 4,
    OAV_POD_FLOAT = 6,
    OAV_POD_STRING = 8,
    OAV_POD_ARRAY = 13,
    OAV_POD_STRUCT = 14,
    OAV_POD_OBJECT = 15,
    OAV_POD_CHOICE = 19,
};

/// A POD whose whole body is readable; valid as long as the bytes from which it was read.
struct oav_pod {
    /// NULL: there is no POD, or it does not fit into its container. Every function then reports that it holds no value.
    const uint8_t *_Nullable body;
    /// The size of the body, in bytes.
    uint32_t size;
    /// Any number; `enum oav_pod_type` lists those that are read here.
    uint32_t type;
};

/// The POD at the beginning of these `size` bytes.
struct oav_pod oav_pod_in(const void *_Nullable bytes, size_t size);

bool oav_pod_get_bool(struct oav_pod pod, bool *value);
bool oav_pod_get_id(struct oav_pod pod, uint32_t *value);
bool oav_pod_get_int(struct oav_pod pod, int32_t *value);
bool oav_pod_get_float(struct oav_pod pod, float *value);
/// NULL: it is not a string, or has no terminating NUL.
const char *_Nullable oav_pod_get_string(struct oav_pod pod);

/// Copies at most `capacity` elements of an array and returns their number: 0 if it is not an array of elements of this type and
/// this size.
uint32_t oav_pod_copy_array(
    struct oav_pod pod, enum oav_pod_type type, void *elements, size_t element_size, uint32_t capacity);

/// Removes the first POD from a struct. False: none is left.
bool oav_pod_take(struct oav_pod *structure, struct oav_pod *item);

/// Whether the POD is an object of this type (SPA_TYPE_OBJECT_...).
bool oav_pod_is_object(struct oav_pod pod, uint32_t type);
/// The value of an object's first property with this key; for a choice without alternatives (SPA_CHOICE_None), its value.
struct oav_pod oav_pod_property(struct oav_pod object, uint32_t key);

#pragma clang assume_nonnull end
