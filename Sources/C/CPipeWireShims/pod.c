// Reads PODs. The layout is that of spa/pod/pod.h: a POD begins with the size of its body and its type, and the next POD
// follows at the next multiple of 8 bytes.
#include "oav_pod.h"

#include <string.h>

#if __has_include(<spa/utils/type.h>)
#include <spa/utils/type.h>
_Static_assert((int)OAV_POD_BOOL == SPA_TYPE_Bool && (int)OAV_POD_ID == SPA_TYPE_Id && (int)OAV_POD_INT == SPA_TYPE_Int
        && (int)OAV_POD_FLOAT == SPA_TYPE_Float && (int)OAV_POD_STRING == SPA_TYPE_String
        && (int)OAV_POD_ARRAY == SPA_TYPE_Array && (int)OAV_POD_STRUCT == SPA_TYPE_Struct
        && (int)OAV_POD_OBJECT == SPA_TYPE_Object && (int)OAV_POD_CHOICE == SPA_TYPE_Choice,
    "the types of the wire");
#endif

static const struct oav_pod no_pod;

struct header {
    uint32_t size, type;
};

// Reads a member of the body, which need not be aligned. False: the body ends before.
static bool read_at(struct oav_pod pod, uint64_t offset, void *value, size_t size)
{
    if (!pod.body || offset > pod.size || size > pod.size - offset) return false;
    memcpy(value, pod.body + offset, size);
    return true;
}

static struct oav_pod pod_at(struct oav_pod outer, uint64_t offset)
{
    struct header header;
    if (!read_at(outer, offset, &header, sizeof header)) return no_pod;
    offset += sizeof header;
    if (header.size > outer.size - offset) return no_pod;
    return (struct oav_pod){.body = outer.body + offset, .size = header.size, .type = header.type};
}

// The offset of the POD after the one at `offset`.
static uint64_t after(struct oav_pod pod, uint64_t offset)
{
    return offset + sizeof(struct header) + (((uint64_t)pod.size + 7) & ~UINT64_C(7));
}

struct oav_pod oav_pod_in(const void *bytes, size_t size)
{
    struct oav_pod all = {.body = bytes, .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX};
    return pod_at(all, 0);
}

static bool get(struct oav_pod pod, enum oav_pod_type type, void *value, size_t size)
{
    return pod.type == (uint32_t)type && read_at(pod, 0, value, size);
}

bool oav_pod_get_bool(struct oav_pod pod, bool *value)
{
    int32_t number;
    if (!get(pod, OAV_POD_BOOL, &number, sizeof number)) return false;
    *value = number != 0;
    return true;
}

bool oav_pod_get_id(struct oav_pod pod, uint32_t *value) { return get(pod, OAV_POD_ID, value, sizeof *value); }

bool oav_pod_get_int(struct oav_pod pod, int32_t *value) { return get(pod, OAV_POD_INT, value, sizeof *value); }

bool oav_pod_get_float(struct oav_pod pod, float *value) { return get(pod, OAV_POD_FLOAT, value, sizeof *value); }

const char *oav_pod_get_string(struct oav_pod pod)
{
    bool has_end = pod.body && pod.type == OAV_POD_STRING && memchr(pod.body, '\0', pod.size);
    return has_end ? (const char *)pod.body : NULL;
}

uint32_t oav_pod_copy_array(
    struct oav_pod pod, enum oav_pod_type type, void *elements, size_t element_size, uint32_t capacity)
{
    struct header element;
    if (!get(pod, OAV_POD_ARRAY, &element, sizeof element)) return 0;
    if (element.type != (uint32_t)type || element.size != element_size) return 0;
    size_t count = (pod.size - sizeof element) / element_size;
    if (count > capacity) count = capacity;
    memcpy(elements, pod.body + sizeof element, count * element_size);
    return (uint32_t)count;
}

bool oav_pod_take(struct oav_pod *structure, struct oav_pod *item)
{
    *item = structure->type == OAV_POD_STRUCT ? pod_at(*structure, 0) : no_pod;
    if (!item->body) return false;
    uint64_t next = after(*item, 0);
    if (next > structure->size) next = structure->size;
    structure->body += next;
    structure->size -= (uint32_t)next;
    return true;
}

bool oav_pod_is_object(struct oav_pod pod, uint32_t type)
{
    uint32_t found;
    return get(pod, OAV_POD_OBJECT, &found, sizeof found) && found == type;
}

// In a choice, the POD of its value follows its type and flags.
static struct oav_pod without_choice(struct oav_pod pod)
{
    enum { NONE = 0 };
    struct { uint32_t type, flags; } choice;
    if (pod.type != OAV_POD_CHOICE) return pod;
    return read_at(pod, 0, &choice, sizeof choice) && choice.type == NONE ? pod_at(pod, sizeof choice) : no_pod;
}

struct oav_pod oav_pod_property(struct oav_pod object, uint32_t key)
{
    // The object's type and id come first; each value follows a key and flags.
    struct { uint32_t key, flags; } property;
    uint64_t offset = 2 * sizeof(uint32_t);
    if (object.type != OAV_POD_OBJECT) return no_pod;
    while (read_at(object, offset, &property, sizeof property)) {
        offset += sizeof property;
        struct oav_pod value = pod_at(object, offset);
        if (!value.body) break;
        if (property.key == key) return without_choice(value);
        offset = after(value, offset);
    }
    return no_pod;
}
