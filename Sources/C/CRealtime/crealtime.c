#define _GNU_SOURCE
#include "crealtime.h"

#include <sys/resource.h>
#include <time.h>

#ifndef RUSAGE_THREAD // Darwin counts for the whole process only.
#define RUSAGE_THREAD RUSAGE_SELF
#endif

// RealtimeSanitizer's entry points. Weak: without the sanitizer's runtime they are null. The C and Swift code is not
// instrumented; the runtime's interceptors of malloc, pthread_mutex_lock and the like do the watching.
#ifdef __linux__
extern void __rtsan_realtime_enter(void) __attribute__((weak));
extern void __rtsan_realtime_exit(void) __attribute__((weak));
#else
static void (*const __rtsan_realtime_enter)(void) = 0;
static void (*const __rtsan_realtime_exit)(void) = 0;
#endif

void oav_realtime_enter(void) {
    if (__rtsan_realtime_enter) __rtsan_realtime_enter();
}

void oav_realtime_exit(void) {
    if (__rtsan_realtime_exit) __rtsan_realtime_exit();
}

int oav_realtime_is_guarded(void) { return __rtsan_realtime_enter && __rtsan_realtime_exit; }

static _Thread_local unsigned app_calls;

bool oav_is_in_app_call(void) { return app_calls > 0; }

static uint64_t nanoseconds(const struct timeval *time) {
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

static uint64_t processor_time(const struct rusage *usage) {
    return nanoseconds(&usage->ru_utime) + nanoseconds(&usage->ru_stime);
}

static uint64_t monotonic_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t oav_processor_call_app(
    const struct oav_processor *processor, const struct oav_process *process, bool may_wait) {
    struct rusage before, after;
    oav_realtime_exit();
    if (!may_wait) app_calls++;
    getrusage(RUSAGE_THREAD, &before);
    uint64_t start = monotonic_time();
    processor->process(processor->context, process);
    uint64_t taken = monotonic_time() - start;
    getrusage(RUSAGE_THREAD, &after);
    if (!may_wait) app_calls--;
    oav_realtime_enter();
    // It has waited for nothing: what its own work did not take, other threads took.
    if (after.ru_nvcsw != before.ru_nvcsw) return taken;
    uint64_t worked = processor_time(&after) - processor_time(&before);
    return worked < taken ? worked : taken;
}
