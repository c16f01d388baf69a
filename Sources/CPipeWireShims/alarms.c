// Instants that the session waits for: one timer of the loop, armed for the earliest.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <stdlib.h>
#include <time.h>

static void arm(struct oav_pw_host *host)
{
    struct timespec time = {0, 0};  // disarms
    if (!spa_list_is_empty(&host->alarms)) {
        const struct oav_alarm *first = spa_list_first(&host->alarms, struct oav_alarm, link);
        uint64_t ns = SPA_MAX(first->time_ns, (uint64_t)1);
        time = (struct timespec){(time_t)(ns / SPA_NSEC_PER_SEC), (long)(ns % SPA_NSEC_PER_SEC)};
    }
    pw_loop_update_timer(pw_thread_loop_get_loop(host->thread), host->alarm, &time, NULL, true);
}

void oav_alarms_ring(void *data, uint64_t expirations)
{
    struct oav_pw_host *host = data;
    (void)expirations;
    uint64_t now = oav_now_ns();
    while (!spa_list_is_empty(&host->alarms)) {
        struct oav_alarm *first = spa_list_first(&host->alarms, struct oav_alarm, link);
        uint64_t due = first->time_ns;
        if (due > now) break;
        spa_list_remove(&first->link);
        free(first);
        if (!host->lost) host->events.time_reached(host->events.context, due);
    }
    arm(host);
}

void oav_pw_host_alarm(struct oav_pw_host *host, uint64_t time_ns)
{
    pw_thread_loop_lock(host->thread);
    struct spa_list *before = &host->alarms;
    struct oav_alarm *other, *alarm = NULL;
    spa_list_for_each(other, &host->alarms, link) {
        if (other->time_ns >= time_ns) break;
        before = &other->link;
    }
    bool is_known = before->next != &host->alarms
        && SPA_CONTAINER_OF(before->next, struct oav_alarm, link)->time_ns == time_ns;
    if (!host->lost && !is_known) alarm = calloc(1, sizeof *alarm);
    if (alarm) {
        alarm->time_ns = time_ns;
        spa_list_insert(before, &alarm->link);
        arm(host);
    }
    pw_thread_loop_unlock(host->thread);
}

void oav_alarms_free(struct oav_pw_host *host)
{
    struct oav_alarm *alarm;
    spa_list_consume(alarm, &host->alarms, link) {
        spa_list_remove(&alarm->link);
        free(alarm);
    }
}
#endif
