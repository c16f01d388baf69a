// Facts come in bursts, one of which is one change. It is over when a round trip to the server has brought no more of
// them: that is told as `settled`, and 100 ms without another as `rested`.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE

static void send_sync(struct oav_pw_host *host)
{
    host->touched_since_sync = false;
    host->syncing = true;
    host->sync_seq = pw_core_sync(host->core, PW_ID_CORE, 0);
}

void oav_host_touch(struct oav_pw_host *host)
{
    if (host->lost) return;
    if (host->syncing) {
        host->touched_since_sync = true;
    } else {
        host->resyncs = 0;
        send_sync(host);
    }
    pw_thread_loop_signal(host->thread, false);
}

static bool any_device_enumerating(struct oav_pw_host *host)
{
    struct oav_device *device;
    spa_list_for_each(device, &host->devices, link) {
        if (device->enumerating) return true;
    }
    return false;
}

void oav_host_rest(void *data, uint64_t expirations)
{
    struct oav_pw_host *host = data;
    (void)expirations;
    if (host->lost || host->syncing) return;
    oav_streams_rested(host);
    host->events.rested(host->events.context);
}

static void settle(struct oav_pw_host *host)
{
    struct timespec delay = {0, 100 * SPA_NSEC_PER_MSEC};
    host->settled_once = true;
    oav_streams_settled(host);
    host->events.settled(host->events.context);
    pw_loop_update_timer(pw_thread_loop_get_loop(host->thread), host->rest, &delay, NULL, false);
    pw_thread_loop_signal(host->thread, false);
}

void oav_host_sync_done(struct oav_pw_host *host, int seq)
{
    if (!host->syncing || seq != host->sync_seq) return;
    host->syncing = false;
    // A node that came in this round trip has asked for its own details, a device for its routes: those are part of the
    // same burst. The limit keeps a server that never rests from hiding everything.
    if ((host->touched_since_sync || any_device_enumerating(host)) && host->resyncs < 8) {
        host->resyncs++;
        send_sync(host);
        return;
    }
    settle(host);
}
#endif
