#include "bus.h"
#ifdef OAV_HAS_SD_BUS
#include <dlfcn.h>
#include <stdio.h>

bool oav_sd_bus_load(struct oav_sd_bus *bus, const char *library, char *text, size_t text_size)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *reason = dlerror();
        snprintf(text, text_size, "%s", reason ? reason : library);
        return false;
    }
#define X(name) \
    if (!(bus->name = (__typeof__(bus->name))dlsym(handle, "sd_bus_" #name))) { \
        snprintf(text, text_size, "%s has no sd_bus_" #name "; 237 or later is needed", library); \
        dlclose(handle); \
        return false; \
    }
    OAV_SD_BUS_FUNCTIONS(X)
#undef X
    return true;
}
#endif
