// The order of two streams in a cycle: an input (the leader) before the output that plays it (the follower), decision 101.
// The server lets a node with `node.trigger` wait for one trigger in each cycle, beside its links' nodes; the leader triggers the follower
// at the end of its own cycle. A follower that runs without triggers would make every cycle of its driver late, for every program on
// that device. So it stops first and starts last, and the leader's node runs for as long as the follower, also unlinked
// (`node.always-process`), also closed.
#include "internal.h"
#ifdef OAV_HAS_PIPEWIRE
#include <spa/utils/string.h>

struct oav_pw_stream *oav_stream_follower(const struct oav_pw_stream *stream)
{
    struct oav_pw_stream *other;
    spa_list_for_each(other, &stream->host->streams, link) {
        if (other->leader == stream) return other;
    }
    return NULL;
}

void oav_stream_choose_leader(struct oav_pw_stream *stream)
{
    struct oav_pw_stream *other;
    if (stream->is_input || !stream->is_ordered || !stream->group) return;
    spa_list_for_each(other, &stream->host->streams, link) {
        bool can_lead = other->is_input && other->is_ordered && !other->is_closed && spa_streq(other->group, stream->group);
        if (can_lead && !oav_stream_follower(other)) stream->leader = other;
    }
}

static bool is_streaming(const struct oav_pw_stream *stream)
{
    return stream->stream && pw_stream_get_state(stream->stream, NULL) == PW_STREAM_STATE_STREAMING;
}

// Before 0.3.71, a trigger calls the follower's `process` and its converter, even if the node has not started, which can crash. So the
// triggers begin after it has, and end before it is paused: the server waits for none at other times.
static void set_follower(struct oav_pw_stream *leader, struct pw_stream *follower)
{
    if (atomic_exchange(&leader->follower, follower) != NULL && !follower) oav_stream_quiesce(leader);
}

void oav_stream_pause_follower(struct oav_pw_stream *leader)
{
    struct oav_pw_stream *follower = oav_stream_follower(leader);
    if (!follower) return;
    set_follower(leader, NULL);
    if (follower->stream && !follower->host->lost) pw_stream_set_active(follower->stream, false);
}

void oav_stream_order(struct oav_pw_stream *stream)
{
    struct oav_pw_stream *leader = stream->is_input ? stream : stream->leader;
    struct oav_pw_stream *follower = stream->is_input ? oav_stream_follower(stream) : stream;
    if (stream->host->lost || !leader || !follower) return;
    bool runs = follower->is_active && is_streaming(leader);
    if (!runs) oav_stream_pause_follower(leader);
    if (leader->stream) pw_stream_set_active(leader->stream, leader->is_active || follower->is_active);
    if (!runs || !follower->stream) return;
    set_follower(leader, is_streaming(follower) ? follower->stream : NULL);
    pw_stream_set_active(follower->stream, true);
}

void oav_stream_set_active(struct oav_pw_stream *stream, bool is_active)
{
    stream->is_active = is_active;
    if (stream->host->lost || !stream->stream) return;
    if (stream->leader || oav_stream_follower(stream)) return oav_stream_order(stream);
    pw_stream_set_active(stream->stream, is_active);
}

struct oav_pw_stream *oav_stream_leave_leader(struct oav_pw_stream *stream)
{
    struct oav_pw_stream *leader = stream->leader;
    if (!leader) return NULL;
    oav_stream_pause_follower(leader);
    stream->leader = NULL;
    if (!leader->is_closed) oav_stream_set_active(leader, leader->is_active);
    return leader;
}
#endif
