// What other programs publish: their claims on the board, and the output streams that run.
//
// A stream's stop is told when it has lasted for STOP_DEBOUNCE_MS, its removal at once: a call whose headphones go is moved to
// another sink, and stands still for 25 to 49 ms. Nobody is to be told that it was over. A session's stream that runs
// before its claim has been told, or a little after that has gone, is not told as running: it is no other program's.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <stdlib.h>
#include <string.h>

#include <spa/utils/string.h>

#define STOP_DEBOUNCE_MS 100
// How long a stream may outlive its session's claim before it counts as a program of its own: well above the fade, the
// server's news of the end, and the debounce, on a machine that is short of time.
#define PARTING_MS 500

// A sound library beside us in this process is no other program.
static bool is_beside_us(const struct oav_other *other)
{
    uint32_t process = oav_client_process(other->host, other->client_id);
    return process != 0 && process == oav_client_process(other->host, oav_own_client_id(other->host))
        && !pw_properties_get(other->props, OAV_STREAM_MARK);
}

static bool is_news(const struct oav_other *other)
{
    if (other->host->lost || !other->described || other->client_id == oav_own_client_id(other->host)) return false;
    if (other->is_claim) return true;
    return !is_beside_us(other) && !pw_properties_get(other->props, PW_KEY_NODE_LINK_GROUP)
        && !pw_properties_get_bool(other->props, PW_KEY_NODE_VIRTUAL, false);
}

static const char *name_of(const struct oav_other *other)
{
    const char *name = pw_properties_get(other->props, PW_KEY_APP_NAME);
    return name ? name : oav_client_name(other->host, other->client_id);
}

static void tell_removed(struct oav_other *other)
{
    struct oav_pw_host *host = other->host;
    if (!other->told) return;
    other->told = false;
    if (host->lost) return;
    if (other->is_claim) {
        host->events.peer_left(host->events.context, other->serial);
    } else {
        host->events.other_stream_removed(host->events.context, other->serial);
    }
}

static void tell(struct oav_other *other)
{
    struct oav_pw_host *host = other->host;
    if (!is_news(other)) {
        tell_removed(other);
        return;
    }
    other->told = true;
    if (other->is_claim) {
        struct oav_pw_peer peer = {
            .serial = other->serial,
            .client_id = other->client_id,
            .category = pw_properties_get(other->props, "audiosession.claim.category"),
            .mode = pw_properties_get(other->props, "audiosession.claim.mode"),
            .policy = pw_properties_get(other->props, "audiosession.claim.policy"),
            .options = pw_properties_get(other->props, "audiosession.claim.options"),
            .name = name_of(other),
            .notifies_others = pw_properties_get_bool(other->props, "audiosession.claim.notifies-others", false),
        };
        host->events.peer(host->events.context, &peer);
    } else {
        struct oav_pw_other_stream stream = {
            .serial = other->serial,
            .client_id = other->client_id,
            .is_running = other->running && other->parted_at_ns == 0,
            .role = pw_properties_get(other->props, PW_KEY_MEDIA_ROLE),
            .name = name_of(other),
        };
        host->events.other_stream(host->events.context, &stream);
    }
}

static void unbind(struct oav_other *other)
{
    if (!other->proxy) return;
    spa_hook_remove(&other->node_hook);
    pw_proxy_destroy(other->proxy);
    other->proxy = NULL;
}

static void other_free(struct oav_other *other)
{
    unbind(other);
    spa_list_remove(&other->link);
    pw_properties_free(other->props);
    free(other);
}

static void arm_stop_debounce(struct oav_pw_host *host)
{
    struct timespec delay = {0, STOP_DEBOUNCE_MS * SPA_NSEC_PER_MSEC};
    pw_loop_update_timer(pw_thread_loop_get_loop(host->thread), host->stop_debounce, &delay, NULL, false);
}

static bool has_claim(struct oav_pw_host *host, uint32_t client_id)
{
    const struct oav_other *other;
    spa_list_for_each(other, &host->others, link) {
        if (other->is_claim && other->told && !other->leaving && other->client_id == client_id) return true;
    }
    return false;
}

static bool has_untold_claim(struct oav_pw_host *host, uint32_t client_id)
{
    const struct oav_other *other;
    spa_list_for_each(other, &host->others, link) {
        if (other->is_claim && !other->leaving && !other->described && other->client_id == client_id) return true;
    }
    return false;
}

// A session that takes its claim down stops its streams: some of them run a little longer, while they fade out. They are
// no other program's in that time; whatever still runs after it is.
static void part(struct oav_pw_host *host, uint32_t client_id)
{
    struct oav_other *other;
    bool is_waiting = false;
    spa_list_for_each(other, &host->others, link) {
        if (other->is_claim || other->client_id != client_id || !other->running) continue;
        other->parted_at_ns = oav_now_ns();
        tell(other);
        is_waiting = true;
    }
    if (is_waiting) arm_stop_debounce(host);
}

// The claim has come, or is back: its streams are its own.
static void reunite(struct oav_pw_host *host, uint32_t client_id)
{
    struct oav_other *other;
    spa_list_for_each(other, &host->others, link) {
        if (other->is_claim || other->client_id != client_id || other->parted_at_ns == 0) continue;
        other->parted_at_ns = 0;
        tell(other);
    }
}

static void tell_departure(struct oav_other *claim)
{
    struct oav_pw_host *host = claim->host;
    claim->leaving = true;
    if (claim->told && !host->lost && !has_claim(host, claim->client_id)) part(host, claim->client_id);
    tell_removed(claim);
    other_free(claim);
}

static bool has_untold(struct oav_pw_host *host)
{
    const struct oav_other *other;
    spa_list_for_each(other, &host->others, link) {
        if (other->leaving || !other->described) return true;
    }
    return false;
}

// Whoever takes a claim down may do so for the sake of a node that is new: its own next claim, another session's, or a
// call's stream. Of that one only the registry has told then: its properties take a round trip more. Told in that order,
// the others would believe for a moment that nobody was there any more.
static void remove_claim(struct oav_other *other)
{
    unbind(other);
    if (other->told && has_untold(other->host)) {
        other->leaving = true;
        other->leave_seq = pw_core_sync(other->host->core, PW_ID_CORE, 0);
        return;
    }
    tell_departure(other);
}

void oav_others_sync_done(struct oav_pw_host *host, int seq)
{
    struct oav_other *other, *next;
    spa_list_for_each_safe(other, next, &host->others, link) {
        if (other->leaving && other->leave_seq == seq) tell_departure(other);
    }
}

void oav_others_debounce_over(void *data, uint64_t expirations)
{
    struct oav_pw_host *host = data;
    struct oav_other *other;
    bool is_waiting = false;
    (void)expirations;
    if (host->lost) return;
    uint64_t now = oav_now_ns();
    spa_list_for_each(other, &host->others, link) {
        bool has_stopped = other->stopped_at_ns != 0;
        uint64_t since = has_stopped ? other->stopped_at_ns : other->parted_at_ns;
        uint64_t patience = has_stopped ? STOP_DEBOUNCE_MS : PARTING_MS;
        if (since == 0) continue;
        // One stream's stop arms the timer anew for all of them.
        if (now - since < (patience - 1) * SPA_NSEC_PER_MSEC) {
            is_waiting = true;
            continue;
        }
        if (has_stopped) other->running = false;
        other->stopped_at_ns = 0;
        other->parted_at_ns = 0;
        tell(other);
    }
    if (is_waiting) arm_stop_debounce(host);
}

static void on_node_info(void *data, const struct pw_node_info *info)
{
    struct oav_other *other = data;
    bool running = info->state == PW_NODE_STATE_RUNNING;
    bool changed = !other->described || (running && !other->running);
    if (running) {
        // A session claims before it plays; what it has claimed takes a round trip more.
        if (!other->running && !other->is_claim && has_untold_claim(other->host, other->client_id)) {
            other->parted_at_ns = oav_now_ns();
            arm_stop_debounce(other->host);
        }
        other->running = true;
        other->stopped_at_ns = 0;
    } else if (other->running && other->stopped_at_ns == 0) {
        other->stopped_at_ns = oav_now_ns();
        arm_stop_debounce(other->host);
    }
    if ((info->change_mask & PW_NODE_CHANGE_MASK_PROPS) && info->props) {
        changed |= pw_properties_update(other->props, info->props) > 0;
    }
    other->described = true;
    if (changed) tell(other);
    if (changed && other->is_claim) reunite(other->host, other->client_id);
}

static const struct pw_node_events node_events = {PW_VERSION_NODE_EVENTS, .info = on_node_info};

void oav_other_bind(struct oav_pw_host *host, uint32_t id, const struct spa_dict *props)
{
    bool is_claim = spa_streq(spa_dict_lookup(props, PW_KEY_NODE_NAME), OAV_CLAIM_NAME);
    if (!is_claim && !spa_streq(spa_dict_lookup(props, PW_KEY_MEDIA_CLASS), "Stream/Output/Audio")) return;
    struct oav_other *other = calloc(1, sizeof *other);
    if (!other) return;
    other->host = host;
    other->id = id;
    other->is_claim = is_claim;
    other->client_id = OAV_PW_NONE;
    // These two are the server's own words, in the registry; those in a node's info could be its maker's.
    spa_atou64(spa_dict_lookup(props, PW_KEY_OBJECT_SERIAL), &other->serial, 0);
    spa_atou32(spa_dict_lookup(props, PW_KEY_CLIENT_ID), &other->client_id, 0);
    other->props = pw_properties_new_dict(props);
    other->proxy = pw_registry_bind(host->registry, id, PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, 0);
    if (!other->proxy || !other->props) {
        pw_properties_free(other->props);
        if (other->proxy) pw_proxy_destroy(other->proxy);
        free(other);
        return;
    }
    spa_list_append(&host->others, &other->link);
    pw_node_add_listener((struct pw_node *)other->proxy, &other->node_hook, &node_events, other);
    if (is_claim) oav_claims_check(host);
}

bool oav_other_removed(struct oav_pw_host *host, uint32_t id)
{
    struct oav_other *other;
    spa_list_for_each(other, &host->others, link) {
        if (other->id != id || other->leaving) continue;
        if (other->is_claim) {
            remove_claim(other);
        } else {
            tell_removed(other);
            other_free(other);
        }
        return true;
    }
    return false;
}

void oav_others_clear(struct oav_pw_host *host)
{
    struct oav_other *other;
    spa_list_consume(other, &host->others, link) other_free(other);
}
#endif
