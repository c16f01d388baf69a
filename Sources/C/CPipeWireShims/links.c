// Link objects that we create and own. Their events come on the loop thread.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <stdlib.h>

#include <spa/utils/string.h>

// Removes all links, also those to other sinks: the session decides what the rest of a multi-route may still play.
void oav_stream_lose(struct oav_pw_stream *stream)
{
    atomic_store(&stream->gate_open, false);
    oav_stream_set_active(stream, false);
    oav_stream_drop_links(stream);
    stream->target_count = 0;
    oav_stream_forget_rate(stream);
}

static void lost(struct oav_link *link, enum oav_pw_loss_cause cause, const char *words)
{
    struct oav_pw_stream *stream = link->stream;
    struct oav_pw_host *host = stream->host;
    if (host->lost) return;
    struct oav_pw_loss loss = {
        .target = link->target,
        .cause = cause,
        .was_bound = link->bound,
        .our_port = link->our_port,
        .their_port = link->their_port,
        .words = words ? words : "the link failed",
    };
    oav_stream_lose(stream);
    host->events.stream_lost(host->events.context, stream->tag, &loss);
}

static void on_bound(void *data, uint32_t id)
{
    struct oav_link *link = data;
    struct oav_pw_stream *stream = link->stream;
    struct oav_pw_host *host = stream->host;
    (void)id;
    link->bound = true;
    if (host->lost || !oav_stream_is_linked(stream)) return;
    host->events.stream_linked(host->events.context, stream->tag, pw_stream_get_node_id(stream->stream));
}

static void on_removed(void *data) { lost(data, OAV_PW_LOSS_REMOVED, "the server removed the link"); }

static void on_error(void *data, int seq, int res, const char *message)
{
    (void)seq, (void)res;
    lost(data, OAV_PW_LOSS_FAILED, message);
}

static const struct pw_proxy_events proxy_events = {
    PW_VERSION_PROXY_EVENTS, .bound = on_bound, .removed = on_removed, .error = on_error};

static void on_info(void *data, const struct pw_link_info *info)
{
    struct oav_link *link = data;
    link->active = info->state == PW_LINK_STATE_ACTIVE;
    if (info->state == PW_LINK_STATE_ERROR) lost(link, OAV_PW_LOSS_FAILED, info->error);
}

static const struct pw_link_events link_events = {PW_VERSION_LINK_EVENTS, .info = on_info};

// Safe inside a link's own callback: oav_host_destroy_links destroys the proxies later.
void oav_stream_drop_links(struct oav_pw_stream *stream)
{
    struct oav_pw_host *host = stream->host;
    struct oav_link *link;
    spa_list_consume(link, &stream->links, link) {
        spa_hook_remove(&link->proxy_hook);
        spa_hook_remove(&link->link_hook);
        spa_list_remove(&link->link);
        spa_list_append(&host->dead_links, &link->link);
    }
    if (!spa_list_is_empty(&host->dead_links)) oav_host_wake(host);
}

void oav_host_destroy_links(struct oav_pw_host *host)
{
    struct oav_link *link;
    spa_list_consume(link, &host->dead_links, link) {
        spa_list_remove(&link->link);
        pw_proxy_destroy(link->proxy);
        free(link);
    }
}

bool oav_pw_stream_add_link(struct oav_pw_stream *stream, uint32_t target, uint32_t our_port, uint32_t their_port)
{
    uint32_t from_port = stream->is_input ? their_port : our_port;
    uint32_t to_port = stream->is_input ? our_port : their_port;
    if (stream->host->lost || !stream->stream) return false;
    struct oav_link *link = calloc(1, sizeof *link);
    struct pw_properties *properties = pw_properties_new(NULL, NULL);
    if (link && properties) {
        pw_properties_setf(properties, PW_KEY_LINK_OUTPUT_PORT, "%u", from_port);
        pw_properties_setf(properties, PW_KEY_LINK_INPUT_PORT, "%u", to_port);
        link->proxy = pw_core_create_object(
            stream->host->core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK, &properties->dict, 0);
    }
    pw_properties_free(properties);
    if (!link || !link->proxy) {
        free(link);
        return false;
    }
    link->stream = stream;
    link->target = target;
    link->our_port = our_port;
    link->their_port = their_port;
    pw_proxy_add_listener(link->proxy, &link->proxy_hook, &proxy_events, link);
    pw_link_add_listener((struct pw_link *)link->proxy, &link->link_hook, &link_events, link);
    spa_list_append(&stream->links, &link->link);
    return true;
}

bool oav_stream_is_linked(const struct oav_pw_stream *stream)
{
    const struct oav_link *link;
    spa_list_for_each(link, &stream->links, link) {
        if (!link->bound) return false;
    }
    return !spa_list_is_empty(&stream->links);
}

void oav_pw_host_destroy_link(struct oav_pw_host *host, uint32_t id)
{
    if (!host->lost) pw_registry_destroy(host->registry, id);
}
#endif
