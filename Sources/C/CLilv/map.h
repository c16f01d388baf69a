#pragma once
#include <stdint.h>

// Bytes of a list of events.
enum { OAV_LV2_EVENTS_SIZE = 65536 };

// The number of a URI, for the life of the process; 0 for one that is too long, and when there are too many. Not on the render thread.
uint32_t oav_lv2_map(const char *uri);
