// A build without libsystemd's header: there is no watch, and opening one says what is missing.
#if !__has_include(<systemd/sd-bus.h>)
#include <stdio.h>

#include "oav_logind.h"

struct oav_logind_watch *oav_logind_open(
    const char *bus_address, const char *library, const struct oav_logind_events *events, char *text, size_t text_size)
{
    (void)bus_address, (void)library, (void)events;
    snprintf(text, text_size, "this program was built without libsystemd; install libsystemd-dev and build again");
    return NULL;
}
void oav_logind_close(struct oav_logind_watch *watch) { (void)watch; }
void oav_logind_allow(struct oav_logind_watch *watch) { (void)watch; }
bool oav_logind_describe(struct oav_logind_watch *watch, char *text, size_t text_size)
{
    (void)watch;
    if (text_size > 0) text[0] = '\0';
    return false;
}
#endif
