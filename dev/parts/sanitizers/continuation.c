// Tells ThreadSanitizer that what resumed a continuation comes before what follows its `await`. libswift_Concurrency, which
// is not instrumented, tells it where the task was suspended, and not where the continuation is resumed before that. What
// follows `await withCheckedContinuation` begins with the end of the callee's context. To be preloaded; see dev/test --lane thread.
#define _GNU_SOURCE
#include <dlfcn.h>

#define SWIFT __attribute__((swiftcall))

// Null in a program without ThreadSanitizer, or without tasks.
void __tsan_acquire(void *address) __attribute__((weak));
SWIFT void *swift_task_getCurrent(void) __attribute__((weak));

SWIFT void swift_task_dealloc(void *context);
SWIFT void swift_task_dealloc(void *context) {
    SWIFT void (*original)(void *) = (SWIFT void (*)(void *))dlsym(RTLD_NEXT, "swift_task_dealloc");
    original(context);
    // Who resumes the continuation has released the task.
    if (__tsan_acquire && swift_task_getCurrent) __tsan_acquire(swift_task_getCurrent());
}
