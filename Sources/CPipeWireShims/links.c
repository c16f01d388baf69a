// Link objects: made by us, owned by us. Their events come on the loop thread; linking.c makes them.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <stdlib.h>

#include <spa/utils/string.h>

static void link_failed(struct oav_link *link, const char *why)
{
    struct oav_pw_stream *stream = link->stream;
    if (stream->host->lost) return;
    oav_stream_lose(stream, link->target, OAV_LOSS_PORT, why ? why : "the link failed");
}

static void on_bound(void *data, uint32_t id)
{
    struct oav_link *link = data;
    (void)id;
    link->bound = true;
    oav_host_wake(link->stream->host);
}

static void on_removed(void *data)
{
    struct oav_link *link = data;
    struct oav_pw_host *host = link->stream->host;
    if (host->lost) return;
    bool ends_exist = oav_port_exists(host, link->from_port) && oav_port_exists(host, link->to_port);
    oav_stream_lose(link->stream, link->target, ends_exist ? OAV_LOSS_LINK : OAV_LOSS_PORT,
        "the server removed the link");
}

static void on_error(void *data, int seq, int res, const char *message)
{
    struct oav_link *link = data;
    struct oav_pw_host *host = link->stream->host;
    (void)seq, (void)res;
    bool ends_exist = oav_port_exists(host, link->from_port) && oav_port_exists(host, link->to_port);
    if (!link->bound && ends_exist) link->stream->refusals++;
    link_failed(link, message);
}

static const struct pw_proxy_events proxy_events = {
    PW_VERSION_PROXY_EVENTS, .bound = on_bound, .removed = on_removed, .error = on_error};

static void on_info(void *data, const struct pw_link_info *info)
{
    struct oav_link *link = data;
    link->active = info->state == PW_LINK_STATE_ACTIVE;
    if (info->state == PW_LINK_STATE_ERROR) link_failed(link, info->error);
}

static const struct pw_link_events link_events = {PW_VERSION_LINK_EVENTS, .info = on_info};

// Safe inside a link's own callback: the proxies are destroyed later, by oav_host_destroy_links.
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

bool oav_stream_add_link(struct oav_pw_stream *stream, uint32_t target, uint32_t our_port, uint32_t their_port)
{
    uint32_t from_port = stream->is_input ? their_port : our_port;
    uint32_t to_port = stream->is_input ? our_port : their_port;
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
    link->from_port = from_port;
    link->to_port = to_port;
    pw_proxy_add_listener(link->proxy, &link->proxy_hook, &proxy_events, link);
    pw_link_add_listener((struct pw_link *)link->proxy, &link->link_hook, &link_events, link);
    spa_list_append(&stream->links, &link->link);
    return true;
}

bool oav_stream_links_are_bound(const struct oav_pw_stream *stream)
{
    const struct oav_link *link;
    spa_list_for_each(link, &stream->links, link) {
        if (!link->bound) return false;
    }
    return true;
}

// Links between our output stream and anything but a sink are a recorder's, and no policy's; those from anything but a
// source to our input stream are likewise. Ours are known by the maker that the server names.
void oav_link_added(struct oav_pw_host *host, uint32_t id, const struct spa_dict *props)
{
    struct oav_pw_stream *stream;
    uint32_t from = OAV_PW_NONE, to = OAV_PW_NONE, maker = OAV_PW_NONE;
    spa_atou32(spa_dict_lookup(props, PW_KEY_LINK_OUTPUT_NODE), &from, 0);
    spa_atou32(spa_dict_lookup(props, PW_KEY_LINK_INPUT_NODE), &to, 0);
    spa_atou32(spa_dict_lookup(props, PW_KEY_CLIENT_ID), &maker, 0);
    if (maker == pw_proxy_get_bound_id((struct pw_proxy *)pw_core_get_client(host->core))) return;
    spa_list_for_each(stream, &host->streams, link) {
        uint32_t ours = stream->is_input ? to : from, theirs = stream->is_input ? from : to;
        if (!stream->stream || pw_stream_get_node_id(stream->stream) != ours) continue;
        const struct oav_audio_node *node = oav_node_find(host, theirs);
        if (!node || node->is_source != stream->is_input) continue;
        host->events.stream_linked_by_others(host->events.context, stream->tag, id);
    }
}

void oav_pw_host_destroy_link(struct oav_pw_host *host, uint32_t id)
{
    if (!host->lost) pw_registry_destroy(host->registry, id);
}
#endif
