// Who is connected to the server, ourselves among them.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <stdlib.h>
#include <string.h>

uint32_t oav_own_client_id(struct oav_pw_host *host)
{
    return pw_proxy_get_bound_id((struct pw_proxy *)pw_core_get_client(host->export_core));
}

static const struct oav_client *client_find(struct oav_pw_host *host, uint32_t id)
{
    const struct oav_client *client;
    spa_list_for_each(client, &host->clients, link) {
        if (client->id == id) return client;
    }
    return NULL;
}

uint32_t oav_client_process(struct oav_pw_host *host, uint32_t client_id)
{
    const struct oav_client *client = client_find(host, client_id);
    return client ? client->process_id : 0;
}

const char *oav_client_name(struct oav_pw_host *host, uint32_t client_id)
{
    const struct oav_client *client = client_find(host, client_id);
    return client ? client->name : NULL;
}

static void client_free(struct oav_client *client)
{
    spa_list_remove(&client->link);
    free(client->name);
    free(client);
}

void oav_client_added(struct oav_pw_host *host, uint32_t id, const struct spa_dict *props)
{
    const char *name = spa_dict_lookup(props, PW_KEY_APP_NAME);
    struct oav_client *client = calloc(1, sizeof *client);
    if (!client) return;
    client->id = id;
    spa_atou32(spa_dict_lookup(props, PW_KEY_SEC_PID), &client->process_id, 0);
    client->name = name ? strdup(name) : NULL;
    spa_list_append(&host->clients, &client->link);
}

void oav_client_removed(struct oav_pw_host *host, uint32_t id)
{
    struct oav_client *client;
    spa_list_for_each(client, &host->clients, link) {
        if (client->id != id) continue;
        client_free(client);
        return;
    }
}

void oav_clients_clear(struct oav_pw_host *host)
{
    struct oav_client *client;
    spa_list_consume(client, &host->clients, link) client_free(client);
}
#endif
