// What Swift's overlay of the C library lacks.
#define _GNU_SOURCE
#include <pthread.h>

#include "oav_pipewire.h"

void oav_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
