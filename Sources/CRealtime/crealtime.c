#include "crealtime.h"

// RealtimeSanitizer's entry points. Weak: without the sanitizer's runtime they are null. The C and Swift code is not
// instrumented; the runtime's interceptors of malloc, pthread_mutex_lock and the like do the watching.
extern void __rtsan_realtime_enter(void) __attribute__((weak));
extern void __rtsan_realtime_exit(void) __attribute__((weak));

void oav_realtime_enter(void) {
    if (__rtsan_realtime_enter) __rtsan_realtime_enter();
}

void oav_realtime_exit(void) {
    if (__rtsan_realtime_exit) __rtsan_realtime_exit();
}

int oav_realtime_is_guarded(void) { return __rtsan_realtime_enter && __rtsan_realtime_exit; }
