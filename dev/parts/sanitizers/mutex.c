// Tells ThreadSanitizer about the slow path of Synchronization.Mutex, which libswiftSynchronization contains without
// instrumentation. The fast path is inlined into the instrumented code. To be preloaded; see dev/test --lane thread.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

// Null in a program without ThreadSanitizer.
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

// _MutexHandle._lockSlow(UInt32), ._tryLockSlow() -> Bool, ._unlockSlow()
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void mutex_lock(uint32_t thread, SELF mutex) __asm__(LOCK);
SWIFT void mutex_lock(uint32_t thread, SELF mutex) {
    SWIFT void (*original)(uint32_t, SELF) = (SWIFT void (*)(uint32_t, SELF))dlsym(RTLD_NEXT, LOCK);
    original(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool mutex_try_lock(SELF mutex) __asm__(TRY_LOCK);
SWIFT bool mutex_try_lock(SELF mutex) {
    SWIFT bool (*original)(SELF) = (SWIFT bool (*)(SELF))dlsym(RTLD_NEXT, TRY_LOCK);
    bool locked = original(mutex);
    if (locked && __tsan_acquire) __tsan_acquire(mutex);
    return locked;
}

SWIFT void mutex_unlock(SELF mutex) __asm__(UNLOCK);
SWIFT void mutex_unlock(SELF mutex) {
    SWIFT void (*original)(SELF) = (SWIFT void (*)(SELF))dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(mutex);
    original(mutex);
}
